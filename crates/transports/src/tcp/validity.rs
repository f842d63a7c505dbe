//! Which segments an end takes in, what becomes of the others, and what both ends agree on:
//! RFC 9293, section 3.10.7.4; RFC 5961 (resets, SYNs and data from those who do not know the
//! connection); RFC 7323, section 5 (segments from long ago).

use std::sync::Arc;

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::tcp::{Flags, Segment, TIMESTAMPS_SIZE};

use super::endpoint::{Endpoint, Role, State, TcpOutbox, refuse};
use super::judgement::Judgement;
use super::path_mtu::LEAST_SEGMENT;
use super::receiver::MOST_SCALE;
use super::sequence::FIRST;
use super::settings::{Recovery, TcpSettings};

/// Segments without data that are not acceptable are answered this often at most (RFC 5961,
/// section 7; Linux's `tcp_invalid_ratelimit`): two ends that disagree do not answer each
/// other for ever.
const BETWEEN_ANSWERS: Duration = Duration::from_millis(500);

/// Whether a segment takes sequence numbers: it has data, or a FIN.
#[inline]
fn has_numbers(segment: &Segment) -> bool {
    segment.length > 0 || segment.flags.has(Flags::FIN)
}

impl Endpoint {
    /// What is to become of a segment of an established connection.
    #[inline]
    pub(super) fn judge(&self, segment: &Segment) -> Judgement {
        if !self.may_acknowledge(segment) {
            return Judgement::NotAcceptable;
        }
        let receiver = &self.receiver;
        let is_near =
            receiver.is_acceptable(segment, &self.settings) || receiver.came_already(segment);
        let is_outdated =
            receiver.is_outdated(segment, &self.settings) && self.brings_news(segment);
        match (is_near, is_outdated) {
            (true, false) => Judgement::Acceptable,
            (true, true) if has_numbers(segment) => Judgement::Outdated,
            _ => Judgement::NotAcceptable,
        }
    }

    /// Whether a segment that is old has more than an old acknowledgement, which others may
    /// have overtaken and which does no harm.
    #[cold]
    fn brings_news(&self, segment: &Segment) -> bool {
        has_numbers(segment)
            || self.sender.as_ref().is_some_and(|it| it.advances(segment.acknowledgement))
    }

    /// Whether a segment acknowledges what can be acknowledged (RFC 5961, section 5.2).
    #[inline]
    fn may_acknowledge(&self, segment: &Segment) -> bool {
        match &self.sender {
            Some(sender) => sender.may_acknowledge(segment.acknowledgement),
            None => segment.acknowledgement == FIRST as u32,
        }
    }

    /// Whether a segment, which is neither a SYN nor a reset, is the last step of the handshake
    /// or comes instead of it.
    pub(super) fn ends_handshake(&self, segment: &Segment) -> bool {
        segment.acknowledgement == FIRST as u32
            && self.receiver.is_acceptable(segment, &self.settings)
            && !self.receiver.is_outdated(segment, &self.settings)
    }

    /// Answers a segment that does not end the handshake, though a SYN came: an acknowledgement
    /// of what was not sent is refused, if it begins where the peer's data does (RFC 9293, section
    /// 3.10.7.4, first and fifth).
    #[cold]
    pub(super) fn refuse_in_handshake(
        &mut self,
        now: Time,
        segment: &Segment,
        outbox: &mut TcpOutbox,
    ) {
        let is_acceptable = self.receiver.is_acceptable(segment, &self.settings);
        if is_acceptable && segment.acknowledgement != FIRST as u32 {
            outbox.extend(refuse(segment, &self.settings));
        } else {
            self.challenge(now, outbox);
        }
    }

    /// Whether a segment would be taken in with its data if it were received now: whoever keeps
    /// the bytes is to keep these.
    #[must_use]
    pub fn takes(&self, segment: &Segment) -> bool {
        let flags = segment.flags;
        if flags.has(Flags::RST) || flags.has(Flags::SYN) || !flags.has(Flags::ACK) {
            return false;
        }
        let is_acceptable = match self.state {
            State::Established => self.judge(segment) == Judgement::Acceptable,
            State::Opening { .. } => self.role == Role::Server && self.ends_handshake(segment),
            State::Closed | State::Reset => false,
        };
        is_acceptable && self.receiver.fits(segment, &self.settings)
    }

    /// Whether a segment is the peer's FIN once more, after both ends have closed.
    #[must_use]
    pub fn ends_again(&self, segment: &Segment) -> bool {
        let flags = segment.flags;
        let may = flags.has(Flags::FIN.with(Flags::ACK))
            && !flags.has(Flags::RST)
            && !flags.has(Flags::SYN);
        may && self.is_closed() && self.judge(segment) == Judgement::Acceptable
    }

    /// Whether it has sent a SYN and none of the peer's has come.
    #[must_use]
    pub fn awaits_syn(&self) -> bool {
        matches!((self.role, self.state), (Role::Client, State::Opening { .. }))
    }

    /// Answers a segment that is not taken in.
    #[cold]
    pub(super) fn refuse(
        &mut self,
        now: Time,
        segment: &Segment,
        count: u16,
        judgement: Judgement,
        outbox: &mut TcpOutbox,
    ) {
        if judgement == Judgement::NotAcceptable {
            self.challenge(now, outbox);
            return;
        }
        if segment.length > 0 {
            self.receiver.refuse(segment, count, &mut self.counters);
        }
        self.send_acknowledgement(now, outbox);
    }

    /// Says what is expected, so that a peer that is what it seems to be can say it.
    #[cold]
    pub(super) fn challenge(&mut self, now: Time, outbox: &mut TcpOutbox) {
        if now >= self.answers_from {
            self.answers_from = now + BETWEEN_ANSWERS;
            self.send_acknowledgement(now, outbox);
        }
    }

    /// RFC 9293, section 3.10.7, with RFC 5961, section 3.2: the connection is reset by exactly
    /// the segment that is expected next. Once both ends have closed it is not (RFC 1337).
    #[cold]
    pub(super) fn receive_reset(&mut self, now: Time, segment: &Segment, outbox: &mut TcpOutbox) {
        match self.state {
            State::Opening { .. } if self.role == Role::Client => {
                let answers = segment.flags.has(Flags::ACK);
                if answers && segment.acknowledgement == FIRST as u32 {
                    self.end_reset(now);
                }
            }
            State::Established if self.is_closed() => {}
            State::Opening { .. } | State::Established => {
                if self.receiver.is_next(segment) {
                    self.end_reset(now);
                } else if self.receiver.is_within(segment, &self.settings) {
                    self.challenge(now, outbox);
                }
            }
            State::Closed | State::Reset => {}
        }
    }

    /// Agrees to what the peer offers in its SYN, or in the answer: segments that it takes, with
    /// timestamps, SACK and scaled windows only if both ends support them (RFC 9293, section
    /// 3.7.1; RFC 2018, section 2; RFC 7323, sections 2.2 and 3.2).
    pub(super) fn agree(&mut self, segment: &Segment) {
        let offered = segment.syn_options();
        self.first_window = segment.window;
        self.peer_scale = offered.window_scale.map_or(0, |it| it.min(MOST_SCALE));
        self.offers_scale &= offered.window_scale.is_some();
        let own = &*self.settings;
        let timestamps = own.timestamps && segment.flags.has(Flags::TIMESTAMPS);
        let options = if timestamps { TIMESTAMPS_SIZE } else { 0 };
        let taken = offered.maximum_segment.max(LEAST_SEGMENT + TIMESTAMPS_SIZE);
        let maximum_segment = self.largest_segment.min(taken) - options;
        let scales = offered.window_scale.is_some();
        let most = if scales { u64::MAX } else { u16::MAX.into() };
        let is_limited = own.buffers.maximum_receive_size() > most;
        let loses_sack = own.recovery.uses_sack() && !offered.sack_permitted;
        if maximum_segment == own.maximum_segment
            && timestamps == own.timestamps
            && !is_limited
            && !loses_sack
        {
            return;
        }
        let settings = Arc::new(TcpSettings {
            maximum_segment,
            timestamps,
            recovery: if loses_sack { Recovery::NewReno } else { own.recovery },
            buffers: own.buffers.receiving_at_most(most),
            receiver_controller: own.receiver_controller.clone().filter(|_| timestamps),
            ..own.clone()
        });
        self.receiver.agree(&settings);
        if let Some(sender) = &mut self.sender {
            sender.agree(&settings);
        }
        self.settings = settings;
    }
}
