//! Names of flows: each is asked of the root of its region, with packets, before its flow begins.

use std::collections::BTreeMap;

use windtunnel_dns::{Output, Resolution, Root, StubResolver, is_reply};
use windtunnel_engine::Time;
use windtunnel_packets::dns::DnsMessage;
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::{Body, Ecn, Packet, Route};

use crate::event::{Event, Kind};
use crate::forwarding::Forwarding;
use crate::host_paths;
use crate::hosts::Hosts;
use crate::network::Network;
use crate::path::PathKey;
use crate::plan::{NameLookupPlan, Plan, RootPlan};

/// A flow's name, and what became of it.
#[derive(Clone, Debug)]
pub struct NameLookup {
    /// The flow's place in the plan.
    pub flow: usize,
    /// When it was asked first; none if it was not.
    pub asked: Option<Time>,
    /// When that was settled.
    pub settled: Option<Time>,
    /// How often it was asked.
    pub queries: u32,
    /// What came of it.
    pub resolution: Option<Resolution>,
}

/// A resolver at its host.
#[derive(Clone, Debug)]
struct Asker {
    flow: u32,
    node: u32,
    root: usize,
    resolver: StubResolver,
    asked: Option<Time>,
    settled: Option<Time>,
}

/// Whom a root answers.
#[derive(Clone, Copy, Debug)]
struct Client {
    node: u32,
    resolver: Option<u32>,
}

/// A root at its node.
#[derive(Clone, Debug)]
struct RegionRoot {
    node: u32,
    region: String,
    version: IpVersion,
    root: Root<Client>,
}

/// All resolvers and roots. In a part of a world, those at its nodes are at work.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    askers: Vec<Asker>,
    roots: Vec<RegionRoot>,
    routes: BTreeMap<[u32; 2], Route>,
    output: Vec<Output<Client>>,
}

impl Names {
    /// Those of a plan; none if no flow has a name.
    pub(crate) fn new(plan: &Plan, forwarding: &Forwarding) -> Option<Self> {
        let flows = (0..).zip(&plan.flows);
        let named = flows.filter_map(|(flow, it)| Some((flow, it.lookup.as_ref()?)));
        let askers: Vec<Asker> = named.map(|(flow, it)| Asker::new(flow, it)).collect();
        let route = |it: PathKey| Some(([it.from, it.to], forwarding.route(it)?));
        (!askers.is_empty()).then(|| Self {
            askers,
            roots: plan.roots.iter().map(RegionRoot::new).collect(),
            routes: host_paths::of_names(plan).flatten().filter_map(route).collect(),
            output: Vec::new(),
        })
    }

    /// Schedules the first question of each flow from a node of the part, for when it starts.
    pub(crate) fn start(
        &self,
        network: &mut Network,
        hosts: &Hosts,
        is_here: impl Fn(usize) -> bool,
    ) {
        let askers = (0..).zip(&self.askers).filter(|it| is_here(it.1.node as usize));
        for (number, it) in askers {
            network.schedule(hosts.start_of(it.flow), Event::new(Kind::Name, number));
        }
    }

    /// The node of each resolver, in the order of the flows.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = usize> {
        self.askers.iter().map(|it| it.node as usize)
    }

    /// A resolver asks or gives up, or a root gives up what others do not answer.
    pub(crate) fn wake(&mut self, network: &mut Network, now: Time, number: u32) {
        match (number as usize).checked_sub(self.askers.len()) {
            None => self.wake_asker(network, now, number),
            Some(root) => {
                let it = &mut self.roots[root].root;
                if it.next_wake() <= now {
                    it.wake(now, &mut self.output);
                    self.send_from_root(network, now, root);
                }
            }
        }
    }

    fn wake_asker(&mut self, network: &mut Network, now: Time, number: u32) {
        let it = &mut self.askers[number as usize];
        it.asked.get_or_insert(now);
        let question = it.resolver.wake(now);
        it.settle(now);
        let (next, ends) = (it.resolver.next_wake(), [it.node, self.roots[it.root].node]);
        let version = self.roots[it.root].version;
        if next != Time::NEVER {
            network.schedule(next, Event::new(Kind::Name, number));
        }
        if let Some(bytes) = question {
            self.send(network, now, ends, Some(number), version, bytes);
        }
    }

    /// A message has arrived at its node.
    pub(crate) fn receive(
        &mut self,
        network: &mut Network,
        hosts: &mut Hosts,
        now: Time,
        packet: &Packet,
    ) {
        let Body::Dns(message) = packet.body else { return };
        let bytes = network.packets.message(message.bytes).to_vec();
        network.packets.discard(packet);
        match message.resolver.filter(|_| is_reply(&bytes)) {
            Some(number) => self.receive_answer(network, hosts, now, number, &bytes),
            None => self.receive_at_root(network, now, &message, &bytes),
        }
    }

    fn receive_answer(
        &mut self,
        network: &mut Network,
        hosts: &mut Hosts,
        now: Time,
        number: u32,
        bytes: &[u8],
    ) {
        let it = &mut self.askers[number as usize];
        it.resolver.receive(bytes);
        if it.settle(now) && matches!(it.resolver.resolution(), Some(Resolution::Found(_))) {
            hosts.begin(network, now, it.flow);
        }
    }

    fn receive_at_root(
        &mut self,
        network: &mut Network,
        now: Time,
        message: &DnsMessage,
        bytes: &[u8],
    ) {
        let [other, place] = message.between.map(|it| self.root_of(it));
        let Some(place) = place else { return };
        match other.filter(|_| is_reply(bytes)) {
            Some(other) => {
                let region = self.roots[other].region.clone();
                self.roots[place].root.reply(now, &region, bytes, &mut self.output);
            }
            None => {
                let client = Client { node: message.between[0], resolver: message.resolver };
                self.roots[place].root.query(now, client, bytes, &mut self.output);
            }
        }
        self.send_from_root(network, now, place);
    }

    /// The place of the root of a node, if it has one.
    fn root_of(&self, node: u32) -> Option<usize> {
        self.roots.iter().position(|it| it.node == node)
    }

    /// Sends what a root has to say, and arranges for its next call.
    fn send_from_root(&mut self, network: &mut Network, now: Time, place: usize) {
        let RegionRoot { node, version, .. } = self.roots[place];
        let mut output = std::mem::take(&mut self.output);
        for it in output.drain(..) {
            let (to, resolver, bytes) = match it {
                Output::Client(it, bytes) => (it.node, it.resolver, bytes),
                Output::Root(region, bytes) => {
                    let root = self.roots.iter().find(|it| it.region == region);
                    (root.expect("a root knows only those of the plan").node, None, bytes)
                }
            };
            self.send(network, now, [node, to], resolver, version, bytes);
        }
        self.output = output;
        let next = self.roots[place].root.next_wake();
        if next != Time::NEVER {
            let number = (self.askers.len() + place) as u32;
            network.schedule(next, Event::new(Kind::Name, number));
        }
    }

    fn send(
        &self,
        network: &mut Network,
        now: Time,
        between: [u32; 2],
        resolver: Option<u32>,
        version: IpVersion,
        bytes: Vec<u8>,
    ) {
        let route = self.routes[&between];
        let network_size = DnsMessage::network_size(version, bytes.len());
        let bytes = network.packets.insert_message(bytes);
        let body = Body::Dns(DnsMessage { between, resolver, version, bytes });
        let (ecn, hops) = (Ecn::NotCapable, 0);
        let packet = Packet { body, ecn, network_size, hops, route: Route::default() };
        network.send(now, between[0], route, packet);
    }

    /// What became of the name that a resolver asked.
    pub(crate) fn lookup(&self, number: usize) -> NameLookup {
        let it = &self.askers[number];
        NameLookup {
            flow: it.flow as usize,
            asked: it.asked,
            settled: it.settled,
            queries: it.resolver.queries(),
            resolution: it.resolver.resolution(),
        }
    }
}

impl Asker {
    fn new(flow: u32, plan: &NameLookupPlan) -> Self {
        let (root, resolver) = (plan.root, plan.resolver.clone());
        Self { flow, node: plan.node as u32, root, resolver, asked: None, settled: None }
    }

    /// Whether its question is settled now for the first time.
    fn settle(&mut self, now: Time) -> bool {
        let is_settled = self.settled.is_none() && self.resolver.resolution().is_some();
        if is_settled {
            self.settled = Some(now);
        }
        is_settled
    }
}

impl RegionRoot {
    fn new(plan: &RootPlan) -> Self {
        let RootPlan { node, version, settings, zone } = plan.clone();
        let region = settings.region.clone();
        Self { node: node as u32, region, version, root: Root::new(settings, zone) }
    }
}
