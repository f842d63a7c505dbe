//! Links that grow longer and shorter.

use super::*;

/// After the change before, in microseconds; and the new delay.
fn delays() -> impl Strategy<Value = Vec<(u64, Duration)>> {
    vec((0..10_000_u64, (0..30_000_u64).prop_map(Duration::from_micros)), 0..40)
}

fn offers() -> impl Strategy<Value = Vec<(u64, u16)>> {
    vec((0..3000_u64, 28..3000_u16), 0..150)
}

fn others() -> impl Strategy<Value = Vec<(u64, LinkChange)>> {
    vec((0..20_000_u64, change()), 0..10)
}

fn changing(
    plan: &DirectionPlan,
    offers: &[(u64, u16)],
    delays: &[(u64, Duration)],
    others: &[(u64, LinkChange)],
) -> Bench {
    let mut bench = Bench::new(plan);
    for (time, size) in cumulated(offers) {
        bench = bench.at(time, Event::Offer(Ecn::Capable, size));
    }
    for (time, delay) in cumulated(delays) {
        bench = bench.on(half_past(time), Event::Change(LinkChange::Delay(delay)));
    }
    let others = cumulated(others);
    let end = others.last().map_or(0, |it| it.0);
    for (time, other) in others {
        bench = bench.at(time, Event::Change(other));
    }
    let again = Event::Change(LinkChange::Rate(megabits(8)));
    bench.at(end, Event::Change(LinkChange::Up)).at(end, again).run()
}

fn cumulated<T: Clone>(gaps: &[(u64, T)]) -> Vec<(u64, T)> {
    let sums = gaps.iter().scan(0, |sum, (gap, it)| {
        *sum += gap;
        Some((*sum, it.clone()))
    });
    sums.collect()
}

/// Between two microseconds: nothing else happens then at the rates of these tests.
fn half_past(microseconds: u64) -> Time {
    Time::ZERO + Duration::from_nanos(1000 * microseconds + 500)
}

proptest! {
    /// The bench looks after each event whether all packets are accounted for.
    #[test]
    fn whatever_the_delay_arrivals_stay_in_order(
        offers in offers(),
        delays in delays(),
        others in others(),
        air in prop::option::of(air()),
        opportunities in prop::option::of(trace()),
        loss in 0.0..0.3_f64,
    ) {
        for discipline in patient() {
            let mut plan = direction(discipline);
            (plan.physical_layer, plan.loss) = (layer(air), Loss::Bernoulli(loss));
            plan.opportunities = opportunities.clone().map(Arc::new);
            let bench = changing(&plan, &offers, &delays, &others);
            prop_assert!(bench.numbers().is_sorted());
            prop_assert_eq!(bench.port.in_transit(), 0);
        }
    }

    /// A packet takes the delay of the instant at which it starts, or arrives together
    /// with the one before. At 8 Mbps a byte takes a microsecond.
    #[test]
    fn a_packet_takes_the_delay_of_when_it_starts_unless_it_would_overtake(
        offers in offers(),
        delays in delays(),
    ) {
        for discipline in patient() {
            let plan = DirectionPlan { limit: QueueLimit::Packets(1000), ..direction(discipline) };
            let bench = changing(&plan, &offers, &delays, &[]);
            let changes = cumulated(&delays);
            let (mut free, mut last) = (0, 0);
            let expected = cumulated(&offers).into_iter().map(|(time, size)| {
                let starts = free.max(time);
                let before = changes.iter().rev().find(|it| it.0 < starts);
                let delay = before.map_or(plan.delay, |it| it.1).as_picos() / 1_000_000;
                free = starts + u64::from(size);
                last = last.max(free + delay);
                last
            });
            prop_assert_eq!(bench.times(), expected.collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_shorter_delay_does_not_let_what_leaves_later_overtake() {
    for discipline in patient() {
        let shorter = Event::Change(LinkChange::Delay(Duration::from_millis(1)));
        let bench = Bench::new(&direction(discipline))
            .offering(0, 1)
            .on(half_past(1500), shorter)
            .offering(2000, 1)
            .offering(15_000, 1)
            .run();
        assert_eq!((bench.numbers(), bench.times()), (vec![0, 1, 2], vec![11_000, 11_000, 17_000]));
    }
}
