//! When selfish hosts never come to rest.

use super::game::play;
use super::{braess, lowest_rtt, two_equal};

const HOSTS: u32 = 20_000;

/// All see the loads of the last round, and a share γ of those on the worse path moves: a path's
/// share goes up and down between (1-γ)/(2-γ) and 1/(2-γ).
#[test]
fn without_hysteresis_the_shares_of_equal_paths_cycle() {
    for moving in [0.1, 0.25, 0.5, 0.75, 1.0] {
        let history = play(&two_equal(), &lowest_rtt(moving, 0.0), HOSTS, 400);
        let [least, greatest] = history.range(0);
        // What moves is binomial around its share: five deviations of it.
        let error = 5.0 * (moving * (1.0 - moving) / f64::from(HOSTS)).sqrt() + 1e-9;
        let expected = [(1.0 - moving) / (2.0 - moving), 1.0 / (2.0 - moving)];
        assert!((least - expected[0]).abs() < error, "{moving}: {least}");
        assert!((greatest - expected[1]).abs() < error, "{moving}: {greatest}");
        let half = &history.0[200..];
        assert!(half.windows(2).all(|it| (it[0][0] > 0.5) != (it[1][0] > 0.5)), "each round");
    }
}

/// At the turning points the latencies are as 1-γ to 1: a hysteresis above γ always ends the
/// cycle, and one below it does only if the shares happen to come close to each other.
#[test]
fn hysteresis_ends_the_cycle_if_it_is_greater_than_the_share_that_moves() {
    let rests = |moving, hysteresis| {
        let history = play(&two_equal(), &lowest_rtt(moving, hysteresis), HOSTS, 200);
        let [least, greatest] = history.range(0);
        least == greatest
    };
    for (moving, hysteresis) in [(0.1, 0.15), (0.3, 0.35), (0.5, 0.6), (0.8, 0.9)] {
        assert!(rests(moving, hysteresis), "{moving}, {hysteresis}");
    }
    for (moving, hysteresis) in [(0.4, 0.1), (0.75, 0.6), (1.0, 0.9)] {
        assert!(!rests(moving, hysteresis), "{moving}, {hysteresis}");
    }
}

/// Both paths of Braess' network have the latency 1 + x: when all move at once, they always find
/// 2, and leave for 1.
#[test]
fn in_braess_network_without_the_link_all_move_each_round_if_nothing_damps_them() {
    let history = play(&braess(false), &lowest_rtt(1.0, 0.0), 1000, 100);
    assert_eq!(history.range(0), [0.0, 1.0]);
    let network = braess(false);
    assert!((history.mean(|it| network.cost(it)) - 2.0).abs() < 1e-9);
}
