//! The path through the fewest autonomous systems, as SCION's hosts choose without a policy.

use windtunnel_engine::{Random, Time};

use super::{PathInfo, PathPolicy};

/// The policy: paths are ordered by it.
#[derive(Clone, Debug)]
pub(super) struct First;

impl PathPolicy for First {
    fn select(&mut self, _: Time, _: &[PathInfo], _: Option<usize>, _: &mut Random) -> usize {
        0
    }
}
