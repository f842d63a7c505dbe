//! The instants of PCON's queue.

use windtunnel_queues::{DepartureDiscipline, Pcon, Verdict};

use crate::drive::{
    ABOVE, BELOW, INTERVAL, LONG, TARGET, assert_instants, hits, leaving, milliseconds, since_first,
};

/// `1.1 interval / sqrt(n)` after the n-th (Schneider et al., ICN 2016).
const PCON_INSTANTS: [f64; 7] = [0.0, 110.0, 187.8, 251.3, 306.3, 355.5, 400.4];

#[test]
fn pcon_marks_ever_faster_while_the_queue_persists() {
    let hits = hits(&mut Pcon::new(TARGET, INTERVAL), 0.0, 510.0, ABOVE, LONG);
    assert_instants(&hits[..1], &[100.0]);
    assert_instants(&since_first(&hits), &PCON_INSTANTS);
}

/// The first mark comes at 100.05 ms, and the next is due 110 ms later. Below
/// target for a moment in between, the queue is above for an interval again at
/// 201.1 ms: the mark waits for its time. It is a first one again, so that the
/// next comes after 110 ms, not 77.8 ms.
#[test]
fn pcon_forgets_its_count_below_target_but_not_the_time_of_its_next_mark() {
    let mut queue = Pcon::new(TARGET, INTERVAL);
    assert_instants(&hits(&mut queue, 0.0, 101.0, ABOVE, LONG), &[100.05]);
    assert_eq!(queue.judge(milliseconds(101.0), &leaving(BELOW, LONG)), Verdict::Pass);
    let again = hits(&mut queue, 101.05, 330.0, ABOVE, LONG);
    assert_instants(&again, &[210.05, 320.05]);
}

#[test]
fn pcon_looks_at_the_sojourn_alone() {
    assert_instants(&hits(&mut Pcon::new(TARGET, INTERVAL), 0.0, 150.0, ABOVE, 0), &[100.0]);
    assert_eq!(hits(&mut Pcon::new(TARGET, INTERVAL), 0.0, 1000.0, TARGET, LONG), [0.0; 0]);
}
