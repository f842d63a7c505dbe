//! The receive window: RFC 9293, section 3.8.6; RFC 7323, section 2.

use windtunnel_engine::Duration;
use windtunnel_packets::tcp::Flags;
use windtunnel_transports::tcp::{Buffers, Reading, Recovery, Role, Socket, TcpSettings};

use crate::script::{SEGMENT, Script, ack, data, settings, syn, with_window};

fn sender() -> Script {
    let mut it = Script::connected(&with_window(Recovery::Rack, 10.0), 100, 1_000);
    assert_eq!(it.sent().len(), 10);
    it
}

#[test]
fn nothing_is_sent_beyond_the_window() {
    let mut it = sender();
    it.receive(200, ack(10).window(4 * 1_024));
    assert_eq!(it.sent(), [10, 11, 12, 13]);
    assert!(it.end.in_flight() * SEGMENT <= 4 * 1_024);
}

#[test]
fn a_window_that_opens_lets_the_sender_go_on() {
    let mut it = sender();
    it.receive(200, ack(10).window(0));
    assert!(it.sent().is_empty());
    it.receive(250, ack(10));
    assert_eq!(it.sent().first(), Some(&10));
}

#[test]
fn a_closed_window_is_probed_at_the_timeout_ever_more_rarely() {
    let mut it = sender();
    it.receive(200, ack(10).window(0));
    it.all();
    it.until(200_000);
    let probes = it.all();
    assert!(probes.iter().all(|it| it.segment.length == 0 && it.has(Flags::ACK)));
    // One byte before what the peer has: it must answer.
    assert!(probes.iter().all(|it| it.segment.sequence == 10_000));
    let times: Vec<u64> = probes.iter().map(|it| it.milliseconds()).collect();
    assert_eq!(times[..5], [1_200, 3_200, 7_200, 15_200, 31_200]);
    assert!(times.windows(2).all(|it| it[1] - it[0] <= 60_000));
    assert_eq!(it.end.counters().timeouts, 0, "no loss");
    it.receive(200_001, ack(10));
    assert_eq!(it.sent().first(), Some(&10));
}

#[test]
fn a_loss_after_a_closed_window_brings_the_window_down() {
    let mut it = sender();
    it.receive(200, ack(10).window(0));
    it.until(4_000);
    it.receive(4_001, ack(10));
    assert!(!it.sent().is_empty());
    it.until(300_000);
    assert!(it.end.counters().timeouts > 0);
    assert_eq!(it.cwnd(), 1.0, "a timeout is a timeout, though the timer was backed off");
}

#[test]
fn the_answer_to_a_probe_of_the_window_comes_at_once() {
    let mut it = Script::closed(Role::Server, &settings(Recovery::Rack));
    it.receive(0, syn(Flags::default()));
    it.receive(1, data(0));
    it.receive(2, data(1));
    it.all();
    // What stands one byte before the next.
    it.receive(10, data(1).length(0));
    assert_eq!(it.only().acknowledges(), 2);
}

#[test]
fn a_window_smaller_than_a_segment_is_used_only_where_nothing_is_outstanding() {
    // Silly windows: RFC 9293, section 3.8.6.2.
    let mut it = sender();
    it.receive(200, ack(8).window(2 * 1_024 + 512));
    assert!(it.sent().is_empty(), "half a segment waits");
    it.receive(300, ack(10).window(512));
    it.until(1_299);
    assert!(it.sent().is_empty(), "the window may open");
    it.until(1_300);
    let sent = it.only();
    assert_eq!(sent.segment.length, 512, "else nothing would go on");
    it.receive(1_400, ack(10).window(2 * 1_024));
    it.all();
}

/// RFC 9293, section 3.8.6.2.1: half of the largest window goes at once.
#[test]
fn half_of_a_small_peers_window_is_no_silly_window() {
    let mut it = Script::closed(Role::Client, &settings(Recovery::Rack));
    it.open();
    it.write(5_000);
    it.receive(100, syn(Flags::ACK).window(512 << 8));
    let lengths: Vec<u16> = it.all().iter().map(|it| it.segment.length).collect();
    assert_eq!(lengths.last(), Some(&512));
}

/// A server that has got a SYN, and whose application takes only what a test says.
fn unread(buffer: u64) -> Script {
    let settings = TcpSettings {
        socket: Socket { reading: Reading::AsTaken, ..Socket::default() },
        buffers: Buffers { send: 1 << 24, ..Buffers::with_receive(buffer) },
        ..settings(Recovery::Rack)
    };
    let mut it = Script::closed(Role::Server, &settings);
    it.receive(0, syn(Flags::default()));
    it
}

#[test]
fn a_receiver_that_never_reads_takes_what_it_has_room_for() {
    for buffer in [1_000, 2_500, 10_000, 65_535, 100_000] {
        let mut it = unread(buffer);
        it.receive(1, ack(0));
        for number in 0..2 * buffer / SEGMENT {
            it.receive(10 + number, data(number));
        }
        let received = it.end.counters().received_bytes;
        assert!(received <= buffer && received + SEGMENT > buffer, "{received} of {buffer}");
        it.until(10_000);
        let last = *it.all().last().expect("acknowledgements");
        // The edge stays (RFC 9293, section 3.8.6.2.2): what is left is less than a segment.
        assert_eq!(u64::from(last.segment.window), buffer - received, "no more than was promised");
    }
}

/// RFC 9293, section 3.8.6.2.2: a window that is open is not advertised anew before it can move
/// by half of the buffer.
#[test]
fn a_window_is_advertised_anew_when_it_grows_by_half_the_buffer() {
    let buffer = 20 * SEGMENT;
    let mut it = unread(buffer);
    it.receive(1, ack(0));
    (0..16).for_each(|number| it.receive(10, data(number)));
    it.all();
    let mut advertised = Vec::new();
    for taken in 1..=16 {
        it.take(SEGMENT);
        if !it.all().is_empty() {
            advertised.push(taken);
        }
    }
    assert_eq!(advertised, [10]);
}

#[test]
fn an_advertised_edge_never_moves_back() {
    // RFC 9293, section 3.8.6: shrinking the window is discouraged. Rounding it to
    // the scale may move it by less than that.
    for buffer in [10_500, 65_535, 100_000, 1_000_000] {
        let mut it = unread(buffer);
        let scale = it.only().segment.syn_options().window_scale.unwrap();
        it.receive(1, ack(0));
        let mut edge = 0;
        for number in 0..buffer / SEGMENT {
            it.receive(10 + number, data(number));
            for sent in it.all() {
                let window = u64::from(sent.segment.window) << scale;
                // Less than a segment is not advertised.
                if window > 0 {
                    let advertised = sent.acknowledges() * SEGMENT + window;
                    assert!(
                        advertised + (1 << scale) > edge,
                        "{buffer}: {advertised} after {edge}"
                    );
                    edge = edge.max(advertised);
                }
            }
        }
    }
}

#[test]
fn a_window_beyond_64_kib_is_scaled() {
    for (buffer, scale) in [(1 << 16, 1), (1 << 20, 5), (65_535, 0), (1 << 30, 14)] {
        let settings =
            TcpSettings { buffers: Buffers::with_receive(buffer), ..settings(Recovery::Rack) };
        let mut it = Script::closed(Role::Server, &settings);
        it.receive(0, syn(Flags::default()));
        let syn = it.only().segment;
        assert_eq!(syn.syn_options().window_scale, Some(scale));
        assert_eq!(u64::from(syn.window), buffer.min(65_535), "that of a SYN is not");
        it.receive(1, data(1));
        let window = u64::from(it.only().segment.window) << scale;
        assert!(window <= buffer && window + (1 << scale) >= buffer, "{window}");
    }
}

#[test]
fn a_paced_sender_spreads_a_window_as_linux_does() {
    // Twice a window a round trip in slow start: 10 segments in 50 ms.
    let settings = TcpSettings { pacing: true, ..with_window(Recovery::Rack, 10.0) };
    let mut it = Script::connected(&settings, 100, 1_000);
    it.until(199);
    let times: Vec<u64> = it.sent_at().into_iter().map(|it| it.0).collect();
    assert_eq!(times, [100, 105, 110, 115, 120, 125, 130, 135, 140, 145]);
    // After a loss, at 1.2 windows a round trip.
    for arrived in 1..10 {
        it.receive(200 + arrived, ack(0).sack(1..arrived + 1));
    }
    it.until(299);
    let next = *it.sent().iter().max().expect("new data") + 1;
    it.receive(300, ack(next));
    let rtt = it.end.smoothed_rtt().expect("samples").as_seconds();
    let gap = rtt / (1.2 * it.cwnd());
    it.until(399);
    let times: Vec<f64> = it.all().iter().map(|it| it.time.as_seconds()).collect();
    assert!(times.len() >= 5, "{times:?}");
    assert!(times.windows(2).all(|it| (it[1] - it[0] - gap).abs() < 1e-9), "{times:?}");
}

#[test]
fn a_round_trip_of_a_microsecond_and_one_of_ten_seconds_are_measured() {
    for rtt in [Duration::from_micros(1), Duration::from_secs(10)] {
        let mut it = Script::closed(Role::Client, &settings(Recovery::Rack));
        it.open();
        it.until_time(windtunnel_engine::Time::ZERO + rtt);
        it.receive_now(syn(Flags::ACK));
        it.write(1_000);
        // A SYN that was sent again measures nothing; the data does.
        let again = it.all().iter().filter(|it| it.has(Flags::SYN)).count() > 1;
        assert_eq!(it.end.smoothed_rtt(), (!again).then_some(rtt));
        let later = it.now() + rtt;
        it.until_time(later);
        if it.end.counters().retransmissions == 0 {
            it.receive_now(ack(1));
            assert_eq!(it.end.smoothed_rtt(), Some(rtt));
        }
    }
}
