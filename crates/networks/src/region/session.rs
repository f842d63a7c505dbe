//! The session between two neighbours: their messages arrive in order and none is lost,
//! whatever the link does.
//!
//! Messages are numbered from 0 on and acknowledged by the number of the next one expected.
//! What is not acknowledged within a second is sent again, from the first one on: one message,
//! and with each acknowledgement one more, so that a slow link is not filled with what it has
//! already. Numbers go on where a link fails and returns.

use std::collections::VecDeque;

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::region::{RegionControl, SessionMessage};

/// After so long without an acknowledgement all is sent again.
const TIMEOUT: Duration = Duration::from_secs(1);
/// So many messages may be on their way.
const WINDOW: usize = 64;

/// One end of a session.
#[derive(Clone, Debug)]
pub(super) struct Session {
    /// What is not acknowledged; the first has the number `first`.
    waiting: VecDeque<SessionMessage>,
    first: u32,
    /// How many of them were sent, and may be.
    sent: usize,
    window: usize,
    /// The number of the message that is expected next.
    expected: u32,
    /// When what was sent is sent again.
    resend: Time,
}

impl Default for Session {
    fn default() -> Self {
        let (waiting, window) = (VecDeque::new(), WINDOW);
        Self { waiting, first: 0, sent: 0, window, expected: 0, resend: Time::NEVER }
    }
}

impl Session {
    /// Sends a message as soon as the window allows.
    pub(super) fn send(
        &mut self,
        now: Time,
        message: SessionMessage,
        output: &mut Vec<RegionControl>,
    ) {
        self.waiting.push_back(message);
        self.fill_window(now, output);
    }

    /// Takes in what the other end sent; returns the message in it, if that is the next one.
    pub(super) fn receive(
        &mut self,
        now: Time,
        [sequence, acknowledgement]: [u32; 2],
        message: SessionMessage,
        output: &mut Vec<RegionControl>,
    ) -> Option<SessionMessage> {
        let acknowledged = acknowledgement.wrapping_sub(self.first) as usize;
        // Also of what was sent before a timeout or an outage, and not again yet.
        if (1..=self.waiting.len()).contains(&acknowledged) {
            self.waiting.drain(..acknowledged);
            self.first = acknowledgement;
            self.sent = self.sent.saturating_sub(acknowledged);
            self.window = (self.window + acknowledged).min(WINDOW);
            self.resend = if self.sent == 0 { Time::NEVER } else { now + TIMEOUT };
            self.fill_window(now, output);
        }
        if message == SessionMessage::Acknowledgement {
            return None;
        }
        let is_next = sequence == self.expected;
        self.expected = self.expected.wrapping_add(u32::from(is_next));
        output.push(self.control(self.next(), SessionMessage::Acknowledgement));
        is_next.then_some(message)
    }

    /// When [`Session::wake`] is due.
    pub(super) fn next_wake(&self) -> Time {
        self.resend
    }

    /// Sends again what is overdue.
    pub(super) fn wake(&mut self, now: Time, output: &mut Vec<RegionControl>) {
        if now >= self.resend {
            (self.sent, self.window) = (0, 1);
            self.fill_window(now, output);
        }
    }

    /// The link is down: nothing is sent until [`Session::resume`].
    pub(super) fn pause(&mut self) {
        (self.sent, self.resend) = (0, Time::NEVER);
    }

    /// The link is up again.
    pub(super) fn resume(&mut self, now: Time, output: &mut Vec<RegionControl>) {
        self.fill_window(now, output);
    }

    /// The number that the next new message would have.
    fn next(&self) -> u32 {
        self.first.wrapping_add(self.sent as u32)
    }

    fn fill_window(&mut self, now: Time, output: &mut Vec<RegionControl>) {
        while self.sent < self.waiting.len().min(self.window) {
            output.push(self.control(self.next(), self.waiting[self.sent].clone()));
            self.sent += 1;
            if self.resend == Time::NEVER || self.sent == 1 {
                self.resend = now + TIMEOUT;
            }
        }
    }

    fn control(&self, sequence: u32, message: SessionMessage) -> RegionControl {
        RegionControl::Session { sequence, acknowledgement: self.expected, message }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use windtunnel_packets::region::{Code, Update};

    use super::*;

    fn message(number: u32) -> SessionMessage {
        SessionMessage::Update(Update { code: Code(number), ..Update::default() })
    }

    #[test]
    fn an_acknowledgement_counts_of_what_was_sent_before_a_timeout() {
        let (mut session, mut output) = (Session::default(), Vec::new());
        session.send(Time::ZERO, message(0), &mut output);
        session.send(Time::ZERO, message(1), &mut output);
        let later = Time::ZERO + TIMEOUT;
        session.wake(later, &mut output);
        assert_eq!(output.len(), 3, "the first one is sent again");
        session.receive(later, [0, 2], SessionMessage::Acknowledgement, &mut output);
        assert!(session.waiting.is_empty());
        assert_eq!(session.next_wake(), Time::NEVER);
    }

    proptest! {
        /// Two ends over a link that loses, doubles and reorders what they send, fails and
        /// returns: each gets all that the other sent, once and in order.
        #[test]
        fn every_message_arrives_once_and_in_order(
            fates in proptest::collection::vec((0..2usize, 0..8u8, 0..4usize), 1..400),
        ) {
            let mut ends = [Session::default(), Session::default()];
            let mut on_link: [Vec<RegionControl>; 2] = Default::default();
            let mut sent = [0, 0];
            let mut received: [Vec<SessionMessage>; 2] = Default::default();
            let mut now = Time::ZERO;
            // Long enough for all that is sent again meanwhile to leave a slow link.
            let calm = (0..20_000).map(|it| (it % 2, 9, 0));
            for (end, what, place) in fates.into_iter().chain(calm) {
                now += Duration::from_millis(10);
                let mut output = Vec::new();
                let link = &mut on_link[1 - end];
                match what {
                    0 | 1 => {
                        ends[end].send(now, message(sent[end]), &mut output);
                        sent[end] += 1;
                    }
                    2 if !link.is_empty() => drop(link.remove(place % link.len())),
                    3 if !link.is_empty() => {
                        let copy = link[place % link.len()].clone();
                        link.push(copy);
                    }
                    4 => {
                        ends[end].pause();
                        ends[end].resume(now, &mut output);
                    }
                    _ if !link.is_empty() => {
                        let place = if what == 9 { 0 } else { place % link.len() };
                        let RegionControl::Session { sequence, acknowledgement, message } =
                            link.remove(place)
                        else {
                            unreachable!("ends send nothing else")
                        };
                        let numbers = [sequence, acknowledgement];
                        received[end]
                            .extend(ends[end].receive(now, numbers, message, &mut output));
                    }
                    _ => {}
                }
                ends[end].wake(now, &mut output);
                on_link[end].extend(output);
            }
            for end in [0, 1] {
                let all: Vec<_> = (0..sent[1 - end]).map(message).collect();
                prop_assert_eq!(&received[end], &all);
                prop_assert!(ends[end].waiting.is_empty());
                prop_assert_eq!(ends[end].next_wake(), Time::NEVER);
            }
        }
    }
}
