//! The clock, which says the time of the run while an end of a connection is at work.
//!
//! A reference to `f` becomes one to `__wrap_f` when the library is linked, and `__real_f` is what was
//! `f`.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::time::Duration;

use libc::{CLOCK_REALTIME, clockid_t, time_t, timespec, timeval};

thread_local! {
    /// The time of the run, on a thread on which an end is at work.
    static NOW: Cell<Option<Duration>> = const { Cell::new(None) };
}

/// What a clock that only goes on says when a run begins: subtracting from it has to be possible.
const BEGINNING: Duration = Duration::from_secs(86_400);
/// The date when a run begins, by which certificates and tickets are judged, so that nothing depends on
/// when it is simulated: the first of January 2030.
const DATE: Duration = Duration::from_secs(1_893_456_000);

/// Puts the clock of the thread back when it is dropped, after a panic as well.
struct Running(Option<Duration>);

impl Drop for Running {
    fn drop(&mut self) {
        NOW.set(self.0);
    }
}

/// Does something at a time of the run.
pub(crate) fn at<T>(now: Duration, work: impl FnOnce() -> T) -> T {
    let _running = Running(NOW.replace(Some(now)));
    work()
}

unsafe extern "C" {
    fn __real_clock_gettime(clock: clockid_t, out: *mut timespec) -> c_int;
    fn __real_gettimeofday(out: *mut timeval, zone: *mut c_void) -> c_int;
    fn __real_time(out: *mut time_t) -> time_t;
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_clock_gettime(clock: clockid_t, out: *mut timespec) -> c_int {
    let Some(now) = NOW.get() else {
        // SAFETY: these are the caller's arguments.
        return unsafe { __real_clock_gettime(clock, out) };
    };
    let time = now + if clock == CLOCK_REALTIME { DATE } else { BEGINNING };
    let (tv_sec, tv_nsec) = (time.as_secs() as time_t, time.subsec_nanos().into());
    // SAFETY: the caller has room for it, as clock_gettime(2) demands.
    unsafe { *out = timespec { tv_sec, tv_nsec } };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_gettimeofday(out: *mut timeval, zone: *mut c_void) -> c_int {
    let Some(now) = NOW.get() else {
        // SAFETY: these are the caller's arguments.
        return unsafe { __real_gettimeofday(out, zone) };
    };
    let date = DATE + now;
    let (tv_sec, tv_usec) = (date.as_secs() as time_t, date.subsec_micros().into());
    // SAFETY: the caller has room for it, as gettimeofday(2) demands.
    unsafe { *out = timeval { tv_sec, tv_usec } };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_time(out: *mut time_t) -> time_t {
    let Some(now) = NOW.get() else {
        // SAFETY: these are the caller's arguments.
        return unsafe { __real_time(out) };
    };
    let seconds = (DATE + now).as_secs() as time_t;
    if !out.is_null() {
        // SAFETY: it is null, or there is room for it, as time(2) demands.
        unsafe { *out = seconds };
    }
    seconds
}
