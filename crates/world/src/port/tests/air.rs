//! Links over the air: what attempts cost, and that packets stay in order.

use windtunnel_links::{Air, Frame, PhysicalLayer};

use super::integral::{departures, following, rates};
use super::*;

const DELAY: Duration = Duration::from_millis(10);
/// Of 1000 bytes at 8 Mbps.
const TRANSMISSION: Duration = Duration::from_millis(1);

fn over_the_air(discipline: Discipline, air: AirPlan) -> DirectionPlan {
    let (physical_layer, limit) = (layer(Some(air)), QueueLimit::Packets(u32::MAX));
    DirectionPlan { physical_layer, limit, ..direction(discipline) }
}

/// Four attempts a set; the delays are no multiples of anything.
fn plan(block_error: f64, status: Option<Duration>) -> AirPlan {
    let round_trip = Duration::from_picos(8_000_000_003);
    AirPlan { slot: Duration::ZERO, block_error, round_trip, attempts: 4, status }
}

const STATUS: Option<Duration> = Some(Duration::from_picos(20_000_000_017));

/// What the attempts of a packet cost beside the link's time, added up one by one.
fn cost(air: &AirPlan, attempts: u32) -> Duration {
    (2..=attempts).fold(Duration::ZERO, |sum, attempt| {
        let of_a_new_set = (attempt - 1) % air.attempts == 0;
        sum + if of_a_new_set { air.status.expect("acknowledged") } else { air.round_trip }
    })
}

/// The attempts that the packets of a bench need, one after another.
fn attempts(air: AirPlan) -> impl Iterator<Item = u32> {
    let mut link = Streams::new(1, 0).stream("link");
    let mut air = Air::new(air);
    let (size, rate, was_free) = (1000, megabits(8), true);
    let frame = Frame { size, rate, was_free, free: Time::ZERO, reception: None };
    std::iter::repeat_with(move || air.send(&frame, &mut link).attempts)
}

#[test]
fn a_packet_alone_takes_its_attempts_and_their_delays_to_the_picosecond() {
    for discipline in patient() {
        let air = plan(0.7, STATUS);
        let apart = Duration::from_secs(10);
        let packets = 300;
        let mut bench = Bench::new(&over_the_air(discipline, air));
        for number in 0..packets {
            bench = bench.on(Time::ZERO + apart * number, Event::Offer(Ecn::Capable, 1000));
        }
        let bench = bench.run();
        let mut repeated = 0;
        for ((time, number), attempts) in bench.arrived.iter().zip(attempts(air)) {
            let own = TRANSMISSION * u64::from(attempts) + DELAY + cost(&air, attempts);
            assert_eq!(time.since(Time::ZERO + apart * *number), own, "{attempts} attempts");
            repeated += u64::from(attempts - 1);
        }
        assert_eq!(bench.arrived.len() as u64, packets);
        let counters = bench.port.counters();
        assert_eq!((counters.sent, counters.air_retransmissions), (packets, repeated));
        assert_eq!(counters.transmission_sum, TRANSMISSION * (packets + repeated));
        assert_eq!(counters.sojourn_sum, Duration::ZERO);
    }
}

/// The link is busy for 1/(1−p) transmissions a packet in the mean, with the
/// variance p/(1−p)² of a geometric distribution.
#[test]
fn the_mean_busy_time_is_that_of_one_over_one_minus_the_error_attempts() {
    for discipline in patient() {
        for error in [0.1, 0.5] {
            let packets = 100_000;
            let plan = over_the_air(discipline.clone(), plan(error, STATUS));
            let bench = Bench::new(&plan).offering(0, packets).run();
            let busy = bench.port.busy(bench.events.now()).as_seconds();
            let mean = busy / TRANSMISSION.as_seconds() / packets as f64;
            let standard_error = error.sqrt() / (1.0 - error) / (packets as f64).sqrt();
            assert!((mean - 1.0 / (1.0 - error)).abs() < 4.0 * standard_error, "{mean}");
            assert_eq!(bench.arrived.len(), packets);
        }
    }
}

#[test]
fn unacknowledged_mode_loses_what_fails_in_all_attempts_and_the_link_was_used() {
    for discipline in patient() {
        let (error, packets) = (0.5_f64, 20_000);
        let plan = over_the_air(discipline, plan(error, None));
        let bench = Bench::new(&plan).offering(0, packets).run();
        let counters = bench.port.counters();
        let expected = error.powi(4);
        let standard_error = (expected * (1.0 - expected) / packets as f64).sqrt();
        let share = counters.losses as f64 / packets as f64;
        assert!((share - expected).abs() < 4.0 * standard_error, "{share} of {expected}");
        assert!(bench.numbers().is_sorted());
        let attempts = counters.sent + counters.air_retransmissions;
        assert_eq!(counters.transmission_sum, TRANSMISSION * attempts);
        assert!(counters.air_retransmissions >= 3 * counters.losses);
    }
}

#[test]
fn a_link_that_lets_nothing_through_comes_to_an_end() {
    for discipline in patient() {
        for status in [None, STATUS] {
            let plan = over_the_air(discipline.clone(), plan(1.0, status));
            let bench = Bench::new(&plan).offering(0, 5).run();
            assert_eq!((bench.port.counters().losses, bench.port.in_transit()), (5, 0));
        }
    }
}

/// The network behind the air loses its share of what got over.
#[test]
fn loss_beside_the_air_is_as_it_is_without() {
    for discipline in patient() {
        let (share, packets) = (0.1_f64, 20_000);
        let mut plan = over_the_air(discipline, plan(0.3, STATUS));
        plan.loss = Loss::Bernoulli(share);
        let bench = Bench::new(&plan).offering(0, packets).run();
        let lost = bench.port.counters().losses as f64 / packets as f64;
        let standard_error = (share * (1.0 - share) / packets as f64).sqrt();
        assert!((lost - share).abs() < 4.0 * standard_error, "{lost} of {share}");
        assert!(bench.numbers().is_sorted());
    }
}

/// When packets of 1000 bytes arrive that were offered at these times, by the definition:
/// each starts when the one before it has left, and its attempts have left when the integral of
/// the rate reaches their bits.
fn arrivals(air: AirPlan, offers: &[Time], rates: &[(Time, Option<Rate>)]) -> Vec<Time> {
    let attempts: Vec<u32> = attempts(air).take(offers.len()).collect();
    let packets: Vec<_> = offers.iter().zip(&attempts).map(|(it, of)| (*it, 1000, *of)).collect();
    let mut before = Time::ZERO;
    let arrivals = departures(rates, &packets).into_iter().zip(&attempts).map(|(leaves, of)| {
        before = before.max(leaves + DELAY + cost(&air, *of));
        before
    });
    arrivals.collect()
}

proptest! {
    /// In order, and to the picosecond, whatever rates the link has.
    #[test]
    fn packets_on_an_air_link_arrive_when_their_attempts_and_those_before_them_let_them(
        offers in vec(0..3000_u64, 1..100),
        rates in rates(),
        mut air in air(),
    ) {
        // So low that nobody is lost; each packet is a block.
        air.slot = Duration::ZERO;
        air.block_error /= 2.0;
        air.status = air.status.or(STATUS);
        let mut time = Time::ZERO;
        let offers: Vec<_> = offers.iter().map(|gap| {
            time += Duration::from_micros(*gap);
            time
        }).collect();
        for discipline in patient() {
            let mut bench = following(&over_the_air(discipline, air), &rates);
            for time in &offers {
                bench = bench.on(*time, Event::Offer(Ecn::Capable, 1000));
            }
            let bench = bench.run();
            prop_assert!(bench.numbers().into_iter().eq(0..offers.len() as u64));
            let times: Vec<_> = bench.arrived.iter().map(|it| it.0).collect();
            prop_assert_eq!(times, arrivals(air, &offers, &rates));
        }
    }

    /// With losses, outages and any sizes: what does arrive does so in order.
    #[test]
    fn packets_never_overtake_on_an_air_link(
        events in vec((0..5000_u64, event()), 0..200),
        air in air(),
        loss in 0.0..0.3_f64,
        duplication in 0.0..0.3_f64,
    ) {
        for discipline in patient() {
            let mut plan = over_the_air(discipline, air);
            plan.loss = Loss::Bernoulli(loss);
            plan.impairment.duplication = duplication;
            let mut bench = Bench::new(&plan);
            let mut time = 0;
            for (after, event) in &events {
                time += after;
                bench = bench.at(time, event.clone());
            }
            let again = Event::Change(LinkChange::Rate(megabits(8)));
            let bench = bench.at(time, Event::Change(LinkChange::Up)).at(time, again).run();
            prop_assert!(bench.numbers().is_sorted());
            prop_assert_eq!(bench.port.in_transit(), 0);
        }
    }
}
