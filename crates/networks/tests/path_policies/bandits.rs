//! The bandits on paths whose losses do not change, in distribution.

use std::f64::consts::PI;

use windtunnel_engine::Duration;
use windtunnel_networks::scion::policies::{BanditSettings, PolicySettings};

use super::{at, paths, random};

const SETTINGS: BanditSettings = BanditSettings {
    probe_interval: Duration::from_millis(100),
    worst_rtt: Duration::from_secs(1),
};

/// How often each path is used in this many rounds, each of which loses its probe with the
/// path's probability or else has a round trip of next to nothing.
fn rounds(settings: &PolicySettings, losses: &[f64], count: u64, name: &str) -> Vec<f64> {
    let paths = paths(losses.len() as u16);
    let (mut policy, mut random) = (settings.policy(0, 1), random(name));
    let mut nature = random.second();
    let (mut used, mut current) = (vec![0.0; losses.len()], None);
    for round in 0..count {
        let now = at(round * 100);
        let place = policy.select(now, &paths, current, &mut random);
        let rtt = Some(Duration::from_nanos(1)).filter(|_| !nature.happens(losses[place]));
        // What another path does is not known, and changes nothing.
        policy.on_probe(now, &paths[(place + 1) % paths.len()], None);
        policy.on_probe(now, &paths[place], rtt);
        used[place] += 1.0;
        current = Some(place);
    }
    used
}

/// The mean over runs of the loss that is expected beyond that of the best path.
fn regret(settings: &PolicySettings, losses: &[f64], count: u64) -> f64 {
    const RUNS: u32 = 40;
    let best = losses.iter().copied().fold(f64::MAX, f64::min);
    let run = |it| {
        let used = rounds(settings, losses, count, &format!("run {it}"));
        used.iter().zip(losses).map(|(used, loss)| used * (loss - best)).sum::<f64>()
    };
    (0..RUNS).map(run).sum::<f64>() / f64::from(RUNS)
}

/// Auer, Cesa-Bianchi and Fischer 2002, theorem 1: at most
/// `8 Σ ln n / Δ + (1 + π²/3) Σ Δ`.
#[test]
fn the_regret_of_ucb1_is_within_its_bound_and_logarithmic() {
    let losses = [0.3, 0.5, 0.7, 0.4];
    let settings = PolicySettings::Ucb1(SETTINGS);
    let found = [1_000, 10_000].map(|count| {
        let found = regret(&settings, &losses, count);
        let gaps = [0.2, 0.4, 0.1_f64];
        let bound: f64 =
            gaps.iter().map(|it| 8.0 * (count as f64).ln() / it + (1.0 + PI * PI / 3.0) * it).sum();
        assert!(found > 0.0 && found < bound, "{found} of {bound}");
        found
    });
    // Ten times the rounds are far less than ten times the regret.
    assert!(found[1] < 3.0 * found[0], "{found:?}");
}

/// Auer, Cesa-Bianchi, Freund and Schapire 2002, theorem 3.1: the expected gain is less than
/// that of the best path by at most `(e-1) γ G + K ln K / γ`.
#[test]
fn the_regret_of_exp3_is_within_its_bound() {
    let (losses, count, gamma) = ([0.2, 0.6, 0.6], 5_000_u64, 0.05);
    let found = regret(&PolicySettings::Exp3(SETTINGS, gamma), &losses, count);
    let gain = 0.8 * count as f64;
    let bound = (1_f64.exp() - 1.0) * gamma * gain + 3.0 * 3_f64.ln() / gamma;
    assert!(found > 0.0 && found < bound, "{found} of {bound}");
    // It explores any other path in γ·2/3 of all rounds at least, and learns.
    let explored = gamma * 2.0 / 3.0 * 0.4 * count as f64;
    assert!(found > 0.8 * explored && found < 0.4 * 2.0 / 3.0 * count as f64 / 3.0, "{found}");
}

/// In the end a random path in ε of the rounds, and else the best.
#[test]
fn epsilon_greedy_uses_each_worse_path_in_its_share_of_epsilon() {
    let (losses, count, epsilon) = ([0.8, 0.2, 0.5, 0.9], 40_000, 0.2);
    let used = rounds(&PolicySettings::EpsilonGreedy(SETTINGS, epsilon), &losses, count, "greedy");
    for (place, used) in used.iter().enumerate() {
        let share = used / count as f64;
        let expected = if place == 1 { 1.0 - 0.75 * epsilon } else { 0.25 * epsilon };
        assert!((share - expected).abs() < 0.01, "path {place}: {share}");
    }
}

#[test]
fn without_epsilon_each_is_tried_and_then_the_best_is_used() {
    let losses = [1.0, 0.0, 1.0];
    let used = rounds(&PolicySettings::EpsilonGreedy(SETTINGS, 0.0), &losses, 100, "none");
    assert_eq!(used, [1.0, 98.0, 1.0]);
}

/// A round lasts until its probe has returned or is lost.
#[test]
fn no_path_is_drawn_before_something_was_learned() {
    for settings in [
        PolicySettings::EpsilonGreedy(SETTINGS, 1.0),
        PolicySettings::Ucb1(SETTINGS),
        PolicySettings::Exp3(SETTINGS, 1.0),
    ] {
        let (mut policy, mut random, paths) = (settings.policy(0, 1), random("round"), paths(5));
        let first = policy.select(at(0), &paths, None, &mut random);
        for time in 1..1000 {
            assert_eq!(policy.select(at(time), &paths, Some(first), &mut random), first);
        }
    }
}
