//! Loss recovery with SACK by counting: RFC 6675, with the proportional rate
//! reduction of RFC 9937.

use windtunnel_transports::tcp::Recovery;

use crate::script::{Script, ack, with_window};

/// A sender whose first `window` segments left at 100 ms, with more to send.
fn in_flight(window: u64) -> Script {
    let settings = with_window(Recovery::Sack, window as f64);
    let mut it = Script::connected(&settings, 100, 10_000);
    assert_eq!(it.sent().len() as u64, window);
    it
}

#[test]
fn a_segment_is_lost_when_three_above_it_arrived() {
    let mut it = in_flight(20);
    it.receive(200, ack(4).sack(5..6));
    it.receive(201, ack(4).sack(5..7));
    assert!(!it.sent().contains(&4), "two are not enough");
    it.receive(202, ack(4).sack(5..8));
    assert!(it.sent().contains(&4));
}

#[test]
fn three_that_arrived_apart_from_each_other_count_as_well() {
    let mut it = in_flight(20);
    it.receive(200, ack(0).sack(9..10).sack(5..6).sack(1..2));
    let sent = it.sent();
    assert!(sent.contains(&0) && !sent.contains(&2), "{sent:?}");
    assert_eq!(it.end.counters().decreases, 1);
}

#[test]
fn limited_transmit_keeps_what_is_in_flight_before_recovery() {
    let mut it = in_flight(20);
    it.receive(200, ack(0).sack(1..2));
    assert_eq!(it.sent(), [20]);
    it.receive(201, ack(0).sack(1..3));
    assert_eq!(it.sent(), [21]);
    assert_eq!(it.cwnd(), 20.0);
}

#[test]
fn the_lowest_lost_segment_goes_first_and_new_data_after_all_lost_ones() {
    // NextSeg: RFC 6675, section 4. Segments 0, 3 and 6 are lost.
    let mut it = in_flight(20);
    let mut sent = Vec::new();
    let mut now = 200;
    for (arrived, acknowledgement) in [(1, ack(0).sack(1..2)), (2, ack(0).sack(1..3))] {
        it.receive(now + arrived, acknowledgement);
    }
    it.receive(now + 4, ack(0).sack(4..5).sack(1..3));
    it.receive(now + 5, ack(0).sack(4..6).sack(1..3));
    for end in 8..20 {
        it.receive(now + end, ack(0).sack(7..end).sack(4..6).sack(1..3));
    }
    now += 100;
    sent.extend(it.sent());
    let repairs: Vec<u64> = sent.iter().copied().filter(|it| *it < 20).collect();
    assert_eq!(repairs, [0, 3, 6]);
    let place = |number: u64| sent.iter().position(|it| *it == number);
    let first_new = sent.iter().position(|it| *it >= 22);
    assert!(place(6) < first_new, "new data goes when no lost segment is left: {sent:?}");
    it.receive(now, ack(20).sack(20..22));
    assert_eq!(it.end.counters().decreases, 1, "one halving for all of them");
}

#[test]
fn nothing_is_sent_twice_in_one_recovery_and_nothing_that_arrived() {
    let mut it = in_flight(40);
    let lost = [0, 1, 2, 10, 11, 30];
    let arrived = |number: &u64| !lost.contains(number);
    // Every segment that arrives is reported with the two blocks before it.
    let mut blocks: Vec<std::ops::Range<u64>> = Vec::new();
    for number in (0..40).filter(arrived) {
        match blocks.last_mut() {
            Some(last) if last.end == number => last.end = number + 1,
            _ => blocks.push(number..number + 1),
        }
        let reported = blocks.iter().rev().take(3).cloned();
        it.receive(200 + number, reported.fold(ack(0), |it, block| it.sack(block)));
    }
    let mut again: Vec<u64> = it.sent().into_iter().filter(|it| *it < 40).collect();
    again.sort_unstable();
    assert_eq!(again, lost);
    assert_eq!(it.end.counters().decreases, 1);
    assert_eq!(it.end.counters().timeouts, 0);
}

#[test]
fn one_loss_of_twenty_ends_with_half_of_what_was_in_flight() {
    // RFC 9937: of RecoverFS = 20 and ssthresh = 10, nineteen deliveries let ten
    // segments go, and ten are in flight at the end.
    let mut it = in_flight(20);
    for arrived in 1..20 {
        it.receive(200 + arrived, ack(0).sack(1..arrived + 1));
    }
    // The first two came before recovery and sent one each; those are in flight too.
    let sent = it.sent();
    assert_eq!(sent[..2], [20, 21]);
    assert!(sent[2..].contains(&0));
    assert_eq!(it.ssthresh(), 10.0);
    assert_eq!(it.end.in_flight(), 10);
    assert_eq!(it.cwnd(), 10.0);
}

#[test]
fn fast_retransmit_goes_with_the_acknowledgement_that_tells_the_loss() {
    let mut it = in_flight(20);
    for arrived in 1..=3 {
        it.receive(200 + arrived, ack(0).sack(1..arrived + 1));
    }
    let sent = it.sent_at();
    assert!(sent.contains(&(203, 0)), "{sent:?}");
}

#[test]
fn after_a_burst_of_losses_repairs_follow_what_is_delivered() {
    // Segments 0 to 14 are lost, five arrive: what is in flight is below the
    // threshold at once.
    let mut it = in_flight(20);
    it.receive(200, ack(0).sack(15..16));
    it.receive(201, ack(0).sack(15..17));
    it.all();
    it.receive(202, ack(0).sack(15..18));
    it.receive(203, ack(0).sack(15..19));
    it.receive(204, ack(0).sack(15..20));
    let repairs = it.sent();
    assert_eq!(repairs, [0, 1, 2], "one for each delivery: none of them advances");
    // Those arrive: each advances without indicating another loss, so that each
    // lets one more go than it delivers (SafeACK).
    it.receive(300, ack(1).sack(15..20));
    assert_eq!(it.sent(), [3, 4]);
    it.receive(301, ack(2).sack(15..20));
    assert_eq!(it.sent(), [5, 6]);
}

#[test]
fn an_acknowledgement_that_delivers_nothing_sends_nothing_in_recovery() {
    let mut it = in_flight(20);
    for arrived in 1..=10 {
        it.receive(200 + arrived, ack(0).sack(1..arrived + 1));
    }
    it.all();
    for index in 0..10 {
        it.receive(220 + index, ack(0).sack(1..11));
    }
    assert!(it.sent().is_empty());
}

#[test]
fn what_is_in_flight_stays_within_the_window_of_before_in_recovery() {
    let mut it = in_flight(20);
    for arrived in 1..20 {
        it.receive(200 + arrived, ack(0).sack(1..arrived + 1));
        assert!(it.end.in_flight() <= 20);
    }
}

#[test]
fn a_lost_retransmission_waits_for_the_timeout() {
    // RFC 6675 by itself does not notice: that is what RACK is for.
    let mut it = in_flight(10);
    for arrived in 1..10 {
        it.receive(200 + arrived, ack(0).sack(1..arrived + 1));
    }
    assert!(it.sent().contains(&0));
    for arrived in 10..16 {
        it.receive(300 + arrived, ack(0).sack(1..arrived + 1));
    }
    assert!(!it.sent().contains(&0));
    it.until(1_500);
    assert!(it.sent().contains(&0));
    assert_eq!(it.end.counters().timeouts, 1);
}

#[test]
fn after_a_timeout_what_was_reported_is_not_sent_again() {
    let mut it = in_flight(10);
    it.receive(200, ack(0).sack(4..6));
    it.until(1_150);
    let mut now = 1_200;
    let mut again = it.sent();
    for next in [1, 2, 3, 6, 7, 8, 9] {
        it.receive(now, if next < 4 { ack(next).sack(4..6) } else { ack(next) });
        now += 10;
        again.extend(it.sent());
    }
    assert!(again.contains(&0) && !again.contains(&4) && !again.contains(&5), "{again:?}");
}

#[test]
fn blocks_of_what_was_never_sent_are_ignored() {
    let mut it = in_flight(10);
    it.receive(200, ack(0).sack(20..40));
    it.receive(201, ack(0).sack(5..40));
    assert!(it.sent().is_empty());
    assert_eq!(it.end.in_flight(), 10);
    assert_eq!(it.end.counters().decreases, 0);
}
