//! A consumer of a file's segments: the simulator's, with any controller.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use windtunnel_controllers::AnyController;
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ndn::wire::size::NameSize;
use windtunnel_packets::ndn::{Data, Interest, Nack, Name, encode_interest, wire};
use windtunnel_packets::{Body, Packet};
use windtunnel_scenario::{FaceAddress, LoneConsumer, lone_consumer};
use windtunnel_transports::ndn::consumer::{
    Consumer, ConsumerCounters, ConsumerOutbox, ConsumerWorkload,
};

use super::NdnError;
use super::discovery::{Found, MOST_REJECTED, Session, decoded};
use super::faces::{FaceCounters, FaceEvent, Faces};
use super::forward::random;
use super::link::NetworkPacket;
use super::signing::{Checked, Verifier};
use crate::Clock;

/// What is fetched, and how.
#[derive(Debug)]
pub struct GetSettings {
    /// The name of the object, with a version or without.
    pub name: wire::Name<'static>,
    /// Who is asked.
    pub connect: FaceAddress,
    /// The local address.
    pub bind: Option<SocketAddr>,
    /// The file that is written.
    pub out: PathBuf,
    /// The controller: a name, or a table as in scenario files.
    pub controller: String,
    /// Who checks signatures.
    pub verifier: Verifier,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct GetReport {
    /// The name with its version.
    pub name: String,
    /// The controller's name.
    pub controller: &'static str,
    /// Bytes of content.
    pub bytes: u64,
    /// Segments that they came in.
    pub segments: u64,
    /// From the first Interest of the consumer to the last Data.
    pub duration: Duration,
    /// What the consumer counted.
    pub consumer: ConsumerCounters,
    /// The smoothed round trip at the end, if any was measured.
    pub smoothed_rtt: Option<Duration>,
    /// Data whose signature was right.
    pub verified: u64,
    /// Data whose signature could not be checked without a key.
    pub unverified: u64,
    /// Data with a wrong digest or signature, which was asked for again.
    pub rejected: u64,
    /// At the socket.
    pub faces: FaceCounters,
}

/// How long nothing may come.
const PATIENCE: Duration = Duration::from_secs(30);
/// The most bytes that wait for a segment that is missing.
const MOST_WAITING: usize = 256 << 20;

/// Fetches an object into a file, as long as `goes_on` says so, which is asked often.
///
/// # Errors
/// [`NdnError`] if it cannot be had, or not be written; then there is no file.
pub fn get(
    settings: &GetSettings,
    mut goes_on: impl FnMut() -> bool,
) -> Result<GetReport, NdnError> {
    let planned = |segment| {
        lone_consumer("--controller", &settings.controller, segment).map_err(NdnError::Mistake)
    };
    planned(1)?;
    let clock = Clock::start();
    let mut faces = Faces::new(clock)?;
    let face = faces.connect(settings.connect, settings.bind, None)?;
    let mut session = Session { clock, faces, face, verifier: &settings.verifier, rejected: 0 };
    let mut asked = clock.now();
    let mut goes_on = || {
        let now = clock.now();
        if now.since(asked) < super::BETWEEN_QUESTIONS {
            return true;
        }
        asked = now;
        goes_on()
    };
    let mut output = Output::create(&settings.out)?;
    let name = match session.discover(&settings.name, &mut goes_on)? {
        Found::Segments(name) => name,
        Found::Whole(content) => {
            output.put(0, &content)?;
            output.finish()?;
            let none = planned(content.len().max(1) as u32)?;
            return Ok(GetReport {
                name: settings.name.to_string(),
                controller: none.controller.description().name,
                bytes: content.len() as u64,
                segments: 1,
                duration: clock.now().since(Time::ZERO),
                consumer: ConsumerCounters::default(),
                smoothed_rtt: None,
                verified: 0,
                unverified: 0,
                rejected: session.rejected,
                faces: session.faces.counters(),
            });
        }
    };
    let first = session.first_segment(&name, &mut goes_on)?;
    let first = decoded(&first)?;
    let segment_size = first.content.map_or(0, <[u8]>::len).max(1) as u32;
    let planned = planned(segment_size)?;
    let mut fetch = Fetch::new(&name, planned, last_segment(&first), output, clock.now());
    fetch.run(&mut session, &mut goes_on)?;
    fetch.finish(&session)
}

/// The last segment, if Data says which it is.
fn last_segment(data: &wire::Data<'_>) -> Option<u64> {
    let last = data.meta_info.final_block_id?;
    last.number().filter(|_| last.component_type() == wire::ComponentType::SEGMENT)
}

/// The segments of one object under way.
struct Fetch<'a> {
    name: &'a wire::Name<'static>,
    consumer: Consumer,
    outbox: ConsumerOutbox,
    last: Option<u64>,
    output: Output,
    began: Time,
    /// When Data came last.
    came: Time,
    verified: u64,
    unverified: u64,
    /// How many Data were not accepted, by segment.
    rejected: BTreeMap<u64, u32>,
    bytes: u64,
}

impl<'a> Fetch<'a> {
    fn new(
        name: &'a wire::Name<'static>,
        planned: LoneConsumer,
        last: Option<u64>,
        output: Output,
        now: Time,
    ) -> Self {
        let LoneConsumer { mut settings, controller } = planned;
        settings.prefix_size = NameSize::of(name);
        settings.workload = match last {
            Some(last) => ConsumerWorkload::File { segments: last.saturating_add(1) },
            None => ConsumerWorkload::Stream,
        };
        settings.start = now;
        let controller = AnyController::new(settings.window.start(), &controller);
        Self {
            name,
            consumer: Consumer::new(settings, controller, random()),
            outbox: ConsumerOutbox::new(),
            last,
            output,
            began: now,
            came: now,
            verified: 0,
            unverified: 0,
            rejected: BTreeMap::new(),
            bytes: 0,
        }
    }

    fn run(
        &mut self,
        session: &mut Session<'_>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), NdnError> {
        let mut events = Vec::new();
        self.consumer.wake(self.began, &mut self.outbox);
        while self.consumer.finished().is_none() {
            self.send(session)?;
            let wakes = [self.consumer.next_wake(), self.consumer.next_paced()];
            let next = wakes.into_iter().flatten().min();
            session.wait(next, &mut events, goes_on)?;
            for event in events.drain(..) {
                if let FaceEvent::Received(_, packet) = event {
                    self.receive(session, &packet)?;
                    self.send(session)?;
                }
            }
            let now = session.clock.now();
            if next.is_some_and(|it| it <= now) {
                self.consumer.wake(now, &mut self.outbox);
            }
            if now.since(self.came) > PATIENCE {
                let name = &self.name;
                let what =
                    format!("no Data of {name} was received for {} s", PATIENCE.as_seconds());
                return Err(NdnError::Failed(what));
            }
        }
        Ok(())
    }

    fn send(&mut self, session: &mut Session<'_>) -> Result<(), NdnError> {
        for packet in self.outbox.drain(..) {
            let Body::Interest(interest) = &packet.body else { continue };
            let bytes = encode_interest(interest, self.name, None, false)
                .map_err(|it| NdnError::Failed(it.to_string()))?;
            session.faces.send(session.face, &packet, &bytes, None);
        }
        Ok(())
    }

    fn receive(
        &mut self,
        session: &mut Session<'_>,
        packet: &NetworkPacket,
    ) -> Result<(), NdnError> {
        let now = session.clock.now();
        if let Some(reason) = packet.nack {
            let interest = wire::Interest::decode(&packet.bytes);
            let Some(name) = interest.ok().and_then(|it| self.number(&it.name)) else {
                return Ok(());
            };
            let interest =
                Interest { name, nonce: 0, lifetime_ms: 0, hop_limit: None, must_be_fresh: false };
            let packet = Packet::ndn(Body::Nack(Nack { interest, reason }), 0);
            self.consumer.receive(now, &packet, &mut self.outbox);
            return Ok(());
        }
        // Not everything that comes was asked for.
        let Ok(data) = wire::Data::decode(&packet.bytes) else { return Ok(()) };
        let Some(name) = self.number(&data.name) else { return Ok(()) };
        match session.checked(&packet.bytes) {
            Ok(Checked::Right) => self.verified += 1,
            Ok(Checked::Unknown) => self.unverified += 1,
            Err(why) => return self.reject(session, name, why),
        }
        if let Some(last) = last_segment(&data).filter(|_| self.last.is_none()) {
            self.last = Some(last);
            self.consumer.end_at(last.saturating_add(1));
        }
        let content = data.content.unwrap_or_default();
        let before = self.consumer.counters().data;
        let body = Body::Data(Data { name, content: content.len() as u32, freshness_ms: 0 });
        let described = Packet::ndn(body, packet.bytes.len() as u16).marked_if(packet.marked);
        self.consumer.receive(now, &described, &mut self.outbox);
        if self.consumer.counters().data > before {
            self.came = now;
            self.bytes += content.len() as u64;
            self.output.put(name.segment, content)?;
        }
        Ok(())
    }

    /// Asks again for a segment of which wrong Data has come, unless that was often.
    fn reject(
        &mut self,
        session: &mut Session<'_>,
        name: Name,
        why: NdnError,
    ) -> Result<(), NdnError> {
        let times = self.rejected.entry(name.segment).or_default();
        *times += 1;
        if *times >= MOST_REJECTED {
            let what = format!("{why}; {times} Data came for it, and none was accepted");
            return Err(NdnError::Failed(what));
        }
        session.rejected += 1;
        self.consumer.reject(session.clock.now(), name, &mut self.outbox);
        Ok(())
    }

    /// The consumer's number of a segment's name.
    fn number(&self, name: &wire::Name<'_>) -> Option<Name> {
        let (prefix, last) = name.split_last()?;
        let is_segment = last.component_type() == wire::ComponentType::SEGMENT;
        let segment = last.number().filter(|_| is_segment && prefix == *self.name)?;
        Some(Name { segment, ..super::names::unnamed() })
    }

    fn finish(self, session: &Session<'_>) -> Result<GetReport, NdnError> {
        let counters = *self.consumer.counters();
        let finished = self.consumer.finished().expect("it has run to its end");
        self.output.finish()?;
        Ok(GetReport {
            name: self.name.to_string(),
            controller: self.consumer.controller().description().name,
            bytes: self.bytes,
            segments: counters.data,
            duration: finished.since(self.began),
            consumer: counters,
            smoothed_rtt: self.consumer.smoothed_rtt(),
            verified: self.verified,
            unverified: self.unverified,
            rejected: session.rejected,
            faces: session.faces.counters(),
        })
    }
}

/// A file that is written in the order of its segments, beside its place until it is whole.
struct Output {
    place: PathBuf,
    beside: PathBuf,
    file: BufWriter<File>,
    next: u64,
    waiting: BTreeMap<u64, Vec<u8>>,
    waiting_bytes: usize,
    is_whole: bool,
}

impl Output {
    fn create(place: &Path) -> Result<Self, NdnError> {
        let mut beside = place.as_os_str().to_owned();
        beside.push(format!(".{}.part", std::process::id()));
        let beside = PathBuf::from(beside);
        let file = File::create(&beside).map_err(NdnError::system(place.display().to_string()))?;
        Ok(Self {
            place: place.to_owned(),
            beside,
            file: BufWriter::new(file),
            next: 0,
            waiting: BTreeMap::new(),
            waiting_bytes: 0,
            is_whole: false,
        })
    }

    fn put(&mut self, segment: u64, content: &[u8]) -> Result<(), NdnError> {
        if segment > self.next {
            self.waiting_bytes += content.len();
            if self.waiting_bytes > MOST_WAITING {
                let what = format!(
                    "segment {} is missing, and more than {} MiB after it were received",
                    self.next,
                    MOST_WAITING >> 20
                );
                return Err(NdnError::Failed(what));
            }
            self.waiting.insert(segment, content.to_vec());
            return Ok(());
        }
        self.write(content)?;
        while let Some(content) = self.waiting.remove(&self.next) {
            self.waiting_bytes -= content.len();
            self.write(&content)?;
        }
        Ok(())
    }

    fn write(&mut self, content: &[u8]) -> Result<(), NdnError> {
        self.next += 1;
        self.file.write_all(content).map_err(NdnError::system(self.place.display().to_string()))
    }

    fn finish(mut self) -> Result<(), NdnError> {
        let refused = || NdnError::system(self.place.display().to_string());
        self.file.flush().map_err(refused())?;
        fs::rename(&self.beside, &self.place).map_err(refused())?;
        self.is_whole = true;
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if !self.is_whole {
            let _ = fs::remove_file(&self.beside);
        }
    }
}
