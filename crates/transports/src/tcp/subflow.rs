//! What an end of a connection does as a subflow of a multipath connection.

use windtunnel_controllers::Sibling;
use windtunnel_engine::Time;
use windtunnel_packets::Ecn;
use windtunnel_packets::tcp::Flags;

use super::accounting::Accounting;
use super::endpoint::{Endpoint, State, TcpOutbox, Template};
use super::sender_state::SenderState;

impl Endpoint {
    /// It carries data of a multipath connection, in records.
    #[must_use]
    pub fn as_subflow(mut self, accounting: Accounting) -> Self {
        self.subflow = Some(accounting);
        self
    }

    /// Bounds the window that grows with what comes (see
    /// [`Acknowledgements::quick`](super::Acknowledgements::quick)) to this many bytes: the
    /// connection's receive buffer.
    pub fn bound_window(&mut self, bytes: u64) {
        self.receiver.bound_window(bytes);
    }

    /// How large the window is that grows with what comes, in bytes; [`u64::MAX`] if there is none.
    #[must_use]
    pub fn grown_window(&self) -> u64 {
        self.receiver.grown_window()
    }

    /// Whether the handshake is over.
    #[must_use]
    pub fn is_established(&self) -> bool {
        self.state == State::Established
    }

    /// Resets the connection at once; what was in flight is lost.
    pub fn reset(&mut self, now: Time, outbox: &mut TcpOutbox) {
        if !matches!(self.state, State::Closed | State::Reset) {
            self.send_reset(now, outbox);
        }
        self.end_reset(now);
    }

    /// Whether the connection was reset, by either end.
    #[must_use]
    pub fn is_reset(&self) -> bool {
        self.state == State::Reset
    }

    /// Whether its own FIN was acknowledged.
    #[must_use]
    pub fn has_closed(&self) -> bool {
        self.sender.as_ref().is_some_and(|it| it.is_closed())
    }

    /// Makes ready to send, so that its window is known.
    pub fn prepare(&mut self, now: Time) {
        self.sender(now).begin_again(now);
    }

    /// Hands over `bytes` that no segment has together with others; they go with the next call
    /// of [`Endpoint::send`].
    #[inline]
    pub fn write_record(&mut self, now: Time, bytes: u64) {
        self.sender(now).write_record(now, bytes);
    }

    /// Hands over `bytes` that segments may have together with the record before them, if not all of
    /// that was sent yet.
    #[inline]
    pub fn continue_record(&mut self, now: Time, bytes: u64) {
        self.sender(now).continue_record(now, bytes);
    }

    /// Sends what was handed over and may be sent: nothing, if what it was given before waits for
    /// the host's queue since this moment.
    pub fn send(&mut self, now: Time, outbox: &mut TcpOutbox) {
        if !self.sender.as_mut().is_some_and(|it| it.takes_place_behind(now)) {
            self.transmit(now, outbox);
        }
    }

    /// Whether its connection has more data than it was given: what then keeps it from sending
    /// is its window, where that is full.
    pub fn tell_of_more(&mut self, more_waits: bool) {
        if let Some(sender) = &mut self.sender {
            sender.tell_of_more(more_waits);
        }
    }

    /// The bytes handed over so far.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.sender.as_ref().map_or(0, |it| it.written())
    }

    /// How its sender fares, with its rates or without, once it is ready to send.
    #[inline]
    #[must_use]
    pub fn sender_state(&self, with_rates: bool) -> Option<SenderState> {
        self.sender.as_ref().map(|it| it.state(with_rates))
    }

    /// What coupled controllers know of it, once it is ready to send.
    #[must_use]
    pub fn sibling(&self) -> Option<Sibling> {
        self.sender.as_ref().map(|it| it.sibling())
    }

    /// The other subflows do that.
    pub fn on_siblings(&mut self, others: &[Sibling]) {
        if let Some(sender) = &mut self.sender {
            sender.on_siblings(others);
        }
    }

    /// Whether it has data in flight, or to send.
    #[must_use]
    pub fn is_sending(&self) -> bool {
        self.sender.as_ref().is_some_and(|it| it.is_sending())
    }

    /// Halves its window.
    pub fn penalise(&mut self) {
        if let Some(sender) = &mut self.sender {
            sender.penalise();
        }
    }

    /// Sends an acknowledgement that nothing asked for, to carry an option.
    pub fn send_bare(&mut self, now: Time, outbox: &mut TcpOutbox) {
        self.send_acknowledgement(now, outbox);
    }

    /// Asks for an acknowledgement: sends the byte before the next one, which the peer has
    /// already.
    pub fn ask(&mut self, now: Time, outbox: &mut TcpOutbox) {
        let next = self.next_sequence();
        let template = Template::new(now, self.connection, &self.settings, &mut self.receiver);
        outbox.push(template.packet(next - 1, Flags::ACK, 0, Ecn::NotCapable));
    }
}
