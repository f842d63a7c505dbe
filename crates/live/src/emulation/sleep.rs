//! Sleeping until something happens, as exactly as the machine allows.

use std::os::fd::AsFd;
use std::time::{Duration as RealDuration, Instant};

use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::prctl::set_timerslack;
use nix::sys::time::TimeSpec;
use smallvec::SmallVec;

use super::failure::Failure;
use super::gate::Gate;

/// So much more is allowed for after each sleep that ended later than that, and so much less after one
/// that did not: by the median of how late sleeps end (Robbins and Monro 1951). Half of them end in
/// time, and hardly any time is spent awake.
const STEP: RealDuration = RealDuration::from_nanos(200);
/// What is allowed for at first, and at the most.
const MOST: RealDuration = RealDuration::from_micros(50);

/// How a thread sleeps that must be awake in time: the kernel wakes it some microseconds late, and for
/// so long, before something is due, it does not sleep.
#[derive(Debug)]
pub(super) struct Sleep {
    allowance: RealDuration,
}

impl Sleep {
    /// For the calling thread, whose sleeps the kernel does not lengthen to let them end together
    /// (timer slack, prctl(2)).
    pub(super) fn begin() -> Self {
        // Where it is refused, sleeps are late by as much, and that is allowed for.
        let _ = set_timerslack(1);
        Self { allowance: MOST }
    }

    /// Sleeps until packets come, or shortly before so much time is over; returns how long.
    ///
    /// # Errors
    /// [`Failure::Waiting`].
    pub(super) fn until_due(
        &mut self,
        due: RealDuration,
        gates: &[Gate],
    ) -> Result<RealDuration, Failure> {
        let Some(wanted) = due.checked_sub(self.allowance).filter(|it| !it.is_zero()) else {
            std::hint::spin_loop();
            return Ok(RealDuration::ZERO);
        };
        let mut waits: SmallVec<[PollFd<'_>; 8]> =
            gates.iter().map(|it| PollFd::new(it.interface.as_fd(), PollFlags::POLLIN)).collect();
        let before = Instant::now();
        let ready = match ppoll(&mut waits, Some(TimeSpec::from_duration(wanted)), None) {
            Ok(ready) => ready,
            Err(nix::Error::EINTR) => 1,
            Err(error) => return Err(Failure::Waiting(error.into())),
        };
        let slept = before.elapsed();
        if ready == 0 {
            self.learn(slept.saturating_sub(wanted));
        }
        Ok(slept)
    }

    /// A sleep has ended so late.
    fn learn(&mut self, late: RealDuration) {
        self.allowance = if late > self.allowance {
            (self.allowance + STEP).min(MOST)
        } else {
            self.allowance.saturating_sub(STEP)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_allows_for_what_half_of_the_sleeps_are_late_by() {
        let mut sleep = Sleep { allowance: MOST };
        // Late by 0 to 19.9 µs, each as often, in an order that repeats after 200; a few by much more.
        let late = |number: u64| match number % 50 {
            0 => RealDuration::from_millis(3),
            _ => RealDuration::from_nanos(number * 77 % 200 * 100),
        };
        (0..2_000).for_each(|it| sleep.learn(late(it)));
        let mut mean = RealDuration::ZERO;
        for number in 0..1000 {
            sleep.learn(late(number));
            mean += sleep.allowance / 1000;
        }
        let wanted = RealDuration::from_micros(10);
        assert!(mean.abs_diff(wanted) < RealDuration::from_micros(1), "{mean:?}");
    }

    #[test]
    fn it_never_allows_for_more_than_at_first() {
        let mut sleep = Sleep { allowance: MOST };
        sleep.learn(RealDuration::from_millis(5));
        assert_eq!(sleep.allowance, MOST);
    }
}
