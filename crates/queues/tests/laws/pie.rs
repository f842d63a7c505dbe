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
    Arriving { ecn: Ecn::Capable, size: 1000, backlog, free: now + delay, rate: rate(10) }
}

/// At an update the delay is 30 ms, after none: (0.125 (30 - 15) + 1.25 (30 - 0)) ms / s in steps for
/// the smallest probabilities (RFC 8033, section 4.2); also after hours without a packet.
#[test]
fn the_first_update_is_as_by_hand() {
    for updates in [1, 2, 1000, 1 << 20] {
        let mut pie = pie(CongestionAction::Drop);
        let now = Time::ZERO + Duration::from_millis(15) * updates;
        let before =
            Time::ZERO + Duration::from_millis(15) * (updates - 1) + Duration::from_millis(7);
        pie.judge(before, &Arriving { free: Time::ZERO, ..finds(before, Duration::ZERO) });
        pie.judge(now, &finds(now, Duration::from_millis(30)));
        let expected = (0.125 * 0.015 + 1.25 * 0.030) / 2048.0;
        let measured = pie.probability();
        assert!((measured / expected - 1.0).abs() < 1e-9, "{measured} after {updates}");
    }
}

/// PIE at its updates, each of which finds the delay that the test wants.
struct Updates {
    pie: Pie,
    now: Time,
}

impl Updates {
    fn new() -> Self {
        Self { pie: pie(CongestionAction::Drop), now: Time::ZERO }
    }

    /// The change of the probability in the next update, at that delay in milliseconds.
    fn change(&mut self, delay: f64) -> f64 {
        let before = self.pie.probability();
        self.now += Duration::from_millis(15);
        let delay = Duration::from_seconds(delay * 1e-3).expect("a duration");
        self.pie.judge(self.now, &finds(self.now, delay));
        self.pie.probability() - before
    }

    /// The same after as many updates at 30 ms as take the probability to `least`.
    fn from(least: f64) -> Self {
        let mut updates = Self::new();
        for _ in 0..1000 {
            if updates.pie.probability() >= least {
                return updates;
            }
            updates.change(30.0);
        }
        panic!("the probability stays at {}", updates.pie.probability())
    }
}

fn assert_close(measured: f64, expected: f64) {
    assert!((measured - expected).abs() <= 1e-9 * expected.abs(), "{measured} for {expected}");
}

/// The table of RFC 8033, section 4.2: below each probability the step `0.125 (delay - 15 ms) +
/// 1.25 (delay - old delay)` is divided. The delay rises by a millisecond an update, then stays.
#[test]
fn steps_are_divided_while_the_probability_is_small() {
    let table = [
        (0.000_001, 2048.0),
        (0.000_01, 512.0),
        (0.000_1, 128.0),
        (0.001, 32.0),
        (0.01, 8.0),
        (0.1, 2.0),
        (1.0, 1.0),
    ];
    let mut updates = Updates::new();
    let mut seen = Vec::new();
    let mut delay = 0.0_f64;
    for _ in 0..300 {
        let old = delay;
        delay = (delay + 1.0).min(30.0);
        let before = updates.pie.probability();
        let (_, divisor) = table.into_iter().find(|(below, _)| before < *below).expect("a row");
        let step = (0.125 * (delay - 15.0) + 1.25 * (delay - old)) * 1e-3;
        let change = updates.change(delay);
        let expected = (step / divisor).max(-before);
        assert!((change - expected).abs() < 1e-15, "{change} for {expected} at {before}");
        seen.push(divisor);
    }
    seen.dedup();
    assert_eq!(seen, table.map(|it| it.1), "every row, one after the other");
}

/// RFC 8033, section 5.5: once the probability is 10 %, it rises by 2 % in an update at most.
/// Below, it may rise by more.
#[test]
fn the_probability_rises_by_two_percent_at_most_once_it_is_large() {
    for least in [0.1, 0.5] {
        assert_close(Updates::from(least).change(240.0), 0.02);
    }
    // It falls by as much as the delay wants.
    let mut large = Updates::from(0.5);
    large.change(240.0);
    assert_close(large.change(30.0), 0.125 * 0.015 - 1.25 * 0.21);
    let mut small = Updates::from(0.09);
    assert!(small.pie.probability() < 0.1);
    assert_close(small.change(240.0), (0.125 * 0.225 + 1.25 * 0.21) / 2.0);
}

/// RFC 8033, section 4.2: a delay of more than 250 ms adds 2 %, beside the 2 % that a step may be
/// at most.
#[test]
fn a_delay_beyond_250_milliseconds_raises_the_probability_by_two_percent_more() {
    for (delay, rise) in [(250.0, 0.02), (251.0, 0.04)] {
        let mut updates = Updates::from(0.2);
        updates.change(delay);
        assert_close(updates.change(delay), rise);
    }
}

/// RFC 8033, section 4.2: without any delay now and in the update before, the probability
/// keeps 63/64 of itself.
#[test]
fn without_delay_the_probability_decays() {
    let mut updates = Updates::from(0.2);
    let first = updates.change(0.0);
    assert_close(first, -0.125 * 0.015 - 1.25 * 0.03);
    let before = updates.pie.probability();
    updates.change(0.0);
    assert_close(updates.pie.probability(), (before - 0.125 * 0.015) * 63.0 / 64.0);
}

/// A link of 10 Mbps and packets of 1000 bytes, of which this many times the rate
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
        let arriving = Arriving { ecn: Ecn::Capable, size: 1000, backlog, free, rate: rate(10) };
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

/// RFC 8033, section 4.4: the allowance is whole again after an update without a probability in
/// which the delay, and that of the one before, was below half of the target.
#[test]
fn a_burst_passes_after_calm_and_not_after_a_queue_of_half_the_target() {
    for (delays, passes) in [([7.0, 7.0], true), ([8.0, 7.0], false), ([8.0, 8.0], false)] {
        let mut updates = Updates::new();
        for delay in [8.0; 20].into_iter().chain(delays) {
            updates.change(delay);
        }
        assert_eq!(updates.pie.probability(), 0.0);
        let mut dropped = 0;
        for _ in 0..9 {
            updates.change(1000.0);
            let arriving = finds(updates.now, Duration::from_secs(1));
            let verdicts = (0..100).map(|_| updates.pie.judge(updates.now, &arriving));
            dropped += verdicts.filter(|it| *it == Verdict::Drop).count();
        }
        assert_eq!(dropped == 0, passes, "{dropped} dropped after {delays:?} ms");
    }
}

/// RFC 8033, section 4.1: nothing is dropped while the delay is below half of the target and the
/// probability below 20 %, nor where less than two packets wait.
#[test]
fn packets_pass_a_short_queue_whatever_the_probability() {
    let dropped = |least: f64, delay: f64, bytes: u64| {
        let mut updates = Updates::from(least);
        updates.change(delay);
        let waiting = Duration::from_seconds(delay * 1e-3).expect("a duration");
        let backlog = Backlog { packets: 1, bytes };
        let arriving = Arriving { backlog, ..finds(updates.now, waiting) };
        let verdicts = (0..1000).map(|_| updates.pie.judge(updates.now, &arriving));
        verdicts.filter(|it| *it == Verdict::Drop).count()
    };
    // The delay falls from 30 ms: the probability by 0.125 * 0.0076 + 1.25 * 0.0226 or so.
    assert_eq!(dropped(0.15, 7.4, LONG), 0);
    assert!(dropped(0.15, 7.5, LONG) > 0, "half of the target");
    assert!(dropped(0.30, 7.4, LONG) > 0, "20 %");
    assert_eq!(dropped(0.30, 30.0, 2999), 0);
    assert!(dropped(0.30, 30.0, 3000) > 0, "two packets of 1500 bytes");
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
