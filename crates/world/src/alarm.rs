//! Wake-ups that move without moving events.

use windtunnel_engine::Time;

/// The times of an end's scheduled wake-ups, the earliest first: a timer that is
/// set anew again and again needs no event each time, and one that lies behind
/// an earlier one keeps its event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alarm([Time; 3]);

impl Alarm {
    /// None is scheduled.
    pub(crate) const NONE: Self = Self([Time::NEVER; 3]);

    /// Whether an event is to be scheduled for `time`: none comes as early.
    #[inline]
    pub(crate) fn set(&mut self, time: Time) -> bool {
        let Self([first, second, _]) = *self;
        let earlier = time < first;
        if earlier {
            // An event that no longer has room here is ignored when it comes.
            self.0 = [time, first, second];
        }
        earlier
    }

    /// Whether the event of this moment counts.
    #[inline]
    pub(crate) fn rings(&mut self, now: Time) -> bool {
        let Self([first, second, third]) = *self;
        let rings = first == now;
        if rings {
            self.0 = [second, third, Time::NEVER];
        }
        rings
    }
}

#[cfg(test)]
mod tests {
    use windtunnel_engine::Duration;

    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    #[test]
    fn an_alarm_that_lies_behind_an_earlier_one_keeps_its_event() {
        let mut alarm = Alarm::NONE;
        assert!(alarm.set(at(200)));
        assert!(alarm.set(at(10)));
        assert!(!alarm.set(at(20)), "an earlier one is scheduled");
        assert!(alarm.rings(at(10)));
        assert!(!alarm.set(at(210)), "the one at 200 ms still comes");
        assert!(alarm.rings(at(200)));
        assert!(alarm.set(at(210)));
    }

    #[test]
    fn an_event_that_was_forgotten_does_not_ring() {
        let mut alarm = Alarm::NONE;
        for time in [400, 300, 200, 100] {
            assert!(alarm.set(at(time)));
        }
        for time in [100, 200, 300] {
            assert!(alarm.rings(at(time)));
        }
        assert!(!alarm.rings(at(400)));
    }
}
