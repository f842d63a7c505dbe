//! The policy that measures round trips.

use windtunnel_engine::{Duration, Random};
use windtunnel_networks::scion::policies::{
    LowestRttSettings, PathInfo, PathPolicy, PolicySettings,
};

use super::{at, paths, random};

const SETTINGS: LowestRttSettings = LowestRttSettings {
    probe_interval: Duration::from_millis(100),
    hysteresis: 0.2,
    probability: 1.0,
    hold: Duration::ZERO,
    is_smoothed: false,
};

/// A flow that sends a packet each millisecond, on paths that are probed each 100 ms.
struct Flow {
    policy: Box<dyn PathPolicy>,
    random: Random,
    paths: Vec<PathInfo>,
    current: Option<usize>,
    now: u64,
}

impl Flow {
    fn new(settings: LowestRttSettings, count: u16) -> Self {
        Self {
            policy: PolicySettings::LowestRtt(settings).policy(0, 1),
            random: random("flow"),
            paths: paths(count),
            current: None,
            now: 0,
        }
    }

    /// An interval of probes with these round trips in milliseconds, the first of which returns
    /// at its beginning; 0: it is lost. Returns the path of each packet.
    fn interval(&mut self, rtts: &[u64]) -> Vec<usize> {
        let now = at(self.now);
        for (path, rtt) in self.paths.iter_mut().zip(rtts) {
            let rtt = Some(Duration::from_millis(*rtt)).filter(|it| *it > Duration::ZERO);
            path.rtt = rtt.or(path.rtt);
            self.policy.on_probe(now, path, rtt);
        }
        let packet = |_| {
            let now = at(self.now);
            self.now += 1;
            self.current =
                Some(self.policy.select(now, &self.paths, self.current, &mut self.random));
            self.current.expect("it was chosen")
        };
        (0..100).map(packet).collect()
    }

    /// On which path the last packet of that interval went.
    fn last(&mut self, rtts: &[u64]) -> usize {
        self.interval(rtts)[99]
    }
}

/// Whatever their differences: within an interval of probes the path stays the same, and once
/// on the best one the flow leaves it no more.
#[test]
fn with_constant_round_trips_there_is_at_most_one_switch() {
    for rtts in [[30, 20, 40], [20, 20, 20], [1, 100, 1000], [1000, 100, 1], [22, 20, 21]] {
        let mut flow = Flow::new(SETTINGS, 3);
        let all: Vec<usize> = (0..20).flat_map(|_| flow.interval(&rtts)).collect();
        let switches = all.windows(2).filter(|it| it[0] != it[1]).count();
        assert!(switches <= 1, "{switches} with {rtts:?}");
    }
}

#[test]
fn a_flow_leaves_its_path_only_for_one_that_is_shorter_by_the_hysteresis() {
    let mut flow = Flow::new(SETTINGS, 2);
    assert_eq!(flow.last(&[90, 100]), 0);
    assert_eq!(flow.last(&[100, 80]), 0);
    assert_eq!(flow.last(&[100, 79]), 1);
    assert_eq!(flow.last(&[64, 79]), 1);
    assert_eq!(flow.last(&[63, 79]), 0);
}

/// A switch is considered once in an interval, and happens with that probability: the number of
/// intervals until then is geometric, with the mean 1/p.
#[test]
fn a_switch_takes_the_inverse_of_its_probability_in_intervals() {
    let settings = LowestRttSettings { probability: 0.25, ..SETTINGS };
    let mut flow = Flow::new(settings, 2);
    flow.last(&[10, 20]);
    let (mut intervals, mut switches) = (0_u32, 0_u32);
    while switches < 1000 {
        let before = flow.current;
        let better_elsewhere = if before == Some(0) { [20, 10] } else { [10, 20] };
        flow.last(&better_elsewhere);
        intervals += 1;
        switches += u32::from(flow.current != before);
    }
    let mean = f64::from(intervals) / f64::from(switches);
    // Four standard errors: the deviation of a geometric variable is sqrt(1-p)/p.
    assert!((mean - 4.0).abs() < 4.0 * 0.75_f64.sqrt() / 0.25 / 1000_f64.sqrt(), "{mean}");
}

#[test]
fn after_a_switch_there_is_none_for_so_long() {
    let settings = LowestRttSettings { hold: Duration::from_millis(300), ..SETTINGS };
    let mut flow = Flow::new(settings, 2);
    flow.last(&[10, 20]);
    let chosen: Vec<usize> = (0..9)
        .map(|_| {
            let better_elsewhere = if flow.current == Some(0) { [20, 10] } else { [10, 20] };
            flow.last(&better_elsewhere)
        })
        .collect();
    assert_eq!(chosen, [1, 1, 1, 0, 0, 0, 1, 1, 1]);
}

#[test]
fn a_path_whose_probe_was_lost_is_left_and_not_taken() {
    let settings = LowestRttSettings { probability: 1e-9, hold: Duration::MAX, ..SETTINGS };
    let mut flow = Flow::new(settings, 2);
    assert_eq!(flow.last(&[10, 20]), 0);
    assert_eq!(flow.last(&[0, 0]), 0);
    assert_eq!(flow.last(&[0, 20]), 1);
    assert_eq!(flow.last(&[0, 2000]), 1);
}

/// One probe of ten times the round trip moves the smoothed one by an eighth of nine.
#[test]
fn a_single_long_round_trip_does_not_move_a_flow_that_smooths() {
    let mut switched = [true, false].map(|is_smoothed| {
        let mut flow = Flow::new(LowestRttSettings { is_smoothed, ..SETTINGS }, 2);
        flow.last(&[10, 15]);
        for (path, rtt) in flow.paths.iter_mut().zip([14, 15]) {
            path.rtt = Some(Duration::from_millis(rtt));
        }
        let (latest, now) = ([100, 15].map(Duration::from_millis), at(flow.now));
        for (path, rtt) in flow.paths.iter().zip(latest) {
            flow.policy.on_probe(now, path, Some(rtt));
        }
        flow.policy.select(now, &flow.paths, flow.current, &mut flow.random) == 1
    });
    switched.sort_unstable();
    assert_eq!(switched, [false, true]);
}
