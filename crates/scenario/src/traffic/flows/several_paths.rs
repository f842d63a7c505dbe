//! Flows whose ends choose among several paths: their names, and the addresses that they have.

use std::ops::Range;

use windtunnel_world::PortId;

use super::paths::{FlowContext, along, between_regions};
use crate::reading::error::Mistake;
use crate::reading::located::Located;

/// The most paths of a flow.
pub(super) const MOST_PATHS: usize = 8;

/// Paths, each by the names of its links.
pub(super) type NamedPaths = Located<Vec<Located<Vec<Located<String>>>>>;

/// The links of each path between two nodes: at least one path. Between regions, of each the first
/// and the last.
pub(super) fn named(
    context: &FlowContext<'_>,
    ends: [usize; 2],
    paths: &NamedPaths,
) -> Result<Vec<Vec<PortId>>, Mistake> {
    paths.checked(
        |it| !it.is_empty(),
        || "`paths` is empty".to_owned(),
        "name the links of each path, or leave `paths` out",
    )?;
    let are_apart = context.paths.routed.are_apart(ends);
    let links = if are_apart { between_regions } else { along };
    paths.value.iter().map(|it| links(context, ends, it)).collect()
}

/// Refuses too many paths, and the same twice.
pub(super) fn check(paths: &[Vec<PortId>], span: Option<Range<usize>>) -> Result<(), Mistake> {
    if paths.len() > MOST_PATHS {
        let message = format!("a flow can use at most {MOST_PATHS} paths, not {}", paths.len());
        return Err(Mistake::new(message).at(span).help("name those to use under `paths`"));
    }
    match (1..paths.len()).find(|it| paths[..*it].contains(&paths[*it])) {
        None => Ok(()),
        Some(place) => Err(Mistake::new(format!("path {} is named twice", place + 1))
            .at(span)
            .help("name each path once")),
    }
}

/// Refuses paths that have a link in common.
pub(super) fn check_disjoint(
    context: &FlowContext<'_>,
    paths: &[Vec<PortId>],
    span: Option<Range<usize>>,
) -> Result<(), Mistake> {
    for (place, path) in paths.iter().enumerate() {
        let common = |other: &Vec<PortId>| {
            path.iter().find(|it| other.iter().any(|port| port.link() == it.link())).copied()
        };
        let first = paths[..place].iter().enumerate().find_map(|(at, it)| Some((at, common(it)?)));
        if let Some((other, port)) = first {
            let link = context.links.name(port.link());
            let message =
                format!("paths {} and {} have link `{link}` in common", other + 1, place + 1);
            let help = "name disjoint paths, or leave `disjoint` out";
            return Err(Mistake::new(message).at(span).help(help));
        }
    }
    Ok(())
}

/// The links at both ends of a flow's paths, each of which has an address there.
pub(super) struct Interfaces {
    client: Vec<PortId>,
    server: Vec<PortId>,
    receiver_opens: bool,
}

impl Interfaces {
    pub(super) fn of(paths: &[Vec<PortId>], receiver_opens: bool) -> Self {
        let mut all = Self { client: Vec::new(), server: Vec::new(), receiver_opens };
        for path in paths {
            let [client, server] = all.links(path);
            for (known, link) in [(&mut all.client, client), (&mut all.server, server)] {
                if !known.contains(&link) {
                    known.push(link);
                }
            }
        }
        all
    }

    /// The first link and the last, as the client sees them.
    fn links(&self, path: &[PortId]) -> [PortId; 2] {
        let ends = [path[0], path[path.len() - 1]];
        if self.receiver_opens { [ends[1], ends[0]] } else { ends }
    }

    /// Which of the client's addresses a path has, and of the server's.
    pub(super) fn addresses(&self, path: &[PortId]) -> [u8; 2] {
        let [client, server] = self.links(path);
        let place = |known: &[PortId], it| known.iter().position(|port| *port == it);
        [place(&self.client, client), place(&self.server, server)]
            .map(|it| it.expect("all are known") as u8)
    }
}
