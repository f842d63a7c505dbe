//! The bits that a link has sent are the integral of its rate.

use windtunnel_links::{Frame, Outcome};

use super::*;

/// From when on a link has which rate, in rising order from the beginning; the last is one.
pub(super) type Rates = Vec<(Time, Option<Rate>)>;

/// Rates of 1 bps to 10 Gbps, evenly in the exponent, and none, for up to 20 ms each.
pub(super) fn rates() -> impl Strategy<Value = Rates> {
    let some = (0.0..10.0_f64).prop_map(|it| Rate::from_bits_per_second(10_f64.powf(it) as u64));
    let rate = prop_oneof![4 => some, 1 => Just(None)];
    let pieces = vec((rate, 1..20_000_000_000_u64), 0..60);
    (pieces, 1_000_000..100_000_000_u64).prop_map(|(pieces, last)| {
        let mut time = Time::ZERO;
        let mut rates: Rates = Vec::new();
        for (rate, lasts) in pieces {
            rates.push((time, rate));
            time += Duration::from_picos(lasts);
        }
        rates.push((time, Rate::from_bits_per_second(last)));
        rates
    })
}

/// When packets of these bytes, offered at these times, have left, each sent so often: one
/// after another, when the integral of the rate since its start reaches its bits, to the nearest
/// picosecond.
pub(super) fn departures(
    rates: &[(Time, Option<Rate>)],
    packets: &[(Time, u64, u32)],
) -> Vec<Time> {
    let mut free = Time::ZERO;
    let departures = packets.iter().map(|(offered, bytes, attempts)| {
        free = departure(rates, free.max(*offered), *bytes, (*attempts).into());
        free
    });
    departures.collect()
}

fn departure(rates: &[(Time, Option<Rate>)], starts: Time, bytes: u64, attempts: u64) -> Time {
    let one = u128::from(bytes) * 8_000_000_000_000;
    let mut left = one * u128::from(attempts);
    let ends = rates.iter().skip(1).map(|it| it.0).chain([Time::NEVER]);
    for ((from, rate), until) in rates.iter().zip(ends).filter(|(_, until)| *until > starts) {
        let (from, Some(rate)) = (starts.max(*from), rate) else { continue };
        let rate = u128::from(rate.bits_per_second());
        let time = |bits| Duration::from_picos(((bits + rate / 2) / rate) as u64);
        // At one rate each attempt is rounded.
        let is_whole = left == one * u128::from(attempts);
        let ends = from + if is_whole { time(one) * attempts } else { time(left) };
        if ends <= until {
            return ends;
        }
        left -= rate * u128::from(until.since(from).as_picos());
    }
    panic!("the last rate lasts")
}

/// A bench whose link has these rates.
pub(super) fn following(plan: &DirectionPlan, rates: &[(Time, Option<Rate>)]) -> Bench {
    change_rates(Bench::new(plan), rates)
}

fn change_rates(bench: Bench, rates: &[(Time, Option<Rate>)]) -> Bench {
    rates.iter().fold(bench, |bench, (time, rate)| {
        bench.on(*time, Event::Change(rate.map_or(LinkChange::Stall, LinkChange::Rate)))
    })
}

/// For how long the link has had a rate until then.
fn time_with_a_rate(rates: &[(Time, Option<Rate>)], end: Time) -> Duration {
    let ends = rates.iter().skip(1).map(|it| it.0).chain([Time::NEVER]);
    let pieces = rates.iter().zip(ends).filter(|((_, rate), _)| rate.is_some());
    pieces.fold(Duration::ZERO, |sum, ((from, _), until)| sum + until.min(end).since(*from))
}

fn endless(discipline: Discipline) -> DirectionPlan {
    DirectionPlan { limit: QueueLimit::Packets(u32::MAX), ..direction(discipline) }
}

/// A preamble of 0.2 ms before each packet, at any rate.
#[derive(Clone, Copy, Debug)]
struct Preamble;

impl PhysicalLayer for Preamble {
    fn send(&mut self, _frame: &Frame, _random: &mut Random) -> Outcome {
        Outcome::AT_ONCE
    }

    fn airtime(&self, size: u32, rate: Rate, _outcome: Outcome) -> Duration {
        Duration::from_micros(200) + rate.transmission_time(size)
    }
}

impl PhysicalLayerMaker for Preamble {
    fn layer(&self) -> Box<dyn PhysicalLayer> {
        Box::new(*self)
    }
}

/// 0.2 ms and a millisecond at 8 Mbps, or 0.1 ms at 80 Mbps.
#[test]
fn a_preamble_takes_its_time_whatever_the_rate() {
    let physical_layer: Option<Arc<dyn PhysicalLayerMaker>> = Some(Arc::new(Preamble));
    let arrival = |changes: &[(u64, LinkChange)]| {
        let arrivals = patient().map(|discipline| {
            let plan =
                DirectionPlan { physical_layer: physical_layer.clone(), ..direction(discipline) };
            let bench = changes.iter().fold(Bench::new(&plan).offering(0, 1), |bench, (at, it)| {
                bench.at(*at, Event::Change(it.clone()))
            });
            bench.run().times()[0]
        });
        assert_eq!(arrivals[0], arrivals[1]);
        arrivals[0] - 10_000
    };
    let rate = |megabits_per_second| LinkChange::Rate(megabits(megabits_per_second));
    assert_eq!(arrival(&[]), 1200);
    assert_eq!(arrival(&[(100, rate(80))]), 300);
    assert_eq!(arrival(&[(700, rate(80))]), 750);
    assert_eq!(arrival(&[(100, LinkChange::Stall), (1100, rate(80))]), 1300);
    assert_eq!(arrival(&[(100, rate(4)), (1200, rate(80))]), 1250);
}

proptest! {
    /// To the picosecond, for packets that come whenever they do.
    #[test]
    fn each_packet_leaves_when_the_integral_of_the_rate_reaches_its_bytes(
        rates in rates(),
        offers in vec((0..5_000_000_000_u64, 28..9000_u16), 1..80),
    ) {
        let mut time = Time::ZERO;
        let packets: Vec<_> = offers.iter().map(|(gap, size)| {
            time += Duration::from_picos(*gap);
            (time, u64::from(*size), 1)
        }).collect();
        let expected: Vec<_> = departures(&rates, &packets)
            .into_iter()
            .map(|it| it + Duration::from_millis(10))
            .collect();
        for discipline in patient() {
            for shared in [false, true] {
                let plan = endless(discipline.clone());
                let bench =
                    if shared { Bench::on_a_shared_medium(&plan) } else { Bench::new(&plan) };
                let mut bench = change_rates(bench, &rates);
                for (time, size, _) in &packets {
                    bench = bench.on(*time, Event::Offer(Ecn::Capable, *size as u16));
                }
                let arrived = bench.run().arrived;
                prop_assert_eq!(arrived.into_iter().map(|it| it.0).collect::<Vec<_>>(), expected.clone());
            }
        }
    }

    /// A link that always has something to send is busy whenever it has a rate.
    #[test]
    fn a_saturated_link_is_busy_as_long_as_it_has_a_rate(
        rates in rates(),
        sizes in vec(28..9000_u16, 1..80),
        share in 0.0..1.0_f64,
    ) {
        let packets: Vec<_> = sizes.iter().map(|it| (Time::ZERO, u64::from(*it), 1)).collect();
        let all = departures(&rates, &packets).pop().expect("there is a packet");
        let end = Time::from_picos((all.as_picos() as f64 * share) as u64);
        for discipline in patient() {
            let mut bench = following(&endless(discipline), &rates);
            for size in &sizes {
                bench = bench.on(Time::ZERO, Event::Offer(Ecn::Capable, *size));
            }
            let bench = bench.run_until(end);
            prop_assert_eq!(bench.port.busy(end), time_with_a_rate(&rates, end));
            let bench = bench.run();
            let sent = bench.port.busy(bench.events.now());
            prop_assert_eq!(sent, time_with_a_rate(&rates, all));
            prop_assert_eq!(bench.port.counters().transmission_sum, time_with_a_rate(&rates, all));
        }
    }
}
