//! PIE's probability, and the delay that it holds.

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::Ecn;
use windtunnel_queues::{ArrivalDiscipline, Arriving, Backlog, CongestionAction, Pie, Verdict};

use crate::drive::{LONG, mean, milliseconds, pie_settings, random, rate};

fn pie(action: CongestionAction) -> Pie {
    Pie::new(pie_settings(action), random())
}

/// An arrival that finds the link busy for as long.
fn finds(now: Time, delay: Duration) -> Arriving {
    let backlog = Backlog { packets: 1, bytes: LONG };
    Arriving { ecn: Ecn::Capable, backlog, free: now + delay, rate: rate(10) }
}

/// At 15 ms the delay is 30 ms, after none: (0.125 (30 - 15) + 1.25 (30 - 0)) ms / s
/// in steps for the smallest probabilities (RFC 8033, section 4.2).
#[test]
fn the_first_update_is_as_by_hand() {
    let mut pie = pie(CongestionAction::Drop);
    let now = milliseconds(15.0);
    pie.judge(now, &finds(now, Duration::from_millis(30)));
    let expected = (0.125 * 0.015 + 1.25 * 0.030) / 2048.0;
    assert!((pie.probability() / expected - 1.0).abs() < 1e-9, "{}", pie.probability());
}

/// A link of 10 Mbps and packets of 1000 bytes, of which so many times the rate
/// come: what PIE decides, how long those let through waited, and its
/// probability, over the last half.
struct Overload {
    delays: Vec<f64>,
    probabilities: Vec<f64>,
    verdicts: Vec<(f64, Verdict)>,
}

fn overload(action: CongestionAction, load: f64, seconds: u64) -> Overload {
    let mut pie = pie(action);
    let sending = rate(10).transmission_time(1000);
    let gap = sending.scaled(1.0 / load);
    let end = Time::ZERO + Duration::from_secs(seconds);
    let (mut now, mut free) = (Time::ZERO, Time::ZERO);
    let mut seen = Overload { delays: vec![], probabilities: vec![], verdicts: vec![] };
    while now < end {
        let delay = free.since(now);
        let bytes = delay.as_picos() / sending.as_picos() * 1000;
        let backlog = Backlog { packets: (bytes / 1000) as u32, bytes };
        let arriving = Arriving { ecn: Ecn::Capable, backlog, free, rate: rate(10) };
        let verdict = pie.judge(now, &arriving);
        if verdict != Verdict::Drop {
            free = free.max(now) + sending;
        }
        if end.since(now) * 2 < end.since(Time::ZERO) {
            seen.delays.push(delay.as_seconds());
            seen.probabilities.push(pie.probability());
        }
        seen.verdicts.push((pie.probability(), verdict));
        now += gap;
    }
    seen
}

/// What does not yield is dropped until it fits: at 1.25 times the rate, a fifth.
#[test]
fn overload_is_dropped_down_to_the_rate_at_the_target_delay() {
    for action in [CongestionAction::Drop, CongestionAction::Mark] {
        let seen = overload(action, 1.25, 200);
        let (delay, probability) = (mean(&seen.delays), mean(&seen.probabilities));
        assert!((delay / 0.015 - 1.0).abs() < 0.05, "{delay} s");
        assert!((probability / 0.2 - 1.0).abs() < 0.05, "{probability}");
    }
}

#[test]
fn packets_are_marked_up_to_a_probability_of_10_percent_and_dropped_beyond() {
    let seen = overload(CongestionAction::Mark, 1.25, 60);
    let with = |verdict| seen.verdicts.iter().filter(move |it| it.1 == verdict).map(|it| it.0);
    assert!(with(Verdict::Mark).count() > 10 && with(Verdict::Drop).count() > 1000);
    assert!(with(Verdict::Mark).all(|probability| probability <= 0.1));
    assert!(with(Verdict::Drop).all(|probability| probability > 0.1));
}

#[test]
fn a_burst_passes_for_its_allowance() {
    let seen = overload(CongestionAction::Drop, 10.0, 1);
    let first = seen.verdicts.iter().position(|it| it.1 == Verdict::Drop).expect("overload");
    // Ten packets each 800 us.
    assert!(first * 80 >= 150_000, "packet {first}");
}

proptest! {
    /// The updates are those of their own instants: arrivals in between, which
    /// find the same link, change nothing.
    #[test]
    fn updates_do_not_depend_on_when_they_are_caught_up_with(
        arrivals in vec((0..200_000_u64, 0..60_000_u64), 1..100),
        looks in vec(0.0..1.0_f64, 0..5),
    ) {
        let (mut seldom, mut often) = (pie(CongestionAction::Drop), pie(CongestionAction::Drop));
        let (mut now, mut free) = (Time::ZERO, Time::ZERO);
        for (gap, work) in arrivals {
            let next = now + Duration::from_micros(gap);
            let mut looks = looks.clone();
            looks.sort_by(f64::total_cmp);
            for look in looks {
                let between = now + next.since(now).scaled(look);
                often.judge(between, &Arriving { free, ..finds(between, Duration::ZERO) });
            }
            now = next;
            let arriving = Arriving { free, ..finds(now, Duration::ZERO) };
            seldom.judge(now, &arriving);
            often.judge(now, &arriving);
            prop_assert_eq!(seldom.probability().to_bits(), often.probability().to_bits());
            free = free.max(now) + Duration::from_micros(work);
        }
    }
}

/// Also after a year without a packet.
#[test]
fn an_idle_link_forgets_its_probability() {
    let mut pie = pie(CongestionAction::Drop);
    let busy = milliseconds(5000.0);
    pie.judge(busy, &finds(busy, Duration::from_secs(1)));
    assert!(pie.probability() > 0.1);
    let late = Time::ZERO + Duration::from_secs(1 << 24);
    pie.judge(late, &Arriving { free: busy, ..finds(late, Duration::ZERO) });
    assert_eq!(pie.probability(), 0.0);
}
