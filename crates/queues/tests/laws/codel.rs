//! CoDel's instants.

use windtunnel_engine::Duration;
use windtunnel_packets::Ecn;
use windtunnel_queues::{
    CoDel, CoDelSettings, CongestionAction, DepartureDiscipline, Leaving, Verdict,
};

use crate::drive::{
    ABOVE, BELOW, LONG, MAXIMUM_PACKET, TARGET, assert_instants, codel_settings, hits, leaving,
    milliseconds, since_first,
};

fn codel(action: CongestionAction) -> CoDel {
    CoDel::new(codel_settings(action))
}

/// `interval / sqrt(n)` after the n-th (RFC 8289, section 3.3).
const CODEL_INSTANTS: [f64; 7] = [0.0, 100.0, 170.7, 228.4, 278.4, 323.2, 364.0];

#[test]
fn codel_drops_ever_faster_while_the_queue_persists() {
    let hits = hits(&mut codel(CongestionAction::Drop), 0.0, 466.0, ABOVE, LONG);
    assert_instants(&since_first(&hits), &CODEL_INSTANTS);
}

#[test]
fn codel_marks_when_it_would_drop() {
    let dropped = hits(&mut codel(CongestionAction::Drop), 0.0, 1000.0, ABOVE, LONG);
    let marked = hits(&mut codel(CongestionAction::Mark), 0.0, 1000.0, ABOVE, LONG);
    assert_eq!(dropped, marked);
}

#[test]
fn codel_waits_for_a_whole_interval_above_target() {
    let hits_until = |end| hits(&mut codel(CongestionAction::Drop), 0.0, end, ABOVE, LONG);
    assert_instants(&hits_until(99.9), &[]);
    assert_instants(&hits_until(150.0), &[100.0]);
}

#[test]
fn codel_lets_pass_what_stayed_for_less_than_its_target() {
    let sojourn = TARGET - Duration::from_picos(1);
    assert_eq!(hits(&mut codel(CongestionAction::Drop), 0.0, 1000.0, sojourn, LONG), [0.0; 0]);
    assert_ne!(hits(&mut codel(CongestionAction::Drop), 0.0, 1000.0, TARGET, LONG), [0.0; 0]);
}

#[test]
fn one_packet_below_target_ends_codels_dropping_and_its_interval() {
    let mut queue = codel(CongestionAction::Drop);
    assert_instants(&hits(&mut queue, 0.0, 150.0, ABOVE, LONG), &[100.0]);
    assert_eq!(queue.judge(milliseconds(150.0), &leaving(BELOW, LONG)), Verdict::Pass);
    assert_instants(&hits(&mut queue, 150.05, 260.0, ABOVE, LONG), &[250.05]);
}

#[test]
fn codel_never_drops_while_no_more_than_one_packet_waits() {
    assert_eq!(
        hits(&mut codel(CongestionAction::Drop), 0.0, 1000.0, ABOVE, MAXIMUM_PACKET),
        [0.0; 0]
    );
    assert_ne!(
        hits(&mut codel(CongestionAction::Drop), 0.0, 1000.0, ABOVE, MAXIMUM_PACKET + 1),
        [0.0; 0]
    );
}

/// The count starts from those that the last time took: 7 - 1 (RFC 8289,
/// section 5.4).
#[test]
fn codel_comes_back_soon_at_nearly_the_rate_that_it_left_with() {
    let mut queue = codel(CongestionAction::Drop);
    assert_eq!(hits(&mut queue, 0.0, 500.0, ABOVE, LONG).len(), 7);
    assert_eq!(hits(&mut queue, 500.0, 600.0, BELOW, LONG), [0.0; 0]);
    let again = hits(&mut queue, 600.0, 790.0, ABOVE, LONG);
    let second = 100.0 / 6_f64.sqrt();
    let third = second + 100.0 / 7_f64.sqrt();
    assert_instants(&again, &[700.0, 700.0 + second, 700.0 + third]);
}

#[test]
fn codel_comes_back_late_at_its_slowest_rate() {
    let mut queue = codel(CongestionAction::Drop);
    assert_eq!(hits(&mut queue, 0.0, 500.0, ABOVE, LONG).len(), 7);
    // Sixteen intervals after the time of the next drop.
    assert_eq!(hits(&mut queue, 500.0, 2200.0, BELOW, LONG), [0.0; 0]);
    let again = hits(&mut queue, 2200.0, 2450.0, ABOVE, LONG);
    assert_instants(&since_first(&again), &CODEL_INSTANTS[..2]);
}

/// Whatever CoDel itself decides, and only where a mark is understood.
#[test]
fn every_capable_packet_beyond_the_ce_threshold_is_marked_and_no_other() {
    let threshold = Duration::from_millis(1);
    for action in [CongestionAction::Drop, CongestionAction::Mark] {
        let ce_threshold = Some(threshold);
        let mut queue = CoDel::new(CoDelSettings { ce_threshold, ..codel_settings(action) });
        let mut verdict =
            |ecn, sojourn| queue.judge(milliseconds(1.0), &Leaving { ecn, sojourn, backlog: LONG });
        let beyond = threshold + Duration::from_picos(1);
        assert_eq!(verdict(Ecn::Capable, beyond), Verdict::Mark);
        assert_eq!(verdict(Ecn::Scalable, beyond), Verdict::Mark);
        assert_eq!(verdict(Ecn::NotCapable, beyond), Verdict::Pass);
        assert_eq!(verdict(Ecn::Capable, threshold), Verdict::Pass);
    }
}

/// The next drop is due `interval / sqrt(count)` after the last one was, and not after it took
/// place (RFC 8289, section 5.5: `drop_next_ = control_law(drop_next_, count_)`): on a link on
/// which packets leave seldom the rate of drops is the same.
#[test]
fn codels_instants_do_not_depend_on_how_often_packets_leave() {
    // Every 50 ms, one leaves when the second drop is due.
    for between in [10.0, 40.0, 50.0] {
        let mut queue = codel(CongestionAction::Drop);
        let mut dropped = Vec::new();
        for departure in 0..100 {
            let now = between * f64::from(departure);
            // Were each dropped, it would never end.
            for _ in 0..100 {
                if queue.judge(milliseconds(now), &leaving(ABOVE, LONG)) == Verdict::Drop {
                    dropped.push(now);
                }
            }
        }
        assert!(dropped.len() > 20, "{dropped:?}");
        let mut due = dropped[0];
        for (index, instant) in dropped.iter().enumerate().skip(1) {
            due += 100.0 / f64::from(index as u32).sqrt();
            assert_eq!(*instant, (due / between).ceil() * between, "drop {index}, due at {due}");
        }
    }
}

/// RFC 8289, section 5.4: `now - drop_next_ < 16 * interval`.
#[test]
fn codel_remembers_its_rate_for_sixteen_intervals_after_the_next_drop_was_due() {
    let left_with = 6.0_f64;
    for (late, spacing) in [(-1.0, 100.0 / left_with.sqrt()), (1.0, 100.0)] {
        let mut queue = codel(CongestionAction::Drop);
        let first = hits(&mut queue, 0.0, 500.0, ABOVE, LONG);
        assert_eq!(first.len(), 7);
        let due = first[6] + 100.0 / 7_f64.sqrt();
        let returns = due + 1600.0 + late;
        assert_eq!(hits(&mut queue, 500.0, returns - 100.0, BELOW, LONG), [0.0; 0]);
        let again = hits(&mut queue, returns - 100.0, returns + 120.0, ABOVE, LONG);
        assert_instants(&again[..2], &[returns, returns + spacing]);
    }
}
