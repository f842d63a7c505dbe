//! The paths of flows where nodes move.

use crate::parts::Parts;
use crate::path::{self, PathKey};
use crate::plan::Plan;
use crate::recorder::source::{Interval, Source};
use crate::series::RouteSample;

/// For each flow over IP the paths of its data and back, part by part where proxies split it.
#[derive(Clone)]
pub(super) struct Routes(Vec<Vec<[PathKey; 2]>>);

impl Routes {
    pub(super) fn new(plan: &Plan) -> Self {
        let mut number = 0;
        let flows = plan.flows.iter().map(|flow| {
            let keys = flow.connections().map(|(part, _)| {
                let variant = path::variant(plan.routing.sharing, flow, number);
                number += 1;
                path::keys(part, variant)
            });
            let keys: Vec<_> = keys.collect();
            // Of several paths, the first.
            let of = if flow.paths().next().is_some() { 1 } else { keys.len() };
            keys[..of.min(keys.len())].to_vec()
        });
        Self(flows.collect())
    }
}

impl Source for Routes {
    type Row = RouteSample;

    fn sample(&mut self, parts: &mut Parts, over: Interval, mut take: impl FnMut(RouteSample)) {
        let forwarding = &parts.all[0].network.forwarding;
        for (flow, keys) in (0..).zip(&self.0) {
            let mut propagation = [Some(0.0), Some(0.0)];
            let mut nodes = Vec::new();
            for both in keys {
                for (sum, key) in propagation.iter_mut().zip(both) {
                    let seconds = forwarding.propagation(*key);
                    *sum = sum.zip(seconds).map(|(sum, it)| sum + it);
                }
                let [key, _] = both;
                let ports = forwarding.current(*key).unwrap_or_default();
                let along = forwarding.topology().nodes_of(key.from as usize, &ports);
                let rest = if nodes.is_empty() { &along[..] } else { &along[1..] };
                nodes.extend(rest.iter().map(|it| *it as u32));
            }
            let [forth, back] = propagation;
            take(RouteSample {
                flow,
                time_s: over.end.as_seconds(),
                propagation_s: forth,
                return_propagation_s: back,
                nodes: if forth.is_some() { nodes.into() } else { Box::default() },
            });
        }
    }
}
