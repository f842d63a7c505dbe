//! Autonomous systems whose hosts choose the paths of their packets, as in SCION.

mod autonomous_system;
mod beaconing;
mod flow_policies;
pub(crate) mod policies;
mod relations;

use std::collections::BTreeMap;
use std::sync::Arc;

use toml::Spanned;
use windtunnel_networks::scion::policies::PolicySettings;
use windtunnel_networks::scion::{
    FlowNumber, FlowPolicies, FlowPolicy, ScionMaker, ScionSettings, SystemPlan,
};
use windtunnel_packets::scion::IsdAs;
use windtunnel_world::{DomainsPlan, FlowPlan, Groups, LinkPlan, Metric, Transport};

use crate::network::nodes::Names;
use crate::reading::error::{Mistake, list};
use crate::reading::located::Named;
pub(crate) use autonomous_system::AutonomousSystem;
pub(crate) use beaconing::Beaconing;
pub(crate) use flow_policies::of_flows as policies_of_flows;
use relations::Relations;

/// What a scenario says of autonomous systems.
pub(crate) struct Systems<'a> {
    pub(crate) systems: &'a Named<AutonomousSystem>,
    pub(crate) beaconing: &'a Beaconing,
}

impl Systems<'_> {
    /// The network of autonomous systems; none if there are none.
    pub(crate) fn plan(
        &self,
        nodes: &Names<'_>,
        links: &[LinkPlan],
        metric: Metric,
    ) -> Result<Option<Arc<ScionMaker>>, Mistake> {
        let Some((first, _)) = self.systems.first() else { return Ok(None) };
        let numbers = self.numbers()?;
        let places = self.places(nodes, first)?;
        self.check_inside(nodes, links, &places)?;
        let relations = Relations::of(self.systems, &numbers)?;
        let plans = self.systems.iter().zip(&numbers).map(|((name, it), number)| {
            let nodes = it.nodes.value.iter().map(|it| nodes.index(it).map(|it| it as u32));
            Ok(SystemPlan {
                name: name.get_ref().clone(),
                isd_as: *number,
                is_core: it.core,
                nodes: nodes.collect::<Result<_, Mistake>>()?,
            })
        });
        let plans: Vec<SystemPlan> = plans.collect::<Result<_, Mistake>>()?;
        let links = relations.links(self.systems, links, &places, metric)?;
        let beaconing = self.beaconing.plan()?;
        let underlay = self.beaconing.underlay();
        let settings = ScionSettings::new(&plans, &links, beaconing, underlay);
        Ok(Some(Arc::new(ScionMaker::new(settings))))
    }

    fn numbers(&self) -> Result<Vec<IsdAs>, Mistake> {
        let mut known: BTreeMap<IsdAs, &str> = BTreeMap::new();
        let mut numbers = Vec::with_capacity(self.systems.len());
        for (name, system) in self.systems {
            let number = system.number()?;
            if let Some(other) = known.insert(number, name.get_ref()) {
                let name = name.get_ref();
                let message = format!(
                    "autonomous systems `{other}` and `{name}` have the same number, {number}"
                );
                return Err(system.isd_as.mistake(message).help("give each its own"));
            }
            numbers.push(number);
        }
        Ok(numbers)
    }

    /// The system of each node.
    fn places(&self, nodes: &Names<'_>, first: &Spanned<String>) -> Result<Vec<u32>, Mistake> {
        let mut places = vec![None; nodes.count()];
        for (place, (name, system)) in (0..).zip(self.systems) {
            system.nodes.checked(
                |it| !it.is_empty(),
                || format!("autonomous system `{}` has no nodes", name.get_ref()),
                "name at least one",
            )?;
            for node in &system.nodes.value {
                let known = &mut places[nodes.index(node)?];
                if known.is_some() {
                    let message = format!("node `{}` is in two autonomous systems", node.value);
                    return Err(node.mistake(message).help("name it in one"));
                }
                *known = Some(place);
            }
        }
        if let Some(node) = places.iter().position(Option::is_none) {
            let known: Vec<&str> = self.systems.keys().map(|it| it.get_ref().as_str()).collect();
            let message = format!("node `{}` is in no autonomous system", nodes.name(node));
            let help = format!("add it to the nodes of one of {}", list(&known));
            return Err(Mistake::new(message).at(first.span()).help(help));
        }
        Ok(places.into_iter().flatten().collect())
    }

    /// The nodes of a system reach each other inside it.
    fn check_inside(
        &self,
        nodes: &Names<'_>,
        links: &[LinkPlan],
        places: &[u32],
    ) -> Result<(), Mistake> {
        let mut inside = Groups::new(places.len());
        for link in links.iter().filter(|it| places[it.nodes[0]] == places[it.nodes[1]]) {
            inside.join(link.nodes);
        }
        for (name, system) in self.systems {
            let members = system.nodes.value.iter();
            let members: Vec<usize> =
                members.map(|it| nodes.index(it)).collect::<Result<_, _>>()?;
            if let Some(apart) = members.iter().find(|it| !inside.are_joined([members[0], **it])) {
                let (name, apart) = (name.get_ref(), nodes.name(*apart));
                let message =
                    format!("no path inside autonomous system `{name}` leads to node `{apart}`");
                return Err(system.nodes.mistake(message).help("connect its nodes by links"));
            }
        }
        Ok(())
    }
}

/// The domains of a network of autonomous systems.
pub(crate) fn domains(maker: &Arc<ScionMaker>) -> DomainsPlan {
    let of = maker.settings().nodes.iter().map(|it| it.system).collect();
    let carrier = Arc::<ScionMaker>::clone(maker);
    DomainsPlan { of, carrier, ndn_header: None, has_plain_paths: false }
}

/// The same network for flows that choose their paths by these policies; those without by the
/// default.
pub(crate) fn for_flows(
    maker: &ScionMaker,
    policies: &[PolicySettings],
    flows: &[FlowPlan],
) -> DomainsPlan {
    domains(&Arc::new(maker.with_flows(policies_of(flows, policies))))
}

/// The policies of all flows, by the numbers of their connections.
fn policies_of(flows: &[FlowPlan], chosen: &[PolicySettings]) -> FlowPolicies {
    let mut policies = FlowPolicies::default();
    for (place, flow) in flows.iter().enumerate() {
        let policy = chosen.get(place).cloned().unwrap_or_default();
        let mut add = |number, subflow, subflows, from: usize| {
            let (policy, from) = (policy.clone(), from as u32);
            let flow = FlowPolicy { number, flow: place, subflow, subflows, from, policy };
            policies.flows.push(flow);
        };
        if matches!(flow.transport, Transport::Udp(_)) {
            add(FlowNumber::Datagrams(place as u32), 0, 1, flow.from);
            continue;
        }
        let subflows = flow.multipath.as_ref().map_or(1, |it| it.paths.len());
        for (part, ([from, _], _)) in flow.connections().enumerate() {
            let subflow = if flow.multipath.is_some() { part } else { 0 };
            let number = FlowNumber::Connections(policies.classes);
            add(number, subflow, subflows, from);
            if flow.has_many_connections() {
                policies.many.push(policies.classes);
            }
            policies.classes += 1;
        }
    }
    policies
}
