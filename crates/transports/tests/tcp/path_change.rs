//! What becomes of the window and of round trips when packets take another path.

use windtunnel_transports::tcp::{AfterPathChange, Recovery, TcpSettings};

use crate::script::{Script, ack, with_window};

fn after(after_path_change: AfterPathChange) -> TcpSettings {
    let mut settings = with_window(Recovery::Rack, 10.0);
    settings.window.after_path_change = after_path_change;
    settings
}

/// A sender whose window has grown to 40 segments, all of which are in flight at 300 ms.
fn grown(after_path_change: AfterPathChange) -> Script {
    let mut it = Script::connected(&after(after_path_change), 100, 1_000);
    it.receive(200, ack(10));
    it.receive(300, ack(30));
    assert_eq!((it.cwnd(), it.sent().len()), (40.0, 70));
    it
}

fn change_path(it: &mut Script) {
    it.act(|end, now, outbox| end.change_path(now, outbox));
}

#[test]
fn a_window_stays_unless_it_shall_restart() {
    let mut it = grown(AfterPathChange::Keep);
    change_path(&mut it);
    it.receive(400, ack(70));
    assert_eq!((it.cwnd(), it.sent().len()), (80.0, 80));
}

/// What was in flight neither raises the window nor leaves room for more than the initial one;
/// after it the first round trip doubles that.
#[test]
fn a_window_restarts_when_what_was_in_flight_is_acknowledged() {
    let mut it = grown(AfterPathChange::Restart);
    change_path(&mut it);
    assert_eq!(it.cwnd(), 10.0);
    it.receive(350, ack(50));
    assert_eq!((it.cwnd(), it.sent().len()), (10.0, 0), "20 are in flight");
    it.receive(400, ack(70));
    assert_eq!((it.cwnd(), it.sent().len()), (10.0, 10));
    it.receive(500, ack(80));
    assert_eq!((it.cwnd(), it.sent().len()), (20.0, 20));
}

/// What is lost of it is sent again, and no decrease answers it.
#[test]
fn what_was_lost_on_the_path_before_is_no_congestion_of_this_one() {
    let mut it = grown(AfterPathChange::Restart);
    change_path(&mut it);
    it.receive(400, ack(30).sack(40..70));
    let again = it.sent();
    assert_eq!(again, (30..40).collect::<Vec<_>>());
    it.receive(500, ack(70));
    assert_eq!((it.cwnd(), it.ssthresh()), (10.0, f64::INFINITY));
    assert_eq!(it.sent().len(), 10);
}

/// With nothing in flight there is nothing to wait for.
#[test]
fn an_idle_sender_restarts_at_once() {
    let mut it = Script::connected(&after(AfterPathChange::Restart), 100, 30);
    it.receive(200, ack(10));
    it.receive(300, ack(30));
    assert_eq!(it.cwnd(), 40.0);
    change_path(&mut it);
    it.sent();
    it.write(1_000_000);
    assert_eq!((it.cwnd(), it.sent().len()), (10.0, 10));
}

/// The round trip is that of the new path: its first sample is not averaged with older ones.
#[test]
fn round_trips_are_learned_anew() {
    let mut it = grown(AfterPathChange::Restart);
    change_path(&mut it);
    it.receive(400, ack(70));
    it.sent();
    it.receive(900, ack(80));
    let smoothed = it.end.sender_state(false).and_then(|it| it.smoothed_rtt);
    assert_eq!(smoothed.map(|it| it.as_nanos() / 1_000_000), Some(500));
}
