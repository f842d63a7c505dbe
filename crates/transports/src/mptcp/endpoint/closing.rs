//! How an end closes its connection.

use windtunnel_engine::Time;
use windtunnel_packets::multipath::Multipath;

use super::Endpoint;
use crate::mptcp::closing::AGAIN;
use crate::tcp::TcpOutbox;

impl Endpoint {
    /// Does what is next on the way to the end.
    #[inline]
    pub(in crate::mptcp) fn go_on_closing(&mut self, now: Time, outbox: &mut TcpOutbox) {
        if self.closing.has_begun || !self.sending.is_closing() || !self.sending.has_given_all() {
            return;
        }
        if self.is_plain {
            self.closing.has_begun = true;
            self.on_subflow(0, outbox, |it, outbox| it.close(now, outbox));
        } else if self.sending.is_closed() {
            self.closing.again = Time::NEVER;
            if self.receiving.is_finished() {
                self.close_subflows(now, outbox);
            }
        } else if !self.closing.was_sent {
            self.send_fin(now, outbox);
        }
    }

    /// Sends a DATA_FIN on its own.
    fn send_fin(&mut self, now: Time, outbox: &mut TcpOutbox) {
        let Some(place) = self.subflows.iter().position(|it| it.is_usable()) else { return };
        self.closing.note_fin(now);
        let (sequence, acknowledgement) = (self.sending.end(), self.receiving.acknowledgement());
        let fin = Multipath::Mapping { sequence, acknowledgement, fin: true };
        self.send_bare(now, place, fin, outbox);
    }

    fn close_subflows(&mut self, now: Time, outbox: &mut TcpOutbox) {
        self.closing.has_begun = true;
        for place in 0..self.subflows.len() {
            if self.subflows[place].endpoint.is_established() {
                self.on_subflow(place, outbox, |it, outbox| it.close(now, outbox));
            }
        }
    }

    /// A DATA_FIN that is not acknowledged goes again, on its own once all data is acknowledged.
    pub(in crate::mptcp) fn wake_closing(&mut self, now: Time, outbox: &mut TcpOutbox) {
        if self.closing.again > now {
            return;
        }
        self.closing.again = now + AGAIN;
        if self.sending.unacknowledged_bytes() == 0 && !self.sending.is_closed() {
            self.send_fin(now, outbox);
        }
    }

    /// Whether both ends have closed, and the subflows that work as well.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        if self.is_plain {
            return self.subflows[0].endpoint.is_closed();
        }
        // That all data has come is known: of a subflow, only its own FIN must have arrived.
        let is_over = |it: &crate::mptcp::subflow::Subflow| {
            it.is_failed || !it.endpoint.is_established() || it.endpoint.has_closed()
        };
        self.closing.has_begun && self.subflows.iter().all(is_over)
    }
}
