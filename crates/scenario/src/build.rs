//! From a scenario to a plan.

use indexmap::{IndexMap, IndexSet};
use toml::Spanned;
use windtunnel_engine::Duration;
use windtunnel_links::Victims;
use windtunnel_world::{ChangePlan, ConsumerPlan, LinkPlan, Plan, ProducerPlan, RecordingPlan};

use crate::autonomous_systems::{self, Systems};
use crate::checks;
use crate::constellations::{self, ConstellationContext};
use crate::consumers;
use crate::controllers::Controllers;
use crate::error::Mistake;
use crate::extensions::Extensions;
use crate::files::Files;
use crate::layers;
use crate::links::{Flows, Link};
use crate::located::Named;
use crate::nodes::Names;
use crate::prefixes::Prefixes;
use crate::regions::Regions;
use crate::scenario::{Scenario, schema};
use crate::schema::explained;
use crate::{bridges, faces, flows, sessions, tunnels};

/// Builds the plan of run 0, and says what the user should know. `files` are those that the
/// scenario names, `extensions` what it names that is written outside.
pub(crate) fn plan(
    scenario: &Scenario,
    files: &mut Files<'_>,
    extensions: &Extensions,
) -> Result<(Plan, Vec<String>), Mistake> {
    let duration = checks::duration(scenario)?;
    let controllers = Controllers { own: &scenario.controllers, extensions };
    // Those that nothing in this case uses are checked all the same.
    controllers.check()?;
    checks::has_nodes(scenario)?;
    let own = Names::of("node", &scenario.nodes);
    let mut links = links(scenario, &own, files, duration)?;
    let mut all = each(&scenario.nodes, |name, node| Ok(node.plan(name)))?;
    let sky = constellations::plan(
        &scenario.constellations,
        &mut all,
        &mut links,
        files,
        constellation_context(scenario, duration)?,
    )?;
    let (sky, notes) = sky.map_or((None, Vec::new()), |(sky, notes)| (Some(sky), notes));
    let nodes = Names::among("node", all.iter().map(|it| it.name.as_str()));
    let link_names: Vec<String> = links.iter().map(|it| it.name.clone()).collect();
    let link_names = Names::among("link", link_names.iter().map(String::as_str));
    let routing = scenario.routing.plan(
        &nodes,
        &link_names,
        &links,
        scenario.links.values().any(Link::is_weighted),
    )?;
    let mut prefixes = Prefixes::default();
    let producers = producers(scenario, &nodes, &mut prefixes)?;
    for (producer, it) in scenario.producers.values().zip(&producers) {
        producer.check_store(&all[it.node])?;
    }
    let context = consumers::ConsumerContext {
        nodes: &nodes,
        controllers: &controllers,
        producers: &producers,
    };
    let consumers = consumers(scenario, &context, &mut prefixes)?;
    let regions = Regions {
        regions: &scenario.regions,
        agreements: &scenario.agreements,
        protocol: &scenario.region_protocol,
    };
    let (prefixes, formats) = prefixes.into_parts();
    let mut plan = Plan {
        nodes: all.clone(),
        links,
        changes: Vec::new(),
        prefixes,
        formats,
        producers,
        consumers,
        flows: Vec::new(),
        bridges: Vec::new(),
        tunnels: Vec::new(),
        sessions: Vec::new(),
        domains: None,
        roots: Vec::new(),
        attachments: Vec::new(),
        sky,
        routing,
        duration,
        recording: RecordingPlan::default(),
        seed: scenario.seed,
        run: 0,
    };
    checks::one_kind_of_domains(scenario)?;
    plan.domains = regions.plan(&nodes, &plan.links, plan.routing.metric)?;
    tunnels::add(&scenario.tunnels, &nodes, &link_names, &controllers, &mut plan)?;
    faces::add(&scenario.links, &nodes, &link_names, &controllers, &mut plan)?;
    let systems = Systems { systems: &scenario.autonomous_systems, beaconing: &scenario.beaconing };
    let paths = systems.plan(&nodes, &plan.links, plan.routing.metric)?;
    if let Some(it) = &paths {
        plan.domains = Some(autonomous_systems::domains(it));
    }
    let layers = &extensions.layers;
    if let Some(sections) = &scenario.sections {
        layers::plan(sections, layers, &nodes, &mut plan)
            .map_err(|it| explained(it, &schema(layers)))?;
    }
    regions.check_ndn(&plan)?;
    scenario.routing.check(&plan)?;
    plan.flows = flows::plans(&scenario.flows, &nodes, &link_names, &controllers, &plan, files)?;
    regions.add_names(&scenario.flows, &nodes, &mut plan)?;
    checks::check(scenario, &plan, layers)?;
    plan.bridges = bridges::plans(&scenario.bridges, &nodes, &plan)?;
    tunnels::check(&scenario.tunnels, &plan)?;
    sessions::add(&scenario.sessions, &nodes, &link_names, &controllers, &mut plan, files)?;
    let makers = &controllers.extensions.path_policies;
    let policies = autonomous_systems::policies_of_flows(&scenario.flows, &plan, makers)?;
    if let Some(it) = &paths {
        autonomous_systems::choose(it, &policies, &mut plan);
    }
    let flow_names = Names::of("flow", &scenario.flows);
    let of = Flows { names: &flow_names, plan: &plan };
    let (victims, changes) = (victims(scenario, &of)?, changes(scenario, duration, &of)?);
    for (link, victims) in plan.links.iter_mut().zip(victims) {
        let directions = link.directions.iter_mut().zip(victims);
        directions.for_each(|(direction, victims)| direction.victims = victims);
    }
    plan.changes = changes;
    plan.recording = scenario.recording.plan(&plan)?;
    Ok((plan, notes))
}

/// What constellations are built with.
fn constellation_context(
    scenario: &Scenario,
    duration: Duration,
) -> Result<ConstellationContext<'_>, Mistake> {
    let mut stations = IndexMap::new();
    for (place, node) in scenario.nodes.values().enumerate() {
        if let Some(path) = node.path()? {
            stations.insert(place, path);
        }
    }
    Ok(ConstellationContext {
        epoch: scenario.epoch.as_ref(),
        interval: &scenario.routing.interval,
        spread: scenario.routing.spread.value.0,
        duration,
        stations,
    })
}

/// The plans of all things of a kind.
fn each<T, P>(
    things: &Named<T>,
    mut plan: impl FnMut(&str, &T) -> Result<P, Mistake>,
) -> Result<Vec<P>, Mistake> {
    let plan = |(name, thing): (&Spanned<String>, &T)| plan(name.get_ref(), thing);
    things.iter().map(plan).collect()
}

fn links(
    scenario: &Scenario,
    nodes: &Names<'_>,
    files: &mut Files<'_>,
    duration: Duration,
) -> Result<Vec<LinkPlan>, Mistake> {
    let mut media = IndexSet::new();
    each(&scenario.links, |name, link| link.plan(name, nodes, files, duration, &mut media))
}

fn producers(
    scenario: &Scenario,
    nodes: &Names<'_>,
    prefixes: &mut Prefixes,
) -> Result<Vec<ProducerPlan>, Mistake> {
    each(&scenario.producers, |_, producer| producer.plan(nodes, prefixes))
}

fn consumers(
    scenario: &Scenario,
    context: &consumers::ConsumerContext<'_>,
    prefixes: &mut Prefixes,
) -> Result<Vec<ConsumerPlan>, Mistake> {
    each(&scenario.consumers, |name, consumer| consumer.plan(name, context, prefixes))
}

/// Which packets links can lose, in each direction.
fn victims(scenario: &Scenario, flows: &Flows<'_>) -> Result<Vec<[Victims; 2]>, Mistake> {
    scenario.links.values().map(|it| it.victims(flows)).collect()
}

/// What happens to all links during the run.
fn changes(
    scenario: &Scenario,
    duration: Duration,
    flows: &Flows<'_>,
) -> Result<Vec<ChangePlan>, Mistake> {
    let links = scenario.links.values().enumerate();
    let changes = links.map(|(index, link)| link.changes(index, duration, flows));
    Ok(changes.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}
