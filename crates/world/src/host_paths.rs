//! The paths between hosts that no flow of a plan has: of real hosts, and of names.

use std::collections::BTreeSet;

use crate::path::{self, PathKey};
use crate::plan::{Plan, Sharing};

/// How many paths the packets between two attachments are shared among.
pub(crate) fn variants(sharing: Sharing) -> usize {
    if sharing == Sharing::Flows { path::VARIANTS as usize } else { 1 }
}

/// The paths between the attachments of a plan: from the first to each, and so on; none from one
/// to itself.
pub(crate) fn between_attachments(plan: &Plan) -> impl Iterator<Item = Option<PathKey>> {
    let all = plan.attachments.iter().enumerate();
    let pairs = all.clone().flat_map(move |from| all.clone().map(move |to| (from, to)));
    pairs.flat_map(|((from, near), (to, far))| {
        (0..variants(plan.routing.sharing)).map(move |variant| {
            let [first, last] = if from < to { [*near, *far] } else { [*far, *near] };
            let [forth, back] = path::keys([first, last], variant as u32);
            (from != to).then_some(if from < to { forth } else { back })
        })
    })
}

/// The paths of messages: between resolvers and roots, and between roots; each with the one back.
pub(crate) fn of_names(plan: &Plan) -> impl Iterator<Item = [PathKey; 2]> {
    let lookups = plan.flows.iter().filter_map(|it| it.lookup.as_ref());
    let to_roots = lookups.map(|it| [it.node, plan.roots[it.root].node]);
    let roots = plan.roots.iter().enumerate();
    let between = roots.flat_map(|(place, first)| {
        plan.roots[place + 1..].iter().map(|second| [first.node, second.node])
    });
    let pairs: BTreeSet<[usize; 2]> = to_roots.chain(between).collect();
    pairs.into_iter().map(|it| path::keys(it, 0))
}
