//! The most that a link sends, and the least that a bit takes on it.

use windtunnel_engine::Duration;
use windtunnel_links::OPPORTUNITY;
use windtunnel_world::{DirectionPlan, LinkChange, Plan, PortId};

/// What happens to a direction of a link during a run.
fn changes(plan: &Plan, port: PortId) -> impl Iterator<Item = &LinkChange> {
    plan.changes.iter().filter(move |it| it.port == port).map(|it| &it.change)
}

/// The most that a direction of a link ever sends, in bits per second.
pub(super) fn most_rate(plan: &Plan, port: PortId) -> f64 {
    let later = changes(plan, port).filter_map(|it| match it {
        LinkChange::Rate(rate) => Some(rate.bits_per_second() as f64),
        _ => None,
    });
    later.fold(most_of_plan(plan.direction(port)), f64::max)
}

/// The least time that a bit ever takes to the other end.
pub(super) fn least_bit_delay(plan: &Plan, port: PortId) -> Duration {
    let later = changes(plan, port).filter_map(|it| match it {
        LinkChange::Delay(delay) => Some(*delay),
        _ => None,
    });
    let channel = plan.links[port.link()].channel.as_ref();
    let followed = channel.and_then(|it| it.least_delays()[port.direction()]);
    later.chain(followed).fold(plan.direction(port).delay, Duration::min)
}

/// The most that a direction of a link sends if nothing changes it, in bits per second.
/// With a delivery trace that is what its fullest millisecond lets through, not its
/// mean, which a flow that is there at the right moment surpasses.
fn most_of_plan(direction: &DirectionPlan) -> f64 {
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
