//! Path policies by themselves: what each chooses, whatever the paths.

mod any;
mod bandits;
mod chosen;
mod disjoint;
mod lowest_rtt;

use std::sync::Arc;

use windtunnel_engine::{Duration, Random, Rate, Streams, Time};
use windtunnel_networks::scion::policies::{InterfaceId, PathId, PathInfo};

/// A path over links of these numbers, each of which joins two interfaces.
fn path(id: u64, links: &[u16]) -> PathInfo {
    let ends = |link: &u16| [1, 2].map(|isd_as| InterfaceId { isd_as, number: *link });
    PathInfo {
        id: PathId(id),
        latency: Duration::from_millis(10),
        bandwidth: Rate::from_bits_per_second(1_000_000).expect("above zero"),
        mtu: 1400,
        as_hops: links.len() as u8 + 1,
        interfaces: links.iter().flat_map(ends).collect::<Arc<[_]>>(),
        expires: Time::ZERO + Duration::from_secs(3600),
        rtt: None,
    }
}

/// So many paths without anything in common.
fn paths(count: u16) -> Vec<PathInfo> {
    (0..count).map(|it| path(it.into(), &[it])).collect()
}

fn random(name: &str) -> Random {
    Streams::new(1, 0).stream(name)
}

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}
