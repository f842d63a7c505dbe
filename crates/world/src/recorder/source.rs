//! What series are sampled from.

use windtunnel_engine::Time;

use crate::parts::Parts;
use crate::series::{
    ChannelSample, Chunk, FlowSample, NodeSample, PlaybackSample, PortSample, RouteSample,
    SubflowSample,
};

/// An interval that ends.
#[derive(Clone, Copy)]
pub(super) struct Interval {
    pub(super) start: Time,
    pub(super) end: Time,
}

impl Interval {
    /// Its length.
    pub(super) fn seconds(self) -> f64 {
        self.end.since(self.start).as_seconds()
    }
}

/// What a kind of series is sampled from, with what had been counted at the last sample.
pub(super) trait Source: Clone {
    type Row: Row;

    /// A row of each thing over an interval.
    fn sample(&mut self, parts: &mut Parts, over: Interval, take: impl FnMut(Self::Row));
}

/// A row of a series.
pub(super) trait Row: Clone {
    fn chunk(rows: &[Self]) -> Chunk<'_>;
}

impl Row for FlowSample {
    fn chunk(rows: &[Self]) -> Chunk<'_> {
        Chunk::Flows(rows)
    }
}

impl Row for SubflowSample {
    fn chunk(rows: &[Self]) -> Chunk<'_> {
        Chunk::Subflows(rows)
    }
}

impl Row for PortSample {
    fn chunk(rows: &[Self]) -> Chunk<'_> {
        Chunk::Ports(rows)
    }
}

impl Row for ChannelSample {
    fn chunk(rows: &[Self]) -> Chunk<'_> {
        Chunk::Channels(rows)
    }
}

impl Row for RouteSample {
    fn chunk(rows: &[Self]) -> Chunk<'_> {
        Chunk::Routes(rows)
    }
}

impl Row for PlaybackSample {
    fn chunk(rows: &[Self]) -> Chunk<'_> {
        Chunk::Playback(rows)
    }
}

impl Row for NodeSample {
    fn chunk(rows: &[Self]) -> Chunk<'_> {
        Chunk::Nodes(rows)
    }
}
