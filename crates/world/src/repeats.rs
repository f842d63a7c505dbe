//! Whether flows over stacks do the same in each run of a seed.

use std::sync::Arc;

use windtunnel_stack::MakeStack;
use windtunnel_stack::trace::{Difference, Trace, Traced};

use crate::plan::{Plan, Transport};
use crate::routing::Unreachable;
use crate::world::World;

/// What two runs of a flow over a stack, with the same seed, had in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The flow, by its place in the plan.
    pub flow: usize,
    /// The first datagram that had another time or size; none if all had the same.
    pub difference: Option<Difference>,
    /// Whether all had the same bytes too.
    pub has_same_bytes: bool,
}

/// Runs a plan twice, and compares what the ends of its flows over stacks sent: the one that
/// differed first is the first.
///
/// # Errors
/// As [`World::new`].
pub fn repeats(plan: &Plan) -> Result<Vec<Repeat>, Unreachable> {
    let (first, second) = (traces(plan)?, traces(plan)?);
    let both = first.into_iter().zip(second);
    let repeats = both.map(|((flow, one), (_, another))| Repeat {
        flow,
        difference: one.first_difference(&another),
        has_same_bytes: one.has_same_bytes(&another),
    });
    let mut repeats: Vec<Repeat> = repeats.collect();
    repeats.sort_by_key(|it| it.difference.map_or(std::time::Duration::MAX, |it| it.at()));
    Ok(repeats)
}

/// What the ends of each flow over a stack sent until the end of the run.
fn traces(plan: &Plan) -> Result<Vec<(usize, Trace)>, Unreachable> {
    let mut plan = plan.clone();
    let mut traces = Vec::new();
    for (place, flow) in plan.flows.iter_mut().enumerate() {
        let Transport::Stack { settings, .. } = &mut flow.transport else { continue };
        let trace = Trace::default();
        let settings = Arc::make_mut(settings);
        let traced = |it: &mut Arc<dyn MakeStack>| {
            *it = Arc::new(Traced::new(Arc::clone(it), trace.clone()));
        };
        traced(&mut settings.maker);
        settings.receiver.as_mut().map(traced);
        traces.push((place, trace));
    }
    World::new(&plan)?.advance(plan.end());
    Ok(traces)
}
