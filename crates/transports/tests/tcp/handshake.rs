//! How a connection opens: RFC 9293, section 3.5; RFC 6298, sections 2 and 5.

use windtunnel_engine::Duration;
use windtunnel_packets::tcp::Flags;
use windtunnel_transports::tcp::{Acknowledgements, Recovery, Role, TcpSettings};

use crate::script::{Script, ack, data, settings, syn};

const SYN_ACK: Flags = Flags::SYN.with(Flags::ACK);

#[test]
fn a_lost_syn_is_sent_again_after_1_s_then_2_s_then_4_s() {
    let mut client = Script::closed(Role::Client, &settings(Recovery::Rack));
    client.open();
    client.until(8_000);
    let syns = client.all();
    assert!(syns.iter().all(|it| it.has(Flags::SYN) && !it.has(Flags::ACK)));
    let times: Vec<u64> = syns.iter().map(|it| it.milliseconds()).collect();
    assert_eq!(times, [0, 1_000, 3_000, 7_000]);
}

/// RFC 6298, rule 5.7.
#[test]
fn after_a_repeated_syn_that_measured_nothing_the_first_timeout_is_3_s() {
    let mut client = Script::closed(Role::Client, &settings(Recovery::Sack));
    client.open();
    client.write(1_000);
    client.receive(1_500, syn(Flags::ACK));
    assert_eq!(client.end.smoothed_rtt(), None);
    assert_eq!(client.sent_at(), [(1_500, 0)]);
    client.until(4_499);
    assert!(client.sent_at().is_empty());
    client.until(4_500);
    assert_eq!(client.sent_at(), [(4_500, 0)]);
}

/// RFC 7323, section 4: the timestamp says which SYN was answered.
#[test]
fn after_a_repeated_syn_the_echoed_timestamp_measures_the_round_trip() {
    for (echo, rtt) in [(1_000, 500), (0, 1_500), (1_500, 1)] {
        let settings = TcpSettings { timestamps: true, ..settings(Recovery::Rack) };
        let mut client = Script::closed(Role::Client, &settings);
        client.open();
        client.write(1_000);
        client.receive(1_500, syn(Flags::ACK).stamps(7, echo));
        assert_eq!(client.end.smoothed_rtt(), Some(Duration::from_millis(rtt)));
    }
}

#[test]
fn a_lost_answer_to_the_syn_is_sent_again_by_time_and_for_each_repeated_syn() {
    let mut server = Script::closed(Role::Server, &settings(Recovery::Rack));
    server.receive(10, syn(Flags::default()));
    assert!(server.only().has(SYN_ACK));
    server.receive(500, syn(Flags::default()));
    assert!(server.only().has(SYN_ACK), "for the repeated SYN");
    server.until(5_000);
    let again = server.all();
    assert!(!again.is_empty() && again.iter().all(|it| it.has(SYN_ACK)), "by time");
}

#[test]
fn when_the_last_step_is_lost_data_takes_its_place() {
    let mut server = Script::closed(Role::Server, &settings(Recovery::Rack));
    server.receive(0, syn(Flags::default()));
    server.all();
    server.receive(100, data(0));
    server.until(200);
    assert_eq!(server.only().acknowledges(), 1);
    assert_eq!(server.end.counters().received_bytes, 1000);
    server.until(10_000);
    assert!(server.all().is_empty(), "no SYN is due any more");
}

#[test]
fn when_the_last_step_is_lost_the_client_repeats_it_for_each_answer() {
    let mut client = Script::connected(&settings(Recovery::Rack), 100, 0);
    client.receive(1_100, syn(Flags::ACK));
    let again = client.only();
    assert!(again.has(Flags::ACK) && !again.has(Flags::SYN));
    assert_eq!(again.segment.sequence, 1);
}

#[test]
fn data_waits_for_the_answer_and_goes_with_the_last_step() {
    let mut client = Script::closed(Role::Client, &settings(Recovery::Rack));
    client.open();
    client.write(3_000);
    assert!(client.only().has(Flags::SYN));
    client.receive(70, syn(Flags::ACK));
    let first = client.all();
    assert!(first.iter().all(|it| it.segment.length == 1000 && it.has(Flags::ACK)));
    assert_eq!(first.len(), 3);
}

/// As Linux's; without, data says the same.
#[test]
fn with_quick_acknowledgements_the_answer_to_the_syn_is_acknowledged_before_data_is_sent() {
    for (quick, lengths) in [(true, [0, 1_000].as_slice()), (false, &[1_000])] {
        let acknowledgements = Acknowledgements { quick, ..Acknowledgements::default() };
        let settings = TcpSettings { acknowledgements, ..settings(Recovery::Rack) };
        let mut client = Script::closed(Role::Client, &settings);
        client.open();
        client.write(1_000);
        client.receive(50, syn(Flags::ACK));
        let sent = client.all();
        let of_data: Vec<u32> = sent.iter().map(|it| u32::from(it.segment.length)).collect();
        assert_eq!(of_data[of_data.len() - lengths.len()..], *lengths, "quick: {quick}");
        assert!(!quick || of_data.len() == 3 && sent[1].has(Flags::ACK), "a SYN, an answer, data");
    }
}

#[test]
fn the_handshake_is_the_first_round_trip_sample() {
    let client = Script::connected(&settings(Recovery::Rack), 100, 1);
    assert_eq!(client.end.smoothed_rtt(), Some(Duration::from_millis(100)));
}

#[test]
fn a_repeated_handshake_measures_nothing_at_either_end() {
    // Karn's rule: RFC 6298, section 3.
    let mut client = Script::closed(Role::Client, &settings(Recovery::Rack));
    client.open();
    client.receive(1_100, syn(Flags::ACK));
    client.write(1_000);
    assert_eq!(client.end.smoothed_rtt(), None);

    let mut server = Script::closed(Role::Server, &settings(Recovery::Rack));
    server.receive(0, syn(Flags::default()));
    server.receive(500, syn(Flags::default()));
    server.receive(550, ack(0));
    server.write(1_000);
    assert_eq!(server.end.smoothed_rtt(), None);
}

#[test]
fn a_segment_before_any_syn_is_ignored() {
    let mut server = Script::closed(Role::Server, &settings(Recovery::Rack));
    server.receive(0, data(0));
    let mut client = Script::closed(Role::Client, &settings(Recovery::Rack));
    client.receive(0, syn(Flags::ACK));
    assert!(server.all().is_empty() && client.all().is_empty());
    assert_eq!(server.end.counters().received_bytes, 0);
}

#[test]
fn a_repeated_answer_does_not_disturb_a_connection_that_stands() {
    let mut client = Script::connected(&settings(Recovery::Rack), 100, 20);
    assert_eq!(client.sent().len(), 10);
    client.receive(150, syn(Flags::ACK));
    assert!(client.sent().is_empty());
    client.receive(200, ack(10));
    assert_eq!(client.sent(), (10..20).collect::<Vec<_>>());
}
