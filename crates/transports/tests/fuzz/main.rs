//! Three targets that nothing may break: a TCP connection over an arbitrary channel, a
//! multipath one over arbitrary paths, and any congestion controller with any sequence of
//! signals.
//!
//! `cargo test` drives each for a bounded number of cases. For longer, a number of
//! seconds for each target:
//!
//! ```sh
//! WINDTUNNEL_FUZZ_SECONDS=3600 cargo test --release -p windtunnel-transports \
//!     --test fuzz -- --ignored --nocapture
//! ```

mod channel;
mod controllers;
mod multipath;

use std::time::{Duration, Instant};

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestCaseResult, TestRunner};

/// So many cases, or what `WINDTUNNEL_FUZZ_SECONDS` allows if it is `long`.
fn drive<S: Strategy>(
    strategy: &S,
    cases: u32,
    long: bool,
    test: impl Fn(S::Value) -> TestCaseResult,
) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let seconds = std::env::var("WINDTUNNEL_FUZZ_SECONDS").ok().and_then(|it| it.parse().ok());
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(10));
    let mut batches = 0;
    loop {
        let mut runner = TestRunner::new(config.clone());
        if let Err(error) = runner.run(strategy, &test) {
            panic!("after {batches} batches of {cases}: {error}\n{runner}");
        }
        batches += 1;
        if !long || Instant::now() >= end {
            break;
        }
    }
    println!("{batches} batches of {cases} cases");
}
