//! Accurate ECN's counters: RFC 9768, sections 3.2.2 and 3.2.3, appendix A.

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_packets::Ecn;
use windtunnel_packets::tcp::{ByteCounters, Flags};
use windtunnel_transports::tcp::{EcnMode, Recovery, Role, TcpSettings};

use crate::script::{Incoming, SEGMENT, Script, ack, agreement, data, request, syn, with_window};
use crate::spy::{self, spied_marks};

fn settings(ecn: EcnMode) -> TcpSettings {
    TcpSettings { ecn, server_ecn: ecn, ..with_window(Recovery::Rack, 10.0) }
}

/// The same with acknowledgements of so many full segments.
fn acknowledging(every: u8, ecn: EcnMode) -> TcpSettings {
    let mut settings = settings(ecn);
    settings.acknowledgements.every = every;
    settings
}

/// A receiver with an established connection.
fn receiver(settings: &TcpSettings) -> Script {
    let mut it = Script::closed(Role::Server, settings);
    it.receive(0, syn(request(settings.ecn)));
    it.receive(1, ack(0).ace(0b010));
    it.all();
    it
}

#[test]
fn marked_packets_are_counted_modulo_eight_from_five() {
    for mode in [EcnMode::Accurate, EcnMode::Scalable] {
        let mut it = receiver(&settings(mode));
        let mut marked = 0;
        for number in 0..40 {
            let mark = number % 3 != 0;
            marked += u64::from(mark);
            let ecn = if mark { Ecn::Congestion } else { Ecn::Capable };
            it.receive(10 + number, data(number).ecn(ecn));
            for sent in it.all() {
                assert_eq!(u64::from(sent.segment.flags.ace()), (5 + marked) % 8);
            }
        }
        assert_eq!(it.end.counters().marks, marked);
    }
}

/// Section 3.2.2: packets of all kinds are counted as packets, their data as bytes.
#[test]
fn marks_on_segments_without_data_are_counted_but_not_acknowledged() {
    let mut it = receiver(&settings(EcnMode::Accurate));
    for time in 10..14 {
        it.receive(time, ack(0).ecn(Ecn::Congestion));
    }
    it.until(1_000);
    assert!(it.all().is_empty());
    it.receive(1_000, data(1).ecn(Ecn::Congestion));
    let sent = it.only().segment;
    assert_eq!(sent.flags.ace(), (5 + 5) % 8);
    assert_eq!(sent.byte_counters().map(ByteCounters::congestion), Some(SEGMENT as u32));
}

/// Section 3.2.2.5.1: when marks begin, and then for every second one, whatever the rule for
/// acknowledgements without marks.
#[test]
fn marks_that_begin_and_every_second_one_are_acknowledged_at_once() {
    let rare = acknowledging(100, EcnMode::Accurate);
    let mut it = receiver(&rare);
    let mut answered = Vec::new();
    for number in 0..16 {
        let marked = (3..8).contains(&number) || number == 12;
        let ecn = if marked { Ecn::Congestion } else { Ecn::Capable };
        it.receive(10 + number, data(number).ecn(ecn));
        if !it.all().is_empty() {
            answered.push(number);
        }
    }
    assert_eq!(answered, [3, 5, 7, 12]);
}

/// Section 3.2.3.3: in each acknowledgement without data after a count has changed, and as
/// long as what changed in this connection needs.
#[test]
fn the_option_counts_bytes_as_they_came() {
    let every = acknowledging(1, EcnMode::Accurate);
    let mut it = receiver(&every);
    let (capable, congestion, scalable) = (1_001, 400, 1_001);
    for (number, ecn, length, expected) in [
        (0, Ecn::Capable, 1_000, ByteCounters::Capable { capable, congestion: 0 }),
        (1, Ecn::Congestion, 400, ByteCounters::Capable { capable, congestion }),
        (2, Ecn::Scalable, 1_000, ByteCounters::All { capable, congestion, scalable }),
    ] {
        it.receive(10 + number, data(number).ecn(ecn).length(length));
        assert_eq!(it.all()[0].segment.byte_counters(), Some(expected));
    }
    // Not ECN-capable: nothing to count.
    it.receive(20, data(3).ecn(Ecn::NotCapable));
    assert_eq!(it.only().segment.byte_counters(), None);

    let mut it = receiver(&every);
    it.receive(10, data(0).ecn(Ecn::Scalable));
    let expected = ByteCounters::Scalable { scalable, congestion: 0 };
    assert_eq!(it.only().segment.byte_counters(), Some(expected));
}

/// Sections 3.2.3.2.1 and 3.2.3.2.2: not on a SYN; on its first answer, and on the end of
/// the handshake.
#[test]
fn the_handshake_tries_the_option() {
    let mut server = Script::closed(Role::Server, &settings(EcnMode::Accurate));
    server.receive(0, syn(request(EcnMode::Accurate)));
    server.until(2_000);
    let answers: Vec<bool> =
        server.all().iter().map(|it| it.segment.byte_counters().is_some()).collect();
    assert_eq!(answers, [true, false]);

    let mut client = Script::closed(Role::Client, &settings(EcnMode::Accurate));
    client.open();
    assert_eq!(client.only().segment.byte_counters(), None);
    client.receive(10, syn(agreement(EcnMode::Accurate).with(Flags::ACK)));
    let first = ByteCounters::Capable { capable: 1, congestion: 0 };
    assert_eq!(client.only().segment.byte_counters(), Some(first));
}

/// A segment with data is full: it has no room for the option.
#[test]
fn data_carries_the_field_and_not_the_option() {
    let mut it = receiver(&settings(EcnMode::Accurate));
    it.receive(10, data(0).ecn(Ecn::Congestion));
    it.all();
    it.receive(11, data(1).ecn(Ecn::Congestion));
    it.write(SEGMENT);
    let sent = it.only();
    assert_eq!((sent.segment.length, sent.segment.flags.ace()), (SEGMENT as u16, 7));
    assert_eq!(sent.segment.byte_counters(), None);
}

/// With the option there is room for three SACK blocks, and for two beside timestamps.
#[test]
fn sack_blocks_have_what_room_the_option_leaves() {
    let mut it = receiver(&settings(EcnMode::Accurate));
    for number in [1, 3, 5, 7] {
        it.receive(10 + number, data(number).ecn(Ecn::Capable));
    }
    let last = *it.all().last().expect("gaps are reported");
    assert_eq!(last.blocks(), [(7, 8), (5, 6), (3, 4)]);
    assert!(last.segment.byte_counters().is_some());
}

/// Section 3.2.2.2: at both ends, counting goes on from what the handshake reported.
#[test]
fn a_mark_of_the_handshake_is_not_one_of_data() {
    for (report, first) in [(0b010, 5), (0b110, 6)] {
        for role in [Role::Client, Role::Server] {
            let (settings, heard) = spied_marks(&settings(EcnMode::Accurate));
            let mut it = Script::closed(role, &settings);
            it.open();
            match role {
                Role::Client => it.receive(0, syn(Flags::ACK).ace(report)),
                Role::Server => {
                    it.receive(0, syn(request(EcnMode::Accurate)));
                    it.receive(0, ack(0).ace(report));
                }
            }
            it.write(10 * SEGMENT);
            it.receive(100, ack(2).ace(first));
            assert_eq!(spy::marked(&heard), 0.0, "{role:?}");
            it.receive(100, ack(4).ace(first + 1));
            assert_eq!(spy::marked(&heard), 1.0, "{role:?}");
        }
    }
}

/// Segments that the controller of a sender was told are marked, after these
/// acknowledgements of 100 ms.
fn marked(acknowledgements: impl IntoIterator<Item = Incoming>) -> f64 {
    let settings = TcpSettings { ecn: EcnMode::Accurate, ..with_window(Recovery::Rack, 64.0) };
    let (settings, heard) = spied_marks(&settings);
    let mut it = Script::connected(&settings, 100, 1_000);
    for acknowledgement in acknowledgements {
        it.receive(100, acknowledgement);
    }
    spy::marked(&heard)
}

/// Appendix A.2.1, whose example is 9 and 11 packets with ACE three further on.
#[test]
fn a_counter_that_may_have_turned_round_has() {
    for (packets, more, expected) in [
        (2, 0, 0),
        (2, 2, 2),
        (7, 7, 7),
        (7, 0, 0),
        (9, 3, 3),
        (11, 3, 11),
        (8, 0, 8),
        (10, 7, 7),
        (20, 7, 15),
    ] {
        assert_eq!(marked([ack(packets).counted(more)]), f64::from(expected), "{more}");
    }
}

#[test]
fn an_acknowledgement_without_news_counts_nothing() {
    let once = [ack(1).counted(1), ack(3).counted(2), ack(5).counted(2)];
    assert_eq!(marked(once), 2.0);
    let [first, second, third] = once;
    assert_eq!(marked([first, second, first, third]), 2.0);
}

/// The end that is closed already does not know its counts any more.
#[test]
fn what_acknowledges_the_fin_counts_nothing() {
    let (settings, heard) = spied_marks(&settings(EcnMode::Accurate));
    let mut it = Script::connected(&settings, 100, 2);
    it.close();
    it.receive(200, ack(2).acknowledging_fin_of(2).ace(0));
    assert!(it.end.in_flight() == 0 && spy::marked(&heard) == 0.0);
}

/// Section 3.2.2.5.2: the option is more dependable.
#[test]
fn with_the_option_bytes_are_counted_and_not_packets() {
    let (full, half) = (SEGMENT as u32, SEGMENT as u32 / 2);
    assert_eq!(marked([ack(20).counted(2).counted_bytes(18 * full, 2 * full)]), 2.0);
    assert_eq!(marked([ack(20).counted(2).counted_bytes(18 * full, full + half)]), 1.5);
    // What was taken for marked, because it was safe, is not counted again.
    let safe = ack(11).counted(3);
    assert_eq!(marked([safe, ack(13).counted(5).counted_bytes(8 * full, 5 * full)]), 11.0);
    assert_eq!(marked([safe, ack(14).counted(14).counted_bytes(0, 14 * full)]), 14.0);
}

proptest! {
    /// Both ends, some packets marked, some acknowledgements lost: the controller learns
    /// what the receiver counted, no more and no less.
    #[test]
    fn the_sender_learns_how_much_was_marked(
        marks in vec(any::<bool>(), 1..200),
        losses in vec(prop::bool::weighted(0.7), 1..50),
        acknowledge_every in 1_u8..20,
    ) {
        let settings = acknowledging(acknowledge_every, EcnMode::Scalable);
        let (settings, heard) = spied_marks(&settings);
        let mut client = Script::connected(&settings, 0, 200);
        let mut server = receiver(&settings);
        let (mut marks, mut losses) = (marks.iter().cycle(), losses.iter().cycle());
        for time in (10..).step_by(50).take(1_000) {
            for sent in client.all() {
                let marked = sent.segment.length > 0 && *marks.next().unwrap();
                let ecn = if marked { Ecn::Congestion } else { sent.ecn };
                server.receive(server.milliseconds().max(time), sent.again().ecn(ecn));
            }
            server.until(server.milliseconds().max(time + 45));
            client.until(time + 45);
            let answers = server.all();
            for (index, answer) in answers.iter().enumerate() {
                // The last one of each round trip arrives.
                if !*losses.next().unwrap() || index + 1 == answers.len() {
                    client.receive_now(answer.again());
                }
            }
        }
        prop_assert_eq!(server.end.counters().received_bytes, 200 * SEGMENT);
        prop_assert_eq!(spy::marked(&heard), server.end.counters().marks as f64);
    }
}
