//! The data of all subflows put in order, and the window that holds for all.

use windtunnel_engine::Time;
use windtunnel_packets::tcp::{Flags, Segment, SynOptions};

use super::memory::taken_by;
use super::subflow::Mapping;
use crate::tcp::reassembly::Reassembly;
use crate::tcp::receive_buffer::ReceiveBuffer;
use crate::tcp::receiver::scale_for;
use crate::tcp::{Reading, TcpSettings};

/// The data that arrived.
#[derive(Clone, Debug)]
pub(super) struct Receiving {
    pub(super) reassembly: Reassembly,
    pub(super) buffer: ReceiveBuffer,
    /// By how many bits windows are scaled down.
    pub(super) scale: u8,
    /// Bytes that the application has taken, if it says so.
    pub(super) taken: u64,
    /// The byte after the last, once the other end has said so.
    pub(super) fin: Option<u64>,
    /// The byte after the last that was advertised, and after the last that came.
    pub(super) edge: u64,
    pub(super) highest: u64,
}

impl Receiving {
    pub(super) fn new(settings: &TcpSettings) -> Self {
        Self {
            reassembly: Reassembly::new(0),
            buffer: ReceiveBuffer::new(settings),
            scale: scale_for(settings.buffers.maximum_receive_size()),
            taken: 0,
            fin: None,
            edge: 0,
            highest: 0,
        }
    }

    /// Bytes received in order.
    #[inline]
    pub(super) fn in_order(&self) -> u64 {
        self.reassembly.next()
    }

    /// Bytes that wait for others before them.
    pub(super) fn waiting(&self) -> u64 {
        self.reassembly.held()
    }

    /// That data is in the order of its subflow.
    pub(super) fn take_in(&mut self, it: Mapping) {
        self.reassembly.insert(it.data, it.data_end());
        self.highest = self.highest.max(it.data_end());
    }

    /// The other end sends nothing from that byte on.
    pub(super) fn end_at(&mut self, end: u64) {
        self.fin = Some(end);
    }

    /// Whether everything came.
    pub(super) fn is_finished(&self) -> bool {
        self.fin.is_some_and(|it| self.in_order() >= it)
    }

    /// The next data expected; a DATA_FIN counts as one byte.
    #[inline]
    pub(super) fn acknowledgement(&self) -> u64 {
        self.in_order() + u64::from(self.is_finished())
    }

    /// The bytes that there is room for beyond those in order.
    fn room(&self, settings: &TcpSettings) -> u64 {
        let held = match settings.socket.reading {
            Reading::AtOnce => 0,
            Reading::AsTaken => self.in_order() - self.taken,
        };
        let room = self.buffer.size().saturating_sub(held);
        // Windows smaller than a segment are not advertised (RFC 9293, section 3.8.6.2.2).
        let least = u64::from(settings.maximum_segment).min(self.buffer.size() / 2);
        if room < least { 0 } else { room }
    }

    /// What is offered beyond the bytes in order on a subflow whose own window has grown to `most`: no more
    /// than that, and in Linux less by what waits for others; but what was advertised is kept.
    pub(super) fn offer(&self, most: u64, settings: &TcpSettings) -> u64 {
        let room = self.room(settings);
        let counts = settings.acknowledgements.quick && self.reassembly.has_gap();
        let taken = if counts { taken_by(self.waiting()) } else { 0 };
        let kept = self.edge.saturating_sub(self.in_order());
        room.saturating_sub(taken).min(most).max(kept.min(room))
    }

    /// Puts the connection's window into a segment of any of its subflows: there is that room.
    #[inline]
    pub(super) fn advertise(&mut self, segment: &mut Segment, room: u64) {
        let shift = if segment.flags.has(Flags::SYN) {
            let options = SynOptions { window_scale: Some(self.scale), ..segment.syn_options() };
            segment.set_syn_options(options);
            0
        } else {
            self.scale
        };
        segment.window = (room >> shift).min(u64::from(u16::MAX)) as u16;
        self.edge = self.edge.max(self.in_order() + (u64::from(segment.window) << shift));
    }

    /// The application takes this many bytes of what came in order.
    pub(super) fn take(&mut self, now: Time, bytes: u64, settings: &TcpSettings) {
        self.taken = self.in_order().min(self.taken.saturating_add(bytes));
        self.buffer.take(now, self.taken, 0, settings);
    }

    /// Whether a new window is to be advertised, where a subflow's has grown to `most`: it was closed, or
    /// grows by half the buffer (RFC 9293, section 3.8.6.2.2).
    pub(super) fn opens(&self, most: u64, settings: &TcpSettings) -> bool {
        let room = self.offer(most, settings);
        let advertised = self.edge.saturating_sub(self.in_order());
        (advertised == 0 && room > 0) || room.saturating_sub(advertised) >= self.buffer.size() / 2
    }
}

#[cfg(test)]
mod tests {
    use windtunnel_controllers::{DESCRIPTIONS, Settings};

    use super::*;
    use crate::tcp::Buffers;

    fn mapping(data: u64, length: u64) -> Mapping {
        Mapping { start: data, length, data, is_reinjected: false }
    }

    /// Of a buffer of 100,000 bytes, with 9,000 that wait behind a gap, Linux takes off 8,000; never
    /// what it has advertised. Nothing is offered beyond the subflow's own window.
    #[test]
    fn what_waits_takes_room_in_linux() {
        for (quick, then) in [(false, 100_000), (true, 92_000)] {
            let mut settings = TcpSettings::new(Settings::defaults(DESCRIPTIONS[0]));
            settings.buffers = Buffers::with_receive(100_000);
            settings.acknowledgements.quick = quick;
            let mut it = Receiving::new(&settings);
            it.take_in(mapping(0, 10_000));
            it.take_in(mapping(20_000, 9_000));
            let offer = |it: &Receiving| it.offer(u64::MAX, &settings);
            assert_eq!((offer(&it), it.offer(20_000, &settings)), (then, 20_000));
            it.edge = 110_000;
            assert_eq!(offer(&it), 100_000, "what was advertised");
            it.take_in(mapping(10_000, 4_000));
            assert_eq!(offer(&it), then.max(96_000));
            assert_eq!(it.offer(20_000, &settings), 96_000, "what was advertised");
            it.take_in(mapping(14_000, 6_000));
            assert_eq!((it.in_order(), offer(&it)), (29_000, 100_000));
        }
    }
}
