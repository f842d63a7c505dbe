//! Losses and limits that change, and a queue that shapes.

use super::*;

/// Numbers of packets that arrived, as a link loses other packets from a time on: what is under
/// transmission keeps its fate, and what waits is lost or not as the change says.
#[test]
fn another_loss_holds_for_what_has_not_started() {
    for discipline in patient() {
        let bench = Bench::that_can_lose(&direction(discipline))
            .offering(0, 6)
            .at(2500, Event::Change(losing(1.0)))
            .at(4500, Event::Change(losing(0.0)))
            .run();
        // One starts in each millisecond.
        assert_eq!(bench.numbers(), [0, 1, 2, 5]);
        assert_eq!(bench.port.counters().losses, 2);
    }
}

/// The share of 40,000 packets that is lost before and after lies within five standard
/// deviations.
#[test]
fn the_share_lost_is_the_one_before_and_then_the_one_after() {
    let plan = DirectionPlan { loss: Loss::Bernoulli(0.1), ..direction(Discipline::DropTail) };
    let mut bench = Bench::new(&plan).at(20_000_000, Event::Change(losing(0.3)));
    for number in 0..40_000 {
        bench = bench.offering(1000 * number, 1);
    }
    let arrived = bench.run().numbers();
    for (range, share) in [(0..20_000, 0.1), (20_000..40_000, 0.3)] {
        let lost = 20_000 - arrived.iter().filter(|it| range.contains(*it)).count();
        let error = 5.0 * f64::sqrt(20_000.0 * share * (1.0 - share));
        assert!((lost as f64 - 20_000.0 * share).abs() < error, "{lost} at {share}");
    }
}

/// The last to come go, and the others leave when they would have left.
#[test]
fn a_smaller_limit_drops_what_is_more_and_keeps_the_rest() {
    for discipline in patient() {
        let limit = |packets| Event::Change(LinkChange::QueueLimit(QueueLimit::Packets(packets)));
        let bench = Bench::new(&direction(discipline))
            .offering(0, 10)
            .at(500, limit(3))
            .offering(600, 2)
            .at(700, limit(5))
            .offering(800, 4)
            .run();
        assert_eq!(bench.numbers(), [0, 1, 2, 3, 12, 13]);
        assert_eq!(bench.times(), [11_000, 12_000, 13_000, 14_000, 15_000, 16_000]);
        let counters = bench.port.counters();
        assert_eq!((counters.overlimit_drops, counters.sent), (6 + 2 + 2, 6));
        assert_eq!(counters.transmission_sum, Duration::from_millis(6));
    }
}

#[test]
fn a_smaller_limit_holds_while_the_link_is_down() {
    let limit = Event::Change(LinkChange::QueueLimit(QueueLimit::Packets(2)));
    for discipline in patient() {
        let bench = Bench::new(&direction(discipline))
            .at(0, Event::Change(LinkChange::Down))
            .offering(100, 5)
            .at(200, limit.clone())
            .at(1000, Event::Change(LinkChange::Up))
            .run();
        assert_eq!(bench.numbers(), [0, 1]);
        assert_eq!(bench.times(), [12_000, 13_000]);
    }
}

/// Of five packets, two have begun to leave when the link is cut: all are lost, and a capture
/// that has reported those two goes on with the next.
#[test]
fn what_waits_at_a_cut_was_not_sent() {
    for discipline in patient() {
        let bench = Bench::new(&direction(discipline))
            .offering(0, 5)
            .at(1500, Event::Change(LinkChange::Cut))
            .run();
        let counters = bench.port.counters();
        assert_eq!((counters.losses, counters.sent, counters.delivered), (5, 2, 0));
        assert_eq!(bench.port.started(2, Time::NEVER).count(), 0);
    }
}

/// Behind a bucket of 3000 bytes at 4 Mbps, a packet of 1000 bytes takes 2 ms: the burst leaves
/// at the link's rate, and meanwhile the bucket fills.
#[test]
fn packets_leave_a_shaper_when_the_bucket_and_the_link_allow() {
    let bucket = TokenBucketSettings { rate: megabits(4), burst: 3000 };
    let bench = Bench::new(&direction(Discipline::Shaper(bucket))).offering(0, 8).run();
    let expected = [0, 1000, 2000, 3000, 4000, 6000, 8000, 10_000];
    // At 1, 2, 3 and 4 ms there are 2500, 2000, 1500 and 1000 bytes in the bucket.
    assert_eq!(bench.times(), expected.map(|it| it + 11_000));
}

/// At 4 Mbps before a link of 8 Mbps: nothing waits for the link, and there is no burst.
#[test]
fn cake_keeps_the_queue_in_itself() {
    let queues = FqCoDelSettings { codel: codel(CongestionAction::Mark), flows: 16, quantum: 1514 };
    let cake = CakeSettings { rate: megabits(4), tins: true, queues };
    let bench = Bench::new(&direction(Discipline::Cake(cake))).offering(0, 5).run();
    assert_eq!(bench.times(), [0, 2000, 4000, 6000, 8000].map(|it| it + 11_000));
}
