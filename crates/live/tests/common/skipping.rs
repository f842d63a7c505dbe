//! What a test does where the machine lacks what it needs.

use std::fmt::Display;

/// Says why a test is skipped, which is a failure if `WINDTUNNEL_REQUIRE_ALL` is 1.
pub(crate) fn skipped(why: impl Display) {
    let is_required = std::env::var("WINDTUNNEL_REQUIRE_ALL").is_ok_and(|it| it == "1");
    assert!(!is_required, "skipped, but WINDTUNNEL_REQUIRE_ALL is 1: {why}");
    println!("skipped: {why}");
}
