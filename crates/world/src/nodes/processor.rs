//! A forwarder that is one thread: it takes packets in one after another, each for a time.

use std::collections::VecDeque;

use windtunnel_engine::{Duration, Time};
use windtunnel_networks::layer::{Actions, Timer};
use windtunnel_networks::ndn::FaceId;
use windtunnel_packets::Packet;

/// The most packets that wait for it, as in Cefore's queue.
const MOST_WAITING: usize = 16_384;
/// The first packet is done.
pub(super) const DONE: Timer = Timer(Timer::LIMIT - 1);

/// The thread.
#[derive(Clone, Debug)]
pub(super) struct Processor {
    /// How long it takes for a packet.
    time: Duration,
    /// The packet that it works on, and those that wait.
    waiting: VecDeque<(FaceId, Packet)>,
    /// How many found no room.
    drops: u64,
}

impl Processor {
    /// One that takes so long for a packet, if that is any time.
    pub(super) fn new(time: Duration) -> Option<Box<Self>> {
        let of = |time| Box::new(Self { time, waiting: VecDeque::new(), drops: 0 });
        (time > Duration::ZERO).then(|| of(time))
    }

    /// A packet comes in.
    pub(super) fn enter(&mut self, now: Time, face: FaceId, packet: Packet, actions: &mut Actions) {
        if self.waiting.len() > MOST_WAITING {
            self.drops += 1;
            return;
        }
        self.waiting.push_back((face, packet));
        if self.waiting.len() == 1 {
            actions.wake(now + self.time, DONE);
        }
    }

    /// The packet that is done; the next one's turn begins.
    pub(super) fn finish(&mut self, now: Time, actions: &mut Actions) -> Option<(FaceId, Packet)> {
        let done = self.waiting.pop_front();
        if !self.waiting.is_empty() {
            actions.wake(now + self.time, DONE);
        }
        done
    }

    /// How many packets found no room.
    pub(super) fn drops(&self) -> u64 {
        self.drops
    }
}
