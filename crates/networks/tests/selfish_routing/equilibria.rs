//! Where selfish hosts end, and what that costs.

use windtunnel_networks::scion::policies::PolicySettings;

use super::game::play;
use super::{bandit, braess, lowest_rtt, parallel, pigou, queue, two_equal};

const HOSTS: u32 = 1000;

fn close(found: f64, expected: f64, error: f64) {
    assert!((found - expected).abs() < error, "{found} is not {expected}");
}

/// All take the link of latency x: a cost of 1 instead of 3/4.
#[test]
fn in_pigous_network_selfish_hosts_pay_four_thirds_of_the_optimum() {
    for moving in [0.1, 0.5, 1.0] {
        let network = pigou(1);
        let history = play(&network, &lowest_rtt(moving, 0.0), HOSTS, 200);
        assert_eq!(history.range(1), [1.0, 1.0], "it has come to rest");
        close(network.optimum_of_two(), 0.75, 1e-9);
        close(history.mean(|it| network.cost(it)) / network.optimum_of_two(), 4.0 / 3.0, 1e-9);
    }
}

/// The optimum has x = (d+1)^(-1/d) on the link of latency x^d (Roughgarden 2003).
#[test]
fn the_price_of_anarchy_grows_with_the_degree_of_the_latency() {
    for (degree, expected) in [(2, 1.626), (3, 1.896), (4, 2.151)] {
        let network = pigou(degree);
        let history = play(&network, &lowest_rtt(0.2, 0.0), HOSTS, 300);
        let ratio = history.mean(|it| network.cost(it)) / network.optimum_of_two();
        close(ratio, expected, 5e-4);
        let exact = f64::from(degree + 1).powf(-1.0 / f64::from(degree));
        close(ratio, 1.0 / (1.0 - exact + exact.powi(degree + 1)), 1e-6);
    }
}

/// A link that costs nothing raises the latency of all from 3/2 to 2.
#[test]
fn braess_link_makes_it_worse_for_all() {
    let without = braess(false);
    let history = play(&without, &lowest_rtt(0.05, 0.1), HOSTS, 400);
    // Latencies 1 + x and 2 - x are within a tenth of each other from x = 0.8/1.9 on, where the
    // mean is 3/2 + 2 (x - 1/2)².
    let cost = history.mean(|it| without.cost(it));
    assert!((1.5..1.5 + 2.0 * (0.5_f64 - 0.8 / 1.9).powi(2)).contains(&cost), "{cost}");
    for moving in [0.05, 0.3] {
        let with = braess(true);
        let history = play(&with, &lowest_rtt(moving, 0.0), HOSTS, 400);
        // The last hosts may find another path as good as the new one.
        assert!(history.range(2)[0] >= 1.0 - 5.0 / f64::from(HOSTS));
        close(history.mean(|it| with.cost(it)), 2.0, 5.0 / f64::from(HOSTS));
        // Half on each of the two others, as before, is still possible, and better.
        close(with.cost(&[0.5, 0.5, 0.0]), 1.5, 1e-9);
    }
}

/// Wardrop's first principle: latencies 1/(C-x) are equal within the hysteresis; the shares are
/// those of equal C-x, and not those of equal C/(C-x)², which cost least.
#[test]
fn over_queues_the_latencies_become_equal() {
    let (capacities, demand) = ([10.0, 6.0], 9.0);
    let network = parallel(capacities.map(queue).into(), demand);
    let history = play(&network, &lowest_rtt(0.02, 0.04), 2_000, 1_000);
    let latencies = network.latencies(history.last());
    let ratio = latencies[0] / latencies[1];
    assert!((0.96 - 1e-9..=1.0 / 0.96 + 1e-9).contains(&ratio), "{latencies:?}");
    // 10 - x = 6 - (9 - x): x = 6.5, where both latencies are 1/3.5.
    close(history.last()[0] * demand, 6.5, 0.1);
    close(history.mean(|it| network.cost(it)), 1.0 / 3.5, 0.01);
    // The optimum: (10 - x) / (6 - (9 - x)) is the root of 10/6.
    let root = (10.0_f64 / 6.0).sqrt();
    let best = (10.0 + 3.0 * root) / (1.0 + root);
    close(network.cost(&[best / demand, 1.0 - best / demand]), network.optimum_of_two(), 1e-6);
    assert!(network.optimum_of_two() < 1.0 / 3.5);
}

/// Who learns without regret ends in the mean where the selfish do (Blum, Even-Dar and Ligett,
/// "Routing without regret", PODC 2006), though each knows only its own path.
#[test]
fn hosts_that_learn_without_regret_come_close_to_the_equilibrium() {
    let settings = PolicySettings::Exp3(bandit(), 0.05);
    let history = play(&two_equal(), &settings, HOSTS, 4_000);
    close(history.mean(|it| it[0]), 0.5, 0.02);
    let history = play(&pigou(1), &settings, HOSTS, 4_000);
    let share = history.mean(|it| it[1]);
    assert!(share > 0.85 && share < 1.0 - 0.05 / 2.0, "{share}");
}

/// UCB1 draws nothing at random: hosts that began together all do the same. In Pigou's network
/// the two paths are then equally bad, and everybody takes turns.
#[test]
fn hosts_that_do_not_draw_at_random_act_as_one() {
    let history = play(&pigou(1), &PolicySettings::Ucb1(bandit()), 10, 1_000);
    assert!(history.0.iter().all(|it| it[0] == 0.0 || it[0] == 1.0));
    close(history.mean(|it| it[1]), 0.5, 0.01);
}
