//! The air interface: what HARQ and RLC do to packets. Losses are masked, at a price in
//! the link's time and in delay.
//!
//! What the link sends within a slot is one transport block, which arrives whole or not
//! at all; a packet that takes longer, or finds the link free, begins one of its own.
//! HARQ tries so often to get a block across. In RLC's acknowledged mode the receiver's status report then
//! has the packet sent again, from the start (3GPP TS 38.322, section 5.3), at most
//! 32 times: the largest maxRetxThreshold of TS 38.331, after which a
//! radio link fails. Packets are delivered in order, so that one that needs many
//! attempts holds up those behind it.

use windtunnel_engine::{Duration, Random};

use crate::physical_layer::{Frame, Outcome, PhysicalLayer, PhysicalLayerMaker};

/// How often RLC sends a packet again at the most (TS 38.331, RLC-Config).
const RLC_RETRANSMISSIONS: u32 = 32;

/// How packets get over the air.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AirPlan {
    /// How long a block is on the link; with none, each packet is a block.
    pub slot: Duration,
    /// The probability that an attempt fails.
    pub block_error: f64,
    /// How long HARQ takes until it tries again.
    pub round_trip: Duration,
    /// How often HARQ tries; at least once.
    pub attempts: u32,
    /// In RLC's acknowledged mode: how long it takes until a status report says
    /// that a packet is missing, and HARQ starts again with it. In unacknowledged
    /// mode, `None`, the packet is lost.
    pub status: Option<Duration>,
}

/// An air interface at work.
#[derive(Clone, Copy, Debug)]
pub struct Air {
    plan: AirPlan,
    /// How the present block gets across.
    block: Outcome,
    /// The time that is left in its slot.
    left: Duration,
}

impl Air {
    /// One that has sent nothing.
    #[must_use]
    pub fn new(plan: AirPlan) -> Self {
        Self { plan, block: Outcome::AT_ONCE, left: Duration::ZERO }
    }
}

impl PhysicalLayer for Air {
    fn send(&mut self, frame: &Frame, random: &mut Random) -> Outcome {
        let begins = frame.was_free || self.left == Duration::ZERO;
        if begins {
            self.block = self.plan.send_block(random);
            self.left = self.plan.slot;
        }
        self.left = self.left - frame.transmission_time();
        Outcome { begins, ..self.block }
    }

    /// A HARQ round trip for each attempt but the first of each set, and a status report
    /// between the sets.
    fn delay(&self, outcome: Outcome) -> Duration {
        self.plan.delay(outcome.attempts)
    }
}

impl PhysicalLayerMaker for AirPlan {
    fn layer(&self) -> Box<dyn PhysicalLayer> {
        Box::new(Air::new(*self))
    }
}

impl AirPlan {
    /// Lets the next block try.
    fn send_block(&self, random: &mut Random) -> Outcome {
        let sets = self.status.map_or(1, |_| 1 + RLC_RETRANSMISSIONS);
        let most = self.attempts.saturating_mul(sets);
        let mut attempts = 1;
        while random.happens(self.block_error) {
            if attempts >= most {
                return Outcome { attempts, begins: true, lost: true };
            }
            attempts += 1;
        }
        Outcome { attempts, begins: true, lost: false }
    }

    /// What this many attempts cost beside the time that they use the link.
    fn delay(&self, attempts: u32) -> Duration {
        if attempts <= 1 {
            return Duration::ZERO;
        }
        let reports = (attempts - 1) / self.attempts;
        let repeated = attempts - 1 - reports;
        let status = self.status.unwrap_or(Duration::ZERO);
        self.round_trip * u64::from(repeated) + status * u64::from(reports)
    }
}

#[cfg(test)]
mod tests {
    use windtunnel_engine::{Rate, Streams, Time};

    use super::*;

    const ROUND_TRIP: Duration = Duration::from_millis(1);
    const STATUS: Duration = Duration::from_millis(20);

    fn plan(block_error: f64, status: Option<Duration>) -> AirPlan {
        let slot = Duration::ZERO;
        AirPlan { slot, block_error, round_trip: ROUND_TRIP, attempts: 4, status }
    }

    fn blocks(plan: AirPlan, packets: usize) -> Vec<Outcome> {
        let mut random = Streams::new(5, 0).stream("air");
        (0..packets).map(|_| plan.send_block(&mut random)).collect()
    }

    /// The mean of a geometric distribution, and its variance p/(1−p)².
    #[test]
    fn acknowledged_mode_needs_one_over_one_minus_the_error_attempts_in_the_mean() {
        let packets = 200_000;
        for error in [0.0, 0.1, 0.5, 0.8] {
            let blocks = blocks(plan(error, Some(STATUS)), packets);
            let attempts: u64 = blocks.iter().map(|it| u64::from(it.attempts)).sum();
            let mean = attempts as f64 / packets as f64;
            let standard_error = error.sqrt() / (1.0 - error) / (packets as f64).sqrt();
            let expected = 1.0 / (1.0 - error);
            assert!((mean - expected).abs() <= 4.0 * standard_error, "{mean} of {expected}");
            assert!(blocks.iter().all(|it| !it.lost));
        }
    }

    #[test]
    fn unacknowledged_mode_loses_what_fails_in_every_attempt() {
        let packets = 200_000;
        let error = 0.4_f64;
        let blocks = blocks(plan(error, None), packets);
        let lost: Vec<_> = blocks.iter().filter(|it| it.lost).collect();
        assert!(lost.iter().all(|it| it.attempts == 4));
        assert!(blocks.iter().all(|it| it.attempts <= 4));
        let expected = error.powi(4);
        let share = lost.len() as f64 / packets as f64;
        let standard_error = (expected * (1.0 - expected) / packets as f64).sqrt();
        assert!((share - expected).abs() < 4.0 * standard_error, "{share} of {expected}");
    }

    #[test]
    fn an_air_that_lets_nothing_through_loses_all_after_a_bounded_number_of_attempts() {
        let lost = |attempts| vec![Outcome { attempts, begins: true, lost: true }; 3];
        assert_eq!(blocks(plan(1.0, None), 3), lost(4));
        assert_eq!(blocks(plan(1.0, Some(STATUS)), 3), lost(4 * 33));
    }

    #[test]
    fn an_attempt_costs_a_round_trip_or_a_status_report_and_the_first_nothing() {
        let plan = plan(0.1, Some(STATUS));
        let milliseconds = [0, 1, 2, 3, 23, 24, 25, 26, 46];
        for (attempts, delay) in (1..).zip(milliseconds) {
            assert_eq!(plan.delay(attempts), Duration::from_millis(delay), "{attempts}");
        }
    }

    /// Ten packets fill a slot: in a queue they share a block's attempts, and each that
    /// finds the link free has its own.
    #[test]
    fn what_is_sent_in_a_slot_shares_its_attempts() {
        let rate = Rate::from_bits_per_second(80_000_000).expect("more than nothing");
        let size = 1000;
        let slot = rate.transmission_time(size) * 10;
        let error = 0.5;
        let shared = |was_free| {
            let mut air = Air::new(AirPlan { slot, ..plan(error, Some(STATUS)) });
            let mut random = Streams::new(5, 0).stream("air");
            let frame = Frame { size, rate, was_free, free: Time::ZERO, reception: None };
            let mut attempts = || air.send(&frame, &mut random).attempts;
            let blocks = (0..10_000).map(|_| [(); 10].map(|()| attempts()));
            blocks.filter(|block| block.iter().all(|it| it == &block[0])).count()
        };
        assert_eq!(shared(false), 10_000);
        // Ten independent packets agree with probability (1 − p)¹⁰ / (1 − p¹⁰).
        assert!(shared(true) < 40, "{}", shared(true));
    }

    /// After as many as fill a slot, the next packet begins a block, and so does one that finds
    /// the link free.
    #[test]
    fn a_block_begins_with_each_slot_and_where_the_link_was_free() {
        let rate = Rate::from_bits_per_second(80_000_000).expect("more than nothing");
        let size = 1000;
        let slot = rate.transmission_time(size) * 3;
        let mut air = Air::new(AirPlan { slot, ..plan(0.5, Some(STATUS)) });
        let mut random = Streams::new(5, 0).stream("air");
        let frame = |was_free| Frame { size, rate, was_free, free: Time::ZERO, reception: None };
        let mut begins = |was_free| air.send(&frame(was_free), &mut random).begins;
        let free = [true, false, false, false, false, true, false, false, false];
        let begun = [true, false, false, true, false, true, false, false, true];
        assert_eq!(free.map(&mut begins), begun);
        // Without a slot each packet is a block.
        let mut air = Air::new(plan(0.5, Some(STATUS)));
        let mut begins = |was_free| air.send(&frame(was_free), &mut random).begins;
        assert_eq!([true, false, false].map(&mut begins), [true; 3]);
    }
}
