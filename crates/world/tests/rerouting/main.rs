//! Links fail, come back and grow longer: what packets and Interests do then.

#[path = "../common/mod.rs"]
mod common;
mod conservation;
mod names;
mod packets;

use common::{direction, join, nodes};
use windtunnel_engine::{Duration, Time};
use windtunnel_world::{ChangePlan, LinkChange, Plan, PortId};

/// How long after a change all nodes forward by the new paths, in milliseconds.
const CONVERGENCE_MS: u64 = 50;

/// The links of [`two_paths`].
const SHORT: [usize; 2] = [0, 1];
const LONG: [usize; 2] = [2, 3];

/// Two paths without a common link from the first node to the last, at 10 Mbps: two
/// links of 5 ms, or two of 20 ms.
fn two_paths() -> Plan {
    let mut plan = nodes(&["first", "near", "far", "last"]);
    for (first, second, delay_ms) in [(0, 1, 5), (1, 3, 5), (0, 2, 20), (2, 3, 20)] {
        join(&mut plan, first, second, &direction(10, delay_ms));
    }
    plan.routing.convergence = Some(Duration::from_millis(CONVERGENCE_MS));
    plan
}

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

/// Changes both directions of a link.
fn change(plan: &mut Plan, milliseconds: u64, link: usize, change: LinkChange) {
    let time = at(milliseconds);
    let ports = [0, 1].map(|direction| PortId::new(link, direction));
    plan.changes.extend(ports.map(|port| ChangePlan { time, port, change: change.clone() }));
}
