//! A link that stops sending loses nothing. It sends again from the next rate on.

use super::*;

/// At 8 Mbps.
const AGAIN: Event = Event::Change(LinkChange::Rate(match Rate::from_bits_per_second(8_000_000) {
    Some(rate) => rate,
    None => panic!("it is above zero"),
}));

/// Of the second packet a half is left.
#[test]
fn what_is_under_way_at_a_stall_arrives_and_the_rest_goes_on_after_it() {
    for discipline in patient() {
        let bench = Bench::new(&direction(discipline))
            .offering(0, 3)
            .at(1500, Event::Change(LinkChange::Stall))
            .offering(3000, 1)
            .at(5000, AGAIN)
            .run();
        assert_eq!(bench.numbers(), [0, 1, 2, 3]);
        assert_eq!(bench.times(), [11_000, 15_500, 16_500, 17_500]);
        let counters = bench.port.counters();
        assert_eq!(counters.dropped(), 0);
        assert_eq!(counters.sojourn_sum, Duration::from_micros(1000 + 5500 + 3500));
        assert_eq!(counters.transmission_sum, Duration::from_micros(4000));
    }
}

#[test]
fn a_stall_within_a_transmission_costs_its_own_time() {
    for discipline in patient() {
        let bench = Bench::new(&direction(discipline))
            .offering(0, 2)
            .at(500, Event::Change(LinkChange::Stall))
            .at(700, AGAIN)
            .run();
        assert_eq!(bench.times(), [11_200, 12_200]);
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
            .at(6000, AGAIN)
            .run();
        // The transmission that was cut off goes on to its end, for nothing.
        assert_eq!((bench.numbers(), bench.times()), (vec![2], vec![17_500]));
        assert_eq!(bench.port.counters().losses, 2);
    }
}

#[test]
fn a_link_that_has_a_rate_again_while_it_is_down_waits_until_it_is_up() {
    for discipline in patient() {
        let bench = Bench::new(&direction(discipline))
            .at(0, Event::Change(LinkChange::Down))
            .offering(100, 1)
            .at(200, Event::Change(LinkChange::Stall))
            .at(300, AGAIN)
            .at(1000, Event::Change(LinkChange::Up))
            .run();
        assert_eq!(bench.times(), [12_000]);
    }
}

/// Of the first packet nine tenths are left.
#[test]
fn what_was_interrupted_goes_on_at_the_new_rate() {
    for discipline in patient() {
        let bench = Bench::new(&direction(discipline))
            .offering(0, 2)
            .at(100, Event::Change(LinkChange::Stall))
            .at(3000, Event::Change(LinkChange::Rate(megabits(80))))
            .run();
        assert_eq!(bench.times(), [13_090, 13_190]);
    }
}

/// The medium is free for another port meanwhile, and what was interrupted takes its turn.
#[test]
fn a_link_that_stalls_leaves_a_shared_medium_to_the_others() {
    for discipline in patient() {
        let bench = Bench::on_a_shared_medium(&direction(discipline))
            .offering(0, 2)
            .at(400, Event::Change(LinkChange::Stall))
            .at(500, Event::Other(3000))
            .at(1000, AGAIN)
            .run();
        assert_eq!(bench.times(), [14_100, 15_100]);
        assert_eq!(bench.port.counters().transmission_sum, Duration::from_micros(2000));
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
            .at(2500, AGAIN)
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
            .at(1500, AGAIN)
            .run();
        assert_eq!((bench.arrived.len(), bench.port.in_transit()), (0, 1));
        assert_eq!(bench.port.counters().transmission_sum, Duration::ZERO);
    }
}

/// What is cut off ends at 2.75 ms at the new rate, for nothing, and at 8 ms at the one before.
#[test]
fn a_rate_that_rises_during_an_outage_frees_the_link_earlier() {
    for discipline in patient() {
        let bench = Bench::new(&direction(discipline))
            .at(0, Event::Change(LinkChange::Rate(megabits(1))))
            .offering(0, 2)
            .at(1000, Event::Change(LinkChange::Down))
            .at(2000, AGAIN)
            .at(3000, Event::Change(LinkChange::Up))
            .run();
        assert_eq!((bench.numbers(), bench.times()), (vec![1], vec![14_000]));
    }
}
