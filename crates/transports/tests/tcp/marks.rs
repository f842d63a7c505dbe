//! Explicit congestion notification: RFC 3168, RFC 8257, SCE.

use windtunnel_packets::Ecn;
use windtunnel_packets::tcp::Flags;
use windtunnel_transports::tcp::{EcnMode, Recovery, Role, TcpSettings};

use crate::script::{Script, ack, agreement, data, request, syn, with_window};

fn settings(ecn: EcnMode) -> TcpSettings {
    TcpSettings { ecn, server_ecn: ecn, ..with_window(Recovery::Rack, 10.0) }
}

fn sender(ecn: EcnMode) -> Script {
    Script::connected(&settings(ecn), 100, 1_000)
}

/// A receiver with an established connection.
fn receiver(ecn: EcnMode) -> Script {
    let mut it = Script::closed(Role::Server, &settings(ecn));
    it.receive(0, syn(request(ecn)));
    it.receive(1, ack(0).flags(agreement(ecn)));
    it.all();
    it
}

#[test]
fn data_is_ecn_capable_as_its_mode_says_and_nothing_else_is() {
    for (mode, expected) in [
        (EcnMode::Off, Ecn::NotCapable),
        (EcnMode::Classic, Ecn::Capable),
        (EcnMode::Dctcp, Ecn::Capable),
        (EcnMode::Accurate, Ecn::Capable),
        (EcnMode::Scalable, Ecn::Scalable),
        (EcnMode::SomeCongestion, Ecn::Capable),
    ] {
        let data = sender(mode).all();
        assert!(!data.is_empty() && data.iter().all(|it| it.ecn == expected), "{mode:?}");
        let mut client = Script::closed(Role::Client, &settings(mode));
        client.open();
        assert_eq!(client.only().ecn, Ecn::NotCapable, "a SYN");
        let mut it = receiver(mode);
        it.receive(10, self::data(1));
        assert_eq!(it.only().ecn, Ecn::NotCapable, "an acknowledgement");
    }
}

#[test]
fn a_retransmission_is_not_ecn_capable() {
    // RFC 3168, section 6.1.5.
    let mut it = sender(EcnMode::Classic);
    it.all();
    it.until(10_000);
    let again = it.all();
    let again: Vec<_> = again.iter().filter(|it| it.segment.sequence == 1).collect();
    assert!(!again.is_empty());
    assert!(again.iter().all(|it| it.ecn == Ecn::NotCapable));
}

/// RFC 8985, section 7.2 excludes loss recovery alone: a window that comes down after a mark
/// repairs nothing, and does not keep a lost tail from being probed.
#[test]
fn a_lost_tail_is_probed_while_the_window_comes_down_after_a_mark() {
    let mut it = Script::connected(&settings(EcnMode::Classic), 100, 10);
    it.all();
    it.receive(200, ack(8).flags(Flags::ECE));
    it.until(1_000);
    assert_eq!(it.sent_at(), [(200 + 2 * 100 + 2, 9)]);
    it.receive(1_000, ack(8).sack(9..10));
    it.receive(1_050, ack(10));
    let counters = it.end.counters();
    assert_eq!((counters.probes, counters.timeouts, counters.decreases), (1, 0, 1));
}

/// What a probe repairs was answered with the mark, if it was sent before the window came down;
/// what was sent after it is another round trip's loss.
#[test]
fn a_loss_that_a_probe_repairs_is_answered_once_with_a_mark_of_its_round_trip() {
    for (later, decreases) in [(0, 1), (1, 2)] {
        let mut it = Script::connected(&settings(EcnMode::Classic), 100, 10);
        it.all();
        it.receive(200, ack(8).flags(Flags::ECE));
        it.write(later * 1_000);
        // The last segment is lost; its probe arrives.
        it.receive(290, ack(9 + later));
        it.until(1_400);
        assert_eq!(it.end.counters().probes, 1, "{later}");
        it.receive(1_500, ack(10 + later));
        it.write(1_000);
        it.receive(1_600, ack(11 + later));
        assert_eq!(it.end.counters().decreases, decreases, "{later} segments sent later");
    }
}

#[test]
fn a_window_is_halved_once_a_round_trip_however_many_echoes_come() {
    let mut it = sender(EcnMode::Classic);
    for next in 1..=10 {
        it.receive(200 + next, ack(next).flags(Flags::ECE));
    }
    assert_eq!(it.end.counters().decreases, 1);
    assert_eq!(it.ssthresh(), 5.0);
    assert_eq!(it.end.counters().retransmissions, 0);
    // The next round trip's echoes count again.
    let last = it.sent().iter().max().copied().expect("more was sent");
    it.receive(300, ack(last + 1));
    it.receive(400, ack(last + 2).flags(Flags::ECE));
    assert_eq!(it.end.counters().decreases, 2);
}

#[test]
fn the_first_new_segment_after_a_decrease_says_that_the_window_was_reduced() {
    let mut it = sender(EcnMode::Classic);
    it.all();
    for next in 1..=10 {
        it.receive(200 + next, ack(next).flags(Flags::ECE));
    }
    let sent = it.all();
    let reduced: Vec<bool> = sent.iter().map(|it| it.has(Flags::CWR)).collect();
    assert!(reduced[0]);
    assert_eq!(reduced.iter().filter(|it| **it).count(), 1);
}

#[test]
fn after_a_mark_what_is_in_flight_comes_down_in_proportion() {
    let mut it = sender(EcnMode::Classic);
    it.all();
    for next in 1..=10 {
        it.receive(200 + next, ack(next).flags(Flags::ECE));
    }
    assert_eq!(it.sent().len(), 5);
    assert_eq!(it.end.in_flight(), 5);
}

#[test]
fn a_loss_and_a_mark_of_one_round_trip_halve_the_window_once() {
    let mut it = sender(EcnMode::Classic);
    it.receive(201, ack(1).flags(Flags::ECE));
    for arrived in 2..7 {
        it.receive(200 + arrived, ack(1).sack(2..arrived + 1).flags(Flags::ECE));
    }
    assert!(it.sent().contains(&1));
    assert_eq!(it.end.counters().decreases, 1);
}

#[test]
fn marks_are_echoed_until_the_sender_has_answered() {
    let mut it = receiver(EcnMode::Classic);
    let mut echoes = Vec::new();
    for (number, ecn, flags) in [
        (0, Ecn::Capable, Flags::default()),
        (1, Ecn::Congestion, Flags::default()),
        (2, Ecn::Capable, Flags::default()),
        (3, Ecn::Capable, Flags::default()),
        (4, Ecn::Capable, Flags::CWR),
        (5, Ecn::Capable, Flags::default()),
        (6, Ecn::Capable, Flags::default()),
        (7, Ecn::Congestion, Flags::CWR),
    ] {
        it.receive(100 * (1 + number), data(number).ecn(ecn).flags(flags));
        it.until(100 * (1 + number) + 50);
        echoes.extend(it.all().iter().map(|it| (it.acknowledges(), it.has(Flags::ECE))));
    }
    assert_eq!(
        echoes,
        [
            (1, false),
            (2, true),
            (3, true),
            (4, true),
            (5, false),
            (6, false),
            (7, false),
            (8, true)
        ]
    );
}

#[test]
fn dctcp_acknowledges_at_once_where_marks_begin_and_end() {
    // RFC 8257, section 3.2: each acknowledgement speaks of one kind only.
    let mut it = receiver(EcnMode::Dctcp);
    let marked = |number: u64| (3..6).contains(&number);
    for number in 0..9 {
        let ecn = if marked(number) { Ecn::Congestion } else { Ecn::Capable };
        it.receive(10 + number, data(number).ecn(ecn));
    }
    it.until(100);
    let answers = it.all();
    let answers: Vec<(u64, bool)> =
        answers.iter().map(|it| (it.acknowledges(), it.has(Flags::ECE))).collect();
    assert_eq!(answers, [(2, false), (3, false), (5, true), (6, true), (8, false), (9, false)]);
    let mut before = 0;
    for (next, echo) in answers {
        assert!((before..next).all(|it| marked(it) == echo));
        before = next;
    }
}

#[test]
fn dctcp_is_not_disturbed_by_segments_without_data() {
    let mut it = receiver(EcnMode::Dctcp);
    it.receive(10, data(0).ecn(Ecn::Congestion));
    it.receive(11, data(1).length(0));
    assert!(it.all().is_empty(), "a pure acknowledgement says nothing of marks");
}

#[test]
fn the_milder_mark_is_echoed_for_what_carried_it() {
    let mut it = receiver(EcnMode::SomeCongestion);
    for number in 0..6 {
        let ecn = if (2..4).contains(&number) { Ecn::Scalable } else { Ecn::Capable };
        it.receive(10 + number, data(number).ecn(ecn));
    }
    it.until(100);
    let answers = it.all();
    let mut before = 0;
    for sent in answers {
        let next = sent.acknowledges();
        assert!((before..next).all(|it| (2..4).contains(&it) == sent.has(Flags::AE)));
        assert!(!sent.has(Flags::ECE));
        before = next;
    }
    assert_eq!(before, 6);
}
