//! How a connection ends: RFC 9293, section 3.6.

use windtunnel_packets::tcp::Flags;
use windtunnel_transports::tcp::{Recovery, Role};

use crate::script::{Script, ack, data, settings, syn};

fn connected(segments: u64) -> Script {
    Script::connected(&settings(Recovery::Rack), 100, segments)
}

#[test]
fn the_last_data_carries_the_fin() {
    let mut it = connected(12);
    assert_eq!(it.all().len(), 10, "the window");
    it.close();
    it.receive(200, ack(10));
    let fins: Vec<bool> = it.all().iter().map(|it| it.has(Flags::FIN)).collect();
    assert_eq!(fins, [false, true]);
}

#[test]
fn a_fin_goes_by_itself_where_all_data_is_sent() {
    let mut it = connected(3);
    it.all();
    it.close();
    let fin = it.only();
    assert!(fin.has(Flags::FIN));
    assert_eq!((fin.segment.length, fin.segment.sequence), (0, 3_001));
    it.close();
    assert!(it.all().is_empty(), "once");
}

#[test]
fn a_fin_is_sent_again_until_it_is_acknowledged() {
    let mut it = connected(1);
    it.receive(200, ack(1));
    it.all();
    it.close();
    it.all();
    it.until(4_000);
    let again = it.all();
    assert!(!again.is_empty() && again.iter().all(|it| it.has(Flags::FIN)));
    assert_eq!(it.end.counters().retransmissions, 0, "a FIN is no data");
    it.receive(4_010, fin_acknowledged(1));
    it.until(100_000);
    assert!(it.all().is_empty());
}

/// Everything up to the FIN behind that many segments.
fn fin_acknowledged(segments: u64) -> crate::script::Incoming {
    ack(segments).acknowledging_fin_of(segments)
}

#[test]
fn both_directions_close_one_after_the_other() {
    let mut it = connected(1);
    it.receive(200, ack(1));
    it.close();
    it.receive(300, fin_acknowledged(1));
    assert!(!it.end.is_closed() && !it.end.is_finished());
    it.all();
    it.receive(310, fin_acknowledged(1).flags(Flags::FIN));
    let last = it.only();
    assert_eq!(last.segment.acknowledgement, 2, "the peer's FIN counts one");
    assert!(it.end.is_closed());
    assert_eq!(it.end.next_wake(), None);
}

#[test]
fn a_half_closed_connection_still_carries_data_the_other_way() {
    let mut it = connected(1);
    it.receive(200, ack(1));
    it.close();
    it.receive(300, fin_acknowledged(1));
    for number in 0..4 {
        it.receive(310 + number, data(number).acknowledging_fin_of(1));
    }
    assert_eq!(it.end.counters().received_bytes, 4_000);
    assert!(!it.end.is_closed());
    it.receive(320, data(4).length(0).acknowledging_fin_of(1).flags(Flags::FIN));
    assert!(it.end.is_closed());
    assert_eq!(it.end.counters().received_bytes, 4_000, "a FIN is no data");
}

#[test]
fn both_ends_may_close_at_once() {
    let mut it = connected(1);
    it.receive(200, ack(1));
    it.close();
    it.all();
    // The peer's FIN crosses ours.
    it.receive(210, ack(1).flags(Flags::FIN));
    assert_eq!(it.only().segment.acknowledgement, 2);
    assert!(!it.end.is_closed());
    it.receive(310, fin_acknowledged(1));
    assert!(it.end.is_closed());
}

#[test]
fn a_fin_before_the_data_before_it_waits() {
    let mut it = Script::closed(Role::Server, &settings(Recovery::Rack));
    it.receive(0, syn(Flags::default()));
    it.receive(1, ack(0));
    it.receive(10, data(1).flags(Flags::FIN));
    assert!(!it.end.is_finished());
    it.receive(20, data(0));
    assert!(it.end.is_finished());
    assert_eq!(it.end.counters().received_bytes, 2_000);
}

#[test]
fn a_repeated_fin_is_acknowledged_again() {
    let mut it = Script::closed(Role::Server, &settings(Recovery::Rack));
    it.receive(0, syn(Flags::default()));
    it.receive(1, data(0).flags(Flags::FIN));
    it.all();
    it.receive(1_000, data(0).flags(Flags::FIN));
    assert_eq!(it.only().segment.acknowledgement, 1_002);
    assert_eq!(it.end.counters().received_bytes, 1_000);
}

#[test]
fn a_connection_may_close_without_any_data() {
    let mut it = connected(0);
    it.close();
    assert!(it.only().has(Flags::FIN));
    it.receive(200, fin_acknowledged(0).flags(Flags::FIN));
    assert!(it.end.is_closed());
}

#[test]
fn of_data_without_end_what_was_sent_is_the_end() {
    let mut it = connected(0);
    it.write(u64::MAX);
    assert_eq!(it.end.unacknowledged(), u64::MAX);
    assert_eq!(it.sent().len(), 10);
    it.close();
    assert_eq!(it.only().segment.sequence, 10_001);
    it.receive(200, fin_acknowledged(10));
    assert_eq!(it.end.unacknowledged(), 0);
    assert_eq!(it.end.counters().acknowledged_bytes, 10_000);
}

#[test]
fn a_flow_of_one_byte_is_one_segment() {
    let mut it = Script::closed(Role::Client, &settings(Recovery::Rack));
    it.open();
    it.write(1);
    it.close();
    it.all();
    it.receive(100, syn(Flags::ACK));
    let only = it.only();
    assert_eq!(only.segment.length, 1);
    assert!(only.has(Flags::FIN));
    assert_eq!(it.end.unacknowledged(), 1);
}

#[test]
fn data_and_its_fin_pass_a_closed_window_only_when_it_opens() {
    let mut it = connected(10);
    it.all();
    it.receive(200, ack(10).window(0));
    it.write(1_000);
    it.close();
    assert!(it.all().is_empty());
    it.receive(300, ack(10));
    let last = it.only();
    assert!(last.has(Flags::FIN) && last.segment.length == 1_000);
}
