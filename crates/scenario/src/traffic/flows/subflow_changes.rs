//! What becomes of the subflows of a flow during the run.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Time};
use windtunnel_transports::mptcp::{PathChange, PathState};

use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::units::Measured;

/// What a subflow becomes at some time.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SubflowChange {
    /// When; never before the connection is established.
    at: Measured<Duration>,
    /// Its number, as in the tables: 0 is that of the first path.
    subflow: Located<usize>,
    /// What it is from then on.
    state: PathState,
}

/// The changes in the order of time, of a flow with this many paths.
pub(super) fn in_order(
    changes: &[SubflowChange],
    paths: usize,
) -> Result<Vec<PathChange>, Mistake> {
    let mut sorted: Vec<&SubflowChange> = changes.iter().collect();
    sorted.sort_by_key(|it| it.at.0);
    let mut removed = vec![false; paths];
    let mut planned = Vec::with_capacity(changes.len());
    for it in sorted {
        let path = it.subflow.value;
        it.subflow.checked(
            |it| *it < paths,
            || format!("there is no subflow {path}: the flow has {paths}"),
            "their numbers begin with 0, in the order of `paths` and then `backup_paths`",
        )?;
        it.subflow.checked(
            |_| !removed[path],
            || format!("subflow {path} was removed before"),
            "a removed subflow cannot be restored; a link that goes down and up interrupts it \
             instead",
        )?;
        removed[path] = it.state == PathState::Removed;
        it.subflow.checked(
            |_| removed.contains(&false),
            || "this removes the last subflow".to_owned(),
            "leave one of them, or stop the flow",
        )?;
        planned.push(PathChange { at: Time::ZERO + it.at.0, path, state: it.state });
    }
    Ok(planned)
}
