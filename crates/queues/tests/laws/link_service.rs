//! The instants of the link service's marks.

use proptest::prelude::*;
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::Ecn;
use windtunnel_queues::{ArrivalDiscipline, Arriving, Backlog, LinkService, QueueLimit, Verdict};

use crate::drive::{INTERVAL, STEP, assert_instants, milliseconds, rate};

fn arriving(bytes: u64) -> Arriving {
    let backlog = Backlog { packets: 1, bytes };
    Arriving { ecn: Ecn::Capable, size: 1000, backlog, free: Time::ZERO, rate: rate(1) }
}

const THRESHOLD: u64 = 65_536;

/// When packets that find `backlog` are marked, in milliseconds.
fn service_marks(queue: &mut LinkService, from: f64, to: f64, backlog: u64) -> Vec<f64> {
    let mut marks = Vec::new();
    let mut now = milliseconds(from);
    while now < milliseconds(to) {
        if queue.judge(now, &arriving(backlog)) == Verdict::Mark {
            marks.push(now.as_seconds() * 1e3);
        }
        now += STEP;
    }
    marks
}

/// 100 ms after the first excess, then 70.7, 57.7, 50 ms: one step ahead of
/// CoDel (NFD's generic link service).
#[test]
fn the_link_service_marks_ever_faster_from_an_interval_after_the_excess() {
    let mut queue = LinkService::new(THRESHOLD, INTERVAL);
    let marks = service_marks(&mut queue, 0.0, 300.0, THRESHOLD + 1);
    assert_instants(&marks, &[100.0, 170.7, 228.4, 278.4]);
}

#[test]
fn one_look_at_the_threshold_disarms_the_link_service() {
    let mut queue = LinkService::new(THRESHOLD, INTERVAL);
    assert_instants(&service_marks(&mut queue, 0.0, 180.0, THRESHOLD + 1), &[100.0, 170.7]);
    assert_eq!(queue.judge(milliseconds(180.0), &arriving(THRESHOLD)), Verdict::Pass);
    let again = service_marks(&mut queue, 180.05, 360.0, THRESHOLD + 1);
    assert_instants(&again, &[280.05, 350.75]);
}

#[test]
fn the_link_service_never_marks_at_its_threshold() {
    let mut queue = LinkService::new(THRESHOLD, INTERVAL);
    assert_eq!(service_marks(&mut queue, 0.0, 1000.0, THRESHOLD), [0.0; 0]);
}

#[test]
fn the_link_service_marks_at_the_end_of_the_interval_and_not_before() {
    for (end, verdict) in [(99.999, Verdict::Pass), (100.0, Verdict::Mark)] {
        let mut queue = LinkService::new(THRESHOLD, INTERVAL);
        let first = queue.judge(milliseconds(0.0), &arriving(THRESHOLD + 1));
        assert_eq!(first, Verdict::Pass);
        assert_eq!(queue.judge(milliseconds(end), &arriving(THRESHOLD + 1)), verdict);
    }
}

/// In front of a queue whose half is more than the threshold.
fn of_nfd_0_6() -> LinkService {
    LinkService::of_nfd_0_6(THRESHOLD, INTERVAL, QueueLimit::Packets(100))
}

/// At the first excess, then after 100, 70.7, 57.7, 50 ms: CoDel's spacing.
#[test]
fn before_nfd_0_7_the_first_packet_above_the_threshold_is_marked() {
    let marks = service_marks(&mut of_nfd_0_6(), 0.0, 300.0, THRESHOLD + 1);
    assert_instants(&marks, &[0.0, 100.0, 170.7, 228.4, 278.4]);
}

/// The second excess begins 30 ms after the last mark, the third 120 ms after it.
#[test]
fn before_nfd_0_7_an_excess_within_an_interval_of_the_last_mark_waits_for_its_end() {
    for (again, marked) in [(30.0, [100.0, 200.0]), (120.0, [120.0, 220.0])] {
        let mut queue = of_nfd_0_6();
        assert_eq!(service_marks(&mut queue, 0.0, 10.0, THRESHOLD + 1).len(), 1);
        assert_eq!(service_marks(&mut queue, 10.0, again, THRESHOLD), [0.0; 0]);
        assert_instants(&service_marks(&mut queue, again, 250.0, THRESHOLD + 1), &marked);
    }
}

/// ndnSIM takes 1500 bytes for a packet: 20 of them are 30,000 bytes.
#[test]
fn before_nfd_0_7_the_threshold_is_at_most_half_of_what_the_queue_holds() {
    for (limit, least) in [
        (QueueLimit::Packets(20), 15_000),
        (QueueLimit::Bytes(20_000), 10_000),
        (QueueLimit::Packets(100), THRESHOLD),
        (QueueLimit::Bytes(1_000_000), THRESHOLD),
    ] {
        for (backlog, verdict) in [(least, Verdict::Pass), (least + 1, Verdict::Mark)] {
            let mut queue = LinkService::of_nfd_0_6(THRESHOLD, INTERVAL, limit);
            assert_eq!(queue.judge(Time::ZERO, &arriving(backlog)), verdict, "{limit:?}");
        }
    }
}

proptest! {
    /// Whatever comes and goes: packets of an excess without a mark yet are marked if and only if
    /// an interval has passed since the last mark.
    #[test]
    fn before_nfd_0_7_marks_of_two_excesses_are_an_interval_apart(
        steps in proptest::collection::vec((0_u64..40, any::<bool>()), 1..400),
    ) {
        let (mut queue, mut now) = (of_nfd_0_6(), Time::ZERO);
        let (mut last, mut first_of_excess) = (None, true);
        for (milliseconds, above) in steps {
            now += Duration::from_millis(milliseconds);
            let verdict = queue.judge(now, &arriving(THRESHOLD + u64::from(above)));
            prop_assert!(above || verdict == Verdict::Pass);
            let apart = last.is_none_or(|it: Time| now.since(it) >= INTERVAL);
            first_of_excess |= !above;
            if above && first_of_excess {
                prop_assert_eq!(verdict == Verdict::Mark, apart);
            }
            if verdict == Verdict::Mark {
                (last, first_of_excess) = (Some(now), false);
            }
        }
    }
}
