//! The destination edge: acknowledges the packets that the network might have
//! dropped, and passes everything on to the hosts.
//!
//! Source: the DCIB paper, section III.C and figure 9. Without [`Order::InOrder`]
//! it has no state but its counters.

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::bridge::EdgeAcknowledgement;
use windtunnel_packets::{Ecn, Packet};
use windtunnel_queues::Backlog;

use super::counters::DestinationCounters;
use super::reordering::{EdgeOutbox, Reordering};

/// What becomes of the congestion marks that the network between the edges set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EdgeMarks {
    /// They pass on to the hosts, which ignore or obey them.
    #[default]
    Pass,
    /// CE becomes ECT(0), so that hosts that understand marks do not see them: in
    /// DCIB a mark is not a signal to send less. A mark set before the source edge is
    /// lost too.
    Clear,
}

/// In which order packets pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// At once, in order of arrival.
    #[default]
    AsTheyCome,
    /// The segments of a connection that arrive after a gap wait until it is filled.
    InOrder {
        /// How long a segment waits at most.
        patience: Duration,
        /// How many bytes wait at most, of all connections together.
        buffer: u64,
    },
}

/// The settings of a destination edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DestinationSettings {
    /// What becomes of marks.
    pub marks: EdgeMarks,
    /// In which order packets pass.
    pub order: Order,
}

/// The destination edge.
#[derive(Clone, Debug)]
pub struct DestinationEdge {
    marks: EdgeMarks,
    reordering: Option<Reordering>,
    counters: DestinationCounters,
}

impl DestinationEdge {
    /// An edge that holds nothing yet.
    #[must_use]
    pub fn new(settings: DestinationSettings) -> Self {
        let reordering = match settings.order {
            Order::AsTheyCome => None,
            Order::InOrder { patience, buffer } => Some(Reordering::new(patience, buffer)),
        };
        Self { marks: settings.marks, reordering, counters: DestinationCounters::default() }
    }

    /// What was counted so far.
    #[must_use]
    pub fn counters(&self) -> &DestinationCounters {
        &self.counters
    }

    /// What waits.
    #[must_use]
    pub fn backlog(&self) -> Backlog {
        self.reordering.as_ref().map_or_else(Backlog::default, Reordering::backlog)
    }

    /// A packet arrives from the other edge. What passes on to the hosts now, this
    /// packet or others or none, goes to the end of `out`. Returns what is to be
    /// sent back to the source edge.
    #[inline]
    pub fn receive(
        &mut self,
        now: Time,
        mut packet: Packet,
        out: &mut EdgeOutbox,
    ) -> Option<EdgeAcknowledgement> {
        self.counters.received += 1;
        self.counters.marks += u64::from(packet.marked());
        let may_be_dropped = !packet.ecn.is_capable();
        let acknowledgement =
            packet.segment().filter(|_| may_be_dropped).map(EdgeAcknowledgement::of);
        self.counters.acknowledgements += u64::from(acknowledgement.is_some());
        if self.marks == EdgeMarks::Clear && packet.marked() {
            packet.ecn = Ecn::Capable;
        }
        match &mut self.reordering {
            Some(it) => it.receive(now, packet, out, &mut self.counters),
            None => out.push(packet),
        }
        acknowledgement
    }

    /// When [`DestinationEdge::release`] is to be called next; it may come later
    /// after each call.
    #[inline]
    #[must_use]
    pub fn next_wake(&self) -> Time {
        self.reordering.as_ref().map_or(Time::NEVER, Reordering::next_wake)
    }

    /// What has waited as long as it may goes to the end of `out`.
    pub fn release(&mut self, now: Time, out: &mut EdgeOutbox) {
        if let Some(it) = &mut self.reordering {
            it.release(now, out, &mut self.counters);
        }
    }
}
