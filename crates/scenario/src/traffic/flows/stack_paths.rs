//! The paths that a connection between two stacks may take, and when it changes to another.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Time};
use windtunnel_world::{Migration, PortId, StackPathPlan};

use super::paths::FlowContext;
use super::several_paths::{Interfaces, NamedPaths, check, named};
use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::units::Measured;

/// The end that connects changes to another path.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PathMigration {
    /// When.
    at: Measured<Duration>,
    /// The number of the path: 0 is that of the first.
    path: Located<usize>,
}

/// What a flow says of its paths.
#[derive(Clone, Copy, Default)]
pub(super) struct SeveralPaths<'a> {
    pub(super) paths: Option<&'a NamedPaths>,
    pub(super) migrations: &'a [PathMigration],
    /// Set, if it uses them all at once.
    pub(super) multipath: Option<&'a Located<bool>>,
}

impl SeveralPaths<'_> {
    /// Where the first key is that asks for several paths; none, if none does.
    pub(super) fn named(&self) -> Option<Option<Range<usize>>> {
        let paths = self.paths.map(|it| it.span.clone());
        let migrations = || self.migrations.first().map(|it| it.path.span.clone());
        let multipath = || self.multipath.map(|it| it.span.clone());
        paths.or_else(migrations).or_else(multipath)
    }

    /// The paths of a connection between two nodes; none, if routing decides.
    pub(super) fn plan(
        &self,
        protocol: &str,
        context: &FlowContext<'_>,
        ends: [usize; 2],
        has_path: bool,
        receiver_opens: bool,
    ) -> Result<Vec<StackPathPlan>, Mistake> {
        let Some(span) = self.named() else { return Ok(Vec::new()) };
        let mistake = |message: String| Mistake::new(message).at(span.clone());
        if has_path {
            let message = format!("`path` and several paths under `{protocol}` cannot both be set");
            return Err(mistake(message).help(format!("name its paths under `{protocol}.paths`")));
        }
        if context.paths.routed.are_apart(ends) {
            let message =
                "several paths cannot be set between regions or autonomous systems".to_owned();
            return Err(mistake(message).help("leave out what sets several paths"));
        }
        let ports = match self.paths {
            Some(it) => named(context, ends, it)?,
            None => by_links_of_client(context, ends, receiver_opens),
        };
        check(&ports, span.clone())?;
        let interfaces = Interfaces::of(&ports, receiver_opens);
        let clients: Vec<u8> = ports.iter().map(|it| interfaces.addresses(it)[0]).collect();
        if let Some(place) = (1..ports.len()).find(|it| clients[..*it].contains(&clients[*it])) {
            let end = context.nodes.name(ends[usize::from(receiver_opens)]);
            let place = place + 1;
            let message = format!(
                "path {place} has the same link at `{end}` as another, and the same address"
            );
            return Err(mistake(message)
                .help("name paths that begin on different links of the end that connects"));
        }
        // A client that changes its own address keeps that of its server (RFC 9000, section 9).
        let plan = |(ports, client)| {
            let addresses = if receiver_opens { [0, client] } else { [client, 0] };
            StackPathPlan { ports, addresses }
        };
        Ok(ports.into_iter().zip(clients).map(plan).collect())
    }

    /// The migrations of a flow with so many paths, in the order of time.
    pub(super) fn migrations(&self, paths: usize) -> Result<Vec<Migration>, Mistake> {
        let mut planned = Vec::with_capacity(self.migrations.len());
        for PathMigration { at, path } in self.migrations {
            path.checked(
                |it| *it < paths,
                || format!("there is no path {}: the flow has {paths}", path.value),
                "their numbers begin with 0, in the order of `paths`",
            )?;
            planned.push(Migration { at: Time::ZERO + at.0, path: path.value });
        }
        planned.sort_by_key(|it| it.at);
        Ok(planned)
    }
}

/// The shortest path by each link of the end that connects.
fn by_links_of_client(
    context: &FlowContext<'_>,
    ends: [usize; 2],
    receiver_opens: bool,
) -> Vec<Vec<PortId>> {
    let mut all = context.paths.of_interfaces(ends);
    let mut links = Vec::new();
    all.retain(|it| {
        let link = if receiver_opens { it.last() } else { it.first() }.copied();
        let is_new = !links.contains(&link);
        links.push(link);
        is_new
    });
    all
}
