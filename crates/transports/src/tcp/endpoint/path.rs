//! What the path carries: the size of segments, and another path.

use std::sync::Arc;

use windtunnel_engine::Time;

use super::Endpoint;
use super::segments::TcpOutbox;
use crate::tcp::path_mtu::LEAST_SEGMENT;
use crate::tcp::settings::{AfterPathChange, TcpSettings};

impl Endpoint {
    /// A segment of `length` bytes of data did not fit into a packet that a link on the path
    /// carries, by `excess` bytes: what is not acknowledged goes again in segments that do. They
    /// do not become larger again. `records` are those of a subflow that are not acknowledged:
    /// the bytes behind each, counted from its beginning.
    pub fn shrink(
        &mut self,
        now: Time,
        [length, excess]: [u16; 2],
        records: impl Iterator<Item = u64>,
        outbox: &mut TcpOutbox,
    ) {
        let segment = length.saturating_sub(excess);
        if !(LEAST_SEGMENT..self.settings.maximum_segment).contains(&segment) {
            return;
        }
        self.set_segment(segment);
        if let Some(sender) = &mut self.sender {
            sender.shrink(&self.settings, records);
        }
        self.transmit(now, outbox);
    }

    /// A router says that it dropped the segment with that sequence number, and that it passes on
    /// packets of at most `largest` bytes. That is believed of what is in flight (RFC 5927,
    /// section 4.1), as far as it makes segments smaller.
    pub fn too_big(&mut self, now: Time, sequence: u32, largest: u16, outbox: &mut TcpOutbox) {
        let segment = largest.saturating_sub(self.settings.headers());
        if !(LEAST_SEGMENT..self.settings.maximum_segment).contains(&segment) {
            return;
        }
        if self.sender.as_mut().is_some_and(|it| it.limit_segment(now, sequence, segment)) {
            self.shrink(now, [segment, 0], std::iter::empty(), outbox);
        }
    }

    /// Sends segments of the size that the sender has found, if that is another than before.
    #[inline]
    pub(super) fn follow_path(&mut self, now: Time, outbox: &mut TcpOutbox) {
        let Some(segment) = self.sender.as_mut().and_then(|it| it.found_segment()) else { return };
        if segment < self.settings.maximum_segment {
            self.shrink(now, [segment, 0], std::iter::empty(), outbox);
        } else {
            self.set_segment(segment);
            if let Some(sender) = &mut self.sender {
                sender.grow(&self.settings);
            }
        }
    }

    fn set_segment(&mut self, maximum_segment: u16) {
        self.settings = Arc::new(TcpSettings { maximum_segment, ..(*self.settings).clone() });
    }

    /// The network layer takes another path for what is sent from now on.
    pub fn change_path(&mut self, now: Time, outbox: &mut TcpOutbox) {
        if self.settings.window.after_path_change == AfterPathChange::Restart
            && let Some(sender) = &mut self.sender
        {
            sender.change_path();
            self.transmit(now, outbox);
        }
    }
}
