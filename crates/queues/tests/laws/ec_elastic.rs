//! EC-Elastic's queue, as its algorithm 1 is printed.

use windtunnel_queues::{DepartureDiscipline, EcElasticQueue, Verdict};

use crate::drive::{ABOVE, BELOW, INTERVAL, LONG, STEP, TARGET, hits, leaving, milliseconds};

/// Lines 9 and 23 to 26: nothing spaces the marks.
#[test]
fn ec_elastic_marks_every_packet_above_the_target_an_interval_after_the_first() {
    let mut queue = EcElasticQueue::new(TARGET, INTERVAL);
    assert_eq!(hits(&mut queue, 0.0, 100.0, ABOVE, LONG), [0.0; 0]);
    assert_eq!(queue.judge(milliseconds(100.0), &leaving(ABOVE, LONG)), Verdict::Pass);
    let marks = hits(&mut queue, 100.05, 150.0, ABOVE, LONG);
    assert_eq!(marks.len(), (milliseconds(50.0).as_seconds() / STEP.as_seconds()) as usize - 1);
}

/// Line 13 compares: the first time above the target is never cleared, so that a packet above it
/// is marked at once, however long the queue was short.
#[test]
fn ec_elastic_never_forgets_when_it_was_first_above_the_target() {
    let mut queue = EcElasticQueue::new(TARGET, INTERVAL);
    assert_eq!(queue.judge(milliseconds(0.0), &leaving(ABOVE, LONG)), Verdict::Pass);
    assert_eq!(hits(&mut queue, 1.0, 1000.0, BELOW, LONG), [0.0; 0]);
    assert_eq!(queue.judge(milliseconds(1000.0), &leaving(ABOVE, LONG)), Verdict::Mark);
}

/// Line 24: later than the last mark, not at it.
#[test]
fn ec_elastic_marks_one_packet_at_one_time() {
    let mut queue = EcElasticQueue::new(TARGET, INTERVAL);
    queue.judge(milliseconds(0.0), &leaving(ABOVE, LONG));
    for verdict in [Verdict::Mark, Verdict::Pass] {
        assert_eq!(queue.judge(milliseconds(101.0), &leaving(ABOVE, LONG)), verdict);
    }
}
