//! What a sender reports to its controller.

use std::sync::{Arc, Mutex};

use windtunnel_controllers::{
    Acknowledgement, Congestion, Controller, Delivery, Description, External, Maker, Need,
    Settings, Signal, Start, Window,
};
use windtunnel_transports::tcp::{Recovery, TcpSettings};

use crate::script::{Script, ack, controller, settings};

/// What was reported, in order.
type Reports = Arc<Mutex<Vec<Acknowledgement>>>;

/// A window of ten that nothing changes, and a record of what is reported to it.
#[derive(Clone, Debug)]
struct Recorder {
    window: Window,
    reports: Reports,
}

static DESCRIPTION: Description = Description {
    name: "recorder",
    title: "Recorder",
    source: "this file",
    status: "for tests",
    needs: &[Need::DeliveryRate],
    parameters: &[],
};

impl Controller for Recorder {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        self.reports.lock().expect("one thread").push(*acknowledgement);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        assert_ne!(congestion.signal, Signal::Nack, "TCP has none");
    }

    fn window(&self) -> &Window {
        &self.window
    }
}

impl External for Recorder {
    fn copy(&self) -> Box<dyn External> {
        Box::new(self.clone())
    }

    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }
}

#[derive(Debug)]
struct RecorderMaker(Reports);

impl Maker for RecorderMaker {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn make(&self, start: Start) -> Box<dyn External> {
        Box::new(Recorder { window: Window::new(start), reports: Arc::clone(&self.0) })
    }
}

/// A connection with a round trip of 100 ms and a window of ten segments, and what is
/// reported.
fn recorded(segments: u64) -> (Script, Reports) {
    let reports = Reports::default();
    let controller = Settings::external(Arc::new(RecorderMaker(Arc::clone(&reports))));
    let settings = TcpSettings { controller, ..settings(Recovery::Rack) };
    let mut script = Script::connected(&settings, 100, segments);
    script.all();
    reports.lock().expect("one thread").clear();
    (script, reports)
}

fn all(reports: &Reports) -> Vec<Acknowledgement> {
    std::mem::take(&mut *reports.lock().expect("one thread"))
}

fn only(reports: &Reports) -> Acknowledgement {
    let all = all(reports);
    assert_eq!(all.len(), 1, "{all:?}");
    all[0]
}

fn delivery(report: &Acknowledgement) -> Delivery {
    report.delivery.expect("data was delivered")
}

/// Windows that do not limit the sender say nothing about the path (RFC 7661, section 4.3; RFC
/// 9438, section 5.8): an application that writes a segment a round trip uses one of ten.
#[test]
fn a_window_that_does_not_limit_the_sender_is_reported_as_such_and_opens_nothing() {
    let (mut it, reports) = recorded(1);
    for round in 1..20 {
        it.receive(100 + 100 * round, ack(round));
        let report = only(&reports);
        assert!(!report.window_limited, "round {round}");
        assert_eq!((report.acknowledged, report.delivered), (0.0, 1.0));
        it.write(1_000);
    }
}

#[test]
fn a_window_that_limits_the_sender_is_reported_as_such_and_all_that_arrives_opens_it() {
    let (mut it, reports) = recorded(1_000);
    for round in 1..20 {
        it.receive(100 + 100 * round, ack(10 * round));
        let report = only(&reports);
        assert!(report.window_limited, "round {round}");
        assert_eq!((report.acknowledged, report.delivered), (10.0, 10.0));
    }
}

/// The same with every window that grows by what is acknowledged.
#[test]
fn no_window_grows_while_it_does_not_limit_the_sender() {
    for name in ["aimd", "reno", "cubic", "dctcp", "prague", "copa"] {
        let settings = TcpSettings { controller: controller(name), ..settings(Recovery::Rack) };
        let mut it = Script::connected(&settings, 100, 1);
        for round in 1..50 {
            it.receive(100 + 100 * round, ack(round));
            it.write(1_000);
        }
        assert!(it.cwnd() <= 10.0, "{name}: {}", it.cwnd());
    }
}

/// Section 4.1.1.3 of draft-ietf-ccwg-bbr: a sample of data sent while the application had
/// nothing more, and the window room, is a lower bound. It lasts until what was then in
/// flight is delivered.
#[test]
fn the_rate_of_data_sent_while_the_application_had_no_more_is_marked_as_limited() {
    let (mut it, reports) = recorded(3);
    it.receive(200, ack(3));
    assert!(!delivery(&only(&reports)).application_limited, "the first were not sent after a lull");
    for round in 0..10 {
        it.write(3_000);
        it.receive(300 + 100 * round, ack(6 + 3 * round));
        let limited = delivery(&only(&reports)).application_limited;
        assert!(limited, "round {round}: there were three segments for a window of ten");
    }
}

#[test]
fn the_rate_of_an_application_that_always_has_more_is_never_marked_as_limited() {
    let (mut it, reports) = recorded(1_000);
    for round in 1..20 {
        it.receive(100 + 100 * round, ack(10 * round));
        assert!(!delivery(&only(&reports)).application_limited, "round {round}");
    }
}

/// A round trip ends with the first acknowledgement of data sent after the one before ended: once
/// in each, however many acknowledgements there are (draft-ietf-ccwg-bbr, section 5.5.1).
#[test]
fn a_round_ends_once_in_a_round_trip() {
    let (mut it, reports) = recorded(1_000);
    let mut rounds = Vec::new();
    for pair in 0..50 {
        // Every second segment is acknowledged, a round trip after it was sent.
        it.receive(200 + 100 * (pair / 5) + pair % 5, ack(2 * (pair + 1)));
        rounds.push(only(&reports).round_ended);
    }
    let expected: Vec<bool> = (0..50).map(|it| it % 5 == 0).collect();
    assert_eq!(rounds, expected);
}

/// What is considered lost is reported once, and counts for the samples of all that was sent
/// before.
#[test]
fn losses_are_reported_once_and_counted_since_data_was_sent() {
    let (mut it, reports) = recorded(1_000);
    it.receive(200, ack(0).sack(2..4));
    it.receive(201, ack(0).sack(2..6));
    let told = all(&reports);
    assert_eq!(told.iter().map(|it| it.lost).collect::<Vec<_>>(), [0.0, 2.0]);
    assert_eq!(told.iter().map(|it| it.delivered).collect::<Vec<_>>(), [2.0, 2.0]);
    assert_eq!(delivery(&told[1]).lost_since_send, 2.0);
    assert!(told[1].recovering, "which begins with it");
    it.receive(202, ack(0).sack(2..10));
    let told = only(&reports);
    assert_eq!((told.lost, delivery(&told).lost_since_send), (0.0, 2.0));
    assert_eq!((delivery(&told).total, told.delivered), (8.0, 4.0));
    // The repairs, and what was sent after the loss was found.
    let again = it.sent();
    assert!(again.contains(&0) && again.contains(&1), "{again:?}");
    let next = again.iter().max().expect("new data") + 1;
    it.receive(302, ack(next));
    let told = only(&reports);
    assert_eq!((told.lost, delivery(&told).lost_since_send), (0.0, 0.0));
}

/// The round trip is that of the segment sent last among those that were sent once; what was sent
/// again measures nothing (Karn's rule: RFC 6298, section 3).
#[test]
fn no_round_trip_is_measured_by_what_was_sent_again() {
    let (mut it, reports) = recorded(1_000);
    it.receive(200, ack(0).sack(1..10));
    it.receive(250, ack(1).sack(1..10));
    it.receive(300, ack(1).sack(1..10));
    let milliseconds: Vec<_> =
        all(&reports).iter().map(|it| it.rtt.map(|it| it / 1_000_000)).collect();
    assert_eq!(milliseconds[..2], [Some(100), None]);
}
