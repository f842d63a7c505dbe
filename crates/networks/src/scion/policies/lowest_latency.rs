//! The path with the lowest latency that beacons announced; of several the first.

use windtunnel_engine::{Random, Time};

use super::choosing::least;
use super::{PathInfo, PathPolicy};

/// The policy.
#[derive(Clone, Debug)]
pub(super) struct LowestLatency;

impl PathPolicy for LowestLatency {
    fn select(&mut self, _: Time, paths: &[PathInfo], _: Option<usize>, _: &mut Random) -> usize {
        least(paths, |it| it.latency)
    }
}
