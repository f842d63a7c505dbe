//! A path policy: what it sees of paths, and what it chooses.

use std::fmt::Debug;
use std::sync::Arc;

use dyn_clone::DynClone;
use windtunnel_engine::{Duration, Random, Rate, Time};

/// What a path is known by: it stays the same as long as the path crosses the same interfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathId(pub u64);

/// An interface of an autonomous system, at one end of a link to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InterfaceId {
    /// The number of the isolation domain in the highest 16 bits, and in the lowest 48 that of
    /// the autonomous system.
    pub isd_as: u64,
    /// Its number in the autonomous system.
    pub number: u16,
}

/// A path, as a policy sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct PathInfo {
    /// What it is known by.
    pub id: PathId,
    /// The sum of the latencies that beacons announced, in one direction.
    pub latency: Duration,
    /// The least of the bandwidths that beacons announced.
    pub bandwidth: Rate,
    /// The largest SCION packet, in bytes.
    pub mtu: u16,
    /// How many autonomous systems it crosses, those of both ends included.
    pub as_hops: u8,
    /// The interfaces that it crosses, in order.
    pub interfaces: Arc<[InterfaceId]>,
    /// When it becomes invalid.
    pub expires: Time,
    /// The smoothed round trip of the probes on it (RFC 6298, section 2); none before the first.
    pub rtt: Option<Duration>,
}

/// Chooses the path of each packet of a flow, or of a subflow of Multipath TCP.
pub trait PathPolicy: Debug + DynClone + Send {
    /// How often it wants the paths to be probed; none: never.
    fn probe_interval(&self) -> Option<Duration> {
        None
    }

    /// Whether only the path in use is to be probed, and not all.
    fn probes_only_current(&self) -> bool {
        false
    }

    /// What became of a probe: its round trip; none if it was lost.
    fn on_probe(&mut self, _now: Time, _path: &PathInfo, _rtt: Option<Duration>) {}

    /// The path of the next packet, by its place in `paths`. These are never empty and ordered
    /// by ([`as_hops`](PathInfo::as_hops), [`id`](PathInfo::id)); `current` is the place of the
    /// path that the packet before took, if it is still there.
    fn select(
        &mut self,
        now: Time,
        paths: &[PathInfo],
        current: Option<usize>,
        random: &mut Random,
    ) -> usize;
}

dyn_clone::clone_trait_object!(PathPolicy);

/// Makes policies that are written outside this crate.
pub trait PolicyMaker: Debug + Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// A policy for a flow with this many subflows, and the one of them that it is for, from 0.
    fn policy(&self, subflow: usize, subflows: usize) -> Box<dyn PathPolicy>;
}
