//! Goodput and delay over the bottleneck.

use std::time::Duration;

use crate::bottleneck::HEADERS;
use crate::connection::{RATE, Run};
use crate::endpoints::MTU;

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// The rate without the headers of UDP and IP.
fn most() -> f64 {
    RATE as f64 * f64::from(MTU) / (f64::from(MTU) + HEADERS as f64)
}

#[test]
fn print_all() {
    for name in [
        "cubic",
        "bbr3",
        "bbr1",
        "copa",
        "reno",
        "vegas",
        "new-reno",
        "westwood",
        "ledbat-plus-plus",
        "yeah",
    ] {
        let real = std::time::Instant::now();
        let mut run = Run::of(name);
        let first = run.measure(seconds(5));
        let it = run.measure(seconds(30));
        eprintln!(
            "{name:10} first {:.2} Mb/s {:?} drops {}; then {:.2} Mb/s {:?} drops {} ({:.3}) real {:?}",
            first.goodput / 1e6,
            first.waited,
            first.drops,
            it.goodput / 1e6,
            it.waited,
            it.drops,
            it.goodput / most(),
            real.elapsed()
        );
    }
}
