//! The data of all subflows put in order, and the window that holds for all.

use windtunnel_engine::Time;
use windtunnel_packets::tcp::{Flags, Segment, SynOptions};

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
            buffer: ReceiveBuffer::new(settings.buffers.initial_receive_size()),
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
    pub(super) fn room(&self, settings: &TcpSettings) -> u64 {
        let held = match settings.socket.reading {
            Reading::AtOnce => 0,
            Reading::AsTaken => self.in_order() - self.taken,
        };
        let room = self.buffer.size().saturating_sub(held);
        // Windows smaller than a segment are not advertised (RFC 9293, section 3.8.6.2.2).
        let least = u64::from(settings.maximum_segment).min(self.buffer.size() / 2);
        if room < least { 0 } else { room }
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
        self.buffer.take(now, self.taken, settings);
    }

    /// Whether a new window is to be advertised: it was closed, or grows by half the buffer (RFC
    /// 9293, section 3.8.6.2.2).
    pub(super) fn opens(&self, settings: &TcpSettings) -> bool {
        let room = self.room(settings);
        let advertised = self.edge.saturating_sub(self.in_order());
        (advertised == 0 && room > 0) || room.saturating_sub(advertised) >= self.buffer.size() / 2
    }
}
