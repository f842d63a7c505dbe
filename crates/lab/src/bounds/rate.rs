//! The most that a link sends.

use windtunnel_links::OPPORTUNITY;
use windtunnel_world::{DirectionPlan, Plan, PortId};

/// The most that a direction of a link sends if nothing changes it, in bits per second.
/// With a delivery trace that is what its fullest millisecond lets through, not its
/// mean, which a flow that is there at the right moment surpasses.
pub(super) fn most_rate(direction: &DirectionPlan) -> f64 {
    let Some(trace) = &direction.opportunities else {
        return direction.rate.bits_per_second() as f64;
    };
    let fullest = trace.times.chunk_by(|one, other| one == other).map(<[_]>::len).max();
    // Where the trace begins again, its first and its last moment are one.
    let at_once = 2 * fullest.unwrap_or(0) as u64 * u64::from(OPPORTUNITY) * 8;
    at_once as f64 * 1e3
}

/// Whether a packet may pass a direction of a link faster than at its rate: an opportunity takes
/// no time, and a fixed radio sends faster in its turns.
pub(super) fn takes_turns(plan: &Plan, port: PortId) -> bool {
    let direction = plan.direction(port);
    direction.physical_layer.is_some() || direction.opportunities.is_some()
}
