//! Recording: what is sampled and when, and the rows that wait until a chunk is full.

mod channels;
mod flows;
mod nodes;
mod playback;
mod ports;
mod routes;
mod source;
mod subflows;

use std::fmt;

use windtunnel_engine::{Duration, Time};

use crate::parts::Parts;
use crate::plan::Plan;
use crate::series::SeriesSink;

use channels::Channels;
use flows::Flows;
use nodes::Nodes;
use playback::Players;
use ports::Ports;
use routes::Routes;
use source::{Interval, Row, Source};
use subflows::Subflows;

/// Samples each kind of series at its own interval, and gives the rows to a sink.
pub(crate) struct Recorder {
    kinds: Kinds,
    sinks: Sinks,
}

/// The kinds of series.
#[derive(Clone)]
struct Kinds {
    flows: Option<Kind<Flows>>,
    subflows: Option<Kind<Subflows>>,
    ports: Option<Kind<Ports>>,
    channels: Option<Kind<Channels>>,
    routes: Option<Kind<Routes>>,
    playback: Option<Kind<Players>>,
    nodes: Option<Kind<Nodes>>,
}

/// Where rows go.
#[derive(Default)]
struct Sinks {
    /// In chunks of so many; without it they wait.
    sink: Option<(usize, SeriesSink)>,
    /// Each at once, if somebody watches.
    observer: Option<SeriesSink>,
}

/// Calls the same method of each kind that there is.
macro_rules! each {
    ($kinds:expr, $it:ident => $call:expr) => {{
        let kinds = $kinds;
        kinds.flows.iter_mut().for_each(|$it| $call);
        kinds.subflows.iter_mut().for_each(|$it| $call);
        kinds.ports.iter_mut().for_each(|$it| $call);
        kinds.channels.iter_mut().for_each(|$it| $call);
        kinds.routes.iter_mut().for_each(|$it| $call);
        kinds.playback.iter_mut().for_each(|$it| $call);
        kinds.nodes.iter_mut().for_each(|$it| $call);
    }};
}

impl Recorder {
    /// Records what a plan says; the rows wait for a sink.
    pub(crate) fn new(plan: &Plan) -> Self {
        let recording = &plan.recording;
        let (flows, links, nodes) = (&recording.flows, &recording.links, &recording.nodes);
        let kinds = Kinds {
            flows: flows.as_ref().map(|it| Kind::new(Flows::new(plan, it), it.interval)),
            subflows: flows.as_ref().and_then(|it| {
                let subflows = Subflows::new(plan, it)?;
                Some(Kind::new(subflows, it.interval))
            }),
            ports: links.as_ref().map(|it| Kind::new(Ports::new(plan, it), it.interval)),
            channels: recording.channels.map(|it| Kind::new(Channels::new(plan), it)),
            routes: recording.routes.map(|it| Kind::new(Routes::new(plan), it)),
            playback: recording.playback.map(|it| Kind::new(Players::new(plan), it)),
            nodes: nodes.as_ref().map(|it| Kind::new(Nodes::new(plan, it), it.interval)),
        };
        Self { kinds, sinks: Sinks::default() }
    }

    /// The same with the rows that wait, for another world; none if a sink has got rows.
    pub(crate) fn fork(&self) -> Option<Self> {
        let has_given = self.sinks.sink.is_some();
        (!has_given).then(|| Self { kinds: self.kinds.clone(), sinks: Sinks::default() })
    }

    /// Gives a sink the rows that wait and those that follow, in chunks of this many.
    pub(crate) fn give(&mut self, chunk: usize, sink: SeriesSink) {
        self.sinks.sink = Some((chunk, sink));
        let sinks = &mut self.sinks;
        each!(&mut self.kinds, it => sinks.take(&mut it.rows));
    }

    /// Gives each row to an observer as well: those that wait, and others when they are sampled.
    pub(crate) fn observe(&mut self, mut observer: SeriesSink) {
        each!(&mut self.kinds, it => observer(Row::chunk(&it.rows)));
        self.sinks.observer = Some(observer);
    }

    /// When the next interval of any kind ends; what happens at its end belongs to it.
    pub(crate) fn next(&self) -> Time {
        let kinds = &self.kinds;
        let flows = kinds.flows.as_ref().map(Kind::next);
        let subflows = kinds.subflows.as_ref().map(Kind::next);
        let ports = kinds.ports.as_ref().map(Kind::next);
        let channels = kinds.channels.as_ref().map(Kind::next);
        let routes = kinds.routes.as_ref().map(Kind::next);
        let playback = kinds.playback.as_ref().map(Kind::next);
        let nodes = kinds.nodes.as_ref().map(Kind::next);
        let all = [flows, subflows, ports, channels, routes, playback, nodes];
        all.into_iter().flatten().min().unwrap_or(Time::NEVER)
    }

    /// Samples at the end of every interval up to `time`.
    #[cold]
    pub(crate) fn sample_until(&mut self, parts: &mut Parts, time: Time) {
        let sinks = &mut self.sinks;
        each!(&mut self.kinds, it => it.sample_until(parts, time, sinks));
    }

    /// Gives the rows that fill no chunk to the sink.
    pub(crate) fn flush(&mut self) {
        let sinks = &mut self.sinks;
        each!(&mut self.kinds, it => sinks.flush(&mut it.rows));
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Recorder").finish_non_exhaustive()
    }
}

impl Sinks {
    /// Passes on the chunks that rows fill.
    fn take<R: Row>(&mut self, rows: &mut Vec<R>) {
        let Some((full, sink)) = &mut self.sink else { return };
        if rows.len() >= *full {
            let whole = rows.len() - rows.len() % *full;
            rows[..whole].chunks(*full).for_each(|it| sink(R::chunk(it)));
            rows.drain(..whole);
        }
    }

    /// Passes on what fills no chunk.
    fn flush<R: Row>(&mut self, rows: &mut Vec<R>) {
        if let Some((_, sink)) = &mut self.sink
            && !rows.is_empty()
        {
            sink(R::chunk(rows));
            rows.clear();
        }
    }
}

/// A kind of series.
#[derive(Clone)]
struct Kind<S: Source> {
    source: S,
    interval: Duration,
    /// When the last sample was taken.
    last: Time,
    rows: Vec<S::Row>,
}

impl<S: Source> Kind<S> {
    fn new(source: S, interval: Duration) -> Self {
        Self { source, interval, last: Time::ZERO, rows: Vec::new() }
    }

    fn next(&self) -> Time {
        self.last + self.interval
    }

    fn sample_until(&mut self, parts: &mut Parts, time: Time, sinks: &mut Sinks) {
        while self.next() <= time {
            let over = Interval { start: self.last, end: self.next() };
            self.last = over.end;
            let rows = &mut self.rows;
            self.source.sample(parts, over, |row| {
                rows.push(row);
                if let Some(observer) = &mut sinks.observer {
                    observer(Row::chunk(&rows[rows.len() - 1..]));
                }
                sinks.take(rows);
            });
        }
    }
}
