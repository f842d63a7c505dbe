//! How the thread of an emulation runs: before all others, and on no processor for long.

use nix::sched::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use nix::unistd::Pid;
use thread_priority::{
    RealtimeThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy,
    set_thread_priority_and_policy, thread_native_id,
};
use windtunnel_engine::{Duration, Time};

/// So long a real-time thread stays on a processor. Linux stops one there for 50 ms in each second
/// that it takes whole, for the other threads of that processor (sched_rt_runtime_us, and the
/// deadline server of ordinary threads since Linux 6.12).
const STAY: Duration = Duration::from_millis(300);

/// A real-time thread, and the processors that it may be on.
#[derive(Debug)]
pub(super) struct RealTime {
    allowed: CpuSet,
    /// When it came to the processor that it is on.
    since: Time,
}

impl RealTime {
    /// Has the calling thread run before all others whenever it can; none if it may not.
    pub(super) fn begin() -> Option<Self> {
        let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
        set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, policy).ok()?;
        let allowed = sched_getaffinity(Pid::from_raw(0)).ok()?;
        Some(Self { allowed, since: Time::ZERO })
    }

    /// Goes to another processor, if it has been on this one for long and there is another.
    pub(super) fn move_on(&mut self, now: Time) {
        if now.since(self.since) < STAY {
            return;
        }
        self.since = now;
        let mut others = self.allowed;
        let here = sched_getcpu().and_then(|it| others.unset(it));
        if here.is_ok() {
            // Where there is no other, the kernel refuses, and it stays.
            let _ = sched_setaffinity(Pid::from_raw(0), &others);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_leaves_its_processor_when_it_has_been_there_for_long() {
        let Some(mut it) = RealTime::begin() else {
            return; // The system does not let this user.
        };
        let first = sched_getcpu().unwrap();
        it.move_on(Time::ZERO + Duration::from_millis(299));
        assert_eq!(sched_getaffinity(Pid::from_raw(0)).unwrap(), it.allowed);
        it.move_on(Time::ZERO + STAY);
        let places = (0..CpuSet::count()).filter(|place| it.allowed.is_set(*place).unwrap());
        assert_eq!(sched_getcpu().unwrap() == first, places.count() == 1);
    }
}
