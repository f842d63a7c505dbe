//! The sections of a scenario that say which autonomous systems there are, and how they find paths.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;
use windtunnel_networks::scion::{ScionMaker, ScionSettings, SystemPlan};
use windtunnel_packets::scion::IsdAs;
use windtunnel_reading::error::{Mistake, list};
use windtunnel_reading::located::Named;
use windtunnel_scenario::Names;
use windtunnel_world::{Groups, LinkPlan, Metric};

use super::autonomous_system::AutonomousSystem;
use super::beaconing::Beaconing;
use super::relations::Relations;

/// The sections about autonomous systems.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct File {
    /// Autonomous systems, whose hosts choose the paths of their packets as in SCION, by name.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, AutonomousSystem>")]
    autonomous_systems: Named<AutonomousSystem>,
    /// How autonomous systems find paths.
    #[serde(default)]
    beaconing: Beaconing,
}

impl File {
    /// The network of autonomous systems; none if there are none.
    pub(super) fn plan(
        &self,
        nodes: &Names<'_>,
        links: &[LinkPlan],
        metric: Metric,
    ) -> Result<Option<ScionMaker>, Mistake> {
        let systems = &self.autonomous_systems;
        let Some((first, _)) = systems.first() else { return Ok(None) };
        let numbers = self.numbers()?;
        let places = self.places(nodes, first)?;
        self.check_inside(nodes, links, &places)?;
        let relations = Relations::of(systems, &numbers)?;
        let plans = systems.iter().zip(&numbers).map(|((name, it), number)| {
            let nodes = it.nodes.value.iter().map(|it| nodes.index(it).map(|it| it as u32));
            Ok(SystemPlan {
                name: name.get_ref().clone(),
                isd_as: *number,
                is_core: it.core,
                nodes: nodes.collect::<Result<_, Mistake>>()?,
            })
        });
        let plans: Vec<SystemPlan> = plans.collect::<Result<_, Mistake>>()?;
        let links = relations.links(systems, links, &places, metric)?;
        let beaconing = self.beaconing.plan()?;
        let underlay = self.beaconing.underlay();
        let settings = ScionSettings::new(&plans, &links, beaconing, underlay);
        Ok(Some(ScionMaker::new(settings)))
    }

    fn numbers(&self) -> Result<Vec<IsdAs>, Mistake> {
        let mut known: BTreeMap<IsdAs, &str> = BTreeMap::new();
        let mut numbers = Vec::with_capacity(self.autonomous_systems.len());
        for (name, system) in &self.autonomous_systems {
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
        for (place, (name, system)) in (0..).zip(&self.autonomous_systems) {
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
            let known: Vec<&str> =
                self.autonomous_systems.keys().map(|it| it.get_ref().as_str()).collect();
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
        for (name, system) in &self.autonomous_systems {
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
