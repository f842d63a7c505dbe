//! The same bytes in each run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::kernel::{linux, path};

/// Two runs with nothing else, and two while other threads keep the processors busy.
fn repeats(controller: &str) {
    let Some(linux) = linux(controller) else { return };
    let bytes = 1_000_000;
    let repeat = || path().repeat(linux.clone(), bytes);
    let is_over = AtomicBool::new(false);
    let [alone, busy] = thread::scope(|threads| {
        let alone = (repeat(), path().transfer(linux.clone(), bytes));
        for _ in 0..2 {
            threads.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let busy = (repeat(), path().transfer(linux.clone(), bytes));
        is_over.store(true, Ordering::Relaxed);
        [alone, busy]
    });
    for (repeat, _) in [&alone, &busy] {
        assert!(repeat.difference.is_none() && repeat.has_same_bytes, "{repeat:?}");
    }
    assert_eq!(alone.1, busy.1);
    let other = path().seed(2).transfer(linux, bytes);
    assert_eq!(other.received_bytes, bytes, "{other}");
}

#[test]
fn cubic_sends_the_same_bytes_in_each_run() {
    repeats("cubic");
}

#[test]
fn bbr_sends_the_same_bytes_in_each_run() {
    repeats("bbr");
}

#[test]
fn dctcp_sends_the_same_bytes_in_each_run() {
    repeats("dctcp");
}
