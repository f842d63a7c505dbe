//! The resolver of a host: it asks the root of its region, which looks a name up to the end (a
//! stub resolver, RFC 1034, section 5.3.1).

use std::net::IpAddr;
use std::str::FromStr;

use domain::base::iana::OptRcode;
use domain::base::name::Name;
use domain::base::{Message, Question, Rtype};
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ip::IpVersion;

use crate::answer::{self, Answer};
use crate::zone::{NameError, labels};

/// How long it waits for an answer before it asks again: the default of resolv.conf(5).
const TIMEOUT: Duration = Duration::from_secs(5);
/// How often it asks: likewise.
const ATTEMPTS: u32 = 2;

/// What became of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// The name has this address.
    Found(IpAddr),
    /// There is no such name.
    NoName,
    /// There is no address at that name.
    NoData,
    /// The root refuses to look it up: it exchanges no names with the name's region.
    Refused,
    /// The root cannot look it up: the other region's root does not answer it.
    ServerFailure,
    /// The root does not answer.
    NoAnswer,
}

impl Resolution {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Found(_) => "found",
            Self::NoName => "no-name",
            Self::NoData => "no-data",
            Self::Refused => "refused",
            Self::ServerFailure => "server-failure",
            Self::NoAnswer => "no-answer",
        }
    }

    fn of(answer: &Answer, version: IpVersion) -> Self {
        let is_asked = |it: &&IpAddr| it.is_ipv6() == (version == IpVersion::V6);
        match answer.rcode {
            OptRcode::NOERROR => answer
                .addresses
                .iter()
                .find(is_asked)
                .map_or(Self::NoData, |address| Self::Found(*address)),
            OptRcode::NXDOMAIN => Self::NoName,
            OptRcode::REFUSED => Self::Refused,
            _ => Self::ServerFailure,
        }
    }
}

/// A resolver with one question.
#[derive(Clone, Debug)]
pub struct StubResolver {
    question: Question<Name<Vec<u8>>>,
    version: IpVersion,
    id: u16,
    queries: u32,
    /// When it asks again, or gives up.
    until: Time,
    resolution: Option<Resolution>,
}

impl StubResolver {
    /// One that asks for the addresses of a name of that version of IP; `id` tells its questions
    /// from those of others.
    ///
    /// # Errors
    /// [`NameError::NotAName`] if the name is none.
    pub fn new(name: &str, version: IpVersion, id: u16) -> Result<Self, NameError> {
        let name = Name::from_str(name).map_err(|_| NameError::NotAName)?;
        let kind = match version {
            IpVersion::V4 => Rtype::A,
            IpVersion::V6 => Rtype::AAAA,
        };
        let question = Question::new_in(name, kind);
        Ok(Self { question, version, id, queries: 0, until: Time::ZERO, resolution: None })
    }

    /// When [`StubResolver::wake`] is due: at first when it is to ask.
    #[must_use]
    pub fn next_wake(&self) -> Time {
        if self.resolution.is_some() { Time::NEVER } else { self.until }
    }

    /// Its question, if it is time to ask it, or to ask it again.
    pub fn wake(&mut self, now: Time) -> Option<Vec<u8>> {
        if now < self.next_wake() {
            return None;
        }
        if self.queries == ATTEMPTS {
            self.resolution = Some(Resolution::NoAnswer);
            return None;
        }
        self.queries += 1;
        self.until = now + TIMEOUT;
        answer::ask_for_all(self.id, &self.question)
    }

    /// The root has answered. What was not asked, or is settled, is not believed.
    pub fn receive(&mut self, bytes: &[u8]) {
        let Ok(message) = Message::from_slice(bytes) else { return };
        let is_asked = answer::question(message).is_some_and(|it| {
            labels(it.qname()) == labels(self.question.qname())
                && it.qtype() == self.question.qtype()
        });
        let is_answer = message.header().qr() && message.header().id() == self.id;
        if self.resolution.is_none() && is_answer && is_asked {
            let answer = Answer::decode("", message);
            let resolution = answer.map(|it| Resolution::of(&it, self.version));
            self.resolution = Some(resolution.unwrap_or(Resolution::ServerFailure));
        }
    }

    /// How often it has asked.
    #[must_use]
    pub fn queries(&self) -> u32 {
        self.queries
    }

    /// What became of its question, once that is settled.
    #[must_use]
    pub fn resolution(&self) -> Option<Resolution> {
        self.resolution
    }
}
