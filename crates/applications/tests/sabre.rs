//! The rules of adaptive streaming against sabre (Spiteri, Sitaraman and Sparacio, MMSys 2018):
//! its fluid model of a network, a constant bandwidth after a latency for each request, and its
//! video. What sabre itself prints is the oracle: the mean bitrate played over the time from the
//! first request to the end, to 0.01 kb/s.

use serde::Deserialize;
use windtunnel_applications::video::Ladder;
use windtunnel_applications::video::rules::{
    BolaESettings, BolaSettings, Client, Download, Oscillation, RuleSettings, Situation,
    ThroughputSettings, Utility,
};
use windtunnel_engine::Duration;

/// In seconds.
const LATENCY: f64 = 0.05;
const MAXIMUM_BUFFER: f64 = 25.0;
/// In kb/s.
const BANDWIDTHS: [f64; 4] = [2000.0, 3000.0, 5240.0, 5700.0];

#[derive(Deserialize)]
struct Movie {
    segment_duration_ms: u64,
    bitrates_kbps: Vec<f64>,
    segment_sizes_bits: Vec<Vec<u64>>,
}

fn big_buck_bunny() -> Ladder {
    let text = include_str!("../../../scenarios/video/bbb.json");
    let movie: Movie = serde_json::from_str(text).unwrap();
    let bits = movie.segment_sizes_bits.concat();
    assert!(bits.iter().all(|it| it % 8 == 0));
    Ladder::new(
        Duration::from_millis(movie.segment_duration_ms),
        movie.bitrates_kbps.iter().map(|it| it * 1e3).collect(),
        bits.iter().map(|it| it / 8).collect(),
    )
}

/// What sabre prints of a run at a bandwidth in kb/s: the mean bitrate in kb/s, and how long
/// playing stalled in seconds.
fn run(settings: &RuleSettings, bandwidth: f64) -> (f64, f64) {
    let ladder = big_buck_bunny();
    let media = ladder.duration().as_seconds();
    let mut rule = settings.rule(&ladder, MAXIMUM_BUFFER);
    let (mut buffer, mut stalled, mut bitrates) = (0.0_f64, 0.0, 0.0);
    let mut start = 0.0;
    for segment in 0..ladder.segments() {
        let excess = buffer + media - MAXIMUM_BUFFER;
        if excess > 0.0 {
            buffer -= excess;
            rule.on_full(excess);
        }
        let choice = rule.choose(&Situation { ladder: &ladder, segment, buffer });
        buffer -= choice.delay;
        let bytes = ladder.bytes(segment, choice.level);
        let time = LATENCY + bytes as f64 * 8.0 / (bandwidth * 1e3);
        if segment == 0 {
            start = time;
        } else {
            stalled += (time - buffer).max(0.0);
        }
        buffer = (buffer - time).max(0.0) + media;
        bitrates += ladder.bitrates()[choice.level] / 1e3;
        let level = choice.level;
        rule.on_download(
            &ladder,
            &Download { level, bytes, latency: LATENCY, time, buffer, stalled: 0.0 },
        );
    }
    let time = start + media * ladder.segments() as f64 + stalled;
    (bitrates * media / time, stalled)
}

#[track_caller]
fn assert_prints(settings: &RuleSettings, expected: [f64; 4]) {
    for (bandwidth, expected) in BANDWIDTHS.into_iter().zip(expected) {
        let (found, stalled) = run(settings, bandwidth);
        println!("{bandwidth}: {found:.2} against {expected} {stalled}");
        assert!((found - expected).abs() < 0.006, "{bandwidth}: {found} against {expected}");
        assert_eq!(stalled, 0.0, "{bandwidth}");
    }
}

fn bola(oscillation: Oscillation) -> RuleSettings {
    RuleSettings::Bola(BolaSettings { gamma_p: 5.0, oscillation })
}

#[test]
fn bola_is_that_of_sabre() {
    assert_prints(&bola(Oscillation::Limited), [1893.41, 2845.76, 4986.04, 5436.92]);
}

#[test]
fn bola_without_oscillations_is_that_of_sabre() {
    assert_prints(&bola(Oscillation::Avoided), [1392.06, 2002.59, 4859.61, 4859.72]);
}

#[test]
fn bola_e_is_that_of_sabre() {
    let settings = RuleSettings::BolaE(BolaESettings { utility: Utility::One });
    assert_prints(&settings, [1929.25, 2896.51, 5100.11, 5493.64]);
}

#[test]
fn the_throughput_rule_is_that_of_sabre() {
    let settings = ThroughputSettings { safety: 0.9, client: Client::Sabre };
    assert_prints(&RuleSettings::Throughput(settings), [1419.81, 2045.64, 2947.19, 4990.80]);
}

#[test]
fn that_of_dash_js_takes_the_levels_below_nine_tenths() {
    let settings = ThroughputSettings { safety: 0.9, client: Client::DashJs };
    // Levels of 1427, 2056, 2962 and 5027 kb/s are the highest ones below; the first segments are
    // lower, and the time until the first one has come counts.
    for (bandwidth, level) in BANDWIDTHS.into_iter().zip([1427.0, 2056.0, 2962.0, 5027.0]) {
        let (found, stalled) = run(&RuleSettings::Throughput(settings), bandwidth);
        assert!(found < level && found > 0.98 * level, "{bandwidth}: {found} against {level}");
        assert_eq!(stalled, 0.0);
    }
}
