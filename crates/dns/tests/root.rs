//! Roots of three regions that ask each other: the paper's example, and what it leaves open.

use std::collections::BTreeMap;
use std::net::IpAddr;

use domain::base::iana::{Class, ExtendedErrorCode, Opcode, OptRcode, Rcode};
use domain::base::name::Name;
use domain::base::opt::ExtendedError;
use domain::base::{Message, MessageBuilder, Rtype};
use domain::rdata::{A, Aaaa};
use proptest::prelude::*;
use windtunnel_dns::{
    Absent, CODE, NameError, Output, Resolution, Root, RootSettings, StubResolver, Zone,
};
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::region::Code;

const REGIONS: [&str; 3] = ["ct1", "ct2", "ct3"];
const HQ: &str = "192.0.2.10";

/// The names of a region: the headquarters of xyz are in ct1, ct2 has a name of its own.
fn zone(region: usize) -> Zone {
    let mut zone = Zone::default();
    let names: &[(&str, &[&str])] = match region {
        0 => &[("www.xyz.com", &[HQ, "2001:db8::10"]), ("mail.xyz.com", &["192.0.2.11"])],
        1 => &[("www.abc.com", &["198.51.100.7"])],
        _ => &[],
    };
    for (name, addresses) in names {
        let addresses = addresses.iter().map(|it| it.parse().unwrap()).collect();
        zone.register(name, addresses, &REGIONS).unwrap();
    }
    zone
}

/// The root of a region, which agrees on names with all others but ct3.
fn root(region: usize, absent: Absent) -> Root<u32> {
    let others = REGIONS.into_iter().filter(|it| *it != REGIONS[region]);
    let settings = RootSettings {
        region: REGIONS[region].to_owned(),
        code: Code::of_region(region as u8 + 1),
        time_to_live: 3600,
        absent,
        others: others.map(|it| (it.to_owned(), it != "ct3" && region != 2)).collect(),
    };
    Root::new(settings, zone(region))
}

fn query(name: &str, kind: Rtype, has_edns: bool) -> Vec<u8> {
    let mut builder = MessageBuilder::new_vec();
    builder.header_mut().set_id(4242);
    let mut question = builder.question();
    question.push((name.parse::<Name<Vec<u8>>>().unwrap(), kind)).unwrap();
    let mut additional = question.additional();
    if has_edns {
        additional.opt(|_| Ok(())).unwrap();
    }
    additional.finish()
}

/// Roots that hear each other at once.
struct Mesh {
    roots: Vec<Root<u32>>,
    /// How many questions they asked each other.
    asked: usize,
    is_deaf: bool,
}

impl Mesh {
    fn new(absent: Absent) -> Self {
        Self { roots: (0..3).map(|it| root(it, absent)).collect(), asked: 0, is_deaf: false }
    }

    /// What a client in a region is answered.
    fn ask(&mut self, now: Time, region: usize, bytes: &[u8]) -> Option<Message<Vec<u8>>> {
        let mut output = Vec::new();
        self.roots[region].query(now, 1, bytes, &mut output);
        let answer = match output.pop() {
            Some(Output::Root(name, asked)) => {
                self.asked += 1;
                if self.is_deaf {
                    return None;
                }
                let other = REGIONS.iter().position(|it| *it == name).unwrap();
                self.roots[other].query(now, 2, &asked, &mut output);
                let Some(Output::Client(2, reply)) = output.pop() else { panic!("it answers") };
                self.roots[region].reply(now, &name, &reply, &mut output);
                output.pop()
            }
            other => other,
        };
        match answer {
            Some(Output::Client(1, answer)) => Some(Message::from_octets(answer).unwrap()),
            _ => None,
        }
    }
}

fn addresses(message: &Message<Vec<u8>>) -> Vec<IpAddr> {
    let mut found = Vec::new();
    for record in message.answer().unwrap().flatten() {
        if let Ok(Some(it)) = record.to_record::<A>() {
            found.push(IpAddr::V4(it.data().addr()));
        }
        if let Ok(Some(it)) = record.to_record::<Aaaa>() {
            found.push(IpAddr::V6(it.data().addr()));
        }
    }
    found
}

fn ttl(message: &Message<Vec<u8>>) -> u32 {
    message.answer().unwrap().flatten().next().unwrap().ttl().as_secs()
}

fn error(message: &Message<Vec<u8>>) -> Option<ExtendedErrorCode> {
    let opt = message.opt()?;
    let error = opt.opt().iter::<ExtendedError<_>>().next()?.ok()?;
    Some(error.code())
}

/// A query of an opcode and a class, with records of EDNS of these versions.
fn other_query(opcode: Opcode, class: Class, edns: &[u8]) -> Vec<u8> {
    let mut builder = MessageBuilder::new_vec();
    builder.header_mut().set_opcode(opcode);
    let mut question = builder.question();
    let name: Name<Vec<u8>> = "www.xyz.com.ct1".parse().unwrap();
    question.push((name, Rtype::A, class)).unwrap();
    let mut additional = question.additional();
    for version in edns {
        let versioned = |opt: &mut domain::base::message_builder::OptBuilder<'_, Vec<u8>>| {
            opt.set_version(*version);
            Ok(())
        };
        additional.opt(versioned).unwrap();
    }
    additional.finish()
}

/// What a root says to a query.
fn answer(bytes: &[u8]) -> Message<Vec<u8>> {
    let mut output = Vec::new();
    root(0, Absent::NoName).query(Time::ZERO, 1, bytes, &mut output);
    let Some(Output::Client(1, answer)) = output.pop() else { panic!("it answers") };
    Message::from_octets(answer).unwrap()
}

/// RFC 1035, section 4.1.1: "the name server does not support the requested kind of query", and
/// the opcode "is copied into the response". UPDATE is that of RFC 2136.
#[test]
fn other_opcodes_are_not_implemented() {
    for opcode in [Opcode::UPDATE, Opcode::NOTIFY, Opcode::STATUS, Opcode::IQUERY] {
        let answer = answer(&other_query(opcode, Class::IN, &[]));
        assert_eq!(answer.header().rcode(), Rcode::NOTIMP, "{opcode}");
        assert_eq!(answer.header().opcode(), opcode);
        assert!(answer.header().qr() && !answer.header().aa());
        assert!(addresses(&answer).is_empty());
    }
}

/// RFC 1034, section 3.7.1: what a server says of all classes "can never be authoritative".
#[test]
fn classes_other_than_the_internets_are_refused() {
    for class in [Class::CH, Class::HS, Class::NONE] {
        let answer = answer(&other_query(Opcode::QUERY, class, &[0]));
        assert_eq!(answer.header().rcode(), Rcode::REFUSED, "{class}");
        assert!(addresses(&answer).is_empty() && !answer.header().aa());
    }
    let of_all = answer(&other_query(Opcode::QUERY, Class::ANY, &[0]));
    assert_eq!(addresses(&of_all), [HQ.parse::<IpAddr>().unwrap()]);
    assert!(!of_all.header().aa());
    let mut records = of_all.answer().unwrap().chain(of_all.additional().unwrap()).flatten();
    assert!(records.all(|it| it.rtype() == Rtype::OPT || it.class() == Class::IN));
}

/// RFC 6891, section 6.1.3: a version that is not implemented is answered with BADVERS, and with
/// the highest version that is; section 6.1.1: two records of EDNS are a format error.
#[test]
fn later_versions_of_edns_are_answered_with_badvers() {
    for version in [1, 255] {
        let answer = answer(&other_query(Opcode::QUERY, Class::IN, &[version]));
        assert_eq!(answer.opt_rcode(), OptRcode::BADVERS);
        assert_eq!(answer.header().rcode(), Rcode::NOERROR, "its low four bits");
        assert_eq!(answer.opt().unwrap().version(), 0);
        assert!(addresses(&answer).is_empty());
    }
    let twice = answer(&other_query(Opcode::QUERY, Class::IN, &[0, 0]));
    assert_eq!(twice.header().rcode(), Rcode::FORMERR);
}

/// "The domain name www.xyz.com.ct1 always points to an address in the country ct1"; without a
/// suffix it does so in ct1 alone.
#[test]
fn a_name_with_a_suffix_is_asked_of_its_region() {
    let mut mesh = Mesh::new(Absent::NoName);
    for region in [0, 1] {
        let answer = mesh.ask(Time::ZERO, region, &query("www.xyz.com.ct1", Rtype::A, true));
        let answer = answer.unwrap();
        assert_eq!(addresses(&answer), [HQ.parse::<IpAddr>().unwrap()]);
        assert!(answer.header().aa() && answer.header().id() == 4242);
        // The address means nothing without the region that it is in.
        let code = answer.additional().unwrap().flatten().find(|it| it.rtype() == CODE);
        assert!(code.is_some());
    }
    let own = mesh.ask(Time::ZERO, 0, &query("WWW.xyz.com", Rtype::AAAA, true)).unwrap();
    assert_eq!(addresses(&own), ["2001:db8::10".parse::<IpAddr>().unwrap()]);
    assert_eq!(mesh.asked, 1);
}

/// "The DNS request of www.xyz.com from ct2 will return null."
#[test]
fn a_name_without_a_suffix_is_looked_for_in_the_own_region_alone() {
    for (absent, rcode) in [(Absent::NoName, Rcode::NXDOMAIN), (Absent::NoData, Rcode::NOERROR)] {
        let mut mesh = Mesh::new(absent);
        let answer = mesh.ask(Time::ZERO, 1, &query("www.xyz.com", Rtype::A, true)).unwrap();
        assert_eq!((answer.header().rcode(), addresses(&answer)), (rcode, vec![]));
        // It may be kept for as long as the start of authority says (RFC 2308).
        let authority: Vec<_> = answer.authority().unwrap().flatten().collect();
        assert_eq!((authority.len(), authority[0].rtype()), (1, Rtype::SOA));
        assert_eq!(mesh.asked, 0);
    }
}

/// A name below which there are names is there, though it has nothing (RFC 8020): a resolver
/// that asks label by label must not give up.
#[test]
fn what_lies_above_a_name_is_there() {
    let mut mesh = Mesh::new(Absent::NoName);
    for name in ["ct1", "com.ct1", "xyz.com.ct1", "com", "."] {
        let answer = mesh.ask(Time::ZERO, 0, &query(name, Rtype::A, true)).unwrap();
        assert_eq!(
            (answer.header().rcode(), answer.header_counts().ancount()),
            (Rcode::NOERROR, 0)
        );
    }
    let servers = mesh.ask(Time::ZERO, 0, &query(".", Rtype::NS, true)).unwrap();
    assert_eq!(servers.header_counts().ancount(), 1);
    let absent = mesh.ask(Time::ZERO, 1, &query("a.www.xyz.com.ct1", Rtype::A, true)).unwrap();
    assert_eq!(absent.header().rcode(), Rcode::NXDOMAIN);
}

/// That is neither an absence nor kept as one.
#[test]
fn without_an_agreement_the_question_is_refused() {
    let mut mesh = Mesh::new(Absent::NoName);
    for (region, name) in [(0, "www.abc.com.ct3"), (2, "www.xyz.com.ct1")] {
        let answer = mesh.ask(Time::ZERO, region, &query(name, Rtype::A, true)).unwrap();
        assert_eq!(answer.header().rcode(), Rcode::REFUSED);
        assert_eq!(error(&answer), Some(ExtendedErrorCode::PROHIBITED));
        assert_eq!(answer.header_counts().nscount(), 0, "nothing says how long it holds");
    }
    assert_eq!(mesh.asked, 0);
}

#[test]
fn an_answer_is_kept_for_its_time_and_with_what_is_left_of_it() {
    let mut mesh = Mesh::new(Absent::NoName);
    let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
    let hq = query("www.xyz.com.ct1", Rtype::A, true);
    let none = query("ftp.xyz.com.ct1", Rtype::A, true);
    for (seconds, left, asked) in [(0, 3600, 2), (600, 3000, 2), (3599, 1, 2), (3600, 3600, 4)] {
        let answer = mesh.ask(at(seconds), 1, &hq).unwrap();
        assert_eq!((addresses(&answer).len(), ttl(&answer)), (1, left));
        let absent = mesh.ask(at(seconds), 1, &none).unwrap();
        assert_eq!(absent.header().rcode(), Rcode::NXDOMAIN);
        assert_eq!(mesh.asked, asked, "after {seconds} s");
    }
}

#[test]
fn a_root_that_does_not_answer_is_given_up() {
    let mut mesh = Mesh::new(Absent::NoName);
    mesh.is_deaf = true;
    let hq = query("www.xyz.com.ct1", Rtype::A, true);
    assert!(mesh.ask(Time::ZERO, 1, &hq).is_none());
    let due = mesh.roots[1].next_wake();
    assert_eq!(due, Time::ZERO + Duration::from_secs(2));
    let mut output = Vec::new();
    mesh.roots[1].wake(due, &mut output);
    let Some(Output::Client(1, answer)) = output.pop() else { panic!("the client is told") };
    let answer = Message::from_octets(answer).unwrap();
    assert_eq!(answer.header().rcode(), Rcode::SERVFAIL);
    assert_eq!(error(&answer), Some(ExtendedErrorCode::NO_REACHABLE_AUTHORITY));
    assert_eq!(mesh.roots[1].next_wake(), Time::NEVER);
}

/// The sizes of RFC 1035's encoding: a question of 29 bytes, 33 with the suffix; an address of
/// 16 more, EDNS of 11, and the region's code as much as an address.
#[test]
fn messages_have_the_sizes_of_their_encoding() {
    assert_eq!(query("www.xyz.com", Rtype::A, false).len(), 29);
    let suffixed = query("www.xyz.com.ct1", Rtype::A, false);
    assert_eq!(suffixed.len(), 33);
    let mut mesh = Mesh::new(Absent::NoName);
    let size =
        |mesh: &mut Mesh, bytes: &[u8]| mesh.ask(Time::ZERO, 0, bytes).unwrap().as_slice().len();
    assert_eq!(size(&mut mesh, &suffixed), 33 + 16 + 16);
    assert_eq!(size(&mut mesh, &query("www.xyz.com.ct1", Rtype::A, true)), 33 + 11 + 32);
}

#[test]
fn an_answer_that_is_too_large_is_truncated() {
    let mut zone = Zone::default();
    let many: Vec<IpAddr> = (0..100).map(|it| IpAddr::from([10, 0, 0, it])).collect();
    zone.register("many.com", many, &REGIONS).unwrap();
    let settings = RootSettings {
        region: "ct1".to_owned(),
        code: Code::of_region(1),
        time_to_live: 60,
        absent: Absent::NoName,
        others: BTreeMap::new(),
    };
    let mut root = Root::new(settings, zone);
    let mut output = Vec::new();
    root.query(Time::ZERO, 0, &query("many.com", Rtype::A, true), &mut output);
    let Some(Output::Client(0, answer)) = output.pop() else { panic!("it answers") };
    let answer = Message::from_octets(answer).unwrap();
    assert!(answer.header().tc() && addresses(&answer).is_empty());
}

#[test]
fn names_that_would_be_taken_for_others_are_not_registered() {
    let mut zone = Zone::default();
    let mut register = |name: &str| zone.register(name, Vec::new(), &REGIONS);
    assert_eq!(register("www.xyz.CT2"), Err(NameError::Reserved("ct2".to_owned())));
    assert_eq!(register("www.xyz.com"), Ok(()));
    assert_eq!(register("WWW.xyz.com"), Err(NameError::Twice));
    for wrong in ["", ".", "a..b", &"a".repeat(64), &vec!["a".repeat(63); 4].join(".")] {
        assert_eq!(register(wrong), Err(NameError::NotAName), "{wrong}");
    }
}

proptest! {
    /// Whatever comes, a root does not fail; and it answers nothing that is an answer itself.
    #[test]
    fn no_bytes_are_too_strange(
        bytes in proptest::collection::vec(any::<u8>(), 0..80),
        places in proptest::collection::vec((0..60usize, any::<u8>()), 0..4),
        is_changed: bool,
    ) {
        let mut mesh = Mesh::new(Absent::NoName);
        let mut message = query("www.xyz.com.ct1", Rtype::A, true);
        for (place, byte) in places {
            let length = message.len();
            message[place % length] = byte;
        }
        let bytes = if is_changed { message } else { bytes };
        let mut output = Vec::new();
        mesh.roots[0].query(Time::ZERO, 1, &bytes, &mut output);
        mesh.roots[0].reply(Time::ZERO, "ct2", &bytes, &mut output);
        if bytes.get(2).is_none_or(|it| it & 0x80 != 0) {
            prop_assert_eq!(output, vec![]);
        }
    }
}

/// A host's resolver: its question has 29 bytes for www.xyz.com (RFC 1035), it believes what it
/// asked for alone, and it asks twice in ten seconds.
#[test]
fn a_stub_resolver_asks_twice_and_believes_what_it_asked() {
    let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
    let mut resolver = StubResolver::new("www.xyz.com", IpVersion::V4, 7).expect("it is a name");
    let asked = resolver.wake(at(1)).expect("it asks at once");
    assert_eq!((asked.len(), resolver.next_wake()), (29, at(6)));
    assert_eq!(resolver.wake(at(5)), None);
    let answer = |region, query: &[u8]| {
        Mesh::new(Absent::NoName).ask(at(1), region, query).expect("it answers").into_octets()
    };
    resolver.receive(&asked);
    resolver.receive(&answer(0, &query("www.xyz.com", Rtype::A, false)));
    resolver.receive(&answer(
        0,
        &StubResolver::new("mail.xyz.com", IpVersion::V4, 7).unwrap().wake(at(1)).unwrap(),
    ));
    assert_eq!(resolver.resolution(), None);
    let mut given_up = resolver.clone();
    assert_eq!(given_up.wake(at(6)), Some(asked.clone()));
    assert_eq!((given_up.wake(at(11)), given_up.queries()), (None, 2));
    assert_eq!(given_up.resolution(), Some(Resolution::NoAnswer));
    for (region, expected) in [(0, Resolution::Found(HQ.parse().unwrap())), (1, Resolution::NoName)]
    {
        let mut resolver = resolver.clone();
        resolver.receive(&answer(region, &asked));
        assert_eq!((resolver.resolution(), resolver.next_wake()), (Some(expected), Time::NEVER));
    }
    assert_eq!(StubResolver::new("a..b", IpVersion::V4, 1).unwrap_err(), NameError::NotAName);
}
