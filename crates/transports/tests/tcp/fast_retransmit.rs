//! Fast retransmit: RFC 5681, section 3.2; RFC 6582, section 3.2; RFC 6675, section 5; RFC 8985.

use windtunnel_controllers::DESCRIPTIONS;
use windtunnel_transports::tcp::{Recovery, TcpSettings};

use crate::script::{Script, ack, controller, with_window};

/// Forty segments in flight since 100 ms, if the controller begins with as many, and more to
/// send.
fn in_flight(recovery: Recovery, name: &str) -> Script {
    let settings = TcpSettings { controller: controller(name), ..with_window(recovery, 40.0) };
    let mut it = Script::connected(&settings, 100, 10_000);
    it.until(199);
    assert!(it.sent().len() >= 4, "{name}: enough for three duplicates");
    it
}

/// The first of them is lost, and the next ones arrive, one each millisecond from 200 ms on.
fn lose_first(it: &mut Script, recovery: Recovery, arrivals: u64) {
    for index in 0..arrivals {
        let duplicate = if recovery.uses_sack() { ack(0).sack(1..2 + index) } else { ack(0) };
        it.receive(200 + index, duplicate);
    }
}

/// The lost segment is sent again with the third duplicate, whatever the window becomes.
#[test]
fn every_controller_sends_the_lost_segment_again_at_once() {
    let recoveries =
        [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno, Recovery::Sack, Recovery::Rack];
    for (recovery, description) in recoveries
        .iter()
        .flat_map(|it| DESCRIPTIONS.iter().map(move |description| (*it, description)))
    {
        let mut it = in_flight(recovery, description.name);
        lose_first(&mut it, recovery, 3);
        // What is paced may wait for its turn.
        it.until(202 + 5);
        let again = it.sent_at().into_iter().find(|it| it.1 == 0);
        assert!(again.is_some(), "{recovery:?}, {}", description.name);
    }
}

/// It is one: what a controller that goes back to slow start finds lost besides goes as the
/// window opens.
#[test]
fn nothing_but_the_first_lost_segment_goes_beyond_the_window() {
    let mut it = in_flight(Recovery::Rack, "tahoe");
    it.receive(200, ack(0).sack(3..6));
    assert_eq!(it.sent(), [0], "of three");
    assert_eq!(it.cwnd(), 1.0);
    it.receive(210, ack(0).sack(3..20));
    assert!(it.sent().is_empty(), "more is in flight than the window allows");
}
