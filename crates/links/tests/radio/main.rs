//! Radio links: published values, laws of propagation, statistics of what is random.

mod channel;
mod efficiency;
mod map;
mod propagation;
mod random;

use windtunnel_engine::{Duration, Streams, Time};
use windtunnel_links::radio::{
    Building, Efficiency, HandoverPlan, LineOfSight, Map, Obstructed, Point, RadioPlan, Station,
};
use windtunnel_links::{ChannelState, RadioSample, ReportPlan};

const CARRIER: f64 = 28e9;

fn point(x: f64, y: f64) -> Point {
    Point { x, y }
}

fn station(name: &str, x: f64, y: f64) -> Station {
    Station { name: name.into(), at: point(x, y), height: 10.0 }
}

fn building(x: f64, y: f64, width: f64, depth: f64) -> Building {
    Building { corner: point(x, y), width, depth }
}

/// One station in the middle, no building, a user on that way.
fn open_map(path: &[Point]) -> Map {
    Map {
        stations: vec![station("middle", 0.0, 0.0)],
        buildings: Vec::new(),
        path: path.to_vec(),
        user_height: 1.5,
    }
}

/// A link at 28 GHz without anything random.
fn radio_plan(map: Map, speed: f64) -> RadioPlan {
    RadioPlan {
        carrier: CARRIER,
        bandwidth: [1e9, 1e8],
        transmit_power: [30.0, 23.0],
        antenna_gain: 30.0,
        noise_figure: 7.0,
        map,
        speed,
        line_of_sight: LineOfSight::Map,
        obstructed: Obstructed::Diffraction,
        shadowing: false,
        blockage: None,
        efficiency: Efficiency::Shannon { share: 0.6, maximum: 4.4, minimum_sinr: -10.0 },
        overhead: 0.25,
        period: Duration::from_millis(10),
        handover: HandoverPlan {
            margin: 3.0,
            after: Duration::from_millis(160),
            interruption: Duration::from_millis(50),
        },
        report: ReportPlan { period: Duration::from_millis(10), delay: Duration::ZERO },
    }
}

/// Independent replications of one scenario's streams.
fn replications(count: u64) -> impl Iterator<Item = Streams> {
    (0..count).map(|run| Streams::new(1, run))
}

fn at_millisecond(millisecond: u64) -> Time {
    Time::ZERO + Duration::from_millis(millisecond)
}

/// What a radio measures.
fn measured(state: ChannelState) -> RadioSample {
    state.radio.expect("it is a radio")
}
