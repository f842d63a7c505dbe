//! How an end takes in the data of all subflows.

use windtunnel_engine::Time;
use windtunnel_packets::multipath::Multipath;
use windtunnel_packets::tcp::Segment;

use super::Endpoint;
use crate::mptcp::memory::BEFORE_DATA;
use crate::mptcp::subflow::{Mapping, Subflow};
use crate::tcp::{Reading, TcpOutbox};

impl Endpoint {
    /// The data that a segment of a subflow brings, if that has not received it before.
    #[inline]
    pub(in crate::mptcp) fn data_in(
        &self,
        place: usize,
        segment: &Segment,
        multipath: Option<Multipath>,
    ) -> Option<Mapping> {
        if segment.length == 0 {
            return None;
        }
        let subflow = &self.subflows[place];
        let start = subflow.place_of(segment)?;
        let data = match multipath {
            Some(Multipath::Mapping { sequence, .. }) => sequence,
            // What the client sends first.
            Some(Multipath::Capable) => 0,
            None if self.is_plain => start,
            _ => return None,
        };
        let length = u64::from(segment.length);
        let mapping = Mapping { start, length, data, is_reinjected: false };
        (mapping.end() > subflow.received_bytes()).then_some(mapping)
    }

    /// Takes the data that a subflow has put in its order, with that of the segment that came
    /// last. Where the window was full, the sender may be waiting for what fills a gap, and hears
    /// of it at once.
    pub(in crate::mptcp) fn take_data(
        &mut self,
        now: Time,
        place: usize,
        brought: Option<Mapping>,
        outbox: &mut TcpOutbox,
    ) {
        let subflow = &mut self.subflows[place];
        let it = &mut self.receiving;
        let before = it.in_order();
        let had_gap = it.reassembly.has_gap();
        match brought {
            Some(first)
                if subflow.arrived.is_empty() && first.end() <= subflow.received_bytes() =>
            {
                it.take_in(first);
            }
            Some(other) => subflow.arrive(other),
            None => {}
        }
        while let Some(next) = subflow.next_in_order() {
            it.take_in(next);
        }
        if it.in_order() == before {
            return;
        }
        let segment = u64::from(self.settings.tcp.maximum_segment);
        let is_full = self.receiving.highest + segment > self.receiving.edge;
        if had_gap && is_full {
            self.on_subflow(place, outbox, |it, outbox| it.send_bare(now, outbox));
        }
        let settings = &self.settings.tcp;
        let it = &mut self.receiving;
        if it.buffer.size() >= settings.buffers.maximum_receive_size() {
            return;
        }
        // As in Linux, what is taken in the longest of the subflows' round trips counts.
        let longest = self.subflows.iter().filter_map(|it| it.receiver_rtt.smoothed()).max();
        let is_new = |it: &Subflow| it.endpoint.is_established() && it.received_bytes() == 0;
        let has_new = settings.acknowledgements.quick && self.subflows.iter().any(is_new);
        if let Some(rtt) = longest {
            it.buffer.receive_over(rtt, if has_new { BEFORE_DATA } else { 1.0 }, settings);
        }
        if settings.socket.reading == Reading::AtOnce {
            it.buffer.take(now, it.reassembly.next(), 0, settings);
        }
        self.bound_windows();
    }

    /// No subflow's window grows beyond the connection's receive buffer.
    pub(super) fn bound_windows(&mut self) {
        let size = self.receiving.buffer.size();
        self.subflows.iter_mut().for_each(|it| it.endpoint.bound_window(size));
    }
}
