//! The hosts of a node: which paths they hold, and which one each of their packets takes.

use std::collections::BTreeMap;

use windtunnel_engine::{Duration, Random, Time};
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::scion::{
    ErrorReport, IsdAs, PathHandle, PathReference, Position, ScionContent, ScionPacket,
};
use windtunnel_packets::{Body, Ecn, Packet, PacketStore};

use super::combination::Combined;
use super::data_plane::{PROBE, Shared};
use super::flows::FlowNumber;
use super::paths::{Paths, REVOCATION};
use super::policies::{InterfaceId, PathId, PathInfo, PathPolicy};
use super::probes::{Probe, Probes};

/// So many changes of a flow's path are written down.
const MOST_CHANGES: usize = 10_000;
/// A flow without packets for so long is not probed for.
const IDLE: Duration = Duration::from_secs(10);

/// What went over one path of a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct PathUse {
    /// The path, as it was known when it was first used.
    pub path: PathInfo,
    /// When the first packet took it.
    pub first: Time,
    /// When the last one did.
    pub last: Time,
    /// How many did.
    pub packets: u64,
    /// Their sizes together, in bytes, with all headers.
    pub bytes: u64,
}

/// A flow's packets take another path than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowPathChange {
    /// When.
    pub time: Time,
    /// The path before; none: it is the first.
    pub from: Option<PathId>,
    /// The path from then on.
    pub to: PathId,
    /// Whether the one before could not be used any more.
    pub is_forced: bool,
}

/// A flow of a host.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub(super) policy: Box<dyn PathPolicy>,
    /// Whether its data come from here; otherwise it answers by the path by which they come.
    pub(super) sends: bool,
    pub(super) current: Option<PathId>,
    /// The path of what came last, and the way back on it.
    reply: Option<(PathHandle, PathHandle)>,
    pub(super) uses: Vec<PathUse>,
    pub(super) changes: Vec<FlowPathChange>,
    pub(super) switches: u64,
    pub(super) to: u32,
    pub(super) hosts: IpVersion,
    pub(super) probe: Time,
    pub(super) last: Time,
}

/// What a host wants done.
#[derive(Clone, Debug)]
pub(super) enum Wanted {
    /// A packet sent.
    Send {
        content: ScionContent,
        payload: u16,
        to: u32,
        path: (PathReference, Position),
        hosts: IpVersion,
        ecn: Ecn,
    },
    /// A host told that its packets take another path from this one on.
    Tell(Packet),
    /// Paths to a system asked for.
    Ask { identifier: u32, to: IsdAs },
}

/// The hosts of a node.
#[derive(Clone, Debug)]
pub(super) struct Host {
    pub(super) shared: Shared,
    node: u32,
    random: Random,
    pub(super) paths: BTreeMap<u32, Paths>,
    pub(super) flows: BTreeMap<FlowNumber, Flow>,
    /// Ways back on paths by which packets came.
    back: BTreeMap<PathHandle, PathHandle>,
    pub(super) probes: Probes,
    identifier: u32,
    pub(super) wanted: Vec<Wanted>,
    /// When a request is given up or probes are due.
    pub(super) next: Time,
    pub(super) no_path: u64,
}

/// After so long without an answer, paths are asked for again.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

impl Host {
    pub(super) fn new(shared: Shared, node: u32, random: Random) -> Self {
        Self {
            shared,
            node,
            random,
            paths: BTreeMap::new(),
            flows: BTreeMap::new(),
            back: BTreeMap::new(),
            probes: Probes::default(),
            identifier: 0,
            wanted: Vec::new(),
            next: Time::NEVER,
            no_path: 0,
        }
    }

    fn system(&self, node: u32) -> u32 {
        self.shared.settings.nodes[node as usize].system
    }

    /// An IP packet is to be sent to a node of another system.
    pub(super) fn carry(&mut self, now: Time, packet: Packet, to: u32, packets: &mut PacketStore) {
        let number = self.shared.settings.flows.number(&packet);
        let Some(number) = number else { return packets.discard(&packet) };
        let system = self.system(to);
        if !self.flows.contains_key(&number) {
            let flow = self.flow(number, to, &packet);
            self.flows.insert(number, flow);
        }
        let paths = self.paths.entry(system).or_default();
        let Some(flow) = self.flows.get(&number) else { return };
        if let Some((_, back)) = flow.reply.filter(|_| !flow.sends) {
            let position = Position::first(packets.path(back));
            return self.send(packet, to, (PathReference::Standard(back), position), packets);
        }
        if now >= paths.refresh && paths.asked.is_none() {
            self.ask(now, system);
        }
        let paths = self.paths.entry(system).or_default();
        let live = paths.live(now);
        if live.is_empty() {
            let kept = if paths.is_unknown() { paths.wait(packet, to) } else { Some(packet) };
            if let Some(it) = kept {
                self.no_path += 1;
                packets.discard(&it);
            }
            return;
        }
        let Some(flow) = self.flows.get_mut(&number) else { return };
        flow.last = now;
        if flow.probe == Time::NEVER && flow.sends && flow.policy.probe_interval().is_some() {
            flow.probe = now;
        }
        let switches = flow.switches;
        let place = flow.choose(now, live, &mut self.random, packet.network_size);
        if flow.switches > switches {
            self.wanted.push(Wanted::Tell(packet));
        }
        let handle = paths.handle(place, packets);
        self.next = self.next.min(flow.probe);
        let position = Position::first(packets.path(handle));
        self.send(packet, to, (PathReference::Standard(handle), position), packets);
    }

    fn flow(&self, number: FlowNumber, to: u32, packet: &Packet) -> Flow {
        let known = self.shared.settings.flows.policy(number);
        let policy = known.map_or_else(
            || super::policies::PolicySettings::default().policy(0, 1),
            |it| it.policy.policy(it.subflow, it.subflows),
        );
        let sends = known.is_none_or(|it| it.from == self.node);
        Flow {
            probe: Time::NEVER,
            policy,
            sends,
            current: None,
            reply: None,
            uses: Vec::new(),
            changes: Vec::new(),
            switches: 0,
            to,
            hosts: packet.ip_version().unwrap_or_default(),
            last: Time::ZERO,
        }
    }

    fn send(
        &mut self,
        packet: Packet,
        to: u32,
        path: (PathReference, Position),
        packets: &mut PacketStore,
    ) {
        let hosts = packet.ip_version().unwrap_or_default();
        let payload = packet.network_size - hosts.header();
        let content = ScionContent::Packet(packets.insert(packet));
        self.wanted.push(Wanted::Send { content, payload, to, path, hosts, ecn: packet.ecn });
    }

    fn ask(&mut self, now: Time, system: u32) {
        self.identifier += 1;
        let identifier = self.identifier;
        let deadline = now + ANSWER_TIMEOUT;
        let to = self.shared.settings.systems[system as usize].isd_as;
        self.paths.entry(system).or_default().asked = Some((identifier, deadline));
        self.next = self.next.min(deadline);
        self.wanted.push(Wanted::Ask { identifier, to });
    }

    /// The system to which paths were asked for.
    pub(super) fn asked_for(&self, identifier: u32) -> Option<IsdAs> {
        let is_it = |it: &Paths| it.asked.is_some_and(|it| it.0 == identifier);
        let (system, _) = self.paths.iter().find(|it| is_it(it.1))?;
        Some(self.shared.settings.systems[*system as usize].isd_as)
    }

    /// Paths have been found for a request; what waited sets out.
    pub(super) fn on_paths(
        &mut self,
        now: Time,
        identifier: u32,
        found: Vec<Combined>,
        packets: &mut PacketStore,
    ) {
        let beaconing = self.shared.settings.beaconing;
        let asked = |it: &&mut Paths| it.asked.is_some_and(|it| it.0 == identifier);
        let Some(paths) = self.paths.values_mut().find(asked) else { return };
        paths.asked = None;
        if !found.is_empty() {
            paths.replace(now, found, beaconing.most_paths);
        }
        // Half of what is left, so that there is always a valid one.
        let left = paths.expires().map_or(Duration::ZERO, |it| it.since(now.min(it)));
        let half = Duration::from_nanos(left.as_nanos() / 2).max(Duration::from_secs(1));
        paths.refresh = now + beaconing.refresh.min(half);
        let waiting = paths.take_waiting();
        if paths.is_unknown() {
            self.no_path += waiting.len() as u64;
            waiting.iter().for_each(|(it, _)| packets.discard(it));
            return;
        }
        waiting.into_iter().for_each(|(packet, to)| self.carry(now, packet, to, packets));
    }

    /// A packet of a flow has come: its answers go back on its path.
    pub(super) fn on_packet(
        &mut self,
        header: &ScionPacket,
        packet: &Packet,
        packets: &mut PacketStore,
    ) {
        let PathReference::Standard(came) = header.path else { return };
        let Some(number) = self.shared.settings.flows.number(packet) else { return };
        if !self.flows.contains_key(&number) {
            let flow = self.flow(number, header.between[0], packet);
            self.flows.insert(number, flow);
        }
        let is_known = |it: &Flow| it.sends || it.reply.is_some_and(|it| it.0 == came);
        if self.flows.get(&number).is_none_or(is_known) {
            return;
        }
        let (PathReference::Standard(way), _) = self.way_back(header, packets) else { return };
        if let Some(flow) = self.flows.get_mut(&number) {
            flow.reply = Some((came, way));
        }
    }

    /// The path back for a packet that has come to its end here.
    pub(super) fn way_back(
        &mut self,
        header: &ScionPacket,
        packets: &mut PacketStore,
    ) -> (PathReference, Position) {
        let PathReference::Standard(came) = header.path else {
            return (PathReference::Empty, Position::default());
        };
        let way = *self.back.entry(came).or_insert_with(|| {
            let back = packets.path(came).reversed(&header.position);
            packets.insert_path(back.into())
        });
        (PathReference::Standard(way), Position::first(packets.path(way)))
    }

    /// A packet from here was dropped, and why.
    pub(super) fn on_error(
        &mut self,
        now: Time,
        origin: IsdAs,
        error: ErrorReport,
        quoted: &Packet,
    ) {
        let Body::Scion(ScionPacket { path: PathReference::Standard(handle), .. }) = quoted.body
        else {
            return;
        };
        let until = now + REVOCATION;
        let id = |number: u16| InterfaceId { isd_as: origin.0, number };
        for flow in self.flows.values_mut() {
            flow.reply = flow.reply.filter(|it| it.1 != handle);
        }
        let paths = self.paths.values_mut();
        match error {
            ErrorReport::ExternalInterfaceDown(number) => {
                paths.for_each(|it| it.revoke(now, until, |on, _| on.contains(&id(number))));
            }
            ErrorReport::InternalConnectivityDown(crossed) => {
                let has = |on: &[InterfaceId], it: u16| it == 0 || on.contains(&id(it));
                paths.for_each(|paths| {
                    paths.revoke(now, until, |on, _| crossed.iter().all(|it| has(on, *it)));
                });
            }
            ErrorReport::TooBig(_) | ErrorReport::Parameter(..) | ErrorReport::Unreachable(_) => {
                paths.for_each(|it| {
                    it.revoke(now, until, |_, of| of == Some(handle));
                    it.refresh = now;
                });
            }
        }
    }

    /// Gives up what was not answered, and sends the probes that are due.
    pub(super) fn wake(&mut self, now: Time, packets: &mut PacketStore) {
        self.next = Time::NEVER;
        let given_up = |it: &Paths| it.asked.is_some_and(|it| it.1 <= now);
        let systems: Vec<u32> =
            self.paths.iter().filter(|it| given_up(it.1)).map(|it| *it.0).collect();
        systems.into_iter().for_each(|it| self.ask(now, it));
        let deadlines = self.paths.values().filter_map(|it| it.asked).map(|it| it.1);
        self.next = deadlines.min().unwrap_or(Time::NEVER);
        while let Some(probe) = self.probes.take_lost(now) {
            self.report(now, &probe, None);
        }
        let due: Vec<FlowNumber> =
            self.flows.iter().filter(|it| it.1.probe <= now).map(|it| *it.0).collect();
        due.into_iter().for_each(|it| self.probe(now, it, packets));
        let probes = self.flows.values().map(|it| it.probe).min();
        self.next = self.next.min(probes.unwrap_or(Time::NEVER));
        self.next = self.next.min(self.probes.next_timeout().unwrap_or(Time::NEVER));
    }

    /// Sends a probe on each path of a flow, or on the one in use.
    fn probe(&mut self, now: Time, number: FlowNumber, packets: &mut PacketStore) {
        let Some(flow) = self.flows.get_mut(&number) else { return };
        let interval = flow.policy.probe_interval().filter(|_| flow.last + IDLE > now);
        flow.probe = interval.map_or(Time::NEVER, |it| now + it.max(Duration::from_millis(1)));
        let (to, hosts, current) = (flow.to, flow.hosts, flow.current);
        let only = current.filter(|_| flow.policy.probes_only_current());
        if interval.is_none() {
            return;
        }
        let system = self.shared.settings.nodes[to as usize].system;
        let paths = self.paths.entry(system).or_default();
        let ids: Vec<PathId> = paths.live(now).iter().map(|it| it.id).collect();
        for (place, path) in ids.into_iter().enumerate() {
            if only.is_some_and(|it| it != path) {
                continue;
            }
            let handle = paths.handle(place, packets);
            let position = Position::first(packets.path(handle));
            let sequence = self.probes.send(now, number, path);
            self.wanted.push(Wanted::Send {
                content: ScionContent::Echo { is_reply: false, identifier: 0, sequence },
                payload: PROBE,
                to,
                path: (PathReference::Standard(handle), position),
                hosts,
                ecn: Ecn::NotCapable,
            });
        }
    }

    /// A probe was answered.
    pub(super) fn on_echo(&mut self, now: Time, sequence: u16) {
        if let Some(probe) = self.probes.take_answered(sequence) {
            self.report(now, &probe, Some(now.since(probe.sent)));
        }
    }

    /// Tells a flow's policy what became of a probe.
    fn report(&mut self, now: Time, probe: &Probe, rtt: Option<Duration>) {
        let Some(flow) = self.flows.get_mut(&probe.flow) else { return };
        let system = self.shared.settings.nodes[flow.to as usize].system;
        let Some(paths) = self.paths.get_mut(&system) else { return };
        let info = match rtt {
            Some(rtt) => paths.measure(probe.path, rtt),
            None => paths.info(probe.path),
        };
        if let Some(info) = info {
            flow.policy.on_probe(now, info, rtt);
        }
    }
}

impl Flow {
    /// The place of the path of the next packet, of that size.
    fn choose(&mut self, now: Time, live: &[PathInfo], random: &mut Random, size: u16) -> usize {
        let before = live.iter().position(|it| Some(it.id) == self.current);
        let place = self.policy.select(now, live, before, random).min(live.len() - 1);
        let path = &live[place];
        if Some(path.id) != self.current {
            let is_forced = self.current.is_some() && before.is_none();
            self.switches += u64::from(self.current.is_some());
            if self.changes.len() < MOST_CHANGES {
                let (from, to) = (self.current, path.id);
                self.changes.push(FlowPathChange { time: now, from, to, is_forced });
            }
            self.current = Some(path.id);
        }
        let known = self.uses.iter().position(|it| it.path.id == path.id);
        let known = known.unwrap_or_else(|| {
            let path = path.clone();
            self.uses.push(PathUse { path, first: now, last: now, packets: 0, bytes: 0 });
            self.uses.len() - 1
        });
        let path_use = &mut self.uses[known];
        path_use.last = now;
        path_use.packets += 1;
        path_use.bytes += u64::from(size);
        place
    }
}
