//! The figures of transfers.

use std::time::Instant;

use windtunnel_smoltcp::{Smoltcp, SmoltcpController};

use crate::kernel::{linux, path};

#[test]
fn cubic_fills_a_link_and_repairs_each_loss_once() {
    let Some(cubic) = linux("cubic") else { return };
    for bytes in [10_000_000, 60_000_000] {
        let begun = Instant::now();
        let outcome = path().transfer(cubic.clone(), bytes);
        println!("{outcome} {:?} {:?}", outcome.ends[0].state, begun.elapsed());
    }
}

#[test]
fn a_kernel_and_another_implementation_understand_each_other() {
    let Some(cubic) = linux("cubic") else { return };
    let smoltcp = || Smoltcp::new(SmoltcpController::Cubic);
    println!("{}", path().transfer_between(cubic.clone(), smoltcp(), 3_000_000));
    println!("{}", path().transfer_between(smoltcp(), cubic, 3_000_000));
}
