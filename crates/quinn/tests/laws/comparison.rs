//! The same controllers over the same bottleneck: in QUIC, and over the simulation's TCP.

use std::time::Duration;

use windtunnel_engine as engine;
use windtunnel_scenario::{Extensions, Outside, Study, Unreadable};
use windtunnel_world::{FlowCounters, World};

use crate::connection::{DELAY, LIMIT, Measured, RATE, Run};

/// The path of [`bottleneck`](crate::connection::bottleneck), behind a sender that is not
/// limited by its own link.
fn scenario(controller: &str) -> String {
    let delay = DELAY.as_micros() - 1;
    format!(
        r#"
        duration = "100 s"
        nodes = {{ a = {{}}, r = {{}}, b = {{}} }}
        links.access = {{ nodes = ["a", "r"], rate = "10 Gbps", delay = "1 us", queue = {{ kind = "drop-tail", limit = "10000 packets" }} }}
        links.bottleneck = {{ nodes = ["r", "b"], rate = "{RATE} bps", delay = "{delay} us", queue = {{ kind = "drop-tail", limit = "{LIMIT} packets" }} }}
        flows.f = {{ from = "a", to = "b", controller = "{controller}" }}
        "#
    )
}

/// A simulated connection.
struct Simulated {
    world: World,
    now: Duration,
}

impl Simulated {
    fn of(controller: &str) -> Self {
        let outside = Outside {
            extensions: &Extensions::default(),
            files: &mut |name| {
                let (why, help) = (format!("no {name}"), String::new());
                Err(Unreadable { why, help })
            },
            columns: &[],
        };
        let study = Study::read("test.toml", &scenario(controller), &[], outside);
        let study = study.unwrap_or_else(|error| panic!("{error}"));
        let world = World::new(&study.cases[0].plan).expect("there is a path");
        Self { world, now: Duration::ZERO }
    }

    /// Bytes received, packets through the bottleneck, how long they waited, and drops.
    fn counters(&self) -> (u64, u64, engine::Duration, u64) {
        let flow = self.world.flows().next().expect("there is one");
        let FlowCounters::Tcp(flow) = flow.counters else { panic!("it is TCP") };
        // Two directions of each link: there, and back.
        let (port, _) = self.world.ports(self.world.now()).nth(2).expect("there are four");
        (flow.receiver.received_bytes, port.sent, port.sojourn_sum, port.overlimit_drops)
    }

    fn measure(&mut self, end: Duration) -> Measured {
        let before = self.counters();
        let nanoseconds = u64::try_from(end.as_nanos()).expect("it is short");
        self.world.advance(engine::Time::ZERO + engine::Duration::from_nanos(nanoseconds));
        let after = self.counters();
        let span = end - std::mem::replace(&mut self.now, end);
        let waited = (after.2 - before.2).as_nanos() / (after.1 - before.1).max(1);
        Measured {
            goodput: 8.0 * (after.0 - before.0) as f64 / span.as_secs_f64(),
            waited: Duration::from_nanos(waited),
            drops: after.3 - before.3,
            marks: 0,
        }
    }
}

#[test]
fn print() {
    for name in ["cubic", "bbr3", "copa", "bbr1", "reno", "vegas"] {
        for (kind, it) in [("quic", true), ("sim", false)] {
            let (mut run, mut sim) = (Run::of(name), Simulated::of(name));
            let mut measure = |end| {
                let end = Duration::from_secs(end);
                let m = if it { run.measure(end) } else { sim.measure(end) };
                eprintln!(
                    "{name:10} {kind} until {end:?}: {:.2} Mb/s {:?} drops {}",
                    m.goodput / 1e6,
                    m.waited,
                    m.drops
                );
            };
            for end in [1, 2, 3, 4, 5, 10, 40, 100] {
                measure(end)
            }
        }
    }
}

#[test]
fn debug_trace() {
    for name in ["copa"] {
        let mut run = Run::of(name);
        let mut sim = Simulated::of(name);
        run.until(Duration::from_secs(50));
        sim.measure(Duration::from_secs(50));
        let (mut a, mut b) = (vec![], vec![]);
        for ms in (50_010..52_500).step_by(10) {
            a.push(run.measure(Duration::from_millis(ms)).waited.as_micros());
            b.push(sim.measure(Duration::from_millis(ms)).waited.as_micros());
        }
        eprintln!("cwnd {a:?}");
        eprintln!("cwnd {b:?}");
    }
}
