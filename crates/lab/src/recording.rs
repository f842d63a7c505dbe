//! A run whose time somebody else lets pass: recorded and measured as a simulated one.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use cpu_time::ProcessTime;
use windtunnel_engine::{Control, Stop, Time};
use windtunnel_scenario::Study;
use windtunnel_world::{Plan, World};

use crate::batch::Outcome;
use crate::capture::{CaptureSettings, Captures, Started};
use crate::series::{CHUNK, Series};
use crate::tables::{Labels, Measurements, Run};

/// The only run of a study in progress.
#[derive(Debug)]
pub struct Recording {
    study: Study,
    plan: Arc<Plan>,
    series: Series,
    captures: Option<Started>,
    real: Instant,
    cpu: ProcessTime,
}

impl Recording {
    /// Records a study's only run from its world's beginning on. Series stay in memory; captures
    /// are written below a folder. `plan` is that of the world.
    ///
    /// # Errors
    /// If nothing can be recorded.
    pub fn start(
        study: Study,
        plan: &Plan,
        world: &mut World,
        captures: Option<(PathBuf, CaptureSettings)>,
    ) -> io::Result<Self> {
        let (plan, case) = (Arc::new(plan.clone()), &study.cases[0]);
        let captures = captures.map(|(folder, settings)| Captures { folder, settings });
        let captures = captures.map(|it| it.start(case, &plan, &study.layers, world));
        let labels = Labels::new(&study, 0, 0);
        let control = Arc::new(Control::default());
        world.keep_series(&plan);
        let series = Series::record(world, &plan, labels, None, &control, CHUNK)?;
        let (real, cpu) = (Instant::now(), ProcessTime::now());
        Ok(Self { study, plan, series, captures, real, cpu })
    }

    /// Ends it at a time that its world has reached.
    ///
    /// # Errors
    /// If a capture could not be written.
    pub fn finish(self, world: &mut World, end: Time) -> io::Result<(Study, Outcome)> {
        world.finish(end);
        self.captures.map_or(Ok(()), |it| it.finish(world))?;
        let run = Run {
            case: 0,
            number: 0,
            stop: Stop::Finished,
            events: world.events(),
            packet_hops: world.packet_hops(),
            cpu: self.cpu.elapsed(),
            routing: world.routing_time(),
            real: self.real.elapsed(),
            simulated: end.since(Time::ZERO),
            measurements: Measurements::take(
                &self.plan,
                &self.study.cases[0].prefixes,
                &self.study.layers,
                world,
                end,
            ),
            series: self.series.finish(Stop::Finished)?,
            is_copy: false,
        };
        Ok((self.study, Outcome { runs: vec![run], ..Outcome::default() }))
    }
}
