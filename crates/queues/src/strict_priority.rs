//! Strict priority: bands by the class of packets, and a packet leaves only where no higher
//! band has one.
//!
//! Source: RFC 2475 and RFC 4594, section 1.4.1 (priority queuing); the behaviour of Linux's
//! prio (tc-prio(8)). Each band is first in, first out, with a limit of its own.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Random, Time};
use windtunnel_packets::{Dscp, FlowKey};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_reading::units::Measured;

use crate::backlog::{Backlog, QueueLimit};
use crate::class::Class;
use crate::description::{Configured, QueueDescription};
use crate::fifo::Fifo;
use crate::keys::{Keys, packets};
use crate::queue::{Admission, Queue, Waiting};
use crate::verdict::Verdict;

pub(super) const DESCRIPTION: QueueDescription = QueueDescription {
    name: "strict-priority",
    meaning: "bands by the class of packets (DSCP), the highest one first",
    source: "RFC 4594, section 1.4.1; tc-prio(8)",
    shapes: false,
    is_random: false,
};

/// Which classes are in which band.
#[derive(Clone, Debug)]
pub struct Bands {
    of: [u8; Dscp::COUNT],
    count: u8,
}

impl Bands {
    /// Bands with these classes, from the highest one on; below them a band of all others.
    #[must_use]
    pub fn new(classes: &[Vec<Dscp>]) -> Self {
        let lowest = classes.len() as u8;
        let mut of = [lowest; Dscp::COUNT];
        for (band, classes) in (0..lowest).zip(classes) {
            classes.iter().for_each(|it| of[usize::from(it.value())] = band);
        }
        Self { of, count: lowest + 1 }
    }
}

/// The queues of all bands.
#[derive(Clone, Debug)]
pub struct StrictPriority {
    bands: Bands,
    queues: Vec<Fifo>,
    backlog: Backlog,
}

impl StrictPriority {
    /// Empty queues.
    #[must_use]
    pub fn new(bands: Bands) -> Self {
        let queues = vec![Fifo::default(); usize::from(bands.count)];
        Self { bands, queues, backlog: Backlog::default() }
    }

    fn band_of(&self, waiting: &Waiting) -> usize {
        usize::from(self.bands.of[usize::from(waiting.dscp.value())])
    }
}

impl Configured for StrictPriority {
    type Keys = StrictPriorityKeys;
    type Settings = Bands;

    fn marks(_settings: &Self::Settings) -> bool {
        false
    }

    fn start(settings: Self::Settings, _random: Random) -> Self {
        Self::new(settings)
    }
}

impl Queue for StrictPriority {
    fn push(&mut self, waiting: Waiting, _flow: FlowKey) {
        let band = self.band_of(&waiting);
        self.backlog.add(waiting.size);
        self.queues[band].push(waiting);
    }

    fn pop(&mut self, _now: Time) -> Option<(Waiting, Verdict)> {
        let head = self.queues.iter_mut().find_map(Fifo::pop)?;
        self.backlog.remove(head.size);
        Some((head, Verdict::Pass))
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn admission(&self, limit: QueueLimit, waiting: &Waiting) -> Admission {
        let band = &self.queues[self.band_of(waiting)];
        Admission::of(limit.admits(band.backlog(), waiting.size))
    }

    fn shed(&mut self, limit: QueueLimit, drop: &mut dyn FnMut(Waiting)) {
        for queue in &mut self.queues {
            queue.shed(limit, &mut |it| {
                self.backlog.remove(it.size);
                drop(it);
            });
        }
    }
}

/// The most bands that are named; Linux's prio has up to 16 in all.
const MOST_BANDS: usize = 15;

/// Strict priority, as Linux's prio: bands by the classes of packets, each first in, first out. A
/// packet leaves only where no higher band has one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StrictPriorityKeys {
    /// How much may wait in each band.
    #[serde(default = "packets::<100>")]
    limit: Measured<QueueLimit>,
    /// The classes in each band, from the highest band on; below these bands is one of all other
    /// packets.
    #[serde(default = "bands")]
    bands: Located<Vec<Vec<Class>>>,
}

fn bands() -> Located<Vec<Vec<Class>>> {
    vec![vec![Class::Cs7, Class::Cs6, Class::Ef, Class::Va]].into()
}

impl Keys for StrictPriorityKeys {
    type Settings = Bands;

    fn limit(&self) -> QueueLimit {
        self.limit.0
    }

    fn settings(&self) -> Result<Bands, Mistake> {
        let classes = self.bands.value.iter().map(|it| it.iter().map(|it| (*it).into()).collect());
        let classes: Vec<Vec<_>> = classes.collect();
        self.bands.checked(
            |it| (1..=MOST_BANDS).contains(&it.len()),
            || format!("`bands` must name 1 to {MOST_BANDS} bands"),
            "write the classes of each, such as bands = [[\"EF\"], [\"AF41\", \"AF42\"]]",
        )?;
        let mut all = classes.concat();
        all.sort_unstable();
        self.bands.checked(
            |_| all.windows(2).all(|it| it[0] != it[1]),
            || "a class can be in one band only".to_owned(),
            "name each class once",
        )?;
        Ok(Bands::new(&classes))
    }
}
