//! The instants of the link service's marks.

use windtunnel_engine::Time;
use windtunnel_packets::Ecn;
use windtunnel_queues::{ArrivalDiscipline, Arriving, Backlog, LinkService, Verdict};

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
    assert_eq!(service_marks(&mut queue, 0.0, 1000.0, THRESHOLD), []);
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
