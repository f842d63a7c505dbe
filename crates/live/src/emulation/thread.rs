//! How the thread of an emulation runs: before all others, and on no processor for long.

use nix::sched::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use nix::time::{ClockId, clock_gettime};
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

/// A thread that sleeps for this share of that time leaves its processor to others.
const LEFT: f64 = 0.25;

/// The processor time that the calling thread has taken, with the kernel's for it; none if the kernel
/// does not say.
pub(super) fn processor_time() -> Option<std::time::Duration> {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).ok().map(Into::into)
}

/// A real-time thread, and the processors that it may be on.
#[derive(Debug)]
pub(super) struct RealTime {
    allowed: CpuSet,
    /// When it came to the processor that it is on, or was last seen to leave it to others.
    since: Time,
    /// How long it has slept since then.
    slept: Duration,
}

impl RealTime {
    /// Has the calling thread run before all others whenever it can; none if it may not.
    pub(super) fn begin() -> Option<Self> {
        let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
        set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, policy).ok()?;
        let allowed = sched_getaffinity(Pid::from_raw(0)).ok()?;
        Some(Self { allowed, since: Time::ZERO, slept: Duration::ZERO })
    }

    /// It has slept for so long.
    pub(super) fn has_slept(&mut self, duration: Duration) {
        self.slept += duration;
    }

    /// Goes to another processor, if it takes this one whole for long and there is another.
    pub(super) fn move_on(&mut self, now: Time) {
        let stayed = now.since(self.since);
        if stayed < STAY {
            return;
        }
        self.since = now;
        let slept = std::mem::take(&mut self.slept);
        if slept.as_seconds() >= LEFT * stayed.as_seconds() {
            return;
        }
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

    /// Whether it may only be on other processors than this one; true if there is no other.
    fn has_moved(it: &RealTime) -> bool {
        let may_be_on = sched_getaffinity(Pid::from_raw(0)).unwrap();
        let places = |set: CpuSet| (0..CpuSet::count()).filter(move |it| set.is_set(*it).unwrap());
        places(it.allowed).count() == 1 || places(may_be_on).count() < places(it.allowed).count()
    }

    #[test]
    fn it_leaves_a_processor_that_it_took_whole_for_long() {
        let Some(mut it) = RealTime::begin() else {
            return; // The system does not let this user.
        };
        let is_alone = has_moved(&it);
        it.move_on(Time::ZERO + Duration::from_millis(299));
        assert_eq!(has_moved(&it), is_alone);
        it.has_slept(Duration::from_millis(80));
        it.move_on(Time::ZERO + Duration::from_millis(310));
        assert_eq!(has_moved(&it), is_alone);
        it.move_on(Time::ZERO + Duration::from_millis(620));
        assert!(has_moved(&it));
    }
}
