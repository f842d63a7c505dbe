//! The kernel that tests use, where one was built.

use windtunnel_linux::{DEFAULT_KERNEL, Installation, Linux};
use windtunnel_testing::Network;

use crate::skipping::skipped;

/// A kernel with one of its controllers; none where none was built, which is a failure if
/// `WINDTUNNEL_REQUIRE_ALL` is 1.
pub(crate) fn linux(controller: &str) -> Option<Linux> {
    match Installation::find(DEFAULT_KERNEL) {
        Ok(installation) => Some(Linux::new(installation).controller(controller)),
        Err(why) => {
            skipped(why);
            None
        }
    }
}

/// 50 Mbps, 20 ms each way, the 14 bytes of Ethernet's header, a queue of 250 kB.
pub(crate) fn path() -> Network {
    Network::link("50 Mbps", "20 ms").with("overhead", "\"14 B\"").queue("250 kB")
}
