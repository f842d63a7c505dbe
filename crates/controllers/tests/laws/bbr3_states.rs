//! BBR, version 3: what its draft (draft-ietf-ccwg-bbr, section 5.3) prescribes state by state,
//! seen by the gain at which it paces.

use crate::drive::{SECOND, close};
use crate::samples::Samples;
use windtunnel_controllers::{Controller, Signal};

const STARTUP: f64 = 2.77;
const DRAIN: f64 = 0.5;
const DOWN: f64 = 0.9;
const UP: f64 = 1.25;

/// A bandwidth-delay product of 100 segments over 100 ms.
fn samples() -> Samples {
    Samples::new("bbr3", 1000.0, SECOND / 10)
}

/// The same while it probes for bandwidth.
fn probing() -> Samples {
    let mut it = samples();
    it.rounds_until_gain(UP);
    it
}

/// The same in ProbeBW_CRUISE.
fn cruising() -> Samples {
    let mut it = samples();
    it.rounds_until_gain(1.0);
    it
}

/// A round trip with so much in flight, both now and when the data was sent, of which so much
/// was lost.
fn round_with(it: &mut Samples, in_flight: f64, lost: f64) {
    it.report(|acknowledgement, delivery| {
        acknowledgement.in_flight = in_flight;
        acknowledgement.lost = lost;
        delivery.in_flight_at_send = in_flight;
        delivery.lost_since_send = lost;
    });
}

/// A round trip in which data was delivered at that rate, with losses or without.
fn round_at(it: &mut Samples, rate: f64, lost: f64) {
    it.report(|acknowledgement, delivery| {
        acknowledgement.lost = lost;
        delivery.rate = Some(rate);
        delivery.lost_since_send = lost;
    });
}

/// The gains of the table of section 5.1, in their order: startup until three rounds did not
/// deliver 25 % more, three rounds of draining at most, down while more than a bandwidth-delay
/// product is in flight, cruising and refilling at the rate, up while the rate may grow.
#[test]
fn bbr3_paces_at_the_gains_of_its_states() {
    let mut it = samples();
    let mut gains = Vec::new();
    for _ in 0..12 {
        round_with(&mut it, 250.0, 0.0);
        gains.push(it.gain());
    }
    round_with(&mut it, 100.0, 0.0);
    gains.push(it.gain());
    it.rounds_until_gain(UP);
    gains.push(it.gain());
    let mut counts: Vec<(f64, u32)> = Vec::new();
    for gain in gains {
        match counts.last_mut() {
            Some((last, count)) if (*last - gain).abs() < 1e-9 => *count += 1,
            _ => counts.push((gain, 1)),
        }
    }
    let expected = [(STARTUP, 3), (DRAIN, 3), (DOWN, 6), (1.0, 1), (UP, 1)];
    assert_eq!(counts.len(), expected.len(), "{counts:?}");
    for ((gain, rounds), (measured, count)) in expected.into_iter().zip(counts) {
        close(measured, gain, 1e-9);
        assert_eq!(count, rounds, "rounds at a gain of {gain}");
    }
}

/// Section 5.3.1.2: three rounds that did not deliver 25 % more end Startup; one that did, and one
/// that the application limited, is none of them.
#[test]
fn bbr3_startup_goes_on_while_the_rate_grows_by_a_quarter_or_the_application_limits_it() {
    let mut it = samples();
    for _ in 0..20 {
        it.report(|_, delivery| delivery.application_limited = true);
        close(it.gain(), STARTUP, 1e-9);
    }
    for _ in 0..5 {
        it.rate *= 1.25;
        it.rounds(3);
        close(it.gain(), STARTUP, 1e-9);
    }
    let queue = 2.0 * it.bdp();
    round_with(&mut it, queue, 0.0);
    close(it.gain(), DRAIN, 1e-9);
}

/// Section 5.3.1.3: a round of recovery that lost more than 2 % in six places or more ends Startup,
/// and what was delivered bounds what is in flight.
#[test]
fn bbr3_startup_ends_when_a_round_of_recovery_loses_two_percent_in_six_places() {
    let gain_after = |places: u32, lost: f64, recovering: bool| {
        let mut it = samples();
        // The rate grows, so that nothing else ends it.
        for _ in 0..3 {
            it.rate *= 1.5;
            round_with(&mut it, 250.0, 0.0);
        }
        it.congest(Signal::Loss, 250.0);
        it.rate *= 1.5;
        let (bdp, sent) = (it.bdp(), it.total - 1.0);
        for place in 1..=places {
            it.report(|acknowledgement, delivery| {
                acknowledgement.now -= SECOND / 11;
                acknowledgement.recovering = recovering;
                acknowledgement.lost = lost / f64::from(places);
                acknowledgement.in_flight = 1.5 * bdp;
                delivery.in_flight_at_send = 100.0;
                delivery.lost_since_send = lost * f64::from(place) / f64::from(places);
                delivery.total_at_send = sent;
            });
        }
        it.rate *= 1.5;
        let bdp = it.bdp();
        it.report(|acknowledgement, delivery| {
            acknowledgement.recovering = recovering;
            acknowledgement.in_flight = 2.0 * bdp;
            delivery.in_flight_at_send = 100.0;
            delivery.lost_since_send = lost;
        });
        it.gain()
    };
    close(gain_after(6, 2.1, true), DRAIN, 1e-9);
    close(gain_after(5, 2.1, true), STARTUP, 1e-9);
    close(gain_after(6, 2.0, true), STARTUP, 1e-9);
    close(gain_after(6, 2.1, false), STARTUP, 1e-9);
}

/// Section 5.3.3.7: a probe ends when three rounds did not deliver a quarter more.
#[test]
fn bbr3_probes_upwards_for_three_rounds_and_as_many_after_each_that_delivers_more() {
    let mut it = probing();
    assert_eq!(it.rounds_until_gain(DOWN), 3);
    let mut it = probing();
    it.rounds(2);
    it.rate *= 1.25;
    assert_eq!(it.rounds_until_gain(DOWN), 4);
}

/// Section 5.3.3.8: a wait of 2 to 3 s, or as many rounds as Reno would take to grow by a
/// bandwidth-delay product, at most 63, or one less at random. Refilling takes a round more.
#[test]
fn bbr3_waits_for_a_probe_no_longer_than_reno_or_three_seconds() {
    for (rate, rtt, least, most) in [
        (1000.0, SECOND / 100, 10, 11),
        (3000.0, SECOND / 100, 30, 31),
        (10_000.0, SECOND / 100, 63, 64),
        (1000.0, SECOND / 10, 21, 32),
        (1000.0, SECOND / 5, 11, 17),
    ] {
        let mut it = Samples::new("bbr3", rate, rtt);
        it.rounds_until_gain(UP);
        let mut waits = std::collections::BTreeSet::new();
        while it.now < 4 * SECOND {
            it.rounds_until_gain(DOWN);
            let mut rounds = 0;
            while it.gain() < UP - 1e-9 {
                // Ever lower, so that it need not probe for the round trip.
                it.rtt -= 1;
                it.round();
                rounds += 1;
            }
            waits.insert(rounds);
        }
        let all = waits.iter().all(|it| (least..=most).contains(it));
        assert!(all, "{waits:?} rounds for {rate} and {rtt}");
    }
}

/// Section 5.5.10.2: losses of more than 2 % while it probes end the probe, and bound what is in
/// flight by where the loss crossed 2 %: of 125 segments in flight, 10 of which were
/// lost at once, `115 + (0.02 * 115) / 0.98`. Of that, cruising leaves 15 % free.
#[test]
fn bbr3_is_bounded_by_what_was_in_flight_where_losses_crossed_two_percent() {
    let bound = 115.0 + 0.02 * 115.0 / 0.98;
    let mut it = probing();
    round_with(&mut it, 125.0, 10.0);
    close(it.gain(), DOWN, 1e-9);
    close(it.cwnd(), bound, 1e-9);
    round_with(&mut it, 99.0, 0.0);
    close(it.gain(), 1.0, 1e-9);
    close(it.cwnd(), 0.85 * bound, 1e-9);
    // Down ends only below the headroom.
    let mut it = probing();
    round_with(&mut it, 125.0, 10.0);
    round_with(&mut it, 100.0, 0.0);
    close(it.gain(), DOWN, 1e-9);
    // Two percent are borne.
    let mut it = probing();
    round_with(&mut it, 125.0, 2.5);
    close(it.gain(), UP, 1e-9);
}

/// The bound is at least 70 % of a bandwidth-delay product.
#[test]
fn bbr3_keeps_seven_tenths_of_a_bdp_whatever_a_probe_loses() {
    let mut it = probing();
    round_with(&mut it, 125.0, 100.0);
    close(it.cwnd(), 70.0, 1e-9);
}

/// Section 5.3.3.6 ("precautionary"): after a probe that lost too much, the next one stops as soon
/// as what is in flight reaches the bound. If that loses nothing, another follows immediately.
#[test]
fn bbr3_after_a_probe_that_lost_stops_the_next_at_its_bound_and_repeats_it_if_nothing_is_lost() {
    let second_probe = || {
        let mut it = probing();
        round_with(&mut it, 125.0, 10.0);
        it.rounds_until_gain(UP);
        it
    };
    // Below the bound of 117.3 segments it goes on.
    let mut it = second_probe();
    round_with(&mut it, 117.0, 0.0);
    close(it.gain(), UP, 1e-9);
    let mut it = second_probe();
    let bound = it.cwnd();
    round_with(&mut it, bound, 0.0);
    close(it.gain(), DOWN, 1e-9);
    assert_eq!(it.rounds_until_gain(UP), 2, "one to find that nothing was lost, one to refill");
    // The third one, after a probe that lost nothing, may go beyond.
    round_with(&mut it, bound, 0.0);
    close(it.gain(), UP, 1e-9);
    // If it loses after all, the next one waits.
    let mut it = second_probe();
    round_with(&mut it, bound, 0.0);
    it.report(|acknowledgement, delivery| {
        acknowledgement.delivered = 1.0;
        acknowledgement.lost = 10.0;
        delivery.total_at_send -= 1.0;
        delivery.lost_since_send = 10.0;
    });
    assert!(it.rounds_until_gain(UP) > 15);
}

/// Section 5.3.3.9: while the window is at the bound and limits the sender, the bound rises by 1,
/// 2, 4 … segments a round.
#[test]
fn bbr3_raises_its_bound_by_twice_as_much_each_round_of_a_probe() {
    let mut it = probing();
    round_with(&mut it, 125.0, 10.0);
    it.rounds_until_gain(UP);
    let mut bound = it.cwnd();
    for (round, growth) in [1.0, 2.0, 4.0, 8.0].into_iter().enumerate() {
        // A round in which the window is delivered, in pieces.
        let pieces = 100;
        for piece in 0..pieces {
            let window = it.cwnd();
            it.report(|acknowledgement, delivery| {
                acknowledgement.now -= SECOND / 10 - SECOND / 1000;
                acknowledgement.delivered = bound / f64::from(pieces);
                acknowledgement.in_flight = window - 1.5;
                // The first data of the probe arrives in the second round.
                if piece > 0 || round == 0 {
                    delivery.total_at_send -= window;
                }
            });
        }
        let grown = it.cwnd() - bound;
        assert!((grown - growth).abs() <= 1.0, "{grown} for {growth}");
        bound = it.cwnd();
    }
}

/// Section 5.5.10.3: a round with losses outside of a probe brings the short-term rate down to what
/// was delivered, but to 70 % of itself at most; the next probe forgets it.
#[test]
fn bbr3_after_losses_outside_a_probe_keeps_the_rate_delivered_or_seven_tenths() {
    for (rate, first, second) in [(900.0, 0.9, 0.9), (500.0, 0.7, 0.5), (100.0, 0.7, 0.49)] {
        let mut it = cruising();
        round_at(&mut it, rate, 0.0);
        close(it.gain(), 1.0, 1e-9);
        round_at(&mut it, rate, 1.0);
        close(it.gain(), first, 1e-9);
        round_at(&mut it, rate, 0.0);
        close(it.gain(), first, 1e-9);
        round_at(&mut it, rate, 1.0);
        close(it.gain(), second, 1e-9);
        it.rounds_until_gain(1.0);
        assert_eq!(it.rounds_until_gain(UP), 1, "it refills at the rate of before");
    }
}

/// Section 5.5.4: samples that the application limited do not lower the rate, and raise it.
#[test]
fn bbr3_lets_no_application_limited_sample_lower_its_bandwidth() {
    let limited = |it: &mut Samples, rate| {
        it.report(|_, delivery| {
            delivery.rate = Some(rate);
            delivery.application_limited = true;
        });
    };
    let mut it = cruising();
    (0..40).for_each(|_| limited(&mut it, 500.0));
    assert!([1.0, UP, DOWN].iter().any(|gain| (it.gain() - gain).abs() < 1e-9), "{}", it.gain());
    let mut it = cruising();
    limited(&mut it, 2000.0);
    close(it.gain(), 2.0, 1e-9);
}

/// The maximum of two probing cycles: a lower rate is the bandwidth after the second probe that
/// found no more.
#[test]
fn bbr3_forgets_a_bandwidth_after_two_probes() {
    let mut it = probing();
    let old = 0.99 * it.rate;
    it.rate *= 0.5;
    let paced = |it: &Samples| it.controller.pacing_rate().expect("it paces");
    let probes = |it: &Samples| (paced(it) - UP * old).abs() < 1e-6;
    it.rounds_until(|it| !probes(it));
    it.rounds_until(probes);
    it.rounds_until(|it| !probes(it));
    it.rounds(3);
    close(paced(&it), old / 2.0, 1e-9);
}

/// Section 5.3.4: every 5 s without a lower round trip, the window is half a bandwidth-delay product
/// for 200 ms and a round trip from when as little is in flight, and then what it was.
#[test]
fn bbr3_probes_for_the_round_trip_with_half_a_bdp_for_200_milliseconds_and_a_round() {
    let mut it = samples();
    it.rounds(10);
    let measured = it.now;
    it.report(|acknowledgement, _| acknowledgement.rtt = Some(SECOND / 10 - 1));
    let due = measured + SECOND / 10 + 5 * SECOND;
    while it.now < due {
        it.round();
        assert!(it.cwnd() > 100.0, "at {}", it.now);
    }
    let before = it.cwnd();
    it.report(|acknowledgement, _| acknowledgement.now = due + 1);
    let half = it.cwnd();
    close(half, 50.0, 1e-6);
    // More than that is still in flight.
    (0..4).for_each(|_| round_with(&mut it, 60.0, 0.0));
    assert_eq!(it.cwnd(), half);
    let low = |it: &mut Samples, after| {
        it.report(|acknowledgement, _| {
            acknowledgement.now += after;
            acknowledgement.now -= SECOND / 10;
            acknowledgement.in_flight = 50.0 - 1e-3;
        });
    };
    low(&mut it, 0);
    low(&mut it, SECOND / 10);
    low(&mut it, SECOND / 10);
    assert_eq!(it.cwnd(), half, "not longer than 200 ms");
    low(&mut it, 1);
    assert!(it.cwnd() >= before, "{} after {before}", it.cwnd());
}

/// Section 5.6.4.2 and the table of 5.6.1: the window holds two bandwidth-delay products, two and a quarter
/// and two segments while it probes, and three quanta of two segments at least. One
/// acknowledgement a round trip is aggregation of a bandwidth-delay product, which is added.
#[test]
fn bbr3_holds_two_bdps_and_more_while_it_probes() {
    let mut it = samples();
    it.rounds(15);
    it.rounds_until_gain(1.0);
    close(it.cwnd(), 300.0, 1e-9);
    it.rounds_until_gain(UP);
    it.round();
    close(it.cwnd(), 327.0, 1e-9);
    let mut it = Samples::new("bbr3", 100.0, SECOND / 100);
    it.rounds(20);
    it.rounds_until_gain(1.0);
    close(it.cwnd(), 6.0, 1e-9);
}

/// What is aggregated is at most a window.
#[test]
fn bbr3_allows_for_aggregation_of_a_window_at_most() {
    let mut it = Samples::new("bbr3", 1000.0, SECOND / 100);
    it.rounds(30);
    it.rounds_until_gain(1.0);
    let before = it.cwnd();
    it.report(|acknowledgement, _| {
        acknowledgement.now += SECOND;
        acknowledgement.delivered = 1000.0;
    });
    let most = 2.0 * it.bdp() + before;
    assert!(it.cwnd() <= most + 1e-9 && it.cwnd() > before, "{} of {most}", it.cwnd());
}
