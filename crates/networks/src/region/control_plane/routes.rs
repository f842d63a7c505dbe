//! Which routes there are to a code of another region.

use windtunnel_packets::region::{Code, RegionLink};

use super::ControlPlane;
use crate::region::context::{Port, RouterContext};
use crate::region::link_state::Reached;
use crate::region::path_vector::{Exit, Route};
use crate::region::settings::{CodeLookup, Standing};

impl ControlPlane {
    /// Where packets for a code of another region leave, and how a border is reached.
    pub(in crate::region) fn route(&self, lookup: CodeLookup, to: Code) -> Option<&Route> {
        match lookup {
            CodeLookup::TwoLevel => self.routes.get(&Code::of_region(to.region())),
            CodeLookup::Full => self.routes.get(&to),
            CodeLookup::LongestPrefix => to.prefixes().find_map(|it| self.routes.get(&it)),
        }
    }

    /// The routes to a region that neighbours, or other borders of the own one, tell of, and how
    /// far away those are.
    pub(super) fn told(&self, context: &RouterContext, code: Code) -> Vec<(u64, Route)> {
        let own = self.path_vector.routes(code).map(|it| (0, it));
        let others = self.link_state.externals(code).filter(|(it, _)| it.router != context.node);
        let others = others.map(|(it, reached)| {
            let route = Route {
                standing: Standing::of(it.preference),
                path: it.path.clone(),
                mtu: it.mtu,
                exit: Exit::Border(it.router),
            };
            (behind(reached), route)
        });
        own.chain(others).collect()
    }

    /// The routes to a region over the own links to others, and over those of other borders.
    pub(super) fn searched(&self, context: &RouterContext, code: Code) -> Vec<(u64, Route)> {
        let route = |exit: Exit, it: RegionLink| {
            let path = self.graph.path(it.region, code.region())?.clone();
            Some(Route { standing: Standing::Transit, path, mtu: it.mtu, exit })
        };
        let open = context.ports(true).into_iter().filter(|it| self.path_vector.is_open(*it));
        let own = open.filter_map(|it| {
            let Port { region, mtu, .. } = context.ports[usize::from(it.0)];
            Some((0, route(Exit::Here(it), RegionLink { region, mtu })?))
        });
        let borders = self
            .link_state
            .borders()
            .filter(|it| it.code == Code::of_region(context.number()) && it.router != context.node);
        let others = borders.filter_map(|it| Some((it, self.reached(it.router)?)));
        let others = others.flat_map(|(border, reached)| {
            let routes =
                border.links.iter().filter_map(|it| route(Exit::Border(border.router), *it));
            routes.map(|it| (behind(reached), it)).collect::<Vec<_>>()
        });
        own.chain(others).collect()
    }
}

/// How far away a border is: one more than what it costs, because the own node is the nearest.
fn behind(border: Reached) -> u64 {
    border.cost + 1
}
