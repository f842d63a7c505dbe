//! Decreases that were for nothing are taken back: by timestamps (Eifel: RFC
//! 3522, RFC 4015), by new data after a timeout (F-RTO: RFC 5682), by duplicates
//! that the receiver reports (RFC 3708).

use windtunnel_transports::tcp::{Recovery, TcpSettings};

use crate::script::{Script, ack, with_window};

fn stamped(recovery: Recovery) -> TcpSettings {
    TcpSettings { timestamps: true, ..with_window(recovery, 10.0) }
}

/// Ten segments left at 100 ms, with more to send; nothing came back, and the
/// first was sent again a second later; where a tail loss probe went before that,
/// a second after the probe: at 1,300 ms.
fn timed_out(settings: &TcpSettings) -> Script {
    let mut it = Script::connected(settings, 100, 1_000);
    it.until(1_320);
    let (timeouts, undone) = (it.end.counters().timeouts, it.end.counters().decreases_undone);
    assert_eq!((timeouts, undone), (1, 0));
    assert_eq!((it.cwnd(), it.ssthresh()), (1.0, 5.0));
    it.all();
    it
}

#[test]
fn an_echo_from_before_the_retransmission_takes_a_timeout_back() {
    for recovery in [Recovery::Reno, Recovery::NewReno, Recovery::Sack, Recovery::Rack] {
        let mut it = timed_out(&stamped(recovery));
        it.receive(1_350, ack(2).stamps(1_340, 100));
        assert!(it.cwnd() >= 10.0, "{recovery:?}");
        assert_eq!(it.end.counters().decreases_undone, 1);
        assert!(it.sent().iter().all(|it| *it >= 10), "nothing more is sent again");
    }
}

#[test]
fn an_echo_of_the_retransmission_takes_nothing_back() {
    for recovery in [Recovery::Reno, Recovery::NewReno, Recovery::Sack, Recovery::Rack] {
        let mut it = timed_out(&stamped(recovery));
        it.receive(1_350, ack(1).stamps(1_340, 1_310));
        assert_eq!(it.end.counters().decreases_undone, 0, "{recovery:?}");
        assert!(it.ssthresh() <= 5.0);
    }
}

/// The first retransmission was right; a later one was not, but the repair was.
#[test]
fn an_echo_from_before_a_later_retransmission_takes_no_repair_back() {
    let mut it = Script::connected(&stamped(Recovery::Rack), 100, 1_000);
    it.receive(199, ack(0).sack(1..5).stamps(189, 100));
    it.receive(200, ack(0).sack(6..10).stamps(190, 100));
    it.until(250);
    let sent = it.sent();
    assert!(sent.contains(&0) && sent.contains(&5), "both are lost: {sent:?}");
    it.receive(300, ack(5).sack(6..10).stamps(290, 200));
    let new = it.sent();
    assert!(new.iter().all(|it| *it >= 10));
    // What was sent later comes first: 5 seems lost again.
    it.receive(400, ack(5).sack(6..new[0] + 1).stamps(390, 200));
    it.until(450);
    assert!(it.sent().contains(&5));
    let arrived = new[0] + 1;
    it.receive(460, ack(arrived).stamps(455, 200));
    assert_eq!(it.end.counters().decreases_undone, 0);
}

#[test]
fn an_echo_from_before_takes_a_fast_retransmit_back() {
    let mut it = Script::connected(&stamped(Recovery::Sack), 100, 1_000);
    for arrived in 1..5 {
        it.receive(200 + arrived, ack(0).sack(1..arrived + 1).stamps(150, 100));
    }
    assert!(it.sent().contains(&0));
    assert_eq!(it.cwnd(), 5.0);
    // The original was late: its acknowledgement echoes its own clock.
    it.receive(210, ack(5).stamps(160, 100));
    assert!(it.cwnd() >= 10.0);
    assert_eq!(it.end.counters().decreases_undone, 1);
}

#[test]
fn after_a_timeout_two_new_segments_are_tried_before_old_ones() {
    // RFC 5682, section 2.1, step 2b.
    for recovery in [Recovery::NewReno, Recovery::Sack, Recovery::Rack] {
        let mut it = timed_out(&with_window(recovery, 10.0));
        let new = if recovery == Recovery::Rack { 11 } else { 10 };
        it.receive(1_350, ack(1));
        assert_eq!(it.sent(), [new, new + 1], "{recovery:?}");
    }
}

#[test]
fn without_sack_a_second_advance_tells_that_the_timeout_was_spurious() {
    let mut it = timed_out(&with_window(Recovery::NewReno, 10.0));
    it.receive(1_350, ack(1));
    assert_eq!(it.end.counters().decreases_undone, 0);
    it.receive(1_360, ack(2));
    assert_eq!(it.end.counters().decreases_undone, 1);
    assert!(it.cwnd() >= 10.0);
    assert!(it.sent().iter().all(|it| *it >= 10));
    assert_eq!(it.end.counters().retransmissions, 1);
}

#[test]
fn without_sack_a_duplicate_tells_that_the_timeout_was_right() {
    // RFC 5682, section 2.1, step 3a: as a conventional timeout.
    let mut it = timed_out(&with_window(Recovery::NewReno, 10.0));
    it.receive(1_350, ack(1));
    it.receive(1_450, ack(1));
    assert_eq!(it.end.counters().decreases_undone, 0);
    it.receive(1_460, ack(1));
    it.receive(1_500, ack(2));
    assert_eq!(it.end.counters().decreases_undone, 0);
    assert!(it.sent().contains(&1));
}

#[test]
fn without_sack_a_duplicate_before_any_advance_ends_the_trial() {
    // RFC 5682, section 2.1, step 2a.
    let mut it = timed_out(&with_window(Recovery::NewReno, 10.0));
    it.receive(1_330, ack(0));
    it.receive(1_350, ack(1));
    assert_eq!(it.sent(), [1, 2], "old data, in slow start");
}

#[test]
fn with_sack_what_was_not_sent_again_but_arrives_tells_that_the_timeout_was_spurious() {
    for recovery in [Recovery::Sack, Recovery::Rack] {
        let mut it = timed_out(&with_window(recovery, 10.0));
        it.receive(1_350, ack(1));
        it.receive(1_360, ack(1).sack(2..3));
        assert_eq!(it.end.counters().decreases_undone, 1, "{recovery:?}");
        assert!(it.cwnd() >= 10.0);
    }
}

/// RFC 5682, section 3.1, step 1: in recovery, what was sent before still arrives in any
/// case.
#[test]
fn a_timeout_in_the_midst_of_a_repair_is_not_taken_back_by_what_still_arrives() {
    for recovery in [Recovery::Sack, Recovery::Rack] {
        let mut it = Script::connected(&with_window(recovery, 10.0), 100, 1_000);
        it.receive(200, ack(0).sack(3..4));
        it.receive(201, ack(0).sack(3..6));
        it.receive(202, ack(0).sack(3..7));
        assert!(it.sent().contains(&0), "{recovery:?}: it repairs");
        // What it sent again is lost as well.
        it.until(4_000);
        assert!(it.end.counters().timeouts > 0);
        let cwnd = it.cwnd();
        it.receive(4_010, ack(1).sack(3..7));
        it.receive(4_020, ack(1).sack(3..8));
        assert_eq!(it.end.counters().decreases_undone, 0, "{recovery:?}");
        assert!(it.cwnd() <= cwnd + 2.0);
    }
}

#[test]
fn with_sack_the_arrival_of_new_data_alone_tells_that_the_timeout_was_right() {
    for recovery in [Recovery::Sack, Recovery::Rack] {
        let mut it = timed_out(&with_window(recovery, 10.0));
        it.receive(1_350, ack(1));
        let new = it.sent();
        it.receive(1_450, ack(1).sack(new[0]..new[0] + 1));
        assert_eq!(it.end.counters().decreases_undone, 0, "{recovery:?}");
        assert!(it.sent().contains(&1), "{recovery:?}: old data is sent again");
        assert!(it.ssthresh() <= 5.0);
    }
}

#[test]
fn every_retransmission_reported_as_a_duplicate_takes_the_decrease_back() {
    let mut it = Script::connected(&with_window(Recovery::Sack, 10.0), 100, 1_000);
    // Segments 0 and 1 are late, not lost.
    for arrived in 2..10 {
        it.receive(200 + arrived, ack(0).sack(2..arrived + 1));
    }
    assert_eq!(it.end.counters().retransmissions, 2);
    it.receive(220, ack(10));
    assert_eq!(it.cwnd(), 5.0);
    it.receive(304, ack(10).sack(0..1));
    assert_eq!(it.end.counters().decreases_undone, 0, "one of two");
    it.receive(305, ack(10).sack(1..2));
    assert_eq!(it.end.counters().decreases_undone, 1);
    assert_eq!(it.cwnd(), 10.0);
}

/// A second timeout for nothing does not make the losses behind the first one undone: it
/// would be waited for what never comes.
#[test]
fn a_needless_timeout_in_the_midst_of_a_repair_leaves_the_losses_before_it() {
    for recovery in [Recovery::Sack, Recovery::Rack] {
        let mut it = timed_out(&with_window(recovery, 10.0));
        // The first arrives, the next is sent again, and its acknowledgement is late.
        it.receive(1_400, ack(1));
        it.until(20_000);
        assert!(it.end.counters().timeouts > 1);
        it.all();
        // The segment that was sent again and again had arrived each time.
        let copies = it.end.counters().retransmissions;
        it.receive(20_010, ack(2));
        (0..copies).for_each(|_| it.receive(20_020, ack(2).sack(1..2)));
        assert_eq!(it.end.counters().decreases_undone, 0, "{recovery:?}");
        it.receive(20_050, ack(3));
        assert!(it.sent().iter().any(|it| *it < 10), "{recovery:?}: the repair goes on");
    }
}

#[test]
fn a_duplicate_of_what_was_not_sent_again_takes_nothing_back() {
    // The network may double a packet as well: RFC 3708, section 3.
    let mut it = Script::connected(&with_window(Recovery::Sack, 10.0), 100, 1_000);
    it.receive(150, ack(2));
    for arrived in 3..8 {
        it.receive(200 + arrived, ack(2).sack(3..arrived + 1));
    }
    assert_eq!(it.end.counters().retransmissions, 1);
    it.receive(210, ack(2).sack(5..6).sack(3..8));
    assert_eq!(it.end.counters().decreases_undone, 0, "beyond the gap");
    it.receive(211, ack(2).sack(1..2).sack(3..8));
    assert_eq!(it.end.counters().decreases_undone, 0, "before the loss");
    it.receive(212, ack(8).sack(2..3));
    assert_eq!(it.end.counters().decreases_undone, 1, "the one that was sent again");
}

#[test]
fn a_decrease_for_a_real_loss_is_kept() {
    for settings in [with_window(Recovery::Sack, 10.0), with_window(Recovery::Rack, 10.0)] {
        let mut it = Script::connected(&settings, 100, 1_000);
        for arrived in 1..6 {
            it.receive(200 + arrived, ack(0).sack(1..arrived + 1));
        }
        it.receive(305, ack(10));
        it.receive(310, ack(12));
        assert_eq!(it.end.counters().decreases_undone, 0);
        assert_eq!(it.ssthresh(), 5.0);
    }
}

#[test]
fn after_a_decrease_was_taken_back_the_timer_still_finds_losses() {
    let mut it = timed_out(&with_window(Recovery::Rack, 10.0));
    it.receive(1_350, ack(1));
    it.receive(1_360, ack(2));
    assert_eq!(it.end.counters().decreases_undone, 1);
    it.until(30_000);
    assert!(it.end.counters().timeouts >= 2);
    assert_eq!(it.cwnd(), 1.0);
}

/// RFC 3708: the duplicate is reported when the repair is over; that is not too late.
#[test]
fn a_duplicate_that_is_reported_after_the_repair_takes_it_back() {
    for recovery in [Recovery::Sack, Recovery::Rack] {
        let mut it = Script::connected(&with_window(recovery, 10.0), 100, 1_000);
        for arrived in 1..5 {
            it.receive(200 + arrived, ack(0).sack(1..arrived + 1));
        }
        let next = *it.sent().iter().max().expect("0 and new data") + 1;
        assert_eq!(it.ssthresh(), 5.0);
        // The original came, and what was sent after it.
        it.receive(250, ack(next.max(10)));
        assert_eq!(it.end.counters().decreases_undone, 0, "{recovery:?}");
        it.receive(300, ack(next.max(10)).sack(0..1));
        assert_eq!(it.end.counters().decreases_undone, 1, "{recovery:?}");
        assert!(it.cwnd() >= 10.0 && it.ssthresh() == f64::INFINITY, "{recovery:?}");
    }
}
