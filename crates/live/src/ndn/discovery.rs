//! What a name leads to: the newest version of an object, and its first segment.

use windtunnel_engine::{Duration, Time};
use windtunnel_networks::ndn::FaceId;
use windtunnel_packets::ndn::wire::tlv::Reader;
use windtunnel_packets::ndn::wire::{Component, ComponentType, Data, Interest, Name};
use windtunnel_packets::ndn::{self, NackReason};
use windtunnel_packets::{Body, Packet};

use super::NdnError;
use super::faces::{FaceEvent, Faces};
use super::forward::random;
use super::names::unnamed;
use super::object::METADATA;
use super::signing::{Checked, Verifier};
use crate::Clock;

/// A face with whoever answers.
#[derive(Debug)]
pub(super) struct Session<'a> {
    pub(super) clock: Clock,
    pub(super) faces: Faces,
    pub(super) face: FaceId,
    pub(super) verifier: &'a Verifier,
    /// Data that came and was not accepted.
    pub(super) rejected: u64,
}

/// What a name leads to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The segments of that name.
    Segments(Name<'static>),
    /// One Data packet, with this content.
    Whole(Vec<u8>),
}

/// What became of an Interest.
enum Answer {
    Data(Vec<u8>),
    Refused(NackReason),
    Nothing,
}

/// How long an answer is waited for before the Interest is sent again.
const LIFETIME_MS: u64 = 1000;
/// How many Data may come for one name that are not accepted, until it is given up.
pub(super) const MOST_REJECTED: u32 = 10;

/// How often one name has been asked for in vain.
#[derive(Default)]
struct Attempts {
    unanswered: u32,
    rejected: u32,
}

impl Session<'_> {
    /// Finds the newest version of what has that name, unless the name says which: by RDR's
    /// metadata, or by the name of whatever Data begins with it.
    pub(super) fn discover(
        &mut self,
        name: &Name<'static>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Found, NdnError> {
        let last = name.split_last().map(|(_, last)| last.component_type());
        if last == Some(ComponentType::VERSION) {
            return Ok(Found::Segments(name.clone()));
        }
        let asked = |name: Name<'static>| Interest {
            can_be_prefix: true,
            must_be_fresh: true,
            ..Interest::new(name)
        };
        let mut metadata = name.clone();
        let keyword = Component::new(ComponentType::KEYWORD, METADATA);
        metadata.push(keyword.expect("it is not a digest"));
        if let Answer::Data(bytes) = self.ask(&asked(metadata), 2, goes_on)? {
            return Self::read_metadata(&bytes);
        }
        match self.ask(&asked(name.clone()), 3, goes_on)? {
            Answer::Data(bytes) => {
                let data = decoded(&bytes)?;
                let (prefix, last) = data.name.split_last().expect("it begins with a name");
                if last.component_type() == ComponentType::SEGMENT {
                    return Ok(Found::Segments(prefix.into_owned()));
                }
                Ok(Found::Whole(data.content.unwrap_or_default().to_vec()))
            }
            Answer::Refused(reason) => Err(refused(name, reason)),
            Answer::Nothing => {
                Err(NdnError::Failed(format!("Interests for {name} are not answered")))
            }
        }
    }

    fn read_metadata(bytes: &[u8]) -> Result<Found, NdnError> {
        let data = decoded(bytes)?;
        let first = data.content.and_then(|it| Reader::new(it).element().ok().flatten());
        let name = first.and_then(|it| Name::decode(&it).ok());
        name.map(|it| Found::Segments(it.into_owned()))
            .ok_or_else(|| NdnError::Failed(format!("{} is not valid RDR metadata", data.name)))
    }

    /// Asks for the first segment.
    pub(super) fn first_segment(
        &mut self,
        versioned: &Name<'static>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<u8>, NdnError> {
        let mut name = versioned.clone();
        name.push_number(ComponentType::SEGMENT, 0);
        match self.ask(&Interest::new(name.clone()), 5, goes_on)? {
            Answer::Data(bytes) => Ok(bytes),
            Answer::Refused(reason) => Err(refused(&name, reason)),
            Answer::Nothing => {
                Err(NdnError::Failed(format!("Interests for {name} are not answered")))
            }
        }
    }

    /// Whether the Data that fills `bytes` has no wrong signature, and is signed as it must be.
    pub(super) fn checked(&self, bytes: &[u8]) -> Result<Checked, NdnError> {
        let data = decoded(bytes)?;
        let name = &data.name;
        let refused = |why| NdnError::Failed(format!("{name} is not accepted: {why}"));
        self.verifier.check(&data, bytes).map_err(refused)
    }

    /// Sends an Interest up to this many times, and waits for what answers it. What is not accepted
    /// is asked for again, up to [`MOST_REJECTED`] times.
    fn ask(
        &mut self,
        interest: &Interest<'_>,
        tries: u32,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Answer, NdnError> {
        let mut events = Vec::new();
        let mut random = random();
        let mut attempts = Attempts::default();
        'again: while attempts.unanswered < tries {
            let nonce = random.bits();
            let interest =
                Interest { nonce: Some(nonce), lifetime_ms: Some(LIFETIME_MS), ..interest.clone() };
            self.send(&interest)?;
            let until = self.clock.now() + Duration::from_millis(LIFETIME_MS);
            while self.clock.now() < until {
                self.wait(Some(until), &mut events, goes_on)?;
                for event in events.drain(..) {
                    let FaceEvent::Received(_, packet) = event else { continue };
                    let Some(reason) = packet.nack else {
                        let data = Data::decode(&packet.bytes);
                        let is_answer = data.is_ok_and(|it| {
                            it.name == interest.name
                                || interest.can_be_prefix && interest.name.is_prefix_of(&it.name)
                        });
                        if !is_answer {
                            continue;
                        }
                        match self.checked(&packet.bytes) {
                            Ok(_) => return Ok(Answer::Data(packet.bytes)),
                            Err(_) if attempts.rejected + 1 < MOST_REJECTED => {}
                            Err(error) => return Err(error),
                        }
                        attempts.rejected += 1;
                        self.rejected += 1;
                        continue 'again;
                    };
                    let refused = Interest::decode(&packet.bytes);
                    if refused.is_ok_and(|it| it.nonce == Some(nonce)) {
                        return Ok(Answer::Refused(reason));
                    }
                }
            }
            attempts.unanswered += 1;
        }
        Ok(Answer::Nothing)
    }

    fn send(&mut self, interest: &Interest<'_>) -> Result<(), NdnError> {
        let bytes = interest.encode().map_err(|it| NdnError::Failed(it.to_string()))?;
        let body = Body::Interest(ndn::Interest {
            name: unnamed(),
            nonce: 0,
            lifetime_ms: 0,
            hop_limit: None,
            must_be_fresh: false,
        });
        self.faces.send(self.face, &Packet::ndn(body, bytes.len() as u16), &bytes, None);
        Ok(())
    }

    /// Waits until something comes or a time is there.
    pub(super) fn wait(
        &mut self,
        until: Option<Time>,
        events: &mut Vec<FaceEvent>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), NdnError> {
        self.faces.wait(until, events)?;
        if events.iter().any(|it| matches!(it, FaceEvent::Closed(_))) {
            return Err(NdnError::Failed("the other end closed the connection".into()));
        }
        if goes_on() { Ok(()) } else { Err(NdnError::Interrupted) }
    }
}

/// The Data that fills `bytes`.
pub(super) fn decoded(bytes: &[u8]) -> Result<Data<'_>, NdnError> {
    Data::decode(bytes).map_err(|it| NdnError::Failed(format!("Data is malformed: {it}")))
}

fn refused(name: &Name<'_>, reason: NackReason) -> NdnError {
    let why = match reason {
        NackReason::NO_ROUTE => "no route leads there; is its producer registered?".to_owned(),
        NackReason::CONGESTION => "the forwarder is congested".to_owned(),
        NackReason(number) => format!("reason {number}"),
    };
    NdnError::Failed(format!("Interests for {name} are refused: {why}"))
}
