//! The path with the greatest bandwidth that beacons announced; of several the first.

use std::cmp::Reverse;

use windtunnel_engine::{Random, Time};

use super::choosing::least;
use super::{PathInfo, PathPolicy};

/// The policy.
#[derive(Clone, Debug)]
pub(super) struct Widest;

impl PathPolicy for Widest {
    fn select(&mut self, _: Time, paths: &[PathInfo], _: Option<usize>, _: &mut Random) -> usize {
        least(paths, |it| Reverse(it.bandwidth))
    }
}
