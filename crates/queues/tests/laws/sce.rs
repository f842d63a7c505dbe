//! SCE's ramp, and CoDel above it.

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::Ecn;
use windtunnel_queues::{CoDel, CongestionAction, DepartureDiscipline, Sce, Verdict};

use crate::drive::{
    ABOVE, LONG, STEP, codel_settings, hits, leaving, milliseconds, random, sce_settings,
};

fn sce(action: CongestionAction) -> Sce {
    Sce::new(sce_settings(action), random())
}

/// The share of packets that signal some congestion after this many microseconds.
fn share(sojourn: u64) -> f64 {
    let (mut queue, packets) = (sce(CongestionAction::Mark), 100_000);
    let sojourn = Duration::from_micros(sojourn);
    let signalled = (0..packets)
        .filter(|_| queue.judge(Time::ZERO, &leaving(sojourn, LONG)) == Verdict::MarkSome);
    signalled.count() as f64 / f64::from(packets)
}

/// From 1.25 ms to 2.5 ms.
#[test]
fn the_ramp_is_a_straight_line_between_its_ends() {
    assert_eq!([share(0), share(1250)], [0.0, 0.0]);
    assert_eq!([share(2500), share(4900)], [1.0, 1.0]);
    for (sojourn, expected) in [(1875, 0.5), (1500, 0.2)] {
        assert!((share(sojourn) - expected).abs() < 4.0 * 0.5 / 100_000_f64.sqrt());
    }
}

#[test]
fn codel_decides_above_the_ramp_as_if_it_were_alone() {
    let expected =
        hits(&mut CoDel::new(codel_settings(CongestionAction::Drop)), 0.0, 1000.0, ABOVE, LONG);
    let mut queue = sce(CongestionAction::Drop);
    let (mut now, mut dropped) = (Time::ZERO, Vec::new());
    while now < milliseconds(1000.0) {
        while queue.judge(now, &leaving(ABOVE, LONG)) == Verdict::Drop {
            dropped.push(now.as_seconds() * 1e3);
        }
        now += STEP;
    }
    assert_eq!(dropped, expected);
}

#[test]
fn only_ect_0_tells_of_some_congestion_and_only_capable_packets_of_congestion() {
    let fields = [Ecn::NotCapable, Ecn::Capable, Ecn::Scalable, Ecn::Congestion];
    let some = [Verdict::Pass, Verdict::MarkSome, Verdict::Pass, Verdict::Pass];
    assert_eq!(fields.map(|it| Verdict::MarkSome.on(it)), some);
    let marks = [Verdict::Drop, Verdict::Mark, Verdict::Mark, Verdict::Mark];
    assert_eq!(fields.map(|it| Verdict::Mark.on(it)), marks);
}
