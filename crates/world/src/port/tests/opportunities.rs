//! Links that send when their delivery trace says.

use super::*;
use windtunnel_links::OPPORTUNITY;

fn traced(discipline: Discipline, trace: &Opportunities) -> DirectionPlan {
    let opportunities = Some(Arc::new(trace.clone()));
    let rate = trace.mean_rate().unwrap_or(megabits(8));
    let limit = QueueLimit::Packets(u32::MAX);
    DirectionPlan { opportunities, rate, limit, ..direction(discipline) }
}

/// One opportunity a millisecond, at the end of each.
fn steady() -> Opportunities {
    let millisecond = Duration::from_millis(1);
    Opportunities { times: vec![millisecond], repeat: Some(millisecond) }
}

/// Packets of these sizes, offered at these times in microseconds.
fn carry(plan: &DirectionPlan, packets: &[(u64, u16)]) -> Bench {
    let offer = |bench: Bench, it: &(u64, u16)| bench.at(it.0, Event::Offer(Ecn::Capable, it.1));
    packets.iter().fold(Bench::new(plan), offer).run()
}

#[test]
fn an_opportunity_a_millisecond_is_a_link_of_12_mbps() {
    for discipline in patient() {
        let packets = [(0, 1500); 40];
        let traced = carry(&traced(discipline.clone(), &steady()), &packets);
        let plain = DirectionPlan { rate: megabits(12), ..direction(discipline) };
        let plain = carry(&plain, &packets);
        assert_eq!(traced.arrived, plain.arrived);
        let sums = [&traced, &plain].map(|it| it.port.counters().transmission_sum);
        assert_eq!(sums[0], sums[1]);
        assert_eq!(steady().mean_rate(), Some(megabits(12)));
    }
}

#[test]
fn wasted_opportunities_are_not_made_up() {
    for discipline in patient() {
        let bench = carry(&traced(discipline, &steady()), &[(7500, 1500), (7500, 1500)]);
        assert_eq!(bench.times(), [18_000, 19_000]);
    }
}

#[test]
fn an_opportunity_serves_what_comes_at_its_own_time() {
    for discipline in patient() {
        let bench = carry(&traced(discipline, &steady()), &[(3000, 750), (3000, 750), (3000, 750)]);
        assert_eq!(bench.times(), [13_000, 13_000, 14_000]);
    }
}

/// Three of 500 bytes fill one opportunity; one of 2000 takes what the next leaves.
#[test]
fn small_packets_share_an_opportunity_and_large_ones_use_several() {
    for discipline in patient() {
        let packets = [(0, 500), (0, 500), (0, 500), (0, 400), (0, 2000), (0, 600)];
        let bench = carry(&traced(discipline, &steady()), &packets);
        assert_eq!(bench.times(), [11_000, 11_000, 11_000, 12_000, 13_000, 13_000]);
        // The large one starts with the opportunity that it uses first.
        let starts = 1000 + 1000 + 1000 + 2000 + 2000 + 3000;
        assert_eq!(bench.port.counters().sojourn_sum, Duration::from_micros(starts));
    }
}

#[test]
fn what_is_left_of_an_opportunity_when_nothing_waits_is_wasted() {
    for discipline in patient() {
        let packets = [(0, 500), (1001, 1500), (1001, 1500)];
        let bench = carry(&traced(discipline, &steady()), &packets);
        assert_eq!(bench.times(), [11_000, 12_000, 13_000]);
    }
}

#[test]
fn framing_uses_opportunities_too() {
    for discipline in patient() {
        let plan = DirectionPlan { overhead: 1, ..traced(discipline, &steady()) };
        assert_eq!(carry(&plan, &[(0, 1500), (0, 1499)]).times(), [12_000, 13_000]);
    }
}

/// A repeated trace whose last opportunity falls on its length has that and the
/// first of the next round at their own times.
#[test]
fn a_trace_begins_again_after_its_length() {
    let times = [0, 300, 1000].map(Duration::from_micros).to_vec();
    let again = |repeat| Opportunities {
        times: times.clone(),
        repeat: Some(Duration::from_micros(repeat)),
    };
    for discipline in patient() {
        let packets = [(0, 1500); 7];
        let bench = carry(&traced(discipline.clone(), &again(1000)), &packets);
        assert_eq!(bench.times(), [0, 300, 1000, 1000, 1300, 2000, 2000].map(|it| it + 10_000));
        let bench = carry(&traced(discipline.clone(), &again(1500)), &packets);
        assert_eq!(bench.times(), [0, 300, 1000, 1500, 1800, 2500, 3000].map(|it| it + 10_000));
        // Two fall on the moment at which these come.
        let bench = carry(&traced(discipline, &again(1000)), &[(2000, 1500); 3]);
        assert_eq!(bench.times(), [12_000, 12_000, 12_300]);
    }
}

#[test]
fn a_link_is_silent_after_a_trace_that_does_not_begin_again() {
    let times = vec![Duration::from_millis(1); 3];
    let trace = Opportunities { times, repeat: None };
    for discipline in patient() {
        let packets = [(0, 1500), (0, 1500), (0, 2000), (0, 500), (5000, 500)];
        let mut bench = carry(&traced(discipline, &trace), &packets);
        // The third does not fit into what is left.
        assert_eq!((bench.times(), bench.port.in_transit()), (vec![11_000, 11_000], 3));
        let now = bench.events.now();
        assert_eq!(bench.port.busy(now), bench.port.counters().transmission_sum);
        assert!(bench.port.backlog(now).packets >= 2);
    }
}

#[test]
fn opportunities_without_number_end_no_run() {
    let times = vec![Duration::ZERO; 2];
    for repeat in [Duration::from_picos(1), Duration::MAX] {
        let trace = Opportunities { times: times.clone(), repeat: Some(repeat) };
        for discipline in patient() {
            let bench = carry(&traced(discipline, &trace), &[(0, 1500), (1_000_000_000, 1500)]);
            let expected: &[u64] =
                if repeat == Duration::MAX { &[10_000] } else { &[10_000, 1_000_010_000] };
            assert_eq!(bench.times(), expected);
        }
    }
}

/// How many opportunities a repeated trace has until `time`, counted one by one.
fn opportunities(trace: &Opportunities, time: Time) -> u64 {
    let repeat = trace.repeat.expect("it is repeated");
    let rounds = (0..).map(|it| Time::ZERO + repeat * it).take_while(|it| *it <= time);
    let all = rounds.flat_map(|round| trace.times.iter().map(move |it| round + *it));
    all.filter(|it| *it <= time).count() as u64
}

proptest! {
    /// While something waits, each opportunity is used in full: what was delivered
    /// is what the trace offered, except for the packet that is being sent.
    #[test]
    fn a_backlogged_link_delivers_what_its_trace_offers(
        trace in trace(),
        sizes in vec(28..4000_u16, 2..60),
    ) {
        for discipline in patient() {
            let plan = DirectionPlan { delay: Duration::ZERO, ..traced(discipline, &trace) };
            let packets: Vec<_> = sizes.iter().map(|it| (0, *it)).collect();
            let bench = carry(&plan, &packets);
            prop_assert_eq!(bench.arrived.len(), sizes.len());
            let mut delivered = 0;
            for (place, (time, number)) in bench.arrived.iter().enumerate() {
                delivered += u64::from(sizes[*number as usize]);
                // Of those that arrive at one instant, the last tells.
                let Some((next, _)) = bench.arrived.get(place + 1) else { break };
                if time < next {
                    let offered = opportunities(&trace, *time) * u64::from(OPPORTUNITY);
                    let one_packet = u64::from(sizes[*number as usize + 1]);
                    prop_assert!(delivered <= offered, "{delivered} of {offered}");
                    prop_assert!(delivered + one_packet > offered, "{delivered} of {offered}");
                }
            }
        }
    }

    /// The queue that decides on arrival knows the opportunities ahead, the other
    /// asks for one after another; with an air interface, losses and changes too,
    /// both come to the same.
    #[test]
    fn both_kinds_of_queue_use_the_same_opportunities(
        trace in trace(),
        repeat: bool,
        air in prop::option::of(air()),
        loss in 0.0..0.3_f64,
        offers in vec((0..5000_u64, 28..4000_u16), 1..100),
        changes in vec((0..20_000_u64, change()), 0..20),
    ) {
        let trace = Opportunities { repeat: trace.repeat.filter(|_| repeat), ..trace };
        let [on_arrival, on_departure] = patient().map(|discipline| {
            let (physical_layer, loss) = (layer(air), Loss::Bernoulli(loss));
            let plan = DirectionPlan { physical_layer, loss, ..traced(discipline, &trace) };
            let mut bench = Bench::new(&plan);
            let mut time = 0;
            for (after, change) in &changes {
                time += after;
                // Beside the instants at which anything else happens.
                let time = Time::from_picos(time * 1_000_000 + 7);
                bench = bench.on(time, Event::Change(change.clone()));
            }
            time = 0;
            for (after, size) in &offers {
                time += after;
                bench = bench.at(time, Event::Offer(Ecn::Capable, *size));
            }
            bench.run()
        });
        prop_assert_eq!(&on_arrival.arrived, &on_departure.arrived);
        prop_assert_eq!(on_arrival.port.in_transit(), on_departure.port.in_transit());
    }
}
