//! The processor of an end of a flow over a stack, which takes time for each datagram: it reads what
//! has come or sends, one after the other.

use std::collections::VecDeque;

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::Packet;

/// What a processor is at work on. One that takes no time never is.
#[derive(Clone, Debug, Default)]
pub(super) struct Processor {
    /// When it has done all that it has.
    free_at: Time,
    /// What it reads until then.
    reading: Vec<Packet>,
    /// What leaves, and when.
    leaving: VecDeque<(Time, Packet)>,
}

impl Processor {
    /// Whether it has something that was not taken from it yet.
    pub(super) fn is_busy(&self) -> bool {
        !self.reading.is_empty() || !self.leaving.is_empty()
    }

    /// When something of its work is done, if it is at work.
    pub(super) fn next(&self) -> Option<Time> {
        let leaves = self.leaving.front().map(|it| it.0);
        leaves.or_else(|| self.is_busy().then_some(self.free_at))
    }

    /// Begins to read these, each of which takes `cost`.
    pub(super) fn read(&mut self, now: Time, packets: Vec<Packet>, cost: Duration) {
        packets.iter().for_each(|_| _ = self.work(now, cost));
        self.reading = packets;
    }

    /// What it has read, once it has.
    pub(super) fn take_read(&mut self, now: Time) -> Vec<Packet> {
        if now < self.free_at { Vec::new() } else { std::mem::take(&mut self.reading) }
    }

    /// When a packet leaves for which it begins to work as soon as it can.
    pub(super) fn work(&mut self, now: Time, cost: Duration) -> Time {
        self.free_at = self.free_at.max(now) + cost;
        self.free_at
    }

    pub(super) fn leave_at(&mut self, time: Time, packet: Packet) {
        self.leaving.push_back((time, packet));
    }

    /// How many packets have not left yet.
    pub(super) fn to_leave(&self) -> u64 {
        self.leaving.len() as u64
    }

    /// The next packet that has left.
    pub(super) fn take_left(&mut self, now: Time) -> Option<Packet> {
        self.leaving.front().filter(|it| it.0 <= now)?;
        self.leaving.pop_front().map(|it| it.1)
    }
}
