//! Waiting for what comes true soon.

use std::time::{Duration, Instant};

/// Whether something has come true within five seconds.
pub(crate) fn waited_for(what: impl Fn() -> bool) -> bool {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(5) {
        if what() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}
