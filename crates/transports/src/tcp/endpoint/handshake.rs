//! The handshake.

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::tcp::{Flags, Segment, SynOptions};
use windtunnel_packets::{Ecn, Packet};

use super::segments::{TcpOutbox, packet, refuse};
use super::state::State;
use super::{Endpoint, Role};
use crate::tcp::limits::Limit;
use crate::tcp::receiver::Receiver;
use crate::tcp::sender::clock;
use crate::tcp::sequence::FIRST;

impl Endpoint {
    /// Sends the SYN or the answer to it, for the first time or again.
    pub(super) fn send_syn(&mut self, now: Time, outbox: &mut TcpOutbox) {
        let (attempts, since) = match self.state {
            State::Opening { attempts, since, .. } => (attempts, since),
            State::Closed | State::Established | State::Reset => (0, now),
        };
        let limits = &self.settings.timeout;
        let wait = limits.initial.scaled(f64::from(attempts.min(30)).exp2()).min(limits.maximum);
        self.state = State::Opening { attempts: attempts + 1, since, again: now + wait };
        self.limits.enter(now, Some(Limit::Handshake));
        let syn = self.syn(now);
        outbox.push(syn);
    }

    fn syn(&mut self, now: Time) -> Packet {
        let flags = Flags::SYN.with_if(Flags::TIMESTAMPS, self.settings.timestamps);
        let mut segment = Segment::new(self.connection, 0, flags);
        let asks = match self.role {
            Role::Client => self.ecn.request(),
            Role::Server => {
                self.receiver.acknowledge(&mut segment, &self.settings);
                self.ecn.answer()
            }
        };
        segment.flags = segment.flags.with_ace(asks.ace());
        // The window of a SYN is never scaled.
        segment.window = self.receiver.first_window(&self.settings);
        if self.settings.timestamps {
            segment.timestamp = clock(now);
        }
        segment.set_syn_options(SynOptions {
            maximum_segment: self.largest_segment,
            window_scale: self.offers_scale.then(|| Receiver::scale(&self.settings)),
            sack_permitted: self.settings.recovery.uses_sack(),
        });
        packet(segment, Ecn::NotCapable, &self.settings)
    }

    pub(super) fn receive_syn(
        &mut self,
        now: Time,
        segment: &Segment,
        field: Ecn,
        outbox: &mut TcpOutbox,
    ) {
        let answer = segment.flags.has(Flags::ACK);
        let fits = answer && segment.acknowledgement == FIRST as u32;
        if answer && !fits && (self.state == State::Closed || self.awaits_syn()) {
            outbox.extend(refuse(segment, &self.settings));
            return;
        }
        match (self.role, self.state) {
            (Role::Server, State::Closed) if !answer => {
                self.agree(segment);
                self.ecn.on_request(segment.flags, field);
                self.receiver.open(segment.timestamp, field, self.ecn.receiving);
                self.send_syn(now, outbox);
            }
            // Both ends opened the connection at once (RFC 9293, section 3.5): the peer's
            // answer ends it.
            (Role::Server, State::Opening { attempts, since, .. }) if fits && is_first(segment) => {
                let window = self.window_of(segment);
                self.establish(now, segment, attempts, since, window);
                self.greet(now, outbox);
            }
            // The answer was lost.
            (Role::Server, State::Opening { .. }) if !answer && is_first(segment) => {
                self.ecn.on_repeated_request(segment.flags);
                self.send_syn(now, outbox);
            }
            (Role::Client, State::Opening { .. }) if !answer => {
                self.role = Role::Server;
                self.agree(segment);
                self.ecn.on_request(segment.flags, field);
                self.receiver.open(segment.timestamp, field, self.ecn.receiving);
                self.send_syn(now, outbox);
            }
            (Role::Client, State::Opening { attempts, since, .. }) => {
                self.agree(segment);
                self.ecn.on_answer(segment.flags, field);
                self.receiver.open(segment.timestamp, field, self.ecn.receiving);
                let window = self.window_of(segment);
                self.establish(now, segment, attempts, since, window);
                self.greet(now, outbox);
            }
            // The last step of the handshake was lost.
            (Role::Client, State::Established) if fits && is_first(segment) => {
                self.ecn.on_repeated_answer(segment.flags, field);
                self.end_handshake(now, outbox);
            }
            (_, State::Reset) => outbox.extend(refuse(segment, &self.settings)),
            // RFC 5961, section 4.2, also before the handshake is over.
            (_, State::Opening { .. } | State::Established) => self.challenge(now, outbox),
            (_, State::Closed) => {}
        }
    }

    /// The client's first segment after the handshake: data if there is some, except for
    /// accurate ECN, whose report has no place there, and with quick acknowledgements.
    fn greet(&mut self, now: Time, outbox: &mut TcpOutbox) {
        let sent = outbox.len();
        if self.ecn.receiving.is_accurate() || self.settings.acknowledgements.quick {
            self.end_handshake(now, outbox);
        }
        self.transmit(now, outbox);
        if outbox.len() == sent {
            self.end_handshake(now, outbox);
        }
    }

    pub(super) fn establish(
        &mut self,
        now: Time,
        answer: &Segment,
        attempts: u32,
        since: Time,
        window: u64,
    ) {
        self.state = State::Established;
        self.limits.enter(now, Some(Limit::Idle));
        self.peer_window = window;
        // Karn's rule: one that was repeated measures nothing, unless the answer says by its
        // timestamp which one it was (RFC 7323, section 4); its clock has milliseconds.
        let age = || Duration::from_millis(u64::from(clock(now).wrapping_sub(answer.echo)).max(1));
        let echoed = || answer.flags.has(Flags::TIMESTAMPS).then(age);
        self.handshake = if attempts == 1 { Some(now.since(since)) } else { echoed() };
        self.receiver.establish(now, self.handshake, &self.settings);
        if let Some(sender) = &mut self.sender {
            let windows = [window, self.first_window.into()];
            sender.establish(now, windows, self.handshake, self.ecn);
        }
    }

    /// The client's acknowledgement of the answer to its SYN; to accurate ECN, it is a
    /// report on that answer's own ECN field (RFC 9768, section 3.2.2.1).
    fn end_handshake(&mut self, now: Time, outbox: &mut TcpOutbox) {
        let mut segment = self.acknowledgement(now);
        if self.ecn.receiving.is_accurate() {
            segment.flags = segment.flags.with_ace(self.ecn.peer_field_report().ace());
        }
        outbox.push(packet(segment, Ecn::NotCapable, &self.settings));
    }
}

/// Whether a SYN is the one that opened the connection, sent again.
fn is_first(segment: &Segment) -> bool {
    segment.sequence == FIRST as u32 - 1
}
