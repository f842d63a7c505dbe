//! tmp

use windtunnel_linux::{DEFAULT_KERNEL, Installation, Linux};
use windtunnel_testing::Network;

#[test]
fn a_transfer() {
    let installation = Installation::find(DEFAULT_KERNEL).unwrap();
    let path = Network::link("10 Mbps", "15 ms").with("overhead", "\"0 B\"").queue("25 packets");
    let begun = std::time::Instant::now();
    let outcome = path.transfer(Linux::new(installation), 2_000_000);
    println!("{outcome} {:?} {:?}", begun.elapsed(), outcome.failure());
}
