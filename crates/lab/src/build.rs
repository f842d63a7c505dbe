//! From a scenario to a plan: everything that a type alone cannot check.

use std::ops::Range;
use std::sync::Arc;

use rand_distr::Zipf;
use toml::Spanned;
use windtunnel_controllers::{self as controllers, Kind, Maker, Need, SettingError, Start};
use windtunnel_engine::{Duration, Time};
use windtunnel_networks::ndn::content_store::ReplacementPolicy;
use windtunnel_networks::ndn::forwarder::ForwarderMarks;
use windtunnel_packets::ndn::wire::size::{NameSize, SignatureKind};
use windtunnel_packets::ndn::{PrefixId, wire};
use windtunnel_transports::ndn::consumer::{self, ConsumerSettings, ConsumerWorkload};
use windtunnel_transports::ndn::producer::Producer;
use windtunnel_transports::rtt::RtoLimits;
use windtunnel_world::{
    ChangePlan, ConsumerPlan, DirectionPlan, LinkPlan, Loss, Metric, NodePlan, Paths, Plan,
    ProducerPlan, RoutePlan, Routing, Sharing, Unreachable, Victims, World,
};

use crate::batch::caught;
use crate::bridges;
use crate::error::{Mistake, list, suggestion};
use crate::files::Files;
use crate::flows::{self, Carrier, check_needs};
use crate::links;
use crate::queues;
use crate::scenario::{self as file, Located, Scenario};
use crate::units::Measured;

const DEFAULT_PAYLOAD: u64 = 1024;
/// Room in the largest packet for the name, the signature and the headers.
const MOST_PAYLOAD: u64 = 8192;
/// Room beside the largest payload, the largest signature and the headers.
const MOST_NAME: usize = 250;

/// Builds the plan of run 0; with it, as text, the prefix that each consumer asks
/// for. `files` are those beside the scenario, `makers` make the controllers that are not
/// registered.
pub(crate) fn plan(
    scenario: &Scenario,
    files: &mut Files,
    makers: &[Arc<dyn Maker>],
) -> Result<(Plan, Vec<String>), Mistake> {
    let duration = scenario.duration.value.0;
    if duration == Duration::ZERO {
        return Err(Mistake::new("no time is simulated")
            .at(scenario.duration.span.clone())
            .help("write a duration above zero, such as \"30 s\""));
    }
    // Those that no consumer of this case uses are checked all the same.
    for controller in scenario.controllers.values() {
        controller_settings(controller, &[], makers)?;
    }
    let mut builder = Builder { scenario, makers, prefixes: Vec::new() };
    let nodes = scenario.nodes.iter().map(|(name, node)| builder.node(name, node)).collect();
    let links = scenario.links.iter().map(|(name, link)| builder.link(name, link, files));
    let links = collect(links)?;
    let producers =
        collect(scenario.producers.iter().map(|(name, it)| builder.producer(name, it)))?;
    let consumers =
        collect(scenario.consumers.iter().map(|(name, it)| builder.consumer(name, it)))?;
    if consumers.is_empty() && scenario.flows.is_empty() {
        return Err(Mistake::new("nothing happens: the scenario has no flows and no consumers")
            .help("write a table such as [flows.f1] for TCP or UDP, or [consumers.c1] for NDN"));
    }
    let prefixes = consumers
        .iter()
        .map(|it| builder.prefixes[it.settings.prefix.0 as usize].to_string())
        .collect();
    let routing = builder.routing()?;
    let mut plan = Plan {
        nodes,
        links,
        changes: builder.changes()?,
        prefixes: std::mem::take(&mut builder.prefixes),
        producers,
        consumers,
        flows: Vec::new(),
        bridges: Vec::new(),
        routing,
        duration,
        interval: interval(scenario)?,
        seed: scenario.seed,
        run: 0,
    };
    plan.flows = flows::flows(&builder, &plan)?;
    plan.bridges = bridges::bridges(&builder, &plan)?;
    check_names(scenario)?;
    check_faces(scenario, &plan)?;
    check_paths(scenario, &plan)?;
    check_local_answers(scenario, &plan)?;
    Ok((plan, prefixes))
}

fn collect<T>(items: impl Iterator<Item = Result<T, Mistake>>) -> Result<Vec<T>, Mistake> {
    items.collect()
}

fn interval(scenario: &Scenario) -> Result<Duration, Mistake> {
    /// Beyond so many samples the tables, not the simulation, would fill memory.
    const MOST_SAMPLES: u64 = 1_000_000;
    let (interval, span) = match &scenario.interval {
        Some(interval) => (interval.value.0, &interval.span),
        None => (Duration::from_millis(100), &scenario.duration.span),
    };
    let samples = scenario.duration.value.0.as_picos() / interval.as_picos().max(1);
    if interval == Duration::ZERO || samples > MOST_SAMPLES {
        return Err(Mistake::new(format!("more than a million samples, one each {interval}"))
            .at(span.clone())
            .help("write a longer interval, such as interval = \"10 s\""));
    }
    Ok(interval)
}

/// Whether no node has more faces than can be numbered.
fn check_faces(scenario: &Scenario, plan: &Plan) -> Result<(), Mistake> {
    let mut faces = vec![0_usize; plan.nodes.len()];
    let links = plan.links.iter().flat_map(|it| it.nodes);
    let producers = plan.producers.iter().map(|it| it.node);
    let consumers = plan.consumers.iter().map(|it| it.node);
    links.chain(producers).chain(consumers).for_each(|node| faces[node] += 1);
    let Some(node) = faces.iter().position(|it| *it > usize::from(u16::MAX)) else { return Ok(()) };
    let (name, _) = scenario.nodes.get_index(node).expect("it is in the plan");
    let message = format!("node `{}` has {} links and applications", name.get_ref(), faces[node]);
    Err(Mistake::new(message).at(name.span()).help(format!("spread them: at most {}", u16::MAX)))
}

/// Whether no consumer has its answers in no time at all: it would ask for ever
/// at one instant.
fn check_local_answers(scenario: &Scenario, plan: &Plan) -> Result<(), Mistake> {
    for (consumer, name) in plan.consumers.iter().zip(scenario.consumers.keys()) {
        let prefix = &plan.prefixes[consumer.settings.prefix.0 as usize];
        let at_once = plan.producers.iter().any(|it| {
            it.node == consumer.node
                && it.producer.response_delay == Duration::ZERO
                && plan.prefixes[it.prefix].is_prefix_of(prefix)
        });
        let (answers, help) = if at_once {
            ("producer", "put them on two nodes, or give the producer a response_delay")
        } else if matches!(consumer.settings.workload, ConsumerWorkload::Catalogue { .. })
            && plan.nodes[consumer.node].cached > 0
        {
            ("content store", "cache on other nodes; here write capacity = \"0 packets\"")
        } else {
            continue;
        };
        let message = format!(
            "consumer `{}` and a {answers} that answers it in no time are on one node",
            name.get_ref()
        );
        return Err(Mistake::new(message).at(name.span()).help(help));
    }
    Ok(())
}

/// A flow whose nodes no links join.
fn parted(scenario: &Scenario, plan: &Plan, flow: usize) -> Mistake {
    let (name, _) = scenario.flows.get_index(flow).expect("it is in the plan");
    let [from, to] = [plan.flows[flow].from, plan.flows[flow].to];
    let [from, to] = [from, to].map(|it| plan.nodes[it].name.as_str());
    let message = format!("flow `{}` has no path from node `{from}` to `{to}`", name.get_ref());
    Mistake::new(message).at(name.span()).help(format!("join `{from}` and `{to}` by links"))
}

/// Whether no flow has the name of a consumer: both are rows of one table.
fn check_names(scenario: &Scenario) -> Result<(), Mistake> {
    match scenario.flows.keys().find(|it| scenario.consumers.contains_key(*it)) {
        Some(name) => Err(Mistake::new(format!("`{}` is a consumer as well", name.get_ref()))
            .at(name.span())
            .help("name the flow otherwise")),
        None => Ok(()),
    }
}

/// Whether every consumer reaches a producer of what it asks for, and every flow
/// its destination.
fn check_paths(scenario: &Scenario, plan: &Plan) -> Result<(), Mistake> {
    let consumer = match caught(|| World::new(plan)).map_err(Mistake::new)? {
        Ok(_) => return Ok(()),
        Err(Unreachable::Consumer(consumer)) => consumer,
        Err(Unreachable::Flow(flow)) => return Err(parted(scenario, plan, flow)),
        Err(Unreachable::Bridge(_)) => unreachable!("a flow crosses every bridge"),
    };
    let (name, _) = scenario.consumers.get_index(consumer).expect("it is in the plan");
    let consumer = &plan.consumers[consumer];
    let node = &plan.nodes[consumer.node].name;
    let prefix = &plan.prefixes[consumer.settings.prefix.0 as usize];
    let message = format!(
        "consumer `{}` on node `{node}` has no path to a producer of {prefix}",
        name.get_ref()
    );
    let served: Vec<String> =
        plan.producers.iter().map(|it| plan.prefixes[it.prefix].to_string()).collect();
    let help = if plan.producers.iter().any(|it| plan.prefixes[it.prefix].is_prefix_of(prefix)) {
        format!("join `{node}` to the producer's node by links")
    } else {
        let served: Vec<&str> = served.iter().map(String::as_str).collect();
        format!("no producer serves it; served here: {}", list(&served))
    };
    Err(Mistake::new(message).at(name.span()).help(help))
}

pub(crate) struct Builder<'a> {
    pub(crate) scenario: &'a Scenario,
    makers: &'a [Arc<dyn Maker>],
    prefixes: Vec<wire::Name<'static>>,
}

/// What a table must say, and does not.
pub(crate) fn missing(kind: &str, name: &Spanned<String>, key: &str, example: &str) -> Mistake {
    Mistake::new(format!("{kind} `{}` has no `{key}`", name.get_ref()))
        .at(name.span())
        .help(format!("write {key} = {example}"))
}

/// What a key says, or what holds unless it is stated.
pub(crate) fn value<T: Copy>(measured: &Option<Measured<T>>, default: T) -> T {
    measured.as_ref().map_or(default, |it| it.0)
}

/// The same of a key whose place is known.
pub(crate) fn stated<T: Copy>(key: &Option<Located<Measured<T>>>, default: T) -> T {
    key.as_ref().map_or(default, |it| it.value.0)
}

impl Builder<'_> {
    pub(crate) fn node_index(&self, name: &Located<String>) -> Result<usize, Mistake> {
        self.scenario.nodes.get_index_of(&Spanned::new(0..0, name.value.clone())).ok_or_else(|| {
            let known: Vec<&str> =
                self.scenario.nodes.keys().map(|it| it.get_ref().as_str()).collect();
            Mistake::new(format!("there is no node `{}`", name.value))
                .at(name.span.clone())
                .help(suggestion(&name.value, &known))
        })
    }

    fn prefix(&mut self, uri: &Located<String>) -> Result<usize, Mistake> {
        let prefix = parse_prefix(uri)?;
        let known = self.prefixes.iter().position(|it| *it == prefix);
        Ok(known.unwrap_or_else(|| {
            self.prefixes.push(prefix);
            self.prefixes.len() - 1
        }))
    }

    fn node(&self, name: &Spanned<String>, node: &file::Node) -> NodePlan {
        let node = node.or(&self.scenario.defaults.node);
        let store = node.content_store.as_ref();
        NodePlan {
            name: name.get_ref().clone(),
            cached: store.map_or(0, |it| it.capacity.0.0),
            policy: match store.map(|it| it.policy).unwrap_or_default() {
                file::Policy::Lru => ReplacementPolicy::Lru,
                file::Policy::Fifo => ReplacementPolicy::Fifo,
            },
            strategy: match node.strategy.unwrap_or(file::StrategyName::BestRoute) {
                file::StrategyName::BestRoute => "best-route",
                file::StrategyName::Multicast => "multicast",
                file::StrategyName::Pcon => "pcon",
            },
            marks: ForwarderMarks {
                interest_marks_return: node.interest_marks != Some(file::InterestMarks::Ignore),
                cached_marks_stay: store.is_some_and(|it| it.keep_marks),
            },
            layers: Vec::new(),
        }
    }

    fn link(
        &self,
        name: &Spanned<String>,
        link: &file::Link,
        files: &mut Files,
    ) -> Result<LinkPlan, Mistake> {
        let link = links::filled(link, &self.scenario.defaults.link);
        let impairments = [links::impairment(&link, 0)?, links::impairment(&link, 1)?];
        let ends =
            link.nodes.as_ref().ok_or_else(|| missing("link", name, "nodes", "[\"a\", \"b\"]"))?;
        let [first, second] = &ends.value.0;
        let nodes = [self.node_index(first)?, self.node_index(second)?];
        if nodes[0] == nodes[1] {
            return Err(Mistake::new(format!(
                "link `{}` leads back to where it starts",
                name.get_ref()
            ))
            .at(ends.span.clone())
            .help("name two different nodes"));
        }
        let pace = links::pace(name, &link, files, self.scenario.duration.value.0)?;
        let delays = link.delay.ok_or_else(|| missing("link", name, "delay", "\"10 ms\""))?.0;
        let overhead = match &link.overhead {
            None => 0,
            Some(it) => {
                u32::try_from(it.value.0.0).ok().filter(|it| *it <= 1500).ok_or_else(|| {
                    Mistake::new("more framing than 1500 B on each packet").at(it.span.clone())
                })?
            }
        };
        let direction = |side: usize| -> Result<DirectionPlan, Mistake> {
            let queue = link.queue.as_ref().map(|it| &it.0[side]);
            Ok(DirectionPlan {
                rate: pace.rates[side],
                opportunities: pace.opportunities[side].clone(),
                air: pace.air,
                delay: delays[side].0,
                loss: link.loss.as_ref().map_or(Ok(Loss::None), |it| links::loss(&it.0[side]))?,
                victims: link.loss.as_ref().map_or(Victims::All, |it| links::victims(&it.0[side])),
                impairment: impairments[side],
                limit: queues::limit(queue),
                discipline: queues::discipline(queue)?,
                overhead,
            })
        };
        let directions = [direction(0)?, direction(1)?];
        let channel = pace.channel;
        Ok(LinkPlan { name: name.get_ref().clone(), nodes, directions, channel })
    }

    /// What happens to all links in the course of time.
    fn changes(&self) -> Result<Vec<ChangePlan>, Mistake> {
        let mut changes = Vec::new();
        for (index, own) in self.scenario.links.values().enumerate() {
            let link = own.or(&self.scenario.defaults.link);
            for change in link.changes.iter().flatten() {
                changes.extend(links::changes(index, change)?);
            }
        }
        Ok(changes)
    }

    fn producer(
        &mut self,
        name: &Spanned<String>,
        producer: &file::Producer,
    ) -> Result<ProducerPlan, Mistake> {
        let producer = producer.or(&self.scenario.defaults.producer);
        let node = producer.node.ok_or_else(|| missing("producer", name, "node", "\"p1\""))?;
        let prefix =
            producer.prefix.ok_or_else(|| missing("producer", name, "prefix", "\"/data\""))?;
        let content = payload(producer.payload.as_ref())?;
        let freshness = value(&producer.freshness, Duration::ZERO).as_nanos() / 1_000_000;
        Ok(ProducerPlan {
            node: self.node_index(&node)?,
            prefix: self.prefix(&prefix)?,
            producer: Producer {
                content,
                freshness_ms: u32::try_from(freshness).unwrap_or(u32::MAX),
                response_delay: value(&producer.response_delay, Duration::ZERO),
                signature: match producer.signature.unwrap_or(file::Signature::DigestSha256) {
                    file::Signature::DigestSha256 => SignatureKind::DigestSha256,
                    file::Signature::Null => SignatureKind::Null,
                    file::Signature::HmacSha256 => SignatureKind::HmacSha256,
                    file::Signature::Ed25519 => SignatureKind::Ed25519,
                    file::Signature::EcdsaP256 => SignatureKind::EcdsaP256,
                    file::Signature::Rsa2048 => SignatureKind::Rsa2048,
                },
            },
        })
    }

    fn consumer(
        &mut self,
        name: &Spanned<String>,
        consumer: &file::Consumer,
    ) -> Result<ConsumerPlan, Mistake> {
        let consumer = consumer.or(&self.scenario.defaults.consumer);
        let node =
            consumer.node.as_ref().ok_or_else(|| missing("consumer", name, "node", "\"c1\""))?;
        let prefix = consumer
            .prefix
            .as_ref()
            .ok_or_else(|| missing("consumer", name, "prefix", "\"/data\""))?;
        let controller = consumer
            .controller
            .as_ref()
            .ok_or_else(|| missing("consumer", name, "controller", "\"cubic\""))?;
        let initial_window = consumer.initial_window.map_or(2.0, |it| it.0.0);
        let minimum_window = match &consumer.minimum_window {
            None => initial_window,
            Some(it) if it.value.0.0 <= initial_window => it.value.0.0,
            Some(it) => {
                return Err(Mistake::new("the least window is above the initial one")
                    .at(it.span.clone())
                    .help(format!("write at most \"{initial_window} segments\"")));
            }
        };
        let settings = self.controller(controller)?;
        check_needs(self, &settings, Carrier::Consumer, controller)?;
        let prefix_index = self.prefix(prefix)?;
        let segment_size = self.segment_size(prefix_index)?;
        Ok(ConsumerPlan {
            name: name.get_ref().clone(),
            node: self.node_index(node)?,
            settings: self.consumer_settings(&consumer, prefix_index, segment_size)?,
            controller: settings,
            start: Start { initial_window, minimum_window, restart_window: initial_window },
        })
    }

    /// What a consumer's `controller` means: one of the file's own, one from outside, or
    /// a registered one.
    pub(crate) fn controller(
        &self,
        controller: &file::Controller,
    ) -> Result<controllers::Settings, Mistake> {
        match self.own(controller) {
            Some(named) => controller_settings(named, &[], self.makers),
            None => {
                let own = self.scenario.controllers.keys();
                let own: Vec<&str> = own.map(|it| it.get_ref().as_str()).collect();
                controller_settings(controller, &own, self.makers)
            }
        }
    }

    /// What stands under `[controllers]` where a controller is named, if it is one of
    /// the file's own.
    fn own(&self, controller: &file::Controller) -> Option<&file::Controller> {
        let named = |name: &Spanned<String>| *name.get_ref() == controller.kind.value;
        let own = self.scenario.controllers.iter().find(|(name, _)| named(name));
        own.filter(|_| controller.parameters.is_empty()).map(|(_, it)| it)
    }

    /// Where a controller's flag stands that has a need.
    pub(crate) fn flag(&self, named: &file::Controller, need: Need) -> Option<Range<usize>> {
        let controller = self.own(named).unwrap_or(named);
        let name = controller.kind.value.as_str();
        let description = controllers::DESCRIPTIONS.iter().find(|it| it.name == name)?;
        let has_need =
            |kind: Kind| matches!(kind, Kind::Flag { needs, .. } if needs.contains(&need));
        let flag = description.parameters.iter().find(|it| has_need(it.kind))?;
        let stated = controller.parameters.iter().find(|(key, _)| key.value == flag.name)?;
        Some(stated.1.span.clone())
    }

    fn consumer_settings(
        &self,
        consumer: &file::Consumer,
        prefix: usize,
        segment_size: u32,
    ) -> Result<ConsumerSettings, Mistake> {
        let start = Time::ZERO + value(&consumer.start, Duration::ZERO);
        let start_within = value(&consumer.start_within, Duration::ZERO);
        let stop = match &consumer.stop {
            None => Time::NEVER,
            Some(it) if Time::ZERO + it.value.0 > start + start_within => Time::ZERO + it.value.0,
            Some(it) => {
                return Err(Mistake::new("the consumer stops before it starts").at(it.span.clone()));
            }
        };
        let limits = RtoLimits::default();
        let most_backoff = consumer.most_doublings.map_or(f64::INFINITY, |it| f64::from(it).exp2());
        Ok(ConsumerSettings {
            prefix: PrefixId(prefix as u32),
            prefix_size: NameSize::of(&self.prefixes[prefix]),
            workload: workload(consumer.workload.as_ref(), segment_size)?,
            segment_size,
            lifetime_ms: lifetime(consumer.interest_lifetime.as_ref())?,
            hop_limit: consumer.hop_limit,
            must_be_fresh: consumer.must_be_fresh.unwrap_or(false),
            timeout_limits: RtoLimits {
                initial: timeout(consumer.initial_timeout.as_ref(), limits.initial)?,
                minimum: value(&consumer.minimum_timeout, limits.minimum),
                minimum_variation: limits.minimum_variation,
                maximum: timeout(consumer.maximum_timeout.as_ref(), limits.maximum)?,
                most_backoff,
            },
            window_fraction: match consumer.window_fraction.unwrap_or(file::WindowFraction::Waits) {
                file::WindowFraction::Waits => consumer::WindowFraction::Waits,
                file::WindowFraction::Sends => consumer::WindowFraction::Sends,
            },
            rtt_gain: match consumer.rtt_gain.unwrap_or(file::RttGain::PerRoundTrip) {
                file::RttGain::PerRoundTrip => consumer::RttGain::PerRoundTrip,
                file::RttGain::PerSample => consumer::RttGain::PerSample,
            },
            timeout_check: value(&consumer.timeout_check, Duration::ZERO),
            backoff: match consumer.backoff.unwrap_or(file::Backoff::OncePerRoundTrip) {
                file::Backoff::OncePerRoundTrip => consumer::Backoff::OncePerRoundTrip,
                file::Backoff::EachEvent => consumer::Backoff::EachEvent,
                file::Backoff::EachInterest => consumer::Backoff::EachInterest,
            },
            on_mark: reaction(consumer.on_mark),
            on_timeout: reaction(consumer.on_timeout),
            timeout_meaning: match consumer.timeout_meaning.unwrap_or(file::TimeoutMeaning::Loss) {
                file::TimeoutMeaning::Loss => consumer::TimeoutMeaning::Loss,
                file::TimeoutMeaning::Restart => consumer::TimeoutMeaning::Restart,
            },
            on_nack: reaction(consumer.on_nack),
            recovery_margin: consumer.recovery_margin.map_or(0.0, |it| it.0.0),
            start,
            start_within,
            stop,
        })
    }

    /// The payload of the producer that serves a prefix: the controller's
    /// segment.
    fn segment_size(&self, prefix: usize) -> Result<u32, Mistake> {
        let mut best: Option<(u32, u32)> = None;
        for producer in self.scenario.producers.values() {
            let producer = producer.or(&self.scenario.defaults.producer);
            let Some(uri) = &producer.prefix else { continue };
            let served = parse_prefix(uri)?;
            let length = NameSize::of(&served).0;
            if served.is_prefix_of(&self.prefixes[prefix]) && best.is_none_or(|it| length > it.0) {
                best = Some((length, payload(producer.payload.as_ref())?));
            }
        }
        Ok(best.map_or(DEFAULT_PAYLOAD as u32, |(_, payload)| payload))
    }

    fn routing(&self) -> Result<Routing, Mistake> {
        let routing = &self.scenario.routing;
        let given = collect(routing.routes.iter().map(|it| self.route(it)))?;
        Ok(Routing {
            metric: match routing.metric {
                file::Metric::Delay => Metric::Delay,
                file::Metric::Hops => Metric::Hops,
            },
            paths: match routing.paths {
                file::Paths::Shortest => Paths::Shortest,
                file::Paths::All => Paths::All,
            },
            sharing: Sharing::None,
            convergence: None,
            given,
        })
    }

    fn route(&self, route: &file::Route) -> Result<RoutePlan, Mistake> {
        let node = self.node_index(&route.node)?;
        let links = &self.scenario.links;
        let known: Vec<&str> = links.keys().map(|it| it.get_ref().as_str()).collect();
        let link = known.iter().position(|it| *it == route.link.value).ok_or_else(|| {
            Mistake::new(format!("there is no link `{}`", route.link.value))
                .at(route.link.span.clone())
                .help(suggestion(&route.link.value, &known))
        })?;
        let ends = links[link].or(&self.scenario.defaults.link).nodes;
        if !ends.is_some_and(|it| it.value.0.iter().any(|end| end.value == route.node.value)) {
            return Err(Mistake::new(format!(
                "link `{}` does not start at node `{}`",
                route.link.value, route.node.value
            ))
            .at(route.link.span.clone()));
        }
        Ok(RoutePlan { node, prefix: parse_prefix(&route.prefix)?, link, cost: route.cost })
    }
}

fn parse_prefix(uri: &Located<String>) -> Result<wire::Name<'static>, Mistake> {
    let name = uri.value.parse::<wire::Name<'static>>().map_err(|error| {
        Mistake::new(format!("`{}` is not a name: {error}", uri.value))
            .at(uri.span.clone())
            .help("write one such as \"/video/news\"")
    })?;
    match name.components_size() {
        ..=MOST_NAME => Ok(name),
        octets => Err(Mistake::new(format!("a name of {octets} octets"))
            .at(uri.span.clone())
            .help(format!("write one of at most {MOST_NAME}: a packet has at most 8800"))),
    }
}

/// A timeout that is not over at once: Interests would time out for ever at one
/// instant.
pub(crate) fn timeout(
    timeout: Option<&Located<Measured<Duration>>>,
    default: Duration,
) -> Result<Duration, Mistake> {
    match timeout {
        Some(it) if it.value.0 == Duration::ZERO => Err(Mistake::new("a timeout of no time")
            .at(it.span.clone())
            .help("write one such as \"200 ms\"")),
        timeout => Ok(timeout.map_or(default, |it| it.value.0)),
    }
}

fn payload(payload: Option<&Located<Measured<crate::units::Bytes>>>) -> Result<u32, Mistake> {
    let Some(payload) = payload else { return Ok(DEFAULT_PAYLOAD as u32) };
    match payload.value.0.0 {
        bytes @ 1..=MOST_PAYLOAD => Ok(bytes as u32),
        bytes => Err(Mistake::new(format!("a payload of {bytes} B"))
            .at(payload.span.clone())
            .help(format!("write 1 B to {MOST_PAYLOAD} B: an NDN packet has at most 8800 B"))),
    }
}

fn lifetime(lifetime: Option<&Located<Measured<Duration>>>) -> Result<u32, Mistake> {
    let Some(lifetime) = lifetime else { return Ok(wire::Interest::DEFAULT_LIFETIME_MS as u32) };
    match lifetime.value.0.as_nanos() / 1_000_000 {
        milliseconds @ 1..=3_600_000 => Ok(milliseconds as u32),
        _ => Err(Mistake::new("an Interest's lifetime is 1 ms to 1 h").at(lifetime.span.clone())),
    }
}

fn reaction(reaction: Option<file::Reaction>) -> consumer::Reaction {
    match reaction.unwrap_or(file::Reaction::OncePerRoundTrip) {
        file::Reaction::Every => consumer::Reaction::Every,
        file::Reaction::OncePerRoundTrip => consumer::Reaction::OncePerRoundTrip,
        file::Reaction::Ignore => consumer::Reaction::Ignore,
    }
}

fn workload(
    workload: Option<&file::Workload>,
    segment_size: u32,
) -> Result<ConsumerWorkload, Mistake> {
    let Some(workload) = workload else { return Ok(ConsumerWorkload::Stream) };
    let foreign = |span: &Range<usize>, key: &str, of: &str| {
        Mistake::new(format!("`{key}` is a key of {of} alone")).at(span.clone())
    };
    if let Some(size) = &workload.size
        && workload.kind.value != file::WorkloadKind::File
    {
        return Err(foreign(&size.span, "size", "a file"));
    }
    let catalogue = [
        workload.objects.as_ref().map(|it| (&it.span, "objects")),
        workload.exponent.as_ref().map(|it| (&it.span, "exponent")),
    ];
    if let Some((span, key)) = catalogue.into_iter().flatten().next()
        && workload.kind.value != file::WorkloadKind::Catalogue
    {
        return Err(foreign(span, key, "a catalogue"));
    }
    match workload.kind.value {
        file::WorkloadKind::Stream => Ok(ConsumerWorkload::Stream),
        file::WorkloadKind::File => match &workload.size {
            Some(size) if size.value.0.0 > 0 => Ok(ConsumerWorkload::File {
                segments: size.value.0.0.div_ceil(u64::from(segment_size)),
            }),
            Some(size) => Err(Mistake::new("an empty file").at(size.span.clone())),
            None => Err(Mistake::new("a file needs its size")
                .at(workload.kind.span.clone())
                .help("write size = \"10 MB\"")),
        },
        file::WorkloadKind::Catalogue => {
            let Some(objects) = &workload.objects else {
                return Err(Mistake::new("a catalogue needs the number of its objects")
                    .at(workload.kind.span.clone())
                    .help("write objects = 10000"));
            };
            let exponent = workload.exponent.as_ref();
            let stated = exponent.map_or(0.8, |it| it.value);
            // Beside 1 the law's own formula loses its digits.
            let is_one = (stated - 1.0).abs() < 1e-9;
            let law = Zipf::new(objects.value as f64, if is_one { 1.0 } else { stated });
            law.map(|popularity| ConsumerWorkload::Catalogue { popularity }).map_err(|_| {
                Mistake::new("a catalogue has one object or more, and an exponent of 0 or more")
                    .at(exponent.map_or_else(|| objects.span.clone(), |it| it.span.clone()))
            })
        }
    }
}

/// A controller from outside, or a registered one with its parameters; `own` are the
/// file's names that might have stood in its place.
fn controller_settings(
    controller: &file::Controller,
    own: &[&str],
    makers: &[Arc<dyn Maker>],
) -> Result<controllers::Settings, Mistake> {
    let name = controller.kind.value.as_str();
    let maker = makers.iter().find(|it| it.description().name == name);
    let registered = || controllers::DESCRIPTIONS.iter().find(|it| it.name == name);
    let mut settings = match maker {
        Some(maker) => controllers::Settings::external(Arc::clone(maker)),
        None => controllers::Settings::defaults(registered().ok_or_else(|| {
            let from_outside = makers.iter().map(|it| it.description().name);
            let registered = controllers::DESCRIPTIONS.iter().map(|it| it.name);
            let others = from_outside.chain(registered).filter(|it| !own.contains(it));
            let known: Vec<&str> = own.iter().copied().chain(others).collect();
            Mistake::new(format!("there is no controller `{name}`"))
                .at(controller.kind.span.clone())
                .help(suggestion(name, &known))
        })?),
    };
    let description = settings.description();
    for (key, setting) in &controller.parameters {
        settings.set(&key.value, setting.value.value()).map_err(|error| match error {
            SettingError::Unknown => {
                let known: Vec<&str> = description.parameters.iter().map(|it| it.name).collect();
                Mistake::new(format!("`{name}` has no parameter `{}`", key.value))
                    .at(key.span.clone())
                    .help(suggestion(&key.value, &known))
            }
            SettingError::Refused(kind) => {
                Mistake::new(format!("`{}` does not take that value", key.value))
                    .at(setting.span.clone())
                    .help(wanted(kind))
            }
        })?;
    }
    Ok(settings)
}

fn wanted(kind: Kind) -> String {
    match kind {
        Kind::Number { default, minimum, maximum } => {
            format!("write a number from {minimum} to {maximum}; it is {default} unless stated")
        }
        Kind::Flag { default, .. } => format!("write true or false; it is {default} unless stated"),
        Kind::Choice(options) => {
            let names: Vec<String> =
                options.iter().map(|(name, _)| format!("\"{name}\"")).collect();
            format!("write one of {}", names.join(", "))
        }
    }
}
