//! BBR, version 1, against what its draft promises.

use crate::drive::{Drive, SECOND, close};
use crate::path::{Path, Treatment};
use crate::samples::Samples;
use windtunnel_controllers::{Controller, Nanoseconds, PathEstimate, Signal, Value};

/// 10,000 packets a second over 40 ms: a BDP of 400 packets.
const RATE: u64 = 10_000;
const BASE: Nanoseconds = SECOND / 25;
const BDP: f64 = 400.0;
/// The quanta on top of the window, in packets: three milliseconds of startup's rate.
const QUANTA: f64 = 3.0 * 28.85;

fn path(treatment: Treatment) -> Path {
    Path::new(RATE, 1e9, treatment).flow("bbr1", BASE, 0, &[])
}

/// When something first holds, looking each millisecond.
fn when(path: &mut Path, holds: impl Fn(&Path) -> bool) -> Nanoseconds {
    while !holds(path) {
        path.run_until(path.now + SECOND / 1000);
        assert!(path.now < 100 * SECOND, "it never does");
    }
    path.now
}

#[test]
fn bbr1_startup_leaves_less_than_two_bdps_in_the_queue() {
    let most = path(Treatment::Nothing).watch(SECOND).most;
    assert!(most > 1.5 * BDP && most <= 1.885 * BDP + QUANTA + 10.0, "{most}");
}

/// From `1.885 BDP` at a pacing gain of 1/2.885: 2.89 round trips. Quanta and
/// the last packets in flight at the higher rate add to it.
#[test]
fn bbr1_drains_startups_queue_in_three_round_trips() {
    let mut path = path(Treatment::Nothing);
    let full = when(&mut path, |it| it.queue() > 1.8 * BDP);
    let draining = when(&mut path, |it| it.now > full + SECOND / 10 && it.queue() < 1.8 * BDP);
    let drained = when(&mut path, |it| it.queue() < 0.1 * BDP);
    let round_trips = (drained - draining) as f64 / BASE as f64;
    assert!((2.0..=3.5).contains(&round_trips), "{round_trips} round trips");
}

/// Ten seconds after the minimum round trip was seen last, in the probe or in the cycle after
/// it; for 200 ms and the round trips there and back: about 2 %. Here the queue that three bursts of
/// two make is more than what pacing 1 % lower drains until the next cycle, of 40 packets a round trip.
#[test]
fn bbr1_probes_for_the_round_trip_every_ten_seconds_at_little_cost() {
    let rate = RATE / 10;
    let mut path = Path::new(rate, 1e9, Treatment::Nothing).flow("bbr1", BASE, 0, &[]);
    let at_four = |it: &Path| it.cwnd(0) == 4.0;
    let first = when(&mut path, at_four);
    when(&mut path, |it| !at_four(it));
    let second = when(&mut path, at_four);
    let apart = (second - first) as f64 / SECOND as f64;
    let cycle = 8.0 * BASE as f64 / SECOND as f64;
    assert!((10.0..10.2 + cycle + 2.0 * 0.04).contains(&apart), "{apart} s");
    let cost = 1.0 - path.watch(40 * SECOND).rate() / rate as f64;
    assert!(cost > 0.015 && cost < (0.2 + 2.0 * 0.04) / 10.0, "{cost}");
}

#[test]
fn bbr1_keeps_a_small_queue_and_a_busy_link() {
    let mut path = path(Treatment::Nothing);
    path.run_until(2 * SECOND);
    let watched = path.watch(8 * SECOND);
    close(watched.rate(), RATE as f64, 0.01);
    assert!(watched.mean < 0.25 * BDP && watched.most < 0.5 * BDP, "{}", watched.mean);
}

/// Until the loss eats what probing adds: 1 - 1/1.25.
#[test]
fn bbr1_takes_random_loss_for_nothing() {
    for share in [0.001, 0.01, 0.05, 0.1] {
        let mut path = path(Treatment::Lose(share));
        path.run_until(2 * SECOND);
        close(path.watch(7 * SECOND).rate(), (1.0 - share) * RATE as f64, 0.02);
    }
}

#[test]
fn bbr1_over_a_longer_round_trip_gets_more() {
    let mut path = Path::new(RATE, 1e9, Treatment::Nothing)
        .flow("bbr1", SECOND / 100, 0, &[])
        .flow("bbr1", SECOND / 20, 0, &[]);
    path.run_until(20 * SECOND);
    let watched = path.watch(40 * SECOND);
    assert!(watched.rates[1] > 1.5 * watched.rates[0], "{:?}", watched.rates);
}

/// A policer has no queue: what comes too fast is lost, and so would be what
/// every fourth round trip of probing adds. Its rate is trusted for 48 rounds.
#[test]
fn bbr1_finds_a_policers_rate_and_keeps_to_it_for_48_rounds() {
    let police = Treatment::Police(RATE as f64, 10.0 * BDP);
    let mut path = Path::new(10 * RATE, 1e9, police).flow("bbr1", BASE, 0, &[]);
    path.run_until(SECOND);
    let lost = path.flows[0].lost;
    close(path.watch(40 * BASE).rate(), 0.99 * RATE as f64, 0.01);
    assert_eq!(path.flows[0].lost, lost);
    path.run_until(path.now + 30 * BASE);
    assert!(path.flows[0].lost > lost, "the trust never ends");
}

#[test]
fn bbr1_after_a_timeout_starts_from_one_segment_and_returns_to_its_window() {
    let mut it = Samples::new("bbr1", 1000.0, SECOND / 10);
    it.rounds(30);
    it.rounds_until_gain(0.75);
    it.rounds(3);
    let before = it.cwnd();
    it.congest(Signal::Timeout, 0.0);
    assert_eq!(it.cwnd(), 1.0);
    it.controller.on_recovered(it.now);
    it.round();
    assert_eq!(it.cwnd(), before);
}

/// Where losses come in every round trip, the acknowledgement that ends a recovery finds the next
/// loss: to the model it is one recovery, and only its first round conserves packets (in Linux, the
/// state of recovery is looked at once an acknowledgement).
#[test]
fn bbr1_goes_on_with_a_recovery_that_begins_as_another_ends() {
    let mut it = Samples::new("bbr1", 1000.0, SECOND / 10);
    it.rounds(30);
    let acknowledge = |it: &mut Samples| {
        it.report(|acknowledgement, _| {
            acknowledgement.delivered = 5.0;
            acknowledgement.in_flight = 20.0;
        });
        it.cwnd()
    };
    it.congest(Signal::Loss, 40.0);
    assert_eq!([acknowledge(&mut it), acknowledge(&mut it)], [25.0, 30.0]);
    it.controller.on_recovered(it.now);
    it.congest(Signal::Loss, 20.0);
    assert_eq!(acknowledge(&mut it), 35.0);
}

/// By a quarter every eight round trips: `ln 10 / ln 1.25` cycles.
#[test]
fn bbr1_finds_ten_times_the_bandwidth_in_eleven_cycles() {
    let mut path = path(Treatment::Nothing);
    path.set_rate(RATE / 10);
    path.run_until(3 * SECOND);
    path.set_rate(RATE);
    path.run_until(path.now + 11 * 8 * BASE);
    let rate = path.watch(10 * BASE).rate();
    assert!(rate > 0.9 * RATE as f64, "{rate}");
}

/// The gains of the cycle: one round trip up, one down, six at the rate, of which the first is
/// any but the one down.
#[test]
fn bbr1_probes_for_one_round_trip_of_eight_and_drains_in_the_next() {
    let mut it = Samples::new("bbr1", 1000.0, SECOND / 10);
    it.rounds_until_gain(1.25);
    for _ in 0..3 {
        let gains: Vec<f64> = (0..8)
            .map(|_| {
                let gain = it.gain();
                // A phase lasts for more than the minimum round trip, and upwards until as
                // much is in flight as is probed for.
                it.report(|it, delivery| {
                    it.now += 1;
                    it.in_flight *= 1.25;
                    delivery.in_flight_at_send *= 1.25;
                });
                gain
            })
            .collect();
        let expected = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
        assert!(gains.iter().zip(expected).all(|(it, gain)| (it - gain).abs() < 1e-9), "{gains:?}");
    }
}

/// The goal of probing allows for what is sent at once, and is reached with what is about to be
/// sent: 1,250 segments, three bursts of 12 and two are 1,288. A
/// receiver that has room for 1,277 does not keep it from being reached. What is delivered until
/// pacing lets it go does not count: ten segments in a millisecond.
#[test]
fn bbr1_counts_the_burst_that_is_about_to_go_towards_the_goal_of_probing() {
    // Of 12,375 segments a second.
    let burst = 12.0;
    let goal = 1_288.0;
    let (less, more) = (goal - burst - 1.0, goal - burst + 1.0);
    for (in_flight, wait, ends) in [(less, 0, false), (more, 0, true), (more, SECOND / 1000, false)]
    {
        let mut it = Samples::new("bbr1", 10_000.0, SECOND / 10);
        it.rounds_until_gain(1.25);
        for _ in 0..3 {
            it.report(|acknowledgement, _| {
                acknowledgement.now += 1;
                // With what it delivers, as much as that was in flight.
                acknowledgement.in_flight = in_flight - acknowledgement.delivered;
                acknowledgement.next_departure = acknowledgement.now + wait;
            });
        }
        assert_eq!(it.gain() < 1.2, ends, "{in_flight}, {wait}");
    }
}

/// The first round of recovery sends what is delivered, and no more: the window is what is in
/// flight and what arrived (the draft's section 4.2.3.4). It ends with what was sent after the
/// acknowledgement that found the loss; what was sent before that, and after the one before, does
/// not end it. After it the window grows by what is delivered, up to where it was.
#[test]
fn bbr1_conserves_packets_for_a_round_of_recovery() {
    let mut it = Samples::new("bbr1", 1000.0, SECOND / 10);
    it.rounds(30);
    let sent_before = it.total;
    let acknowledge = |it: &mut Samples, delivered, in_flight, total_at_send| {
        it.report(|acknowledgement, delivery| {
            acknowledgement.now -= SECOND / 11;
            acknowledgement.delivered = delivered;
            acknowledgement.in_flight = in_flight;
            delivery.total_at_send = total_at_send;
        });
        it.cwnd()
    };
    it.congest(Signal::Loss, 60.0);
    assert_eq!(it.cwnd(), 61.0);
    for (in_flight, window) in [(59.0, 61.0), (50.0, 61.0), (62.0, 64.0), (62.0, 64.0)] {
        assert_eq!(acknowledge(&mut it, 2.0, in_flight, sent_before - 100.0), window);
    }
    assert_eq!(acknowledge(&mut it, 2.0, 20.0, sent_before), 64.0);
    for window in [69.0, 74.0, 79.0] {
        assert_eq!(acknowledge(&mut it, 5.0, 20.0, sent_before + 2.0), window);
    }
}

/// The acknowledgement that finds a loss ends its round all the same: of three rounds in which
/// startup's rate did not grow it may be the last.
#[test]
fn bbr1_leaves_startup_with_the_acknowledgement_that_finds_a_loss() {
    for loses in [false, true] {
        let mut it = Samples::new("bbr1", 1000.0, SECOND / 10);
        it.rounds(3);
        let next_round = it.total;
        it.report(|_, delivery| delivery.total_at_send = next_round - 50.0);
        assert!(it.gain() > 2.8, "two rounds without growth: {}", it.gain());
        if loses {
            it.congest(Signal::Loss, 100.0);
        }
        it.report(|_, delivery| delivery.total_at_send = next_round);
        assert!(it.gain() < 2.8, "the third: {}", it.gain());
    }
}

/// What was delivered in less than the least round trip is no sample (draft-cheng-iccrg-delivery-
/// rate-estimation-02, section 3.3), and tells nothing of a round either.
#[test]
fn bbr1_begins_no_round_with_an_invalid_sample() {
    let mut it = Samples::new("bbr1", 1000.0, SECOND / 10);
    it.rounds(3);
    it.report(|_, delivery| delivery.rate = None);
    assert!(it.gain() > 2.8, "two rounds without growth: {}", it.gain());
    it.round();
    assert!(it.gain() < 2.8, "the third: {}", it.gain());
}

/// What is lost leaves the window: it was not delivered, and is in flight no more.
#[test]
fn bbr1_takes_what_is_lost_from_the_window_until_recovery_restores_it() {
    let mut it = Samples::new("bbr1", 1000.0, SECOND / 10);
    it.rounds(30);
    it.rounds_until_gain(0.75);
    it.rounds(3);
    let before = it.cwnd();
    it.report(|acknowledgement, _| {
        acknowledgement.delivered = 1.0;
        acknowledgement.lost = 20.0;
    });
    assert_eq!(it.cwnd(), before - 19.0);
}

/// On top of two bandwidth-delay products a sender keeps three bursts busy, each the whole segments
/// of 1/1024 s of its rate, at most 64 kilobytes (45 segments of 1,448 bytes) and at least two
/// segments, or one below 1.2 Mbps; the sum is rounded up to an even number. One acknowledgement a round
/// trip, of a second, is aggregation of more than 100 ms, and allowed for with as much.
#[test]
fn bbr1_allows_three_bursts_beside_two_bdps() {
    for (rate, burst) in [(50.0, 1.0), (1e3, 2.0), (1e4, 9.0), (1e6, 45.0)] {
        let mut it = Samples::new("bbr1", rate, SECOND);
        it.rounds(30);
        it.rounds_until_gain(0.75);
        it.rounds_until_gain(1.0);
        it.round();
        let expected = 2.0 * ((2.0 * it.bdp() + 3.0 * burst) / 2.0).ceil();
        assert_eq!(it.cwnd(), expected + 0.1 * rate, "at {rate}");
    }
}

/// Aggregation adds what comes at once beyond the bandwidth, but no more than 100 ms of it.
#[test]
fn bbr1_allows_for_aggregation_of_a_tenth_of_a_second_at_most() {
    for (burst, allowance) in [(30.0, 30.0), (90.0, 90.0), (1000.0, 100.0)] {
        let mut it = Samples::new("bbr1", 1000.0, SECOND / 50);
        it.rounds(30);
        for _ in 0..8 {
            // Nothing for as long as it takes to deliver a burst, then all of it.
            it.report(|acknowledgement, _| {
                acknowledgement.now += (burst / 1000.0 * SECOND as f64) as u64 - SECOND / 50;
                acknowledgement.delivered = burst;
            });
        }
        // Two more while it probes upwards, and what is rounded up.
        let extra = it.cwnd() - 2.0 * it.bdp() - 3.0 * 2.0;
        assert!((allowance..allowance + 4.0).contains(&extra), "{extra} for bursts of {burst}");
    }
}

/// Without it (Linux before 5.1) the window is `2 BtlBw RTprop` and three quanta of two segments,
/// rounded up to an even number: a path of 250 segments per second at its round trip, and after a
/// delay of 60 ms that RTprop does not know yet, where the window limits the rate that it is
/// computed from. Because of the rounding there may be two such windows: this is the lower one,
/// from a rate that was low before. The phase that probes upwards has two segments more.
#[test]
fn bbr1_without_the_allowance_has_the_windows_of_linux_before_it() {
    const MILLISECOND: Nanoseconds = SECOND / 1000;
    let paces_at = |it: &Samples| {
        let bandwidth = it.controller.estimate().map_or(250.0, |it| it.bandwidth);
        it.controller.pacing_rate().expect("it paces") / bandwidth
    };
    let values = [("acknowledgement-aggregation", Value::Flag(false))];
    for (base, undisturbed, stale) in
        [(5, 10.0, 8.0), (10, 12.0, 10.0), (15, 14.0, 12.0), (20, 16.0, 14.0), (30, 22.0, 22.0)]
    {
        let base = base * MILLISECOND;
        let mut it = Samples::with("bbr1", 250.0, base, &values);
        for (delay, expected) in [(0, undisturbed), (60 * MILLISECOND, stale)] {
            let rtt = base + delay;
            // RTprop is kept for ten seconds.
            for round in 0..9 * SECOND / rtt {
                let most = if round < 20 { 50.0 } else { 250.0 };
                let window = it.cwnd();
                // The window is in flight, except while it lets the queue drain.
                let in_flight = if paces_at(&it) < 0.9 { 1.0 } else { window };
                it.report(|acknowledgement, delivery| {
                    acknowledgement.now += delay;
                    acknowledgement.rtt = Some(rtt);
                    acknowledgement.delivered = window;
                    acknowledgement.in_flight = in_flight;
                    delivery.rate = Some((window / rtt as f64 * SECOND as f64).min(most));
                });
            }
            let estimate = it.controller.estimate().expect("it has samples");
            assert_eq!(estimate.round_trip, base);
            let window = if paces_at(&it) > 1.2 { it.cwnd() - 2.0 } else { it.cwnd() };
            assert_eq!(window, expected, "{delay} more than {base} ns");
        }
    }
}

/// What is estimated of a path is its rate, and its round trip without a queue.
#[test]
fn bbr_estimates_its_path() {
    for name in ["bbr1", "bbr3"] {
        let mut it = Samples::new(name, 1000.0, SECOND / 10);
        assert_eq!(it.controller.estimate(), None);
        it.report(|acknowledgement, _| acknowledgement.rtt = None);
        assert_eq!(it.controller.estimate(), None, "no round trip is known");
        it.rounds(30);
        let path = PathEstimate { bandwidth: 1000.0, round_trip: SECOND / 10 };
        assert_eq!(it.controller.estimate(), Some(path), "{name}");
    }
}

/// A sample that the application limited is a lower bound: it may raise the bandwidth and not
/// lower it. Others are the bandwidth of ten rounds.
#[test]
fn bbr1_lets_no_application_limited_sample_lower_its_bandwidth() {
    let gain_after = |share: f64, limited: bool, rounds: usize| {
        let mut it = Samples::new("bbr1", 1000.0, SECOND / 10);
        it.rounds(30);
        for _ in 0..rounds {
            it.report(|_, delivery| {
                delivery.rate = Some(share * 1000.0);
                delivery.application_limited = limited;
                delivery.in_flight_at_send = 50.0;
            });
        }
        it.rounds_until(|it| {
            let rate = it.controller.pacing_rate().expect("it paces");
            [1.0, 0.5, 2.0].iter().any(|gain| (rate / 990.0 - gain).abs() < 1e-9)
        });
        it.gain()
    };
    for (share, limited, rounds, expected) in
        [(0.5, true, 100, 1.0), (0.5, false, 9, 1.0), (2.0, true, 1, 2.0), (2.0, false, 1, 2.0)]
    {
        close(gain_after(share, limited, rounds), expected, 1e-9);
    }
    let mut it = Samples::new("bbr1", 1000.0, SECOND / 10);
    it.rounds(30);
    it.rate = 500.0;
    it.rounds(11);
    it.rounds_until_gain(0.75);
}

/// A path of 1000 segments a second and 100 ms whose policer lets 500 a second through: reports of
/// that many delivered, and this many lost, one a round trip, until the rate is halved; how many
/// there were, if they are no more than 40.
fn reports_until_policed(
    share_lost: f64,
    mut delivered: impl FnMut(u32) -> f64,
    limited: u32,
) -> Option<u32> {
    let mut it = Samples::new("bbr1", 1000.0, SECOND / 10);
    it.rounds(30);
    (1..=40).find(|report| {
        it.report(|acknowledgement, delivery| {
            acknowledgement.delivered = delivered(*report);
            acknowledgement.lost = share_lost * acknowledgement.delivered;
            delivery.application_limited = *report == limited;
        });
        it.gain() < 0.6
    })
}

/// Two intervals of four rounds each from the first loss on, both with at least 50 of 256 segments
/// lost and rates within an eighth of each other, find a policer; what the application
/// limited ends an interval. The constants are those of Linux's `tcp_bbr.c`.
#[test]
fn bbr1_takes_two_intervals_alike_that_lose_a_fifth_for_a_policer() {
    assert_eq!(reports_until_policed(0.2, |_| 50.0, 0), Some(9));
    assert_eq!(reports_until_policed(50.0 / 256.0 + 1e-6, |_| 50.0, 0), Some(9));
    assert_eq!(reports_until_policed(50.0 / 256.0 - 1e-3, |_| 50.0, 0), None);
    let second = |delivered| move |report| if report <= 5 { 50.0 } else { delivered };
    assert_eq!(reports_until_policed(0.2, second(56.0), 0), Some(9));
    assert_eq!(reports_until_policed(0.2, second(44.0), 0), Some(9));
    // The third interval is like the second.
    assert_eq!(reports_until_policed(0.2, second(57.0), 0), Some(13));
    assert_eq!(reports_until_policed(0.2, second(43.0), 0), Some(13));
    assert_eq!(reports_until_policed(0.2, |_| 50.0, 3), Some(12));
}

/// An interval lasts a millisecond at least, however short the round trip is: ten round trips of
/// 100 µs, and not four.
#[test]
fn bbr1_measures_a_policer_over_a_millisecond_at_least() {
    let mut it = Samples::new("bbr1", 1e6, SECOND / 10_000);
    it.rounds(30);
    let policed = (1..=40).find(|_| {
        it.report(|acknowledgement, _| {
            acknowledgement.delivered = 50.0;
            acknowledgement.lost = 10.0;
        });
        it.gain() < 0.6
    });
    assert_eq!(policed, Some(1 + 2 * 10));
}

/// BBROnInit and BBRInitPacingRate: of both versions, and of plain data only what is shorter counts.
#[test]
fn bbr_begins_with_the_round_trip_of_the_handshake() {
    for (name, gain) in [("bbr1", 2.885), ("bbr3", 2.77)] {
        let mut drive = Drive::new(name, 10.0);
        drive.begin_after_handshake(SECOND / 20);
        let rate = drive.controller.pacing_rate().expect("BBR paces");
        close(rate, gain * 10.0 * 20.0, 1e-9);
        for (rtt, least) in [(60, 50), (51, 50), (49, 49)] {
            drive.now += rtt * SECOND / 1000;
            drive.rtt = rtt * SECOND / 1000;
            drive.deliver(1.0, 100.0);
            let estimate = drive.controller.estimate().expect("there was a sample");
            assert_eq!(estimate.round_trip, least * SECOND / 1000, "{name}, {rtt} ms");
        }
    }
}
