//! Answers, as values and as messages (RFC 1035, with EDNS, RFC 6891).

use std::net::IpAddr;

use domain::base::iana::{Class, ExtendedErrorCode, OptRcode};
use domain::base::message_builder::{AnswerBuilder, PushError, StaticCompressor};
use domain::base::name::Name;
use domain::base::opt::ExtendedError;
use domain::base::{
    Message, MessageBuilder, ParsedName, Question, Record, Rtype, Serial, ToName, Ttl,
    UnknownRecordData,
};
use domain::rdata::{A, Aaaa, Ns, Soa};

/// The type of a record with the code of the region that an address is in: four bytes, from the
/// range for private use (RFC 6895, section 3.1).
pub const CODE: Rtype = Rtype::from_int(65_280);

/// The size of a UDP message without EDNS (RFC 1035, section 2.3.4).
const WITHOUT_EDNS: u16 = 512;
/// What a root sends at most, and says that it takes: what no link has to divide.
const OWN_SIZE: u16 = 1232;

/// What a root says to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) rcode: OptRcode,
    /// Addresses that the name has, of both kinds.
    pub(crate) addresses: Vec<IpAddr>,
    /// The code of the region that they are in.
    pub(crate) code: Option<u32>,
    /// Whether the name servers of a region are asked for, and answered.
    pub(crate) is_name_servers: bool,
    /// How long it may be kept, in seconds; an answer that says that there is nothing too.
    pub(crate) ttl: u32,
    /// The region whose root says so: its name stands for the zone's.
    pub(crate) region: String,
    pub(crate) error: Option<ExtendedErrorCode>,
}

/// Whether a message is an answer (RFC 1035, section 4.1.1).
#[must_use]
pub fn is_reply(message: &[u8]) -> bool {
    message.get(2).is_some_and(|it| it & 0x80 != 0)
}

/// The question of a message, if it is one that can be answered.
pub(crate) fn question(message: &Message<[u8]>) -> Option<Question<ParsedName<&[u8]>>> {
    message.sole_question().ok()
}

/// The name of a region's root, and of the zone that it speaks for.
fn zone_names(region: &str) -> Option<[Name<Vec<u8>>; 2]> {
    let name = |it: String| it.parse().ok();
    Some([name(format!("root.{region}."))?, name(format!("{region}."))?])
}

impl Answer {
    /// That something went wrong, which is not kept.
    pub(crate) fn failure(region: &str, rcode: OptRcode, error: ExtendedErrorCode) -> Self {
        Self {
            rcode,
            addresses: Vec::new(),
            code: None,
            is_name_servers: false,
            ttl: 0,
            region: region.to_owned(),
            error: Some(error),
        }
    }

    /// The message that answers `query` with it; none if the query is no query.
    pub(crate) fn encode(&self, query: &Message<[u8]>) -> Option<Vec<u8>> {
        let edns = query.opt();
        let limit = edns.as_ref().map_or(WITHOUT_EDNS, |it| it.udp_payload_size());
        let limit = limit.clamp(WITHOUT_EDNS, OWN_SIZE);
        let whole = self.message(query, edns.is_some(), true)?;
        if whole.len() <= usize::from(limit) {
            return Some(whole);
        }
        self.message(query, edns.is_some(), false)
    }

    /// The message, whole, or without any records and marked as truncated.
    fn message(&self, query: &Message<[u8]>, has_edns: bool, is_whole: bool) -> Option<Vec<u8>> {
        let question = question(query);
        let builder = MessageBuilder::from_target(StaticCompressor::new(Vec::new())).ok()?;
        let mut answer = builder.start_answer(query, self.rcode.rcode()).ok()?;
        // Of all classes none is (RFC 1034, section 3.7.1).
        let is_of_all = question.as_ref().is_some_and(|it| it.qclass() == Class::ANY);
        answer.header_mut().set_aa(self.error.is_none() && !is_of_all);
        answer.header_mut().set_ra(false);
        answer.header_mut().set_tc(!is_whole);
        let asked = question.filter(|_| is_whole);
        let ttl = Ttl::from_secs(self.ttl);
        let mut is_empty = true;
        let names = zone_names(&self.region)?;
        if let Some(asked) = &asked {
            let (owner, kind) = (asked.qname(), asked.qtype());
            is_empty = !self.push_answers(&mut answer, owner, kind, ttl, &names).ok()?;
        }
        let mut authority = answer.authority();
        if is_whole && is_empty && self.error.is_none() {
            let soa = soa(&names, ttl);
            // A zone's answer without data ends in its SOA (RFC 2308).
            authority.push(soa).ok()?;
        }
        let mut additional = authority.additional();
        if let (Some(asked), Some(code), false) = (&asked, self.code, is_empty)
            && asked.qtype() != CODE
        {
            let data = UnknownRecordData::from_octets(CODE, code.to_be_bytes()).ok()?;
            additional.push(Record::new(asked.qname(), Class::IN, ttl, data)).ok()?;
        }
        if has_edns {
            let error = self.error.map(ExtendedError::<Vec<u8>>::from);
            additional
                .opt(|opt| {
                    opt.set_udp_payload_size(OWN_SIZE);
                    opt.set_rcode(self.rcode);
                    error.iter().try_for_each(|it| opt.push(it))
                })
                .ok()?;
        }
        Some(additional.finish().into_target())
    }

    /// Adds the records that are asked for; returns whether there are any.
    fn push_answers(
        &self,
        answer: &mut AnswerBuilder<StaticCompressor<Vec<u8>>>,
        owner: &ParsedName<&[u8]>,
        kind: Rtype,
        ttl: Ttl,
        names: &[Name<Vec<u8>>; 2],
    ) -> Result<bool, PushError> {
        let wants = |it: Rtype| kind == it || kind == Rtype::ANY;
        let before = answer.counts().ancount();
        for address in &self.addresses {
            match address {
                IpAddr::V4(it) if wants(Rtype::A) => answer.push((owner, ttl, A::new(*it)))?,
                IpAddr::V6(it) if wants(Rtype::AAAA) => {
                    answer.push((owner, ttl, Aaaa::new(*it)))?;
                }
                _ => {}
            }
        }
        if let Some(code) = self.code.filter(|_| wants(CODE) && !self.addresses.is_empty()) {
            let data = UnknownRecordData::from_octets(CODE, code.to_be_bytes());
            answer.push((owner, ttl, data.expect("four bytes are not too long")))?;
        }
        if self.is_name_servers && wants(Rtype::NS) {
            answer.push((owner, ttl, Ns::new(names[0].clone())))?;
        }
        if self.is_name_servers && kind == Rtype::SOA {
            answer.push(soa(names, ttl))?;
        }
        Ok(answer.counts().ancount() > before)
    }

    /// From another root's answer.
    pub(crate) fn decode(region: &str, message: &Message<[u8]>) -> Option<Self> {
        let mut answer = Self {
            rcode: message.opt_rcode(),
            addresses: Vec::new(),
            code: None,
            is_name_servers: false,
            ttl: u32::MAX,
            region: region.to_owned(),
            error: None,
        };
        for record in message.answer().ok()? {
            let record = record.ok()?;
            answer.ttl = answer.ttl.min(record.ttl().as_secs());
            if let Ok(Some(it)) = record.to_record::<A>() {
                answer.addresses.push(IpAddr::V4(it.data().addr()));
            } else if let Ok(Some(it)) = record.to_record::<Aaaa>() {
                answer.addresses.push(IpAddr::V6(it.data().addr()));
            } else if record.rtype() == Rtype::NS {
                answer.is_name_servers = true;
            }
        }
        for section in
            [message.answer().ok()?, message.authority().ok()?, message.additional().ok()?]
        {
            for record in section {
                let record = record.ok()?;
                if let Ok(Some(data)) = record.to_record::<UnknownRecordData<_>>()
                    && record.rtype() == CODE
                {
                    let bytes = <[u8; 4]>::try_from(*data.data().data()).ok()?;
                    answer.code = Some(u32::from_be_bytes(bytes));
                }
                if let Ok(Some(soa)) = record.to_record::<Soa<ParsedName<_>>>() {
                    answer.ttl = answer.ttl.min(soa.data().minimum().as_secs());
                }
            }
        }
        // What states no time is not kept (RFC 2308, section 5).
        if answer.ttl == u32::MAX {
            answer.ttl = 0;
        }
        Some(answer)
    }
}

type SoaRecord = Record<Name<Vec<u8>>, Soa<Name<Vec<u8>>>>;

/// The start of authority of a region's zone: what is absent may be believed so for as long as
/// what is there.
fn soa(names: &[Name<Vec<u8>>; 2], ttl: Ttl) -> SoaRecord {
    let [root, zone] = names;
    let times = [3600, 600, 86_400].map(Ttl::from_secs);
    let data = Soa::new(root.clone(), root.clone(), Serial(1), times[0], times[1], times[2], ttl);
    Record::new(zone.to_vec(), Class::IN, ttl, data)
}

/// A question of a host: to be looked up to the end, and without EDNS, as the C library's.
pub(crate) fn ask_for_all<N: ToName>(id: u16, question: &Question<N>) -> Option<Vec<u8>> {
    let mut builder = MessageBuilder::new_vec();
    builder.header_mut().set_id(id);
    builder.header_mut().set_rd(true);
    let mut asked = builder.question();
    asked.push(question).ok()?;
    Some(asked.finish())
}

/// A question to another root: the same name and type, with a number of its own.
pub(crate) fn ask(id: u16, question: &Question<ParsedName<&[u8]>>) -> Option<Vec<u8>> {
    let mut builder = MessageBuilder::new_vec();
    builder.header_mut().set_id(id);
    let mut asked = builder.question();
    asked.push(question).ok()?;
    let mut additional = asked.additional();
    additional
        .opt(|opt| {
            opt.set_udp_payload_size(OWN_SIZE);
            Ok(())
        })
        .ok()?;
    Some(additional.finish())
}
