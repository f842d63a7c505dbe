//! A forwarder on sockets.

use windtunnel_engine::{Random, Streams, Time};
use windtunnel_networks::ndn::FaceId;
use windtunnel_networks::ndn::forwarder::ForwarderCounters;
use windtunnel_networks::ndn::link_service::LinkServiceCounters;
use windtunnel_packets::ndn::{Data, wire};
use windtunnel_packets::{Body, Packet};
use windtunnel_scenario::{FaceAddress, ForwarderPlan};

use super::NdnError;
use super::authorization::{self, Authorization};
use super::border::Border;
use super::faces::{FaceCounters, FaceEvent, Faces};
use super::link::NetworkPacket;
use super::names::unnamed;
use super::signing::Verifier;
use super::status::FaceDataset;
use crate::Clock;

/// A forwarder that listens.
#[derive(Debug)]
pub struct Forwarding {
    clock: Clock,
    faces: Faces,
    border: Border,
    dataset: FaceDataset,
    addresses: Vec<FaceAddress>,
}

/// What a forwarder counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ForwardReport {
    /// At its sockets.
    pub faces: FaceCounters,
    /// In its link services.
    pub links: LinkServiceCounters,
    /// In the forwarder itself.
    pub forwarder: ForwarderCounters,
    /// Interests and Data dropped because they are malformed.
    pub malformed: u64,
    /// Interests for `/localhost` from other machines, which are dropped.
    pub out_of_scope: u64,
    /// Interests refused because too many were pending or too many names in use.
    pub refused: u64,
    /// Commands of management that were carried out.
    pub commands: u64,
    /// Faces that are open.
    pub open_faces: usize,
    /// Interests that are pending.
    pub pending: usize,
    /// Data in the content store.
    pub cached: usize,
    /// Names in use.
    pub names: usize,
}

impl Forwarding {
    /// A forwarder as planned, listening. With keys, it carries out only commands that are signed by
    /// one of them.
    ///
    /// # Errors
    /// [`NdnError`] if an address cannot be used.
    pub fn open(plan: &ForwarderPlan, keys: Vec<Verifier>) -> Result<Self, NdnError> {
        let clock = Clock::start();
        let mut faces = Faces::new(clock)?;
        let mut border = Border::new(&plan.node, random());
        border.authorize(Authorization::new(keys, authorization::now_ms));
        let listen = plan.listen.iter().map(|it| faces.listen(*it));
        let addresses = listen.collect::<Result<Vec<_>, _>>()?;
        let connected = plan.faces.iter().map(|it| faces.connect(it.remote, None, it.mtu));
        let connected = connected.collect::<Result<Vec<FaceId>, _>>()?;
        for face in &connected {
            border.open_face(*face, faces.is_local(*face));
        }
        for route in &plan.routes {
            border.add_route(&route.prefix, connected[route.face], route.cost);
        }
        let dataset = FaceDataset::default();
        Ok(Self { clock, faces, border, dataset, addresses })
    }

    /// Where it listens.
    #[must_use]
    pub fn addresses(&self) -> &[FaceAddress] {
        &self.addresses
    }

    /// Forwards as long as `goes_on` says so, which is asked several times a second.
    ///
    /// # Errors
    /// [`NdnError`] if the operating system fails.
    pub fn run(&mut self, mut goes_on: impl FnMut() -> bool) -> Result<(), NdnError> {
        let (mut events, mut sent) = (Vec::new(), Vec::new());
        let mut asked = self.clock.now();
        loop {
            self.faces.wait(self.border.next_expiry(), &mut events)?;
            let now = self.clock.now();
            for event in events.drain(..) {
                match event {
                    FaceEvent::Opened(face) => {
                        self.border.open_face(face, self.faces.is_local(face));
                    }
                    FaceEvent::Closed(face) => self.border.close_face(now, face),
                    FaceEvent::Received(face, packet) if self.is_of_faces(face, &packet) => {
                        self.tell_of_faces(now, face, &packet);
                    }
                    FaceEvent::Received(face, packet) => {
                        self.border.receive(now, face, packet, &mut sent);
                    }
                }
                for it in sent.drain(..) {
                    self.faces.send(it.face, &it.packet, &it.bytes, it.token.as_deref());
                }
            }
            self.border.expire(now);
            if now.since(asked) >= super::BETWEEN_QUESTIONS {
                asked = now;
                if !goes_on() {
                    return Ok(());
                }
            }
        }
    }

    /// Whether somebody on this machine asks for the status of faces.
    fn is_of_faces(&self, face: FaceId, packet: &NetworkPacket) -> bool {
        self.faces.is_local(face)
            && packet.nack.is_none()
            && wire::Interest::decode(&packet.bytes).is_ok_and(|it| FaceDataset::is_asked_for(&it))
    }

    fn tell_of_faces(&mut self, now: Time, face: FaceId, packet: &NetworkPacket) {
        let Ok(interest) = wire::Interest::decode(&packet.bytes) else { return };
        let statuses = || self.faces.statuses();
        let Some(bytes) = self.dataset.answer(now, &interest, statuses) else { return };
        let body = Body::Data(Data { name: unnamed(), content: 0, freshness_ms: 0 });
        let described = Packet::ndn(body, bytes.len() as u16);
        self.faces.send(face, &described, &bytes, packet.token.as_deref());
    }

    /// What was counted so far.
    #[must_use]
    pub fn report(&self) -> ForwardReport {
        let counters = self.border.counters();
        let [pending, cached, names] = self.border.sizes();
        ForwardReport {
            faces: self.faces.counters(),
            links: self.faces.link_counters(),
            forwarder: *self.border.forwarder_counters(),
            malformed: counters.malformed,
            out_of_scope: counters.out_of_scope,
            refused: counters.refused,
            commands: counters.commands,
            open_faces: self.faces.len(),
            pending,
            cached,
            names,
        }
    }
}

/// A stream of random numbers that is another one in each program.
pub(super) fn random() -> Random {
    use std::hash::{BuildHasher, RandomState};
    Streams::new(RandomState::new().hash_one(0), 0).stream("ndn")
}
