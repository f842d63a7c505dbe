//! The control of a running simulation from another thread: how far it is,
//! and when it must stop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration as RealDuration, Instant};

use crate::Time;

/// Why a simulation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It reached the end of its simulated time.
    Finished,
    /// Somebody cancelled it.
    Cancelled,
    /// It used up its real time.
    OutOfRealTime,
}

/// When a simulation ends.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The end of simulated time.
    pub simulated: Time,
    /// The most real time that it may take, if limited.
    pub real: Option<RealDuration>,
}

/// Shared between a running simulation and whoever watches it.
#[derive(Debug, Default)]
pub struct Control {
    cancelled: AtomicBool,
    simulated: AtomicU64,
    events: AtomicU64,
}

/// How many events pass between two looks at the control: well below a
/// millisecond, and too rare to be felt.
const EVENTS_BETWEEN_LOOKS: u64 = 1 << 12;

impl Control {
    /// Asks the simulation to stop; it does within a few thousand events.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// How far it was at its last look.
    #[must_use]
    pub fn simulated(&self) -> Time {
        Time::from_picos(self.simulated.load(Ordering::Relaxed))
    }

    /// The events it had handled at its last look.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events.load(Ordering::Relaxed)
    }

    /// Says how far the simulation is, and how many events it has handled.
    pub fn report(&self, simulated: Time, events: u64) {
        self.events.store(events, Ordering::Relaxed);
        self.simulated.store(simulated.as_picos(), Ordering::Relaxed);
    }

    /// Calls `step` until it returns `None` (nothing more happens before the end
    /// of simulated time), the control is cancelled, or real time is up. `step`
    /// handles one event and returns its time.
    pub fn drive(
        &self,
        limits: &Limits,
        mut step: impl FnMut(Time) -> Option<Time>,
    ) -> (Stop, u64) {
        let started = Instant::now();
        let mut events = 0;
        let stop = loop {
            let mut now = None;
            let until = events + EVENTS_BETWEEN_LOOKS;
            while events < until {
                match step(limits.simulated) {
                    Some(time) => now = Some(time),
                    None => {
                        now = None;
                        break;
                    }
                }
                events += 1;
            }
            let Some(now) = now else {
                self.events.store(events, Ordering::Relaxed);
                break Stop::Finished;
            };
            self.report(now, events);
            if self.is_cancelled() {
                break Stop::Cancelled;
            }
            if limits.real.is_some_and(|most| started.elapsed() > most) {
                break Stop::OutOfRealTime;
            }
        };
        if stop == Stop::Finished {
            self.simulated.store(limits.simulated.as_picos(), Ordering::Relaxed);
        }
        (stop, events)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Duration;

    fn endless() -> impl FnMut(Time) -> Option<Time> {
        let mut now = Time::ZERO;
        move |_| {
            now += Duration::from_nanos(1);
            Some(now)
        }
    }

    #[test]
    fn a_cancelled_simulation_stops() {
        let control = Control::default();
        control.cancel();
        let limits = Limits { simulated: Time::NEVER, real: None };
        assert_eq!(control.drive(&limits, endless()).0, Stop::Cancelled);
    }

    #[test]
    fn real_time_runs_out() {
        let limits = Limits { simulated: Time::NEVER, real: Some(RealDuration::from_millis(5)) };
        assert_eq!(Control::default().drive(&limits, endless()).0, Stop::OutOfRealTime);
    }
}
