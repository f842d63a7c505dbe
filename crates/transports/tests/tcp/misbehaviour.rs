//! Receivers that do not comply (RFC 9743, section 7.6), and what their senders make of it.

use windtunnel_controllers::{Controller, Value};
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::Ecn;
use windtunnel_packets::tcp::Flags;
use windtunnel_transports::tcp::{
    Acknowledgements, EcnMode, Endpoint, Misbehaviour, Recovery, Role, TcpSettings,
};

use crate::path::{Path, settings};
use crate::script::{Script, ack, agreement, at, controller, data, request, syn, with_window};

fn misbehaving(settings: TcpSettings, misbehaviour: Option<Misbehaviour>) -> TcpSettings {
    let acknowledgements = Acknowledgements { misbehaviour, ..Acknowledgements::default() };
    TcpSettings { acknowledgements, ..settings }
}

/// A receiver with an established connection.
fn receiver(ecn: EcnMode, misbehaviour: Misbehaviour) -> Script {
    let honest = TcpSettings { ecn, server_ecn: ecn, ..with_window(Recovery::Rack, 10.0) };
    let settings = misbehaving(honest, Some(misbehaviour));
    let mut it = Script::closed(Role::Server, &settings);
    it.receive(0, syn(request(ecn)));
    it.receive(1, ack(0).flags(agreement(ecn)));
    it.all();
    it
}

#[test]
fn ten_parts_acknowledge_what_one_would() {
    let mut it = receiver(EcnMode::Off, Misbehaviour::DividedAcknowledgements);
    it.receive(10, data(0));
    it.receive(11, data(1));
    let bytes: Vec<u32> = it.all().iter().map(|it| it.segment.acknowledgement - 1).collect();
    assert_eq!(bytes, [200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800, 2000]);
    // A duplicate acknowledgement has no parts.
    it.receive(20, data(3));
    assert_eq!(it.only().acknowledges(), 2);
}

#[test]
fn what_fills_a_gap_is_reported_twice() {
    let mut it = receiver(EcnMode::Off, Misbehaviour::InventedDuplicates);
    for number in [0, 2, 3, 5] {
        it.receive(10 + number, data(number));
    }
    it.all();
    it.receive(20, data(1));
    let first = it.only();
    assert_eq!((first.acknowledges(), first.blocks()), (4, vec![(1, 2), (5, 6)]));
    it.receive(21, data(4));
    assert_eq!(it.only().blocks(), [(4, 5)]);
    // Data in order is not.
    it.receive(22, data(6));
    it.receive(23, data(7));
    assert!(it.only().blocks().is_empty());
}

#[test]
fn hidden_marks_are_never_reported() {
    for mode in [EcnMode::Classic, EcnMode::Dctcp, EcnMode::Accurate, EcnMode::Scalable] {
        let mut it = receiver(mode, Misbehaviour::HiddenMarks);
        let first = {
            it.receive(10, data(0).ecn(Ecn::Capable));
            it.receive(11, data(1).ecn(Ecn::Capable));
            it.only().segment
        };
        for number in 2..10 {
            it.receive(10 + number, data(number).ecn(Ecn::Congestion));
        }
        let all = it.all();
        assert_eq!(all.len(), 4, "{mode:?}: no mark changes when it is acknowledged");
        for sent in all {
            let (ece, ace) = (Flags::ECE, sent.segment.flags.ace());
            assert_eq!(sent.has(ece), first.flags.has(ece), "{mode:?}");
            assert_eq!(ace, first.flags.ace(), "{mode:?}");
        }
        assert_eq!(it.end.counters().marks, 8, "{mode:?}: those that came are counted");
    }
}

/// Equation 2 of RFC 5681, which counts no more than what is acknowledged, is there against ACK
/// division: all that it gains is what delayed acknowledgements cost.
#[test]
fn division_gains_no_more_than_counting_data_does() {
    let grown = |counting: &str, misbehaviour| {
        let mut controller = controller("new-reno");
        controller.set("slow-start", Value::Choice(counting)).unwrap();
        let mut settings = misbehaving(with_window(Recovery::Sack, 10.0), misbehaviour);
        settings.controller = controller;
        let mut path = Path::new(settings, 1_000_000_000, Duration::from_millis(50), 1 << 20);
        path.open(100_000_000);
        path.run_until(at(530));
        path.ends[0].controller().unwrap().cwnd()
    };
    let divided = Some(Misbehaviour::DividedAcknowledgements);
    let expected = grown("data", None);
    // Ten, doubled in each of four round trips after the handshake's.
    assert!((expected - 160.0).abs() < 1.0, "{expected}");
    for counting in ["data", "acknowledgements"] {
        let window = grown(counting, divided);
        assert!((window - expected).abs() < 1.0, "{counting}: {window}, not {expected}");
    }
    assert!(grown("acknowledgements", None) < 0.6 * expected);
}

#[test]
fn a_sender_that_believes_invented_duplicates_takes_its_decreases_back() {
    let undone = |misbehaviour| {
        let settings = misbehaving(settings("new-reno"), misbehaviour);
        let mut number = 0;
        let mut path = Path::new(settings, 10_000_000, Duration::from_millis(20), 1 << 20).with(
            |_, forward, segment| {
                number += u32::from(forward && segment.length > 0);
                let lost = forward && segment.length > 0 && number % 200 == 100;
                if lost { vec![] } else { vec![Duration::ZERO] }
            },
        );
        path.open(3_000_000);
        path.act(0, Endpoint::close);
        path.act(1, Endpoint::close);
        path.run_until(Time::NEVER);
        let counters = path.ends[0].counters();
        (counters.decreases, counters.decreases_undone)
    };
    let (decreases, taken_back) = undone(None);
    assert!(decreases >= 8 && taken_back == 0, "{decreases}, {taken_back}");
    let (decreases, taken_back) = undone(Some(Misbehaviour::InventedDuplicates));
    assert!(taken_back * 2 > decreases, "{taken_back} of {decreases}");
}
