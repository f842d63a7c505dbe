//! A core that encrypts and decrypts packets, one after another.

use std::collections::VecDeque;

use windtunnel_engine::{Rate, Time};
use windtunnel_packets::Packet;

use crate::function::FunctionActions;

/// The most packets that wait for it (Linux: `MAX_QUEUED_PACKETS`).
const MOST_WAITING: usize = 1024;

/// What becomes of a packet afterwards.
#[derive(Clone, Copy, Debug)]
pub(super) enum Job {
    /// It goes to the other end.
    Send(Packet),
    /// It goes on along its own path.
    Forward(Packet),
}

/// A core with a queue.
#[derive(Clone, Debug)]
pub(super) struct Cipher {
    rate: Option<Rate>,
    /// When each will be done.
    jobs: VecDeque<(Time, Job)>,
}

impl Cipher {
    /// One of that rate; without, it takes no time.
    pub(super) fn new(rate: Option<Rate>) -> Self {
        Self { rate, jobs: VecDeque::new() }
    }

    /// Whether another packet can wait.
    pub(super) fn has_room(&self) -> bool {
        self.jobs.len() < MOST_WAITING
    }

    /// Takes a packet with this many bytes to encrypt or decrypt.
    pub(super) fn take(&mut self, now: Time, bytes: u16, job: Job, actions: &mut FunctionActions) {
        let Some(rate) = self.rate else {
            job.done(actions);
            return;
        };
        let free = self.jobs.back().map_or(now, |it| it.0);
        self.jobs.push_back((free + rate.transmission_time(u32::from(bytes)), job));
    }

    /// When the next packet will be done.
    pub(super) fn next(&self) -> Time {
        self.jobs.front().map_or(Time::NEVER, |it| it.0)
    }

    /// Lets go what is done at `now`.
    pub(super) fn finish(&mut self, now: Time, actions: &mut FunctionActions) {
        while self.next() <= now {
            self.jobs.pop_front().into_iter().for_each(|it| it.1.done(actions));
        }
    }
}

impl Job {
    fn done(self, actions: &mut FunctionActions) {
        match self {
            Self::Send(it) => actions.sent.push(it),
            Self::Forward(it) => actions.forwarded.push(it),
        }
    }
}
