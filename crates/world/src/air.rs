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

/// How a packet gets over the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crossing {
    /// The attempts made, each of which uses the link.
    pub(crate) attempts: u32,
    /// Whether all of them failed.
    pub(crate) lost: bool,
}

impl Crossing {
    /// Where there is no air.
    pub(crate) const AT_ONCE: Self = Self { attempts: 1, lost: false };
}

/// An air interface at work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Air {
    pub(crate) plan: AirPlan,
    /// How the present block gets across.
    crossing: Crossing,
    /// The time that is left in its slot.
    left: Duration,
}

impl Air {
    pub(crate) fn new(plan: AirPlan) -> Self {
        Self { plan, crossing: Crossing::AT_ONCE, left: Duration::ZERO }
    }

    /// Lets the next packet try, which uses the link for so long at each attempt, and
    /// found it free or not.
    pub(crate) fn cross(
        &mut self,
        transmission: Duration,
        was_free: bool,
        random: &mut Random,
    ) -> Crossing {
        if was_free || self.left == Duration::ZERO {
            self.crossing = self.plan.cross(random);
            self.left = self.plan.slot;
        }
        self.left = self.left - transmission;
        self.crossing
    }
}

impl AirPlan {
    /// Lets the next block try.
    fn cross(&self, random: &mut Random) -> Crossing {
        let sets = self.status.map_or(1, |_| 1 + RLC_RETRANSMISSIONS);
        let most = self.attempts.saturating_mul(sets);
        let mut attempts = 1;
        while random.happens(self.block_error) {
            if attempts >= most {
                return Crossing { attempts, lost: true };
            }
            attempts += 1;
        }
        Crossing { attempts, lost: false }
    }

    /// What so many attempts cost beside the time that they use the link:
    /// a HARQ round trip each but for the first of each set, and a status report
    /// between the sets.
    pub(crate) fn delay(&self, attempts: u32) -> Duration {
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
    use windtunnel_engine::Streams;

    use super::*;

    const ROUND_TRIP: Duration = Duration::from_millis(1);
    const STATUS: Duration = Duration::from_millis(20);

    fn plan(block_error: f64, status: Option<Duration>) -> AirPlan {
        let slot = Duration::ZERO;
        AirPlan { slot, block_error, round_trip: ROUND_TRIP, attempts: 4, status }
    }

    fn crossings(plan: AirPlan, packets: usize) -> Vec<Crossing> {
        let mut random = Streams::new(5, 0).stream("air");
        (0..packets).map(|_| plan.cross(&mut random)).collect()
    }

    /// The mean of a geometric distribution, and its variance p/(1−p)².
    #[test]
    fn acknowledged_mode_needs_one_over_one_minus_the_error_attempts_in_the_mean() {
        let packets = 200_000;
        for error in [0.0, 0.1, 0.5, 0.8] {
            let crossings = crossings(plan(error, Some(STATUS)), packets);
            let attempts: u64 = crossings.iter().map(|it| u64::from(it.attempts)).sum();
            let mean = attempts as f64 / packets as f64;
            let standard_error = error.sqrt() / (1.0 - error) / (packets as f64).sqrt();
            let expected = 1.0 / (1.0 - error);
            assert!((mean - expected).abs() <= 4.0 * standard_error, "{mean} of {expected}");
            assert!(crossings.iter().all(|it| !it.lost));
        }
    }

    #[test]
    fn unacknowledged_mode_loses_what_fails_in_every_attempt() {
        let packets = 200_000;
        let error = 0.4_f64;
        let crossings = crossings(plan(error, None), packets);
        let lost: Vec<_> = crossings.iter().filter(|it| it.lost).collect();
        assert!(lost.iter().all(|it| it.attempts == 4));
        assert!(crossings.iter().all(|it| it.attempts <= 4));
        let expected = error.powi(4);
        let share = lost.len() as f64 / packets as f64;
        let standard_error = (expected * (1.0 - expected) / packets as f64).sqrt();
        assert!((share - expected).abs() < 4.0 * standard_error, "{share} of {expected}");
    }

    #[test]
    fn an_air_that_lets_nothing_through_loses_all_after_a_bounded_number_of_attempts() {
        let lost = |attempts| vec![Crossing { attempts, lost: true }; 3];
        assert_eq!(crossings(plan(1.0, None), 3), lost(4));
        assert_eq!(crossings(plan(1.0, Some(STATUS)), 3), lost(4 * 33));
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
        let transmission = Duration::from_micros(100);
        let slot = transmission * 10;
        let error = 0.5;
        let shared = |was_free| {
            let mut air = Air::new(AirPlan { slot, ..plan(error, Some(STATUS)) });
            let mut random = Streams::new(5, 0).stream("air");
            let mut cross = || air.cross(transmission, was_free, &mut random).attempts;
            let blocks = (0..10_000).map(|_| [(); 10].map(|()| cross()));
            blocks.filter(|block| block.iter().all(|it| it == &block[0])).count()
        };
        assert_eq!(shared(false), 10_000);
        // Ten independent packets agree with probability (1 − p)¹⁰ / (1 − p¹⁰).
        assert!(shared(true) < 40, "{}", shared(true));
    }
}
