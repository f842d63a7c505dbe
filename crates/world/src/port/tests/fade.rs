//! Links that lose all they send for some time. Packets take 1 ms on the link and 10 ms to
//! the other end.

use super::*;

/// Of eight packets that follow each other, those whose transmission overlaps the time from
/// 2.5 ms to 4.5 ms are lost: the third to the fifth.
#[test]
fn what_is_sent_while_a_link_loses_all_does_not_arrive_and_the_rest_does() {
    for discipline in patient() {
        let bench = Bench::that_can_lose(&direction(discipline))
            .offering(0, 8)
            .at(2500, Event::Change(LinkChange::Lose))
            .at(4500, Event::Change(LinkChange::Deliver))
            .run();
        assert_eq!(bench.numbers(), [0, 1, 5, 6, 7]);
        assert_eq!(bench.times(), [11_000, 12_000, 16_000, 17_000, 18_000]);
        assert_eq!(bench.port.counters().losses, 3);
        assert_eq!(bench.port.counters().transmission_sum, Duration::from_micros(8000));
    }
}

/// The first has left when it begins, the last starts when it ends.
#[test]
fn what_only_touches_the_time_of_a_loss_arrives() {
    for discipline in patient() {
        let bench = Bench::that_can_lose(&direction(discipline))
            .offering(0, 3)
            .at(1000, Event::Change(LinkChange::Lose))
            .at(2000, Event::Change(LinkChange::Deliver))
            .run();
        assert_eq!(bench.numbers(), [0, 2]);
    }
}

#[test]
fn a_link_that_loses_all_for_good_delivers_only_what_had_left_before() {
    for discipline in patient() {
        let bench = Bench::that_can_lose(&direction(discipline))
            .offering(0, 2)
            .at(1000, Event::Change(LinkChange::Lose))
            .offering(100_000, 2)
            .run();
        assert_eq!((bench.numbers(), bench.port.in_transit()), (vec![0], 0));
    }
}

#[test]
fn what_waits_on_a_link_that_is_down_is_not_lost_by_a_fade_meanwhile() {
    for discipline in patient() {
        let bench = Bench::that_can_lose(&direction(discipline))
            .at(0, Event::Change(LinkChange::Stall))
            .offering(100, 2)
            .at(200, Event::Change(LinkChange::Lose))
            .at(300, Event::Change(LinkChange::Deliver))
            .at(400, Event::Change(LinkChange::Rate(megabits(8))))
            .run();
        assert_eq!(bench.numbers(), [0, 1]);
    }
}
