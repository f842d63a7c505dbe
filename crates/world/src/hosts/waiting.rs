//! Flows that wait for the address of their name, and begin once it is known.

use windtunnel_applications::udp::{UdpSettings, UdpSink, UdpSource};
use windtunnel_applications::{Setting, Workload};
use windtunnel_engine::{Random, Time};
use windtunnel_packets::Route;

use super::running::Running;

/// What a flow will carry, with its random stream.
#[derive(Clone, Debug)]
pub(super) enum Waiting {
    OnStreams(Workload, Random),
    /// With the path of the datagrams.
    Datagrams(Box<(UdpSettings, Random, Route)>),
}

impl Waiting {
    /// What runs at the sender and at the receiver of its data from `start` on.
    pub(super) fn begin(self, flow: u32, start: Time) -> [Running; 2] {
        match self {
            Self::OnStreams(workload, random) => {
                let ends = workload.applications(&Setting { start, random });
                ends.map(|it| Running::Streams(Some(it)))
            }
            Self::Datagrams(it) => {
                let (settings, random, route) = *it;
                let source = UdpSource::new(flow, &settings, start, random);
                let sink = UdpSink::new(&settings, start);
                [Running::Source(Box::new(source), route), Running::Sink(Box::new(sink))]
            }
        }
    }

    /// What is there before it begins: a source and a sink are read even if they do nothing.
    pub(super) fn idle(&self, flow: u32) -> [Running; 2] {
        match self {
            Self::OnStreams(..) => [Running::Streams(None), Running::Streams(None)],
            Self::Datagrams(it) => Self::Datagrams(it.clone()).begin(flow, Time::ZERO),
        }
    }
}
