//! The laws of a forwarder, with real packets and without sockets.

use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{EncodePrivateKey, EncodePublicKey};
use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_packets::ndn::wire::tlv::{write_element, write_nested, write_number};
use windtunnel_packets::ndn::wire::{ElementType, SignatureType};
use windtunnel_scenario::read_forwarder;

use super::*;
use crate::ndn::signing::{SignatureAlgorithm, Signer, Verifier};

const CONSUMER: FaceId = FaceId(0);
const OTHER: FaceId = FaceId(1);
const PRODUCER: FaceId = FaceId(2);
/// It leads to another machine.
const REMOTE: FaceId = FaceId(3);

struct Case {
    border: Border,
    now: Time,
}

impl Case {
    /// A forwarder with a content store of this many packets and a route to the producer.
    fn new(cached: usize) -> Self {
        let text = format!("content_store = {{ capacity = \"{cached} packets\" }}");
        let plan = read_forwarder("test", &text).unwrap();
        let mut border = Border::new(&plan.node, super::super::forward::random());
        for face in [CONSUMER, OTHER, PRODUCER, REMOTE] {
            border.open_face(face, face != REMOTE);
        }
        assert!(border.add_route(&"/a".parse().unwrap(), PRODUCER, 0));
        Self { border, now: Time::ZERO + Duration::from_secs(1) }
    }

    fn receive(&mut self, face: FaceId, packet: NetworkPacket) -> Vec<Outgoing> {
        let mut sent = Vec::new();
        self.border.receive(self.now, face, packet, &mut sent);
        sent
    }

    fn interest(&mut self, face: FaceId, interest: &wire::Interest<'_>) -> Vec<Outgoing> {
        self.receive(face, network(interest.encode().unwrap()))
    }

    fn data(&mut self, bytes: &[u8]) -> Vec<Outgoing> {
        self.receive(PRODUCER, network(bytes.to_vec()))
    }

    /// The consumer asks, and the producer answers.
    fn exchange(&mut self, name: &str, freshness_ms: u64) {
        assert_eq!(faces(&self.interest(CONSUMER, &asked(name, 1))), [PRODUCER]);
        assert_eq!(faces(&self.data(&data(name, freshness_ms))), [CONSUMER]);
    }
}

fn network(bytes: Vec<u8>) -> NetworkPacket {
    NetworkPacket { bytes, nack: None, token: None, marked: false }
}

fn faces(sent: &[Outgoing]) -> Vec<FaceId> {
    sent.iter().map(|it| it.face).collect()
}

fn asked(name: &str, nonce: u32) -> wire::Interest<'static> {
    wire::Interest { nonce: Some(nonce), ..wire::Interest::new(name.parse().unwrap()) }
}

fn data(name: &str, freshness_ms: u64) -> Vec<u8> {
    let signer = Signer::new(SignatureAlgorithm::Digest, None).unwrap();
    let meta_info =
        wire::MetaInfo { freshness_period_ms: Some(freshness_ms), ..wire::MetaInfo::default() };
    let data = wire::Data {
        name: name.parse().unwrap(),
        meta_info,
        content: Some(b"content"),
        signature_info: signer.info(),
        signature_value: &[],
    };
    data.encode_signed(|it| signer.sign(it)).unwrap()
}

#[test]
fn interests_for_one_name_go_upstream_once_and_all_get_the_data_as_it_came() {
    let mut case = Case::new(0);
    assert_eq!(faces(&case.interest(CONSUMER, &asked("/a/v=1/seg=0", 1))), [PRODUCER]);
    assert!(case.interest(OTHER, &asked("/a/v=1/seg=0", 2)).is_empty());
    let bytes = data("/a/v=1/seg=0", 0);
    let sent = case.data(&bytes);
    assert_eq!(faces(&sent), [CONSUMER, OTHER]);
    assert!(sent.iter().all(|it| *it.bytes == *bytes));
    assert_eq!(case.border.forwarder_counters().aggregated, 1);
    assert_eq!(case.border.sizes()[0], 0);
}

#[test]
fn tokens_return_with_what_answers_each_interest() {
    let mut case = Case::new(10);
    for (face, nonce, token) in [(CONSUMER, 1, vec![1, 2]), (OTHER, 2, vec![9])] {
        let bytes = asked("/a/v=1/seg=0", nonce).encode().unwrap();
        let packet = NetworkPacket { token: Some(token), ..network(bytes) };
        let sent = case.receive(face, packet);
        assert!(sent.iter().all(|it| it.token.is_none()), "a token is not for the next hop");
    }
    let tokens = |sent: Vec<Outgoing>| sent.into_iter().map(|it| it.token).collect::<Vec<_>>();
    let sent = case.data(&data("/a/v=1/seg=0", 0));
    assert_eq!(tokens(sent), [Some(vec![1, 2]), Some(vec![9])]);
    let bytes = asked("/a/v=1/seg=0", 3).encode().unwrap();
    let cached = case.receive(OTHER, NetworkPacket { token: Some(vec![7]), ..network(bytes) });
    assert_eq!(tokens(cached), [Some(vec![7])]);
    let bytes = asked("/nowhere", 4).encode().unwrap();
    let refused = case.receive(OTHER, NetworkPacket { token: Some(vec![8]), ..network(bytes) });
    assert!(matches!(&refused[0].packet.body, Body::Nack(it) if it.reason == NackReason::NO_ROUTE));
    assert_eq!(tokens(refused), [Some(vec![8])]);
}

#[test]
fn data_answers_interests_for_its_prefixes_and_no_others() {
    let mut case = Case::new(0);
    let prefix = |name, nonce| wire::Interest { can_be_prefix: true, ..asked(name, nonce) };
    case.interest(CONSUMER, &prefix("/a", 1));
    case.interest(OTHER, &asked("/a/v=1/seg=0", 2));
    assert_eq!(case.border.forwarder_counters().interests_out, 2, "they wait for themselves");
    assert!(case.data(&data("/b/v=1/seg=0", 0)).is_empty());
    let mut got = faces(&case.data(&data("/a/v=1/seg=0", 0)));
    got.sort();
    assert_eq!(got, [CONSUMER, OTHER]);
    // Without CanBePrefix, only Data of exactly that name is an answer.
    case.interest(CONSUMER, &asked("/a/v=1", 3));
    assert!(case.data(&data("/a/v=1/seg=0", 0)).is_empty());
    assert_eq!(faces(&case.data(&data("/a/v=1", 0))), [CONSUMER]);
}

#[test]
fn cached_data_answers_by_prefix_and_digest_and_only_while_it_is_fresh() {
    let mut case = Case::new(10);
    case.exchange("/a/v=1/seg=0", 1000);
    let fresh = |name, nonce| wire::Interest { must_be_fresh: true, ..asked(name, nonce) };
    let prefix = |name, nonce| wire::Interest { can_be_prefix: true, ..fresh(name, nonce) };
    assert_eq!(faces(&case.interest(OTHER, &fresh("/a/v=1/seg=0", 2))), [OTHER]);
    assert_eq!(faces(&case.interest(OTHER, &prefix("/a", 3))), [OTHER]);
    let digest = implicit_digest(&data("/a/v=1/seg=0", 1000));
    let with_digest = |digest: &[u8], nonce| {
        let mut interest = asked("/a/v=1/seg=0", nonce);
        let component = Component::new(ComponentType::IMPLICIT_SHA256_DIGEST, digest);
        interest.name.push(component.unwrap());
        interest
    };
    assert_eq!(faces(&case.interest(OTHER, &with_digest(&digest, 4))), [OTHER]);
    assert_eq!(faces(&case.interest(OTHER, &with_digest(&[0; 32], 5))), [PRODUCER]);
    case.now += Duration::from_secs(2);
    assert_eq!(faces(&case.interest(OTHER, &fresh("/a/v=1/seg=0", 6))), [PRODUCER]);
    assert_eq!(faces(&case.interest(OTHER, &prefix("/a", 7))), [PRODUCER]);
    assert_eq!(faces(&case.interest(OTHER, &asked("/a/v=1/seg=0", 8))), [OTHER]);
}

#[test]
fn an_implicit_digest_is_answered_by_that_data_alone() {
    let mut case = Case::new(0);
    let bytes = data("/a/v=1/seg=0", 0);
    let mut interest = asked("/a/v=1/seg=0", 1);
    let digest = implicit_digest(&bytes);
    interest.name.push(Component::new(ComponentType::IMPLICIT_SHA256_DIGEST, &digest).unwrap());
    case.interest(CONSUMER, &interest);
    assert!(case.data(&data("/a/v=1/seg=0", 5)).is_empty());
    assert_eq!(faces(&case.data(&bytes)), [CONSUMER]);
}

#[test]
fn pending_interests_and_cached_data_are_bounded() {
    let mut case = Case::new(8);
    // What is evicted gives its name back.
    case.border.names = Names::new(20);
    for segment in 0..100 {
        case.exchange(&format!("/a/v={segment}/seg=0"), 0);
        case.now += Duration::from_secs(5);
        assert!(case.border.sizes()[1] <= 8);
    }
    let [_, cached, names] = case.border.sizes();
    assert_eq!((cached, case.border.cache.below(&"/a".parse().unwrap()).count()), (8, 8));
    assert_eq!(names, 20);
    let long = |segment: u64| {
        let mut interest = asked("/a/v=1", segment as u32);
        interest.lifetime_ms = Some(u64::MAX);
        interest.name.push_number(ComponentType::SEGMENT, segment);
        interest
    };
    let most = Border::MOST_PENDING as u64;
    for segment in 0..most {
        assert_eq!(case.interest(CONSUMER, &long(segment)).len(), 1);
    }
    let half = Border::MOST_PENDING / 2;
    assert_eq!((case.border.sizes()[0], case.border.counters().refused), (half, most / 2));
    // Who has asked for nothing yet has room: half of the rest.
    for segment in most..most + 10_000 {
        assert_eq!(faces(&case.interest(OTHER, &long(segment))), [PRODUCER]);
    }
    // When the greedy one is gone, so is what it waited for.
    case.border.close_face(case.now, CONSUMER);
    assert_eq!(case.border.sizes()[0], 10_000);
    case.now += Duration::from_secs(61);
    case.border.expire(case.now);
    assert_eq!(case.border.sizes()[0], 0, "no Interest is pending longer than a minute");
}

#[test]
fn what_nobody_answers_does_not_keep_its_name() {
    let mut case = Case::new(0);
    case.border.names = Names::new(10);
    for number in 0..100 {
        let interest = asked(&format!("/nowhere/{number}"), number);
        let interest = wire::Interest { lifetime_ms: Some(60_000), ..interest };
        let sent = case.interest(CONSUMER, &interest);
        let reason = |it: &Outgoing| match &it.packet.body {
            Body::Nack(it) => Some(it.reason),
            _ => None,
        };
        assert_eq!(sent.iter().map(reason).collect::<Vec<_>>(), [Some(NackReason::NO_ROUTE)]);
    }
}

#[test]
fn long_names_of_one_face_leave_room_for_those_of_others() {
    let mut case = Case::new(0);
    let component = "x".repeat(8_000);
    for number in 0..2 * (Names::MOST_BYTES as u32 / 8_000) {
        case.interest(CONSUMER, &asked(&format!("/a/{component}/{number}"), number));
    }
    assert!(case.border.counters().refused > 0);
    assert_eq!(faces(&case.interest(OTHER, &asked("/a/b", 1))), [PRODUCER]);
}

#[test]
fn scope_and_hop_limits_hold() {
    let mut case = Case::new(0);
    let command =
        Command { verb: Verb::Register, prefix: "/b".parse().unwrap(), face: None, cost: 0 };
    assert!(case.receive(REMOTE, network(command.interest(1, 0, &Signer::digest()))).is_empty());
    assert_eq!(case.border.counters().out_of_scope, 1);
    let answer = case.receive(OTHER, network(command.interest(2, 0, &Signer::digest())));
    let answer = wire::Data::decode(&answer[0].bytes).unwrap();
    assert_eq!(management::read_response(answer.content.unwrap()), Some((200, "OK".to_owned())));
    assert_eq!(faces(&case.interest(CONSUMER, &asked("/b/x", 3))), [OTHER]);
    let limited = |hops, nonce| wire::Interest { hop_limit: Some(hops), ..asked("/a/x", nonce) };
    let sent = case.interest(REMOTE, &limited(9, 4));
    assert_eq!(wire::Interest::decode(&sent[0].bytes).unwrap().hop_limit, Some(8));
    assert!(case.interest(REMOTE, &limited(0, 5)).is_empty());
}

/// The answer to a command, and its code.
fn answered(case: &mut Case, bytes: Vec<u8>) -> u64 {
    let answer = case.receive(OTHER, network(bytes));
    let answer = wire::Data::decode(&answer[0].bytes).unwrap();
    management::read_response(answer.content.unwrap()).unwrap().0
}

#[test]
fn with_keys_a_command_must_be_signed_by_one_of_them() {
    let command =
        Command { verb: Verb::Register, prefix: "/b".parse().unwrap(), face: None, cost: 0 };
    let ed25519 = ed25519_dalek::SigningKey::from_bytes(&[7; 32]);
    let ecdsa = p256::ecdsa::SigningKey::from_slice(&[7; 32]).unwrap();
    let private = [ed25519.to_pkcs8_pem(LineEnding::LF), ecdsa.to_pkcs8_pem(LineEnding::LF)];
    let [ed25519_private, ecdsa_private] = private.map(Result::unwrap);
    let public = [
        ed25519.verifying_key().to_public_key_pem(LineEnding::LF),
        ecdsa.verifying_key().to_public_key_pem(LineEnding::LF),
    ];
    let [ed25519_public, ecdsa_public] = public.map(|it| Verifier::with_key(&it.unwrap()).unwrap());
    let signer = |algorithm, key: &str| Signer::new(algorithm, Some(key)).unwrap();
    let one = (signer(SignatureAlgorithm::Ed25519, &ed25519_private), ed25519_public);
    let other = (signer(SignatureAlgorithm::Ecdsa, &ecdsa_private), ecdsa_public);
    for (given, foreign) in [(&one, &other), (&other, &one)] {
        let mut case = Case::new(0);
        case.border.authorize(Authorization::new(vec![given.1.clone()], || NOW_MS));
        assert_eq!(answered(&mut case, command.interest(1, NOW_MS, &Signer::digest())), 403);
        assert_eq!(answered(&mut case, command.interest(2, NOW_MS, &foreign.0)), 403);
        let right = command.interest(3, NOW_MS, &given.0);
        let mut changed = right.clone();
        *changed.last_mut().unwrap() ^= 1;
        assert_eq!(answered(&mut case, changed), 403);
        assert_eq!(answered(&mut case, right), 200);
        let both = vec![foreign.1.clone(), given.1.clone()];
        case.border.authorize(Authorization::new(both, || NOW_MS));
        assert_eq!(answered(&mut case, command.interest(4, NOW_MS, &given.0)), 200);
        assert_eq!(answered(&mut case, command.interest(4, NOW_MS, &foreign.0)), 200);
    }
}

/// The time on the clock of these tests.
const NOW_MS: u64 = 1_700_000_000_000;

/// A key, and what checks its signatures.
fn key() -> (Signer, Verifier) {
    let key = ed25519_dalek::SigningKey::from_bytes(&[7; 32]);
    let private = key.to_pkcs8_pem(LineEnding::LF).unwrap();
    let public = key.verifying_key().to_public_key_pem(LineEnding::LF).unwrap();
    let signer = Signer::new(SignatureAlgorithm::Ed25519, Some(&private)).unwrap();
    (signer, Verifier::with_key(&public).unwrap())
}

/// "Signed Interest" of the packet format: signatures are to be unique, by their time here.
#[test]
fn with_keys_no_command_is_carried_out_twice() {
    let command =
        Command { verb: Verb::Register, prefix: "/b".parse().unwrap(), face: None, cost: 0 };
    let (signer, verifier) = key();
    let mut case = Case::new(0);
    case.border.authorize(Authorization::new(vec![verifier], || NOW_MS));
    let registers = |at: u64| command.interest(1, at, &signer);
    let codes = [NOW_MS - 120_001, NOW_MS, NOW_MS, NOW_MS - 1, NOW_MS + 1, NOW_MS + 120_001]
        .map(|at| answered(&mut case, registers(at)));
    assert_eq!(codes, [403, 200, 403, 403, 200, 403]);
    let without = Command { verb: Verb::Unregister, ..command.clone() };
    assert_eq!(answered(&mut case, without.interest(1, NOW_MS + 2, &signer)), 200);
    assert_eq!(answered(&mut case, registers(NOW_MS + 1)), 403, "the route would be back");
    assert_eq!(case.border.counters().commands, 3);
}

/// A command in the format before version 0.3, signed at that time.
fn in_old_format(signer: &Signer, at_ms: Option<u64>) -> Vec<u8> {
    let command =
        Command { verb: Verb::Register, prefix: "/b".parse().unwrap(), face: None, cost: 0 };
    let bytes = command.interest(1, NOW_MS, signer);
    let modern = wire::Interest::decode(&bytes).unwrap().name.into_owned();
    let (name, _digest) = modern.split_last().unwrap();
    let mut name = name.into_owned();
    if let Some(at) = at_ms {
        name.push(Component::generic(&at.to_be_bytes()));
        name.push(Component::generic(&[1, 2, 3, 4]));
    }
    let mut info = Vec::new();
    write_nested(&mut info, ElementType::SIGNATURE_INFO, |output| {
        write_number(output, ElementType::SIGNATURE_TYPE, SignatureType::ED25519.0);
    });
    name.push(Component::generic(&info));
    let signature = signer.sign(&management::components(&name));
    let mut value = Vec::new();
    write_element(&mut value, ElementType::SIGNATURE_VALUE, &signature);
    name.push(Component::generic(&value));
    wire::Interest { nonce: Some(1), ..wire::Interest::new(name) }.encode().unwrap()
}

#[test]
fn the_same_holds_in_the_format_before() {
    let (signer, verifier) = key();
    let mut case = Case::new(0);
    case.border.authorize(Authorization::new(vec![verifier], || NOW_MS));
    let codes = [None, Some(NOW_MS - 120_001), Some(NOW_MS), Some(NOW_MS), Some(NOW_MS + 1)]
        .map(|at| answered(&mut case, in_old_format(&signer, at)));
    assert_eq!(codes, [403, 403, 200, 403, 200]);
}

#[test]
fn without_keys_a_digest_will_do() {
    let command =
        Command { verb: Verb::Register, prefix: "/b".parse().unwrap(), face: None, cost: 0 };
    let mut case = Case::new(0);
    assert_eq!(answered(&mut case, command.interest(1, 0, &Signer::digest())), 200);
}

#[test]
fn what_a_closed_face_announced_and_waits_for_is_forgotten() {
    let mut case = Case::new(0);
    case.interest(CONSUMER, &asked("/a/x", 1));
    case.border.close_face(case.now, CONSUMER);
    case.border.open_face(CONSUMER, true);
    assert!(case.data(&data("/a/x", 0)).is_empty(), "it is another one's face now");
    case.border.close_face(case.now, PRODUCER);
    let prefix: wire::Name<'static> = "/a".parse().unwrap();
    let command = Command { verb: Verb::Register, prefix, face: Some(258), cost: 0 };
    let answer = case.receive(OTHER, network(command.interest(9, 0, &Signer::digest())));
    let answer = wire::Data::decode(&answer[0].bytes).unwrap();
    let code = management::read_response(answer.content.unwrap()).map(|it| it.0);
    assert_eq!(code, Some(410), "the face is closed");
    let sent = case.interest(OTHER, &asked("/a/y", 2));
    assert!(matches!(&sent[0].packet.body, Body::Nack(it) if it.reason == NackReason::NO_ROUTE));
}

#[test]
fn a_nack_goes_to_who_asked_with_his_own_nonce() {
    let mut case = Case::new(0);
    let sent = case.interest(CONSUMER, &asked("/a/x", 7));
    let bytes = sent[0].bytes.to_vec();
    let nack = NetworkPacket { nack: Some(NackReason::CONGESTION), ..network(bytes) };
    let sent = case.receive(PRODUCER, nack);
    assert_eq!(faces(&sent), [CONSUMER]);
    assert_eq!(wire::Interest::decode(&sent[0].bytes).unwrap().nonce, Some(7));
}

#[test]
fn unknown_elements_are_ignored_or_refused_as_their_numbers_say() {
    let mut case = Case::new(0);
    let with = |element: &[u8]| {
        let mut bytes = asked("/a/x", 1).encode().unwrap();
        bytes[1] += element.len() as u8;
        bytes.extend_from_slice(element);
        network(bytes)
    };
    assert!(case.receive(CONSUMER, with(&[0xFD, 0, 0xFF, 0])).is_empty(), "odd: critical");
    assert_eq!(case.border.counters().malformed, 1);
    let sent = case.receive(CONSUMER, with(&[0xFD, 0, 0xFE, 0]));
    assert!(sent[0].bytes.ends_with(&[0xFD, 0, 0xFE, 0]), "it is sent on as it came");
}

proptest! {
    /// Packets that were changed on their way do no harm.
    #[test]
    fn any_packets_are_taken_or_dropped(
        inputs in vec((0..4_u16, 0..6_usize, vec((any::<usize>(), any::<u8>()), 0..3), any::<bool>()), 0..60),
    ) {
        let mut case = Case::new(3);
        let command = Command {
            verb: Verb::Unregister,
            prefix: "/a".parse().unwrap(),
            face: Some(258),
            cost: 0,
        };
        let prefix =
            wire::Interest { can_be_prefix: true, must_be_fresh: true, ..asked("/a", 9) };
        let packets = [
            asked("/a/v=1/seg=0", 1).encode().unwrap(),
            prefix.encode().unwrap(),
            data("/a/v=1/seg=0", 5),
            data("/a/32=metadata/v=1/seg=0", 0),
            command.interest(3, 0, &Signer::digest()),
            vec![],
        ];
        for (face, which, changes, is_nack) in inputs {
            let mut bytes = packets[which].clone();
            for (at, byte) in changes {
                if let Some(length) = std::num::NonZeroUsize::new(bytes.len()) {
                    bytes[at % length] = byte;
                }
            }
            let nack = is_nack.then_some(NackReason::DUPLICATE);
            let sent = case.receive(FaceId(face), NetworkPacket { nack, ..network(bytes) });
            prop_assert!(sent.len() <= 5);
            case.now += Duration::from_millis(1);
            case.border.expire(case.now);
        }
        prop_assert!(case.border.sizes()[1] <= 3);
    }
}
