//! A link that stops sending loses nothing.

use super::*;

#[test]
fn what_is_under_way_at_a_stall_arrives_and_what_waits_goes_on_after_it() {
    for discipline in patient() {
        let bench = Bench::new(&direction(discipline))
            .offering(0, 3)
            .at(1500, Event::Change(LinkChange::Stall))
            .offering(3000, 1)
            .at(5000, Event::Change(LinkChange::Up))
            .run();
        assert_eq!(bench.numbers(), [0, 1, 2, 3]);
        assert_eq!(bench.times(), [11_000, 12_000, 16_000, 17_000]);
        let counters = bench.port.counters();
        assert_eq!(counters.dropped(), 0);
        assert_eq!(counters.sojourn_sum, Duration::from_micros(1000 + 5000 + 3000));
        assert_eq!(counters.transmission_sum, Duration::from_micros(4000));
    }
}

#[test]
fn a_stall_within_a_transmission_costs_nothing() {
    for discipline in patient() {
        let bench = Bench::new(&direction(discipline))
            .offering(0, 2)
            .at(500, Event::Change(LinkChange::Stall))
            .at(700, Event::Change(LinkChange::Up))
            .run();
        assert_eq!(bench.times(), [11_000, 12_000]);
    }
}

#[test]
fn an_outage_within_a_stall_loses_what_is_under_way_and_not_what_waits() {
    for discipline in patient() {
        let bench = Bench::new(&direction(discipline))
            .offering(0, 3)
            .at(1500, Event::Change(LinkChange::Stall))
            .at(4000, Event::Change(LinkChange::Down))
            .at(5000, Event::Change(LinkChange::Up))
            .run();
        assert_eq!((bench.numbers(), bench.times()), (vec![2], vec![16_000]));
        assert_eq!(bench.port.counters().losses, 2);
    }
}

#[test]
fn a_rate_that_changes_during_a_stall_holds_after_it() {
    for discipline in patient() {
        let bench = Bench::new(&direction(discipline))
            .offering(0, 2)
            .at(100, Event::Change(LinkChange::Stall))
            .at(200, Event::Change(LinkChange::Rate(megabits(80))))
            .at(3000, Event::Change(LinkChange::Up))
            .run();
        assert_eq!(bench.times(), [11_000, 13_100]);
    }
}

#[test]
fn a_queue_before_a_stalled_link_takes_its_limit_and_not_one_more() {
    for discipline in patient() {
        let plan = DirectionPlan { limit: QueueLimit::Packets(3), ..direction(discipline) };
        let stall = Event::Change(LinkChange::Stall);
        let bench = Bench::new(&plan).at(0, stall).offering(1, 10).run();
        assert_eq!((bench.port.counters().overlimit_drops, bench.port.in_transit()), (7, 3));
    }
}

/// Its packets wait for opportunities that pass unused; that it had called for
/// their arrivals does no harm.
#[test]
fn a_stalled_link_lets_its_opportunities_pass() {
    let milliseconds = Duration::from_millis;
    for discipline in patient() {
        let trace = Opportunities { times: vec![milliseconds(1)], repeat: Some(milliseconds(1)) };
        let plan = DirectionPlan { opportunities: Some(Arc::new(trace)), ..direction(discipline) };
        let bench = Bench::new(&plan)
            .at(0, Event::Offer(Ecn::Capable, 1500))
            .at(0, Event::Offer(Ecn::Capable, 1500))
            .at(500, Event::Change(LinkChange::Stall))
            .at(2500, Event::Change(LinkChange::Up))
            .run();
        assert_eq!(bench.times(), [13_000, 14_000]);
        assert_eq!(bench.port.counters().sojourn_sum, Duration::from_micros(3000 + 4000));
    }
}

#[test]
fn a_stall_past_the_last_opportunity_is_for_ever() {
    for discipline in patient() {
        let trace = Opportunities { times: vec![Duration::from_millis(1)], repeat: None };
        let plan = DirectionPlan { opportunities: Some(Arc::new(trace)), ..direction(discipline) };
        let bench = Bench::new(&plan)
            .offering(0, 1)
            .at(500, Event::Change(LinkChange::Stall))
            .at(1500, Event::Change(LinkChange::Up))
            .run();
        assert_eq!((bench.arrived.len(), bench.port.in_transit()), (0, 1));
        assert_eq!(bench.port.counters().transmission_sum, Duration::ZERO);
    }
}
