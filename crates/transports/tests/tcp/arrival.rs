//! What becomes of a segment, by the state of the connection and the segment's flags: RFC 9293,
//! section 3.10.7, with RFC 5961. Whoever knows addresses and ports only changes nothing.

use proptest::prelude::*;
use windtunnel_packets::tcp::{Flags, Segment};
use windtunnel_transports::tcp::{Recovery, Role, TcpSettings};

use crate::script::{SEGMENT, Script, ack, arriving, data, settings, syn};

/// The states of RFC 9293, section 3.3.2, that a connection of ours can be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    SynSent,
    SynReceived,
    Established,
    FinWait1,
    FinWait2,
    CloseWait,
    Closing,
    LastAck,
    TimeWait,
}

const SYNCHRONIZED: [State; 7] = [
    State::Established,
    State::FinWait1,
    State::FinWait2,
    State::CloseWait,
    State::Closing,
    State::LastAck,
    State::TimeWait,
];

/// What an end does about a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Nothing,
    /// It says what it expects, and nothing changes.
    Challenge,
    /// It is reset, and says nothing.
    Reset,
    /// It sends a reset, and nothing changes.
    Refusal,
}
use Answer::{Challenge, Nothing, Refusal, Reset};

const RST: Flags = Flags::RST;
const SYN: Flags = Flags::SYN;
const ACK: Flags = Flags::ACK;
const RST_ACK: Flags = RST.with(ACK);
const SYN_ACK: Flags = SYN.with(ACK);
const NONE: Flags = Flags::PSH;
/// More than any window here.
const FAR: u32 = 1 << 30;

/// An end, its next own number, and the number that it expects next.
struct End {
    script: Script,
    own: u32,
    next: u32,
}

fn end(state: State, settings: &TcpSettings) -> End {
    let mut script = match state {
        State::SynSent => Script::closed(Role::Client, settings),
        State::SynReceived => Script::closed(Role::Server, settings),
        _ => Script::connected(settings, 100, 2),
    };
    match state {
        State::SynSent => script.open(),
        State::SynReceived => script.receive(0, syn(Flags::default())),
        _ => script.receive(200, ack(2)),
    }
    let fin = Flags::FIN;
    let closes = |script: &mut Script| script.close();
    match state {
        State::SynSent | State::SynReceived | State::Established => {}
        State::FinWait1 => closes(&mut script),
        State::FinWait2 => {
            closes(&mut script);
            script.receive(200, ack(2).acknowledging_fin_of(2));
        }
        State::CloseWait => script.receive(200, ack(2).flags(fin)),
        State::Closing => {
            closes(&mut script);
            script.receive(200, ack(2).flags(fin));
        }
        State::LastAck => {
            script.receive(200, ack(2).flags(fin));
            closes(&mut script);
        }
        State::TimeWait => {
            closes(&mut script);
            script.receive(200, ack(2).acknowledging_fin_of(2).flags(fin));
        }
    }
    script.all();
    let has_closed = !matches!(state, State::Established | State::CloseWait);
    let is_closed =
        matches!(state, State::CloseWait | State::Closing | State::LastAck | State::TimeWait);
    let sent = if SYNCHRONIZED.contains(&state) { 2 * SEGMENT as u32 } else { 0 };
    let closed = has_closed && SYNCHRONIZED.contains(&state);
    End { script, own: 1 + sent + u32::from(closed), next: 1 + u32::from(is_closed) }
}

/// What can be seen of an end from outside.
fn observe(script: &Script) -> String {
    let it = &script.end;
    let states = (it.is_established(), it.is_finished(), it.is_closed(), it.is_reset());
    let bytes = (it.unacknowledged(), it.in_flight(), it.waiting_bytes());
    let agreed = (it.settings().maximum_segment, it.settings().timestamps);
    let (rtt, controller) = (it.smoothed_rtt(), it.controller());
    format!("{states:?} {bytes:?} {agreed:?} {rtt:?} {controller:?} {:?}", it.counters())
}

fn check(
    state: State,
    flags: Flags,
    [sequence, acknowledgement]: [u32; 2],
    length: u16,
    answer: Answer,
) {
    let End { mut script, own, next } = end(state, &settings(Recovery::Rack));
    let before = observe(&script);
    let mut segment = Segment::new(0, next.wrapping_add(sequence), flags);
    segment.acknowledgement = own.wrapping_add(acknowledgement);
    (segment.length, segment.window) = (length, 1);
    script.receive_now(arriving(segment));
    let sent: Vec<Segment> = script.all().iter().map(|it| it.segment).collect();
    let what = format!("{state:?}, {segment:?}: {sent:?}");
    assert_eq!(script.end.is_reset(), answer == Reset, "{what}");
    match (answer, &sent[..]) {
        (Nothing | Reset, []) => {}
        (Challenge, [it]) => {
            assert_eq!((it.sequence, it.acknowledgement), (own, next), "{what}");
            assert_eq!((it.flags.wire(), it.length), (ACK.wire(), 0), "{what}");
        }
        (Refusal, [it]) => {
            assert_eq!(
                (it.sequence, it.flags.wire()),
                (segment.acknowledgement, RST.wire()),
                "{what}"
            );
        }
        _ => panic!("{answer:?}: {what}"),
    }
    if answer != Reset {
        assert_eq!(observe(&script), before, "{what}");
    }
}

/// RFC 9293, section 3.10.7.4. Numbers count from what is expected next, acknowledgements from
/// what was sent last.
#[test]
fn a_synchronized_connection_answers_as_the_rfc_has_it() {
    let far_left = FAR.wrapping_neg();
    let rows = [
        // Second, and RFC 5961, section 3.2: (1) outside the window, (3) inside.
        (RST, [1_u32.wrapping_neg(), 0], 0, Nothing),
        (RST, [far_left, 0], 0, Nothing),
        (RST, [FAR, 0], 0, Nothing),
        (RST_ACK, [FAR, 0], 0, Nothing),
        (RST, [100, 0], 0, Challenge),
        (RST_ACK, [100, 0], 0, Challenge),
        // Fourth, and RFC 5961, section 4.2: whatever its number.
        (SYN, [1_u32.wrapping_neg(), 0], 0, Challenge),
        (SYN, [0, 0], 0, Challenge),
        (SYN, [100, 0], 0, Challenge),
        (SYN, [FAR, 0], 0, Challenge),
        (SYN_ACK, [0, 0], 0, Challenge),
        (SYN_ACK, [FAR, FAR], 0, Challenge),
        (SYN.with(Flags::FIN), [0, 0], 10, Challenge),
        // First: outside the window.
        (ACK, [FAR, 0], 0, Challenge),
        (ACK, [FAR, 0], 100, Challenge),
        (ACK, [far_left, 0], 0, Challenge),
        (ACK, [far_left, 0], 100, Challenge),
        (ACK.with(Flags::FIN), [far_left, 0], 0, Challenge),
        // Fifth: not sent, and RFC 5961, section 5.2: acknowledged more than a window ago.
        (ACK, [0, 1], 100, Challenge),
        (ACK.with(Flags::FIN), [0, 9999], 0, Challenge),
        (ACK, [0, far_left], 100, Challenge),
        // Fifth: without ACK, dropped; so is, before its number is looked at, what is outside.
        (NONE, [0, 0], 100, Nothing),
        (Flags::FIN, [0, 0], 0, Nothing),
        (NONE, [FAR, 0], 100, Nothing),
    ];
    for state in SYNCHRONIZED {
        // Second, (2).
        let next = [(RST, [0, 0], 0, Reset), (RST_ACK, [0, FAR], 0, Reset)];
        for (flags, numbers, length, answer) in rows.into_iter().chain(next) {
            // In TIME-WAIT resets are ignored (RFC 1337, fix F1).
            let is_ignored = state == State::TimeWait && flags.has(RST);
            check(state, flags, numbers, length, if is_ignored { Nothing } else { answer });
        }
    }
}

/// The same section for SYN-RECEIVED. A SYN in the window does not send it back to LISTEN, which
/// would be what others can do.
#[test]
fn the_server_in_the_handshake_answers_as_the_rfc_has_it() {
    for (flags, numbers, length, answer) in [
        (RST, [0, 0], 0, Reset),
        (RST, [100, 0], 0, Challenge),
        (RST, [1_u32.wrapping_neg(), 0], 0, Nothing),
        (RST, [FAR, 0], 0, Nothing),
        (SYN, [100, 0], 0, Challenge),
        (SYN, [FAR, 0], 0, Challenge),
        (SYN_ACK, [FAR, 0], 0, Challenge),
        (SYN_ACK, [0, 5], 0, Challenge),
        // Fifth: an acknowledgement of what was not sent, if the number is acceptable.
        (ACK, [0, 5], 0, Refusal),
        (ACK, [0, 5], 100, Refusal),
        (ACK, [FAR, 5], 100, Challenge),
        (ACK, [FAR, 0], 0, Challenge),
        (NONE, [0, 0], 100, Nothing),
    ] {
        check(State::SynReceived, flags, numbers, length, answer);
    }
}

/// RFC 9293, section 3.10.7.3.
#[test]
fn the_client_in_the_handshake_answers_as_the_rfc_has_it() {
    for (flags, numbers, answer) in [
        // First: what it acknowledges.
        (ACK, [77, 5], Refusal),
        (SYN_ACK, [77, 5], Refusal),
        (SYN_ACK, [77, FAR], Refusal),
        // Second: a reset that acknowledges the SYN.
        (RST_ACK, [77, 0], Reset),
        (RST_ACK, [77, 5], Nothing),
        (RST, [77, 0], Nothing),
        // Fifth: neither SYN nor RST.
        (ACK, [77, 0], Nothing),
        (NONE, [77, 0], Nothing),
    ] {
        check(State::SynSent, flags, numbers, 0, answer);
    }
}

/// A segment of someone who knows the addresses and ports.
#[derive(Clone, Debug)]
struct Forged {
    flags: u16,
    sequence: u32,
    acknowledgement: u32,
    length: u16,
    window: u16,
    stamps: Option<(u32, u32)>,
    /// Milliseconds since the last one.
    after: u64,
}

fn forged() -> impl Strategy<Value = Forged> {
    let outside = (1_u32 << 25)..=(u32::MAX - (1 << 25));
    // One of both numbers is guessed wrong.
    let numbers = prop_oneof![
        (outside.clone(), any::<u32>()),
        (outside.clone(), Just(0)),
        (1..=u32::MAX, outside),
    ];
    let rest = (any::<u16>(), any::<u16>(), proptest::option::of((any::<u32>(), any::<u32>())));
    (any::<u16>(), numbers, rest, 0_u64..3).prop_map(
        |(flags, (sequence, acknowledgement), (length, window, stamps), after)| Forged {
            flags,
            sequence,
            acknowledgement,
            length: length % 1_500,
            window,
            stamps,
            after,
        },
    )
}

fn flags_of(bits: u16) -> Flags {
    let all = [Flags::FIN, SYN, RST, Flags::PSH, ACK, Flags::ECE, Flags::CWR, Flags::AE];
    let chosen = all.into_iter().enumerate().filter(|(index, _)| bits >> index & 1 == 1);
    chosen.fold(Flags::default(), |flags, (_, it)| flags.with(it))
}

/// An end in the midst of a transfer in both directions: 3 of its segments are in flight, one has
/// come beyond a gap.
fn busy(settings: &TcpSettings) -> End {
    let mut script = Script::connected(settings, 100, 3);
    script.receive(150, data(0));
    script.receive(160, data(2));
    script.all();
    End { script, own: 1 + 3 * SEGMENT as u32, next: 1 + SEGMENT as u32 }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    /// Neither a state nor a window, a round trip, a timestamp or data changes; answers are
    /// limited (RFC 5961, section 7).
    #[test]
    fn whoever_does_not_know_the_numbers_changes_nothing(
        place in 0..9_usize,
        timestamps in any::<bool>(),
        segments in prop::collection::vec(forged(), 1..60),
    ) {
        let settings = TcpSettings { timestamps, ..settings(Recovery::Rack) };
        let states = [State::SynReceived].into_iter().chain(SYNCHRONIZED);
        let End { mut script, own, next } = match states.into_iter().nth(place) {
            Some(state) => end(state, &settings),
            None => busy(&settings),
        };
        let (before, begun) = (observe(&script), script.milliseconds());
        let (mut answers, mut now) = (0, begun);
        for it in segments {
            let mut segment = Segment::new(0, next.wrapping_add(it.sequence), flags_of(it.flags));
            segment.acknowledgement = own.wrapping_add(it.acknowledgement);
            (segment.length, segment.window) = (it.length, it.window);
            if let Some((own, echo)) = it.stamps {
                segment.flags = segment.flags.with(Flags::TIMESTAMPS);
                (segment.timestamp, segment.echo) = (own, echo);
            }
            now += it.after;
            script.receive(now, arriving(segment));
            prop_assert_eq!(observe(&script), before.clone(), "{:?}", segment);
            // The retransmission timeout and delayed acknowledgements come later.
            answers += script.all().iter().filter(|it| !it.has(RST)).count();
        }
        prop_assert!(answers <= 2, "{} answers in {} ms", answers, now - begun);
    }
}
