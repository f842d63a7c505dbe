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
    flows: Option<Kind<Flows>>,
    subflows: Option<Kind<Subflows>>,
    ports: Option<Kind<Ports>>,
    channels: Option<Kind<Channels>>,
    routes: Option<Kind<Routes>>,
    playback: Option<Kind<Players>>,
    nodes: Option<Kind<Nodes>>,
    sinks: Sinks,
}

/// Where rows go.
struct Sinks {
    /// In chunks.
    sink: SeriesSink,
    /// Each at once, if somebody watches.
    observer: Option<SeriesSink>,
}

impl Recorder {
    /// Records what a plan says, in chunks of this many rows.
    pub(crate) fn new(plan: &Plan, chunk: usize, sink: SeriesSink) -> Self {
        let recording = &plan.recording;
        let (flows, links, nodes) = (&recording.flows, &recording.links, &recording.nodes);
        Self {
            flows: flows.as_ref().map(|it| Kind::new(Flows::new(plan, it), it.interval, chunk)),
            subflows: flows.as_ref().and_then(|it| {
                let subflows = Subflows::new(plan, it)?;
                Some(Kind::new(subflows, it.interval, chunk))
            }),
            ports: links.as_ref().map(|it| Kind::new(Ports::new(plan, it), it.interval, chunk)),
            channels: recording.channels.map(|it| Kind::new(Channels::new(plan), it, chunk)),
            routes: recording.routes.map(|it| Kind::new(Routes::new(plan), it, chunk)),
            playback: recording.playback.map(|it| Kind::new(Players::new(plan), it, chunk)),
            nodes: nodes.as_ref().map(|it| Kind::new(Nodes::new(plan, it), it.interval, chunk)),
            sinks: Sinks { sink, observer: None },
        }
    }

    /// Gives each row to an observer as well, when it is sampled.
    pub(crate) fn observe(&mut self, observer: SeriesSink) {
        self.sinks.observer = Some(observer);
    }

    /// When the next interval of any kind ends; what happens at its end belongs to it.
    pub(crate) fn next(&self) -> Time {
        let flows = self.flows.as_ref().map(Kind::next);
        let subflows = self.subflows.as_ref().map(Kind::next);
        let ports = self.ports.as_ref().map(Kind::next);
        let channels = self.channels.as_ref().map(Kind::next);
        let routes = self.routes.as_ref().map(Kind::next);
        let playback = self.playback.as_ref().map(Kind::next);
        let nodes = self.nodes.as_ref().map(Kind::next);
        let all = [flows, subflows, ports, channels, routes, playback, nodes];
        all.into_iter().flatten().min().unwrap_or(Time::NEVER)
    }

    /// Samples at the end of every interval up to `time`.
    #[cold]
    pub(crate) fn sample_until(&mut self, parts: &mut Parts, time: Time) {
        let sinks = &mut self.sinks;
        self.flows.iter_mut().for_each(|it| it.sample_until(parts, time, sinks));
        self.subflows.iter_mut().for_each(|it| it.sample_until(parts, time, sinks));
        self.ports.iter_mut().for_each(|it| it.sample_until(parts, time, sinks));
        self.channels.iter_mut().for_each(|it| it.sample_until(parts, time, sinks));
        self.routes.iter_mut().for_each(|it| it.sample_until(parts, time, sinks));
        self.playback.iter_mut().for_each(|it| it.sample_until(parts, time, sinks));
        self.nodes.iter_mut().for_each(|it| it.sample_until(parts, time, sinks));
    }

    /// Gives the rows that fill no chunk to the sink.
    pub(crate) fn flush(&mut self) {
        let sink = &mut self.sinks.sink;
        self.flows.iter_mut().for_each(|it| it.flush(sink));
        self.subflows.iter_mut().for_each(|it| it.flush(sink));
        self.ports.iter_mut().for_each(|it| it.flush(sink));
        self.channels.iter_mut().for_each(|it| it.flush(sink));
        self.routes.iter_mut().for_each(|it| it.flush(sink));
        self.playback.iter_mut().for_each(|it| it.flush(sink));
        self.nodes.iter_mut().for_each(|it| it.flush(sink));
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Recorder").finish_non_exhaustive()
    }
}

/// A kind of series.
struct Kind<S: Source> {
    source: S,
    interval: Duration,
    /// When the last sample was taken.
    last: Time,
    /// Rows of a full chunk.
    full: usize,
    rows: Vec<S::Row>,
}

impl<S: Source> Kind<S> {
    fn new(source: S, interval: Duration, chunk: usize) -> Self {
        Self { source, interval, last: Time::ZERO, full: chunk, rows: Vec::new() }
    }

    fn next(&self) -> Time {
        self.last + self.interval
    }

    fn sample_until(&mut self, parts: &mut Parts, time: Time, sinks: &mut Sinks) {
        while self.next() <= time {
            let over = Interval { start: self.last, end: self.next() };
            self.last = over.end;
            let (rows, full) = (&mut self.rows, self.full);
            self.source.sample(parts, over, |row| {
                rows.push(row);
                if let Some(observer) = &mut sinks.observer {
                    observer(Row::chunk(&rows[rows.len() - 1..]));
                }
                if rows.len() >= full {
                    (sinks.sink)(Row::chunk(rows));
                    rows.clear();
                }
            });
        }
    }

    fn flush(&mut self, sink: &mut SeriesSink) {
        if !self.rows.is_empty() {
            sink(Row::chunk(&self.rows));
            self.rows.clear();
        }
    }
}
