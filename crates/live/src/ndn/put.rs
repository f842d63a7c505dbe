//! A producer of the segments of a file, or of those of a folder's files.

use std::net::SocketAddr;
use std::path::PathBuf;

use windtunnel_engine::{Duration, Time};
use windtunnel_networks::ndn::FaceId;
use windtunnel_packets::ndn::{Data, Interest, wire};
use windtunnel_packets::{Body, Packet};
use windtunnel_scenario::{FaceAddress, FaceProtocol};

use super::NdnError;
use super::authorization::now_ms;
use super::faces::{FaceCounters, FaceEvent, Faces};
use super::forward::random;
use super::management::{Command, Verb, read_response};
use super::names::unnamed;
use super::objects::Objects;
use super::signing::Signer;
use crate::Clock;

/// What is served, and where.
#[derive(Debug)]
pub struct PutSettings {
    /// What its names begin with.
    pub prefix: wire::Name<'static>,
    /// The file, or a folder: each of its files has a name below the prefix, by its path.
    pub file: PathBuf,
    /// The bytes of content in a Data packet.
    pub segment_size: u32,
    /// Who signs it, and the command that registers it.
    pub signer: Signer,
    /// The forwarder where the prefix is registered; none: it listens instead.
    pub connect: Option<FaceAddress>,
    /// The local address of the connection, or where it listens, over UDP and TCP.
    pub bind: Option<SocketAddr>,
}

/// What a producer counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PutReport {
    /// At its sockets.
    pub faces: FaceCounters,
    /// Interests that came in.
    pub interests: u64,
    /// Data sent.
    pub data: u64,
    /// Interests that nothing here answers.
    pub unanswered: u64,
}

/// A producer at work.
#[derive(Debug)]
pub struct Putting {
    clock: Clock,
    faces: Faces,
    objects: Objects,
    prefix: wire::Name<'static>,
    /// The face with the forwarder.
    forwarder: Option<FaceId>,
    addresses: Vec<FaceAddress>,
    /// When the prefix was registered last.
    registered: Time,
    report: PutReport,
}

impl Putting {
    /// How long a forwarder may take to register a prefix, and when it is asked again.
    const REGISTERING: Duration = Duration::from_secs(4);
    const AGAIN: Duration = Duration::from_millis(500);
    /// How often the prefix is registered again, so that a forwarder that was started again
    /// knows it.
    const RENEWAL: Duration = Duration::from_secs(30);

    /// A producer that is connected, with its prefix registered, or that listens.
    ///
    /// # Errors
    /// [`NdnError`] if the file cannot be read, an address not be used, or the forwarder refuses
    /// the prefix or does not answer.
    pub fn open(settings: PutSettings) -> Result<Self, NdnError> {
        let PutSettings { prefix, file, segment_size, signer, connect, bind } = settings;
        let objects = Objects::open(&file, segment_size, &prefix, signer)?;
        let clock = Clock::start();
        let mut faces = Faces::new(clock)?;
        let mut addresses = Vec::new();
        let mut forwarder = None;
        match (connect, bind) {
            (Some(remote), _) => forwarder = Some(faces.connect(remote, bind, None)?),
            (None, Some(mut address)) => {
                for protocol in [FaceProtocol::Udp, FaceProtocol::Tcp] {
                    let listens = faces.listen(FaceAddress { protocol, address })?;
                    address = listens.address;
                    addresses.push(listens);
                }
            }
            (None, None) => {
                let what = "a forwarder to connect to or an address to listen on is required";
                return Err(NdnError::Failed(what.into()));
            }
        }
        let registered = clock.now();
        let report = PutReport::default();
        let mut putting =
            Self { clock, faces, objects, prefix, forwarder, addresses, registered, report };
        if let (Some(face), Some(remote)) = (forwarder, connect) {
            putting.register(face, remote)?;
        }
        Ok(putting)
    }

    /// Where it listens, if it does.
    #[must_use]
    pub fn addresses(&self) -> &[FaceAddress] {
        &self.addresses
    }

    /// The names of all files' segments, without their numbers, and how many there are of each.
    pub fn names(&self) -> impl Iterator<Item = (&wire::Name<'static>, u64)> {
        self.objects.iter().map(|it| (it.versioned(), it.segments()))
    }

    /// What was counted so far.
    #[must_use]
    pub fn report(&self) -> PutReport {
        PutReport { faces: self.faces.counters(), ..self.report }
    }

    fn register(&mut self, face: FaceId, remote: FaceAddress) -> Result<(), NdnError> {
        let until = self.clock.now() + Self::REGISTERING;
        let mut events = Vec::new();
        let (mut again, mut sent) = (Time::ZERO, None);
        while self.clock.now() < until {
            if self.clock.now() >= again {
                sent = Some(self.send_command(face, Verb::Register));
                again = self.clock.now() + Self::AGAIN;
            }
            self.faces.wait(Some(again), &mut events)?;
            for event in events.drain(..) {
                match event {
                    FaceEvent::Closed(_) => return Err(closed()),
                    FaceEvent::Received(_, packet) if packet.nack.is_some() => {
                        let what = format!("{remote} does not register prefixes");
                        return Err(NdnError::Failed(what));
                    }
                    FaceEvent::Received(_, packet) => {
                        let Ok(data) = wire::Data::decode(&packet.bytes) else { continue };
                        let response = data.content.and_then(read_response);
                        match response.filter(|_| sent.as_ref() == Some(&data.name)) {
                            Some((200, _)) => return Ok(()),
                            Some((code, why)) => {
                                let prefix = &self.prefix;
                                return Err(NdnError::Failed(format!(
                                    "{remote} does not register {prefix}: {why} ({code})"
                                )));
                            }
                            None => {}
                        }
                    }
                    FaceEvent::Opened(_) => {}
                }
            }
        }
        Err(NdnError::Failed(format!(
            "{remote} does not answer; `windtunnel ndn forward` starts a forwarder"
        )))
    }

    /// Sends a command about the prefix; returns its name.
    fn send_command(&mut self, face: FaceId, verb: Verb) -> wire::Name<'static> {
        let command = Command { verb, prefix: self.prefix.clone(), face: None, cost: 0 };
        let bytes = command.interest(random().bits(), now_ms(), self.objects.signer());
        self.registered = self.clock.now();
        let body = Body::Interest(Interest {
            name: unnamed(),
            nonce: 0,
            lifetime_ms: 0,
            hop_limit: None,
            must_be_fresh: true,
        });
        self.faces.send(face, &Packet::ndn(body, bytes.len() as u16), &bytes, None);
        let interest = wire::Interest::decode(&bytes).expect("it was just encoded");
        interest.name.into_owned()
    }

    /// Serves as long as `goes_on` says so, which is asked several times a second.
    ///
    /// # Errors
    /// [`NdnError`] if the operating system fails, or the forwarder is gone.
    pub fn run(&mut self, mut goes_on: impl FnMut() -> bool) -> Result<(), NdnError> {
        let mut events = Vec::new();
        let mut asked = self.clock.now();
        loop {
            self.faces.wait(None, &mut events)?;
            for event in events.drain(..) {
                match event {
                    FaceEvent::Closed(face) if Some(face) == self.forwarder => {
                        return Err(closed());
                    }
                    FaceEvent::Received(face, packet) if packet.nack.is_none() => {
                        self.answer(face, &packet.bytes, packet.token.as_deref());
                    }
                    _ => {}
                }
            }
            let now = self.clock.now();
            if let Some(face) =
                self.forwarder.filter(|_| now.since(self.registered) > Self::RENEWAL)
            {
                self.send_command(face, Verb::Register);
            }
            if now.since(asked) >= super::BETWEEN_QUESTIONS {
                asked = now;
                if !goes_on() {
                    if let Some(face) = self.forwarder {
                        self.send_command(face, Verb::Unregister);
                    }
                    return Ok(());
                }
            }
        }
    }

    fn answer(&mut self, face: FaceId, bytes: &[u8], token: Option<&[u8]>) {
        let Ok(interest) = wire::Interest::decode(bytes) else { return };
        self.report.interests += 1;
        let Some(bytes) = self.objects.answer(&interest) else {
            self.report.unanswered += 1;
            return;
        };
        self.report.data += 1;
        let body = Body::Data(Data { name: unnamed(), content: 0, freshness_ms: 0 });
        self.faces.send(face, &Packet::ndn(body, bytes.len() as u16), &bytes, token);
    }
}

fn closed() -> NdnError {
    NdnError::Failed("the forwarder closed the connection".into())
}
