//! The same bytes in each run.

use crate::kernel::{linux, path};

fn repeats(controller: &str) {
    let Some(linux) = linux(controller) else { return };
    let repeat = path().repeat(linux, 3_000_000);
    assert!(repeat.difference.is_none() && repeat.has_same_bytes, "{repeat:?}");
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
