//! From a scenario to a plan, by the [stages](crate::network::stages) of what is known.

use indexmap::{IndexMap, IndexSet};
use toml::Spanned;
use windtunnel_engine::Duration;
use windtunnel_world::{ChangePlan, ConsumerPlan, LinkPlan, Plan, ProducerPlan, Routing};

use crate::network::constellations::{self, ConstellationContext};
use crate::network::layers::{self, Domains};
use crate::network::links::{Affected, Flows, Link};
use crate::network::nodes::Names;
use crate::network::stages::{Carried, Content, Loaded, Network, Routed};
use crate::reading::error::Mistake;
use crate::reading::extensions::Extensions;
use crate::reading::files::Files;
use crate::reading::located::Named;
use crate::reading::prefixes::Prefixes;
use crate::reading::schema::explained;
use crate::study::checks;
use crate::study::scenario::{Scenario, schema};
use crate::traffic::bridges;
use crate::traffic::consumers::ConsumerContext;
use crate::traffic::controllers::Controllers;
use crate::traffic::faces;
use crate::traffic::flows::{self, FlowContext};
use crate::traffic::sessions;
use crate::traffic::tunnels;

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
    let builder = Builder { scenario, controllers };
    let (network, notes) = builder.network(files, duration)?;
    let content = builder.content(&network)?;
    let routed = builder.routed(network, content)?;
    let carried = builder.carried(routed)?;
    let loaded = builder.loaded(carried, files)?;
    Ok((builder.plan(loaded)?, notes))
}

/// What each stage is made with, besides the one before.
struct Builder<'a> {
    scenario: &'a Scenario,
    controllers: Controllers<'a>,
}

impl Builder<'_> {
    fn network(
        &self,
        files: &mut Files<'_>,
        duration: Duration,
    ) -> Result<(Network, Vec<String>), Mistake> {
        let scenario = self.scenario;
        let own = Names::of("node", &scenario.nodes);
        let mut media = IndexSet::new();
        let mut links =
            each(&scenario.links, |name, link| link.plan(name, &own, files, duration, &mut media))?;
        let mut nodes = each(&scenario.nodes, |name, node| Ok(node.plan(name)))?;
        let sky = constellations::plan(
            &scenario.constellations,
            &mut nodes,
            &mut links,
            files,
            self.constellation_context(duration)?,
        )?;
        let (sky, notes) = sky.map_or((None, Vec::new()), |(sky, notes)| (Some(sky), notes));
        Ok((Network { nodes, links, sky, duration }, notes))
    }

    fn constellation_context(
        &self,
        duration: Duration,
    ) -> Result<ConstellationContext<'_>, Mistake> {
        let mut stations = IndexMap::new();
        for (place, node) in self.scenario.nodes.values().enumerate() {
            if let Some(path) = node.path()? {
                stations.insert(place, path);
            }
        }
        Ok(ConstellationContext {
            epoch: self.scenario.epoch.as_ref(),
            interval: &self.scenario.routing.interval,
            spread: self.scenario.routing.spread.value.0,
            duration,
            stations,
        })
    }

    fn content(&self, network: &Network) -> Result<Content, Mistake> {
        let nodes = network.node_names();
        let mut prefixes = Prefixes::default();
        let producers = self.producers(network, &nodes, &mut prefixes)?;
        let context = ConsumerContext {
            nodes: &nodes,
            controllers: &self.controllers,
            producers: &producers,
        };
        let consumers: Vec<ConsumerPlan> = each(&self.scenario.consumers, |name, consumer| {
            consumer.plan(name, &context, &mut prefixes)
        })?;
        let (prefixes, formats) = prefixes.into_parts();
        Ok(Content { prefixes, formats, producers, consumers })
    }

    fn producers(
        &self,
        network: &Network,
        nodes: &Names<'_>,
        prefixes: &mut Prefixes,
    ) -> Result<Vec<ProducerPlan>, Mistake> {
        each(&self.scenario.producers, |_, producer| {
            let plan = producer.plan(nodes, prefixes)?;
            producer.check_store(&network.nodes[plan.node])?;
            Ok(plan)
        })
    }

    fn routed(&self, mut network: Network, content: Content) -> Result<Routed, Mistake> {
        let scenario = self.scenario;
        let routing = {
            let (nodes, links) = (network.node_names(), network.link_names());
            let is_weighted = scenario.links.values().any(Link::is_weighted);
            scenario.routing.plan(&nodes, &links, &network.links, is_weighted)?
        };
        let between = self.layers(&mut network, &routing)?;
        let domains = between.as_ref().map(|it| it.plan());
        let routed = Routed { network, content, routing, domains, between };
        scenario.routing.check(&routed)?;
        Ok(routed)
    }

    /// Puts the layers of the scenario's own sections onto nodes; the domains of the one that has
    /// some.
    fn layers(
        &self,
        network: &mut Network,
        routing: &Routing,
    ) -> Result<Option<Box<dyn Domains>>, Mistake> {
        let layers = &self.controllers.extensions.layers;
        let Some(sections) = &self.scenario.sections else { return Ok(None) };
        let Network { nodes, links, .. } = network;
        let names: Vec<String> = nodes.iter().map(|it| it.name.clone()).collect();
        let names = Names::among("node", names.iter().map(String::as_str));
        layers::plan(sections, layers, (&names, routing.metric), nodes, links)
            .map_err(|it| explained(it, || schema(layers)))
    }

    fn carried(&self, routed: Routed) -> Result<Carried, Mistake> {
        let Scenario { tunnels, links: faces, .. } = self.scenario;
        let (nodes, links) = (routed.network.node_names(), routed.network.link_names());
        let mut tunnels = tunnels::plans(tunnels, &nodes, &links, &self.controllers, &routed)?;
        let faces = faces::plans(faces, &nodes, &links, &self.controllers, &routed, &tunnels)?;
        tunnels.extend(faces);
        let carried = Carried { routed, tunnels };
        carried.check_ndn()?;
        Ok(carried)
    }

    fn loaded(&self, carried: Carried, files: &mut Files<'_>) -> Result<Loaded, Mistake> {
        let (scenario, Carried { routed, tunnels }) = (self.scenario, &carried);
        let (nodes, links) = (routed.network.node_names(), routed.network.link_names());
        let context = FlowContext::new(&nodes, &links, &self.controllers, routed, tunnels);
        let flows = flows::plans(&scenario.flows, &scenario.nodes, &context, files)?;
        checks::check(scenario, routed, &flows)?;
        let bridges = bridges::plans(&scenario.bridges, &nodes, routed, &flows)?;
        tunnels::check(&scenario.tunnels, &carried, &flows, &bridges)?;
        let network = &routed.network;
        let (sessions, mut flows) =
            sessions::plans(&scenario.sessions, flows, network, &context, files)?;
        let policies = &self.controllers.extensions.path_policies;
        let (domains, roots) = flows::serve(&scenario.flows, &mut flows, routed, &nodes, policies)?;
        Ok(Loaded { carried, domains, roots, flows, bridges, sessions })
    }

    fn plan(&self, loaded: Loaded) -> Result<Plan, Mistake> {
        let names = Names::of("flow", &self.scenario.flows);
        let flows = Flows { names: &names, plans: &loaded.flows };
        let duration = loaded.carried.routed.network.duration;
        let (affected, changes) = (self.affected(&flows)?, self.changes(duration, &flows)?);
        let recording = self.scenario.recording.plan(&loaded)?;
        let Loaded { carried, domains, roots, flows, bridges, sessions } = loaded;
        let Carried { routed, tunnels } = carried;
        let Routed { network, content, routing, .. } = routed;
        let Network { nodes, links, sky, .. } = network;
        let Content { prefixes, formats, producers, consumers } = content;
        Ok(Plan {
            nodes,
            links: with_affected(links, affected),
            changes,
            prefixes,
            formats,
            producers,
            consumers,
            flows,
            bridges,
            tunnels,
            sessions,
            domains,
            roots,
            attachments: Vec::new(),
            sky,
            routing,
            duration,
            recording,
            seed: self.scenario.seed,
            run: 0,
        })
    }

    /// Which packets links can lose and corrupt, in each direction.
    fn affected(&self, flows: &Flows<'_>) -> Result<Vec<[Affected; 2]>, Mistake> {
        self.scenario.links.values().map(|it| it.affected(flows)).collect()
    }

    /// What happens to all links during the run.
    fn changes(&self, duration: Duration, flows: &Flows<'_>) -> Result<Vec<ChangePlan>, Mistake> {
        let links = self.scenario.links.values().enumerate();
        let changes = links.map(|(index, link)| link.changes(index, duration, flows));
        Ok(changes.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }
}

/// The plans of all things of a kind.
fn each<T, P>(
    things: &Named<T>,
    mut plan: impl FnMut(&str, &T) -> Result<P, Mistake>,
) -> Result<Vec<P>, Mistake> {
    let plan = |(name, thing): (&Spanned<String>, &T)| plan(name.get_ref(), thing);
    things.iter().map(plan).collect()
}

/// Links that can lose and corrupt these packets; those of constellations, which are the last, all of
/// them.
fn with_affected(mut links: Vec<LinkPlan>, affected: Vec<[Affected; 2]>) -> Vec<LinkPlan> {
    for (link, affected) in links.iter_mut().zip(affected) {
        let directions = link.directions.iter_mut().zip(affected);
        directions.for_each(|(direction, it)| it.apply(direction));
    }
    links
}
