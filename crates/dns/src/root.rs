//! The root of a region.

use std::collections::BTreeMap;

use domain::base::iana::{ExtendedErrorCode, OptRcode};
use domain::base::{Message, Rtype};
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::region::Code;

use crate::answer::{self, Answer};
use crate::cache::Cache;
use crate::refusal::refusal;
use crate::zone::{Found, Labels, Zone, labels};

/// After so long another root does not answer any more.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is said of a name that is not registered: the paper's "null".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Absent {
    /// That there is no such name.
    #[default]
    NoName,
    /// That there is nothing at that name.
    NoData,
}

/// What a root knows beforehand.
#[derive(Clone, Debug)]
pub struct RootSettings {
    /// The name of its region: its top-level domain.
    pub region: String,
    /// The code of its region.
    pub code: Code,
    /// How long its answers may be kept, in seconds.
    pub time_to_live: u32,
    /// What it says of names that are not registered.
    pub absent: Absent,
    /// The other regions, and whether names are exchanged with them.
    pub others: BTreeMap<String, bool>,
}

/// What a root sends. `C` is what a client is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output<C> {
    /// To a client.
    Client(C, Vec<u8>),
    /// To the root of another region.
    Root(String, Vec<u8>),
}

/// A question that another root was asked.
#[derive(Clone, Debug)]
struct Pending<C> {
    client: C,
    query: Vec<u8>,
    region: String,
    name: Labels,
    kind: Rtype,
    until: Time,
}

/// The root of a region: it answers for the names of its own, and asks other roots for theirs.
#[derive(Clone, Debug)]
pub struct Root<C> {
    settings: RootSettings,
    zone: Zone,
    cache: Cache,
    pending: BTreeMap<u16, Pending<C>>,
    next: u16,
}

/// What becomes of a question.
enum Course {
    Answer(Answer),
    /// It is asked of another region's root.
    Ask(String),
}

impl<C: Clone> Root<C> {
    /// The root of a region with these names.
    #[must_use]
    pub fn new(settings: RootSettings, zone: Zone) -> Self {
        Self { settings, zone, cache: Cache::default(), pending: BTreeMap::new(), next: 0 }
    }

    /// A client has sent something. What is no query is not answered.
    pub fn query(&mut self, now: Time, client: C, bytes: &[u8], output: &mut Vec<Output<C>>) {
        let Ok(query) = Message::from_slice(bytes) else { return };
        if query.header().qr() {
            return;
        }
        if let Some((rcode, error)) = refusal(query) {
            let answer = Answer::failure(&self.settings.region, rcode, error);
            output.extend(answer.encode(query).map(|it| Output::Client(client, it)));
            return;
        }
        let Some(question) = answer::question(query) else { return };
        let (name, kind) = (labels(question.qname()), question.qtype());
        let answer = match self.course(now, &name, kind) {
            Course::Answer(answer) => answer,
            Course::Ask(region) => {
                let id = self.next_id();
                if let Some(asked) = answer::ask(id, &question) {
                    let (query, until) = (bytes.to_vec(), now + PATIENCE);
                    output.push(Output::Root(region.clone(), asked));
                    self.pending.insert(id, Pending { client, query, region, name, kind, until });
                }
                return;
            }
        };
        output.extend(answer.encode(query).map(|it| Output::Client(client, it)));
    }

    /// The root of another region has sent something. What it was not asked is not believed.
    pub fn reply(&mut self, now: Time, region: &str, bytes: &[u8], output: &mut Vec<Output<C>>) {
        let Ok(reply) = Message::from_slice(bytes) else { return };
        let id = reply.header().id();
        let Some(pending) = self.pending.get(&id) else { return };
        let is_asked = |it: &Pending<C>| {
            let question = answer::question(reply);
            let same = |question: domain::base::Question<_>| {
                labels(question.qname()) == it.name && question.qtype() == it.kind
            };
            it.region == region && reply.header().qr() && question.is_some_and(same)
        };
        if !is_asked(pending) {
            return;
        }
        let Some(pending) = self.pending.remove(&id) else { return };
        let answer = Answer::decode(region, reply).unwrap_or_else(|| self.unreachable());
        let can_be_kept = matches!(answer.rcode, OptRcode::NOERROR | OptRcode::NXDOMAIN);
        if can_be_kept {
            self.cache.put(now, pending.name.clone(), pending.kind, answer.clone());
        }
        Self::tell(&pending, &answer, output);
    }

    /// When [`Root::wake`] is due.
    #[must_use]
    pub fn next_wake(&self) -> Time {
        self.pending.values().map(|it| it.until).min().unwrap_or(Time::NEVER)
    }

    /// Gives up what other roots do not answer.
    pub fn wake(&mut self, now: Time, output: &mut Vec<Output<C>>) {
        let failure = self.unreachable();
        self.pending.retain(|_, it| {
            let waits = now < it.until;
            if !waits {
                Self::tell(it, &failure, output);
            }
            waits
        });
    }

    fn tell(pending: &Pending<C>, answer: &Answer, output: &mut Vec<Output<C>>) {
        let Ok(query) = Message::from_slice(&pending.query) else { return };
        let client = pending.client.clone();
        output.extend(answer.encode(query).map(|it| Output::Client(client, it)));
    }

    fn next_id(&mut self) -> u16 {
        while self.pending.contains_key(&self.next) && self.pending.len() < usize::from(u16::MAX) {
            self.next = self.next.wrapping_add(1);
        }
        let id = self.next;
        self.next = self.next.wrapping_add(1);
        id
    }

    fn unreachable(&self) -> Answer {
        let code = ExtendedErrorCode::NO_REACHABLE_AUTHORITY;
        Answer::failure(&self.settings.region, OptRcode::SERVFAIL, code)
    }

    fn course(&self, now: Time, name: &Labels, kind: Rtype) -> Course {
        let own = self.settings.region.to_ascii_lowercase();
        let Some(top) = name.first() else { return Course::Answer(self.of_own(&[], true)) };
        if top.as_slice() == own.as_bytes() {
            return Course::Answer(self.of_own(&name[1..], name.len() == 1));
        }
        let mut others = self.settings.others.iter();
        let other = others.find(|it| it.0.to_ascii_lowercase().as_bytes() == top.as_slice());
        match other {
            // Without a suffix it is a name of the own region, or none.
            None => Course::Answer(self.of_own(name, false)),
            Some((_, false)) => Course::Answer(Answer::failure(
                &self.settings.region,
                OptRcode::REFUSED,
                ExtendedErrorCode::PROHIBITED,
            )),
            Some((region, true)) => match self.cache.get(now, name, kind) {
                Some(answer) => Course::Answer(answer),
                None => Course::Ask(region.clone()),
            },
        }
    }

    /// What the own zone says of a name without its suffix.
    fn of_own(&self, name: &[Vec<u8>], is_top: bool) -> Answer {
        let (rcode, addresses) = match self.zone.find(name) {
            Found::Addresses(it) => (OptRcode::NOERROR, it.to_vec()),
            Found::Empty => (OptRcode::NOERROR, Vec::new()),
            Found::Absent => match self.settings.absent {
                Absent::NoName => (OptRcode::NXDOMAIN, Vec::new()),
                Absent::NoData => (OptRcode::NOERROR, Vec::new()),
            },
        };
        Answer {
            rcode,
            addresses,
            code: Some(self.settings.code.0),
            is_name_servers: is_top,
            ttl: self.settings.time_to_live,
            region: self.settings.region.clone(),
            error: None,
        }
    }
}
