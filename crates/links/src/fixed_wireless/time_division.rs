//! Time division: each end transmits in its half of Terragraph's frames.

use windtunnel_engine::{Duration, Random, Rate, Time};

use super::block_ack::{Window, attempts};
use super::mcs::SnrThresholds;
use super::packet_errors::PacketErrors;
use super::timing::{CAPACITY, FRAME, TERRAGRAPH_OVERHEAD, begin_of_data};
use crate::channel::Reception;
use crate::physical_layer::{Frame, Outcome, PhysicalLayer, PhysicalLayerMaker, Slot};

/// What one end does with its half of each frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeDivisionPlan {
    /// Which half: 0 or 1.
    pub half: u64,
    /// From which SNR on schemes can be used.
    pub thresholds: SnrThresholds,
    /// How often a packet is sent again at the most.
    pub retransmissions: u32,
}

/// One end at work. Its turns are its halves of the frames, from one on.
#[derive(Clone, Debug)]
struct TimeDivision {
    plan: TimeDivisionPlan,
    errors: PacketErrors,
    window: Window,
    /// The present turn, and what of it is used.
    turn: u64,
    used: Duration,
    /// What packets that are sent again will use, first of all in the turns that follow.
    owed: Duration,
    slot: Slot,
}

impl TimeDivision {
    /// When the data of a turn begins.
    fn begin(&self, turn: u64) -> Time {
        begin_of_data(self.plan.half) + FRAME * (turn - 1)
    }

    /// The turn at a time, or the next one, and what of it is over.
    fn at(&self, time: Time) -> (u64, Duration) {
        let since = time.since(self.begin(1)).as_picos();
        let (frame, over) = (since / FRAME.as_picos(), since % FRAME.as_picos());
        match Duration::from_picos(over) {
            over if over < CAPACITY => (frame + 1, over),
            _ => (frame + 2, Duration::ZERO),
        }
    }

    /// Goes on to a later turn: what is sent again goes first.
    fn go_on_to(&mut self, turn: u64) {
        if turn > self.turn {
            self.owed = self.owed - CAPACITY * (turn - self.turn - 1);
            self.turn = turn;
            self.used = self.owed.min(CAPACITY);
            self.owed = self.owed - self.used;
        }
    }

    /// Finds the first turn with room for a packet; returns from when on in it. One that is
    /// longer than a turn begins with one.
    fn find_room(&mut self, free: Time, airtime: Duration) -> Duration {
        let (first, over) = self.at(free);
        self.go_on_to(first.max(self.window.opens()));
        loop {
            let over = if self.turn == first { over } else { Duration::ZERO };
            let from = self.used.max(over);
            if from + airtime.min(CAPACITY) <= CAPACITY {
                return from;
            }
            self.go_on_to(self.turn + 1);
        }
    }

    /// Places a packet that needs this many attempts.
    fn place(&mut self, free: Time, airtime: Duration, attempts: u64) {
        let from = self.find_room(free, airtime);
        let within = airtime.min(CAPACITY);
        self.used = from + within;
        self.owed += (airtime - within) + airtime * (attempts - 1);
        let starts = self.begin(self.turn) + from;
        let last =
            self.turn + attempts - 1 + (airtime - within).as_picos().div_ceil(CAPACITY.as_picos());
        let ends = starts + within;
        let across = ends.max(self.begin(last) + within);
        self.window.send(last);
        self.slot = Slot { starts, ends, across };
    }
}

impl PhysicalLayer for TimeDivision {
    fn send(&mut self, frame: &Frame, random: &mut Random) -> Outcome {
        let reception = frame.reception.unwrap_or(Reception::PERFECT);
        let bytes = frame.size + TERRAGRAPH_OVERHEAD;
        let error = self.errors.of(reception, bytes);
        let (attempts, lost) = attempts(error, self.plan.retransmissions, random);
        self.place(
            frame.free,
            reception.scheme.rate().transmission_time(bytes),
            u64::from(attempts),
        );
        Outcome { attempts, begins: true, lost }
    }

    /// Of the frames' time, not only of its own halves: what it leaves to others of the time
    /// in which it may send is idle.
    fn airtime(&self, size: u32, rate: Rate, outcome: Outcome) -> Duration {
        rate.transmission_time(size + TERRAGRAPH_OVERHEAD) * u64::from(outcome.attempts)
    }

    fn keeps_its_rate(&self) -> bool {
        true
    }

    fn slot(&self) -> Option<Slot> {
        Some(self.slot)
    }
}

impl PhysicalLayerMaker for TimeDivisionPlan {
    fn layer(&self) -> Box<dyn PhysicalLayer> {
        let slot = Slot { starts: Time::ZERO, ends: Time::ZERO, across: Time::ZERO };
        let (turn, used, owed) = (1, Duration::ZERO, Duration::ZERO);
        let errors = PacketErrors::new(self.thresholds);
        Box::new(TimeDivision {
            plan: *self,
            errors,
            window: Window::EMPTY,
            turn,
            used,
            owed,
            slot,
        })
    }

    fn decides_on_departure(&self) -> bool {
        true
    }
}
