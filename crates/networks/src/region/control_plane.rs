//! The control plane of a router: what it tells its neighbours, and where packets for each
//! region leave its own.

mod routes;

use std::collections::BTreeMap;

use windtunnel_engine::{Duration, Random, Time};
use windtunnel_packets::region::{
    AddressKind, BorderRecord, Code, Content, ExternalRecord, HOP_LIMIT, Neighbour, Record,
    RegionControl, RegionLink, RegionPacket, RouterRecord, SessionMessage, Update, protocol,
};
use windtunnel_packets::{Body, Dscp, Ecn, Packet, PacketStore, Route as PacketRoute};

use super::context::RouterContext;
use super::counters::{RouteChange, TableSize};
use super::link_state::{LinkState, Reached};
use super::path_vector::{Exit, PathVector, Route};
use super::region_graph::RegionGraph;
use super::session::Session;
use super::settings::{CodeLookup, RegionRouting, Standing, Transit};
use crate::layer::{Actions, Interface};

/// Paths are computed so long after the first news (RFC 8405's initial delay).
const SEARCH_DELAY: Duration = Duration::from_millis(50);
/// Nodes that a message between neighbours may pass: none.
const HOPS_SPENT: u8 = HOP_LIMIT - 1;

/// The control plane.
#[derive(Clone, Debug)]
pub(super) struct ControlPlane {
    sessions: Vec<Session>,
    link_state: LinkState,
    path_vector: PathVector,
    graph: RegionGraph,
    /// Where each other region, or part of one, is reached.
    routes: BTreeMap<Code, Route>,
    /// The codes of the own region that neighbouring ones are told of.
    own_codes: Vec<Code>,
    /// The number of the newest record of the own links.
    sequence: u32,
    /// When paths are to be computed.
    search: Time,
    /// When an agreement begins or ends next, or a link begins to be used.
    agreements: Time,
    random: Random,
    /// What is to be sent.
    output: Vec<(Interface, RegionControl)>,
    changes: Vec<RouteChange>,
}

impl ControlPlane {
    pub(super) fn new(context: &RouterContext, random: Random) -> Self {
        let carries = context.settings.region(context.number()).transit != Transit::Refused;
        let mut path_vector =
            PathVector::new(context.number(), carries, context.settings.advertisement);
        for interface in context.ports(true) {
            path_vector.add(interface, context.ports[usize::from(interface.0)].mtu);
        }
        let link_state = LinkState::default();
        let own_codes = own_codes(context, &link_state);
        Self {
            sessions: vec![Session::default(); context.ports.len()],
            link_state,
            path_vector,
            graph: RegionGraph::default(),
            routes: BTreeMap::new(),
            own_codes,
            sequence: 0,
            search: Time::NEVER,
            agreements: Time::NEVER,
            random,
            output: Vec::new(),
            changes: Vec::new(),
        }
    }

    pub(super) fn reached(&self, router: u32) -> Option<Reached> {
        self.link_state.reached(router)
    }

    pub(super) fn nearest(&self, sub_region: u32) -> Option<Reached> {
        self.link_state.nearest(sub_region)
    }

    /// Whether packets are exchanged over a port that leads to another region.
    pub(super) fn is_open(&self, interface: Interface) -> bool {
        self.path_vector.is_open(interface)
    }

    pub(super) fn changes(&self) -> &[RouteChange] {
        &self.changes
    }

    pub(super) fn table_size(&self) -> TableSize {
        TableSize {
            regions: self.routes.len(),
            sub_regions: self.link_state.sub_regions().len(),
            addresses: self.link_state.count(),
        }
    }

    pub(super) fn record(&self, context: &RouterContext) -> RouterRecord {
        let inside = context.ports(false).into_iter().map(|it| context.ports[usize::from(it.0)]);
        let up = inside.filter(|it| it.is_up);
        RouterRecord {
            router: context.node,
            sequence: self.sequence,
            sub_region: context.code.sub_region(),
            neighbours: up.map(|it| Neighbour { router: it.node, metric: it.metric }).collect(),
        }
    }

    pub(super) fn start(&mut self, context: &RouterContext) {
        self.announce_links(Time::ZERO, context);
        self.follow_agreements(Time::ZERO, context);
    }

    pub(super) fn next_wake(&self) -> Time {
        let sessions = self.sessions.iter().map(Session::next_wake).min();
        let sessions = sessions.unwrap_or(Time::NEVER);
        sessions.min(self.search).min(self.agreements).min(self.path_vector.next_wake())
    }

    pub(super) fn wake(&mut self, now: Time, context: &RouterContext) {
        for interface in (0..self.sessions.len() as u16).map(Interface) {
            self.with_session(interface, |it, output| it.wake(now, output));
        }
        if now >= self.agreements {
            self.follow_agreements(now, context);
        }
        if now >= self.search {
            self.search = Time::NEVER;
            self.search_paths(now, context);
        }
        for code in self.path_vector.due(now) {
            self.tell(now, context, code);
        }
    }

    /// A port has gone down or come up.
    pub(super) fn link_changed(
        &mut self,
        now: Time,
        context: &RouterContext,
        interface: Interface,
    ) {
        let port = context.ports[usize::from(interface.0)];
        if port.is_up {
            self.with_session(interface, |it, output| it.resume(now, output));
        } else {
            self.sessions[usize::from(interface.0)].pause();
        }
        if context.leads_out(interface) {
            let is_other = self.follow_agreement(now, context, interface);
            return self.announce_border(now, context, is_other);
        }
        if port.is_up {
            let records: Vec<Record> = self.link_state.records().collect();
            records.into_iter().for_each(|it| self.send_record(now, interface, it));
        }
        self.announce_links(now, context);
    }

    /// Takes in a message that came by a port; returns whether its bytes mean something.
    pub(super) fn receive(
        &mut self,
        now: Time,
        context: &mut RouterContext,
        from: Interface,
        bytes: &[u8],
    ) -> bool {
        let Ok(RegionControl::Session { sequence, acknowledgement, message }) =
            RegionControl::decode(bytes)
        else {
            return false;
        };
        let numbers = [sequence, acknowledgement];
        let mut next = None;
        self.with_session(from, |it, output| next = it.receive(now, numbers, message, output));
        match next {
            Some(SessionMessage::Record(record)) if self.is_flooded(context, from, &record) => {
                self.take_record(now, context, from, record);
            }
            Some(SessionMessage::Update(update)) if context.leads_out(from) => {
                let code = update.code;
                self.path_vector.receive(from, update);
                self.decide(now, context, code);
            }
            _ => {}
        }
        true
    }

    /// Makes packets of what is to be sent. What is not for a port that is up is lost.
    pub(super) fn flush(
        &mut self,
        context: &mut RouterContext,
        packets: &mut PacketStore,
        actions: &mut Actions,
    ) {
        for (interface, control) in self.output.drain(..) {
            let port = context.ports[usize::from(interface.0)];
            if !port.is_up {
                continue;
            }
            let bytes = control.encode();
            let encoding = context.settings.encoding;
            let network_size = encoding.header() + bytes.len() as u16;
            let is_alone = matches!(
                control,
                RegionControl::Session { message: SessionMessage::Acknowledgement, .. }
            );
            context.counters.control_messages += u64::from(!is_alone);
            context.counters.control_bytes += u64::from(network_size);
            let body = Body::Region(RegionPacket {
                destination: context.settings.nodes[port.node as usize].code,
                source: context.code,
                encoding,
                protocol: protocol::CONTROL,
                between: [context.node, port.node],
                interface: None,
                kinds: [AddressKind::Absent; 2],
                dscp: Dscp::DEFAULT,
                flow_label: 0,
                content: Content::Message(packets.insert_message(bytes)),
            });
            let (ecn, route) = (Ecn::NotCapable, PacketRoute::NONE);
            actions.send(interface, Packet { body, ecn, network_size, hops: HOPS_SPENT, route });
        }
    }

    fn with_session(
        &mut self,
        interface: Interface,
        act: impl FnOnce(&mut Session, &mut Vec<RegionControl>),
    ) {
        let mut output = Vec::new();
        act(&mut self.sessions[usize::from(interface.0)], &mut output);
        self.output.extend(output.into_iter().map(|it| (interface, it)));
    }

    fn send_record(&mut self, now: Time, to: Interface, record: Record) {
        self.with_session(to, |it, output| it.send(now, SessionMessage::Record(record), output));
    }

    /// Keeps a record and sends it on, if it is new.
    fn take_record(&mut self, now: Time, context: &RouterContext, from: Interface, record: Record) {
        if record.router() == context.node || !self.link_state.install(&record) {
            return;
        }
        let external = match &record {
            Record::External(it) => Some(it.code),
            Record::Router(_) | Record::Border(_) => None,
        };
        self.flood(now, context, record, Some(from));
        match external {
            Some(code) => self.decide(now, context, code),
            None => self.search = self.search.min(now + SEARCH_DELAY),
        }
    }

    fn flood(
        &mut self,
        now: Time,
        context: &RouterContext,
        record: Record,
        except: Option<Interface>,
    ) {
        let up = (0..).map(Interface).zip(&context.ports).filter(|it| it.1.is_up).map(|it| it.0);
        let others = up.filter(|it| Some(*it) != except && self.is_flooded(context, *it, &record));
        let others: Vec<Interface> = others.collect();
        others.into_iter().for_each(|it| self.send_record(now, it, record.clone()));
    }

    /// Whether a record goes over a port: all do inside the region, and those of borders between
    /// regions that exchange packets.
    fn is_flooded(&self, context: &RouterContext, over: Interface, record: &Record) -> bool {
        let is_of_border = matches!(record, Record::Border(_));
        !context.leads_out(over) || is_of_border && self.path_vector.is_open(over)
    }

    /// Tells the own region of the own links.
    fn announce_links(&mut self, now: Time, context: &RouterContext) {
        self.sequence += 1;
        let record = Record::Router(self.record(context));
        self.link_state.install(&record);
        self.flood(now, context, record, None);
        self.search = self.search.min(now + SEARCH_DELAY);
    }

    /// Paths inside the region may be others.
    fn search_paths(&mut self, now: Time, context: &RouterContext) {
        let up = |router: u32| {
            let place = context.ports.iter().position(|it| it.node == router && it.is_up)?;
            Some(Interface(place as u16))
        };
        let is_other = self.link_state.search(context.node, up);
        let has_graph = context.settings.routing == RegionRouting::LinkState;
        if has_graph {
            self.graph.search(context.number(), self.link_state.borders());
        }
        if is_other || has_graph {
            let mut codes: Vec<Code> = self.link_state.codes().collect();
            codes.extend(self.graph.regions().into_iter().map(Code::of_region));
            codes.extend(self.routes.keys());
            codes.sort_unstable();
            codes.dedup();
            codes.into_iter().for_each(|it| self.decide(now, context, it));
            self.follow_own_codes(now, context);
        }
    }

    /// Parts of the own region may be reached, or not any more.
    fn follow_own_codes(&mut self, now: Time, context: &RouterContext) {
        let codes = own_codes(context, &self.link_state);
        let before = std::mem::replace(&mut self.own_codes, codes.clone());
        let gone = before.iter().filter(|it| !codes.contains(it));
        let new = codes.iter().filter(|it| !before.contains(it));
        gone.chain(new).for_each(|it| self.tell(now, context, *it));
    }

    /// Opens and closes the sessions with neighbouring regions, as the agreements say.
    fn follow_agreements(&mut self, now: Time, context: &RouterContext) {
        let outside = context.ports(true);
        let others = outside.iter().filter(|it| self.follow_agreement(now, context, **it)).count();
        self.announce_border(now, context, others > 0);
        let regions: Vec<u8> =
            outside.iter().map(|it| context.ports[usize::from(it.0)].region).collect();
        let own = context.number();
        let concerns =
            |it: [u8; 2]| it.contains(&own) && regions.iter().any(|region| it.contains(region));
        let agreements = context.settings.agreements.iter().filter(|it| concerns(it.regions));
        let times = agreements.flat_map(|it| [it.from, it.until]);
        let links = outside.iter().map(|it| context.ports[usize::from(it.0)].speaks_from);
        self.agreements = times.chain(links).filter(|it| *it > now).min().unwrap_or(Time::NEVER);
    }

    /// Opens or closes a session; returns whether it was the other way.
    fn follow_agreement(
        &mut self,
        now: Time,
        context: &RouterContext,
        interface: Interface,
    ) -> bool {
        let port = context.ports[usize::from(interface.0)];
        let regions = [context.number(), port.region];
        let speaks = port.is_up && port.speaks_from <= now;
        let agreement = context.settings.agreement(regions, now).filter(|_| speaks);
        let standing = agreement.map(|it| it.standing(context.number()));
        let lost = self.path_vector.codes(interface);
        if !self.path_vector.set(interface, standing) {
            return false;
        }
        lost.into_iter().for_each(|it| self.decide(now, context, it));
        if standing.is_some() {
            let borders: Vec<BorderRecord> = self.link_state.borders().cloned().collect();
            borders.into_iter().for_each(|it| self.send_record(now, interface, Record::Border(it)));
            let codes: Vec<Code> = self.routes.keys().copied().collect();
            let own = self.own_codes.clone();
            codes.into_iter().chain(own).for_each(|it| self.tell(now, context, it));
        }
        true
    }

    /// Tells all regions of the own links to others, if those are others than before.
    fn announce_border(&mut self, now: Time, context: &RouterContext, is_other: bool) {
        if !is_other || context.settings.routing == RegionRouting::PathVector {
            return;
        }
        let known = self.link_state.borders().find(|it| it.router == context.node);
        let open = context.ports(true).into_iter().filter(|it| self.path_vector.is_open(*it));
        let link = |it: Interface| {
            let port = context.ports[usize::from(it.0)];
            RegionLink { region: port.region, mtu: port.mtu }
        };
        let record = Record::Border(BorderRecord {
            router: context.node,
            sequence: known.map_or(0, |it| it.sequence) + 1,
            code: Code::of_region(context.number()),
            carries: context.settings.region(context.number()).transit != Transit::Refused,
            links: open.map(link).collect(),
        });
        self.link_state.install(&record);
        self.flood(now, context, record, None);
        self.search = self.search.min(now + SEARCH_DELAY);
    }

    /// Chooses the route to a region anew, and tells of it if it is another one.
    ///
    /// The neighbour that pays comes first, then the path of the fewest regions, then one that
    /// begins at the own node, then the nearest border.
    fn decide(&mut self, now: Time, context: &RouterContext, code: Code) {
        let found = match context.settings.routing {
            RegionRouting::PathVector => self.told(context, code),
            RegionRouting::LinkState => self.searched(context, code),
        };
        let rank = |(cost, it): &(u64, Route)| (it.standing, it.path.len(), *cost, it.exit);
        let best = found.into_iter().min_by_key(rank).map(|it| it.1);
        if best.as_ref() != self.routes.get(&code) {
            match &best {
                Some(it) => self.routes.insert(code, it.clone()),
                None => self.routes.remove(&code),
            };
            self.announce(now, context, code);
            self.tell(now, context, code);
        }
        self.note_change(now, context, code);
    }

    /// Remembers that packets for a region take another way.
    fn note_change(&mut self, now: Time, context: &RouterContext, code: Code) {
        let route = self.routes.get(&code);
        let next = route.and_then(|it| {
            let first = match it.exit {
                Exit::Here(interface) => Some(interface),
                Exit::Border(border) => self.link_state.reached(border)?.first,
            };
            first.map(|it| context.ports[usize::from(it.0)].node)
        });
        let path = route.map(|it| it.path.clone()).unwrap_or_default();
        let last = self.changes.iter().rev().find(|it| it.code == code);
        let known = last.map(|it| (it.next, &it.path));
        if known.unwrap_or((None, &Vec::new())) != (next, &path) {
            self.changes.push(RouteChange { time: now, code, next, path });
        }
    }

    /// Tells the own region how the own node reaches another one, or that it does not any more.
    fn announce(&mut self, now: Time, context: &RouterContext, code: Code) {
        if context.settings.routing == RegionRouting::LinkState {
            return;
        }
        let known = self.link_state.external(code, context.node);
        let own = self.routes.get(&code).filter(|it| matches!(it.exit, Exit::Here(_)));
        let path = own.map(|it| it.path.clone()).unwrap_or_default();
        if known.map_or(&[][..], |it| &it.path) == path.as_slice() {
            return;
        }
        let record = Record::External(ExternalRecord {
            router: context.node,
            sequence: known.map_or(0, |it| it.sequence) + 1,
            code,
            preference: own.map_or(0, |it| it.standing as u8),
            mtu: own.map_or(0, |it| it.mtu),
            path,
        });
        self.link_state.install(&record);
        self.flood(now, context, record, None);
    }

    /// Tells neighbouring regions how a region is reached.
    fn tell(&mut self, now: Time, context: &RouterContext, code: Code) {
        if context.settings.routing == RegionRouting::LinkState {
            return;
        }
        let own = Route {
            standing: Standing::Customer,
            path: Vec::new(),
            mtu: u16::MAX,
            exit: Exit::Border(context.node),
        };
        let route = if code.region() == context.number() {
            self.own_codes.contains(&code).then_some(&own)
        } else {
            self.routes.get(&code)
        };
        let mut output: Vec<(Interface, Update)> = Vec::new();
        self.path_vector.tell(now, code, route, &mut self.random, &mut output);
        for (interface, update) in output {
            let message = SessionMessage::Update(update);
            self.with_session(interface, |it, output| it.send(now, message, output));
        }
    }
}

/// The codes of the own region that neighbouring ones are to be told of.
fn own_codes(context: &RouterContext, link_state: &LinkState) -> Vec<Code> {
    let region = Code::of_region(context.number());
    match context.settings.lookup {
        CodeLookup::TwoLevel => vec![region],
        CodeLookup::Full => {
            let parts = link_state.sub_regions().into_iter();
            parts.map(|it| Code::of_sub_region(context.number(), it)).collect()
        }
        CodeLookup::LongestPrefix if context.code == region => vec![region],
        CodeLookup::LongestPrefix => vec![region, context.code],
    }
}
