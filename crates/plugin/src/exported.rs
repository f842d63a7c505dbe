//! The library's side of the [`interface`](crate::interface).

use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

use windtunnel_controllers::{self as controllers, Controller, Need, TransmissionStart};

use crate::interface::{Acknowledgement, Answer, Congestion, Interface, Made, Start, Text};
use crate::interface::{VERSION, bits, known};

/// A controller that can be exported.
pub trait Exported: Controller + Clone + Send + Sync + 'static {}

impl<C: Controller + Clone + Send + Sync + 'static> Exported for C {}

/// The interface of a library whose controllers are made by a function: it is the function's
/// type that chooses it, so that there is nothing to call at the time of making the library.
#[must_use]
pub const fn interface<C, F>(name: &'static str, needs: &[Need], _make: F) -> Interface
where
    C: Exported,
    F: Fn(controllers::Start) -> C + Copy + 'static,
{
    assert!(size_of::<F>() == 0, "the function refers to nothing outside");
    Interface {
        version: VERSION,
        needs: bits(needs),
        name: Text::of(name),
        make: make::<C, F>,
        copy: copy::<C>,
        free: free::<C>,
        on_acknowledgement: on_acknowledgement::<C>,
        on_congestion: on_congestion::<C>,
        on_recovered: on_recovered::<C>,
        on_transmission_start: on_transmission_start::<C>,
        on_spurious: on_spurious::<C>,
        lower_window: lower_window::<C>,
    }
}

/// A controller, and why it failed.
struct Held<C> {
    controller: Option<C>,
    failure: String,
}

impl<C: Exported> Held<C> {
    /// Makes a controller that the interface can pass on.
    fn made(make: impl FnOnce() -> C) -> Made {
        let mut held = Box::new(Self { controller: None, failure: String::new() });
        let answer = held.answer(|controller| controller.insert(make()));
        Made { object: Box::into_raw(held).cast(), answer }
    }

    /// Calls the controller, if there is one.
    fn call(&mut self, call: impl FnOnce(&mut C)) -> Answer {
        self.answer(|controller| {
            let controller = controller.as_mut().expect("a controller that failed is not called");
            call(controller);
            controller
        })
    }

    /// What the controller answers after some work. That must not unwind into another library: a
    /// panic is the controller's failure.
    fn answer(&mut self, work: impl FnOnce(&mut Option<C>) -> &mut C) -> Answer {
        let answered = catch_unwind(AssertUnwindSafe(|| {
            let it = work(&mut self.controller);
            (it.cwnd(), it.ssthresh(), it.pacing_rate().unwrap_or(f64::NAN))
        }));
        let (numbers, failure) = match answered {
            Ok(numbers) => (numbers, String::new()),
            Err(panic) => ((f64::NAN, f64::NAN, f64::NAN), message(panic.as_ref())),
        };
        self.failure = failure;
        let (cwnd, ssthresh, pacing_rate) = numbers;
        Answer { cwnd, ssthresh, pacing_rate, failure: Text::of(&self.failure) }
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.filter(|it| !it.is_empty()).unwrap_or("unknown panic").to_owned()
}

/// # Safety
/// `object` was made by this library and is not freed, and nothing else uses it now.
unsafe fn held<'a, C>(object: *mut c_void) -> &'a mut Held<C> {
    // SAFETY: the caller's promise.
    unsafe { &mut *object.cast() }
}

/// # Safety
/// `object` was made by this library and is not freed, and nothing changes it now.
unsafe fn shared<'a, C>(object: *const c_void) -> &'a Held<C> {
    // SAFETY: the caller's promise.
    unsafe { &*object.cast() }
}

// SAFETY of all that follow: the interface's user passes objects of this library that are not
// freed, one call at a time for each, and arguments that live during the call.

unsafe extern "C" fn make<C: Exported, F>(start: *const Start) -> Made
where
    F: Fn(controllers::Start) -> C + Copy + 'static,
{
    // SAFETY: a function without captures has no size, so that any aligned pointer can be read; that
    // there is such a value is shown by the one that `interface` took.
    let make: F = unsafe { NonNull::dangling().read() };
    // SAFETY: see above.
    let start = unsafe { *start };
    Held::made(|| make(start.into()))
}

unsafe extern "C" fn copy<C: Exported>(object: *const c_void) -> Made {
    // SAFETY: see above.
    let held = unsafe { shared::<C>(object) };
    Held::made(|| held.controller.clone().expect("a controller that failed is not copied"))
}

unsafe extern "C" fn free<C: Exported>(object: *mut c_void) {
    // SAFETY: see above; `Held::made` made it from a box.
    let held: Box<Held<C>> = unsafe { Box::from_raw(object.cast()) };
    // A panic has nobody to be reported to.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(held)));
}

unsafe extern "C" fn on_acknowledgement<C: Exported>(
    object: *mut c_void,
    acknowledgement: *const Acknowledgement,
) -> Answer {
    // SAFETY: see above.
    let (held, it) = unsafe { (held::<C>(object), &*acknowledgement) };
    held.call(|controller| controller.on_acknowledgement(&it.into()))
}

unsafe extern "C" fn on_congestion<C: Exported>(
    object: *mut c_void,
    congestion: *const Congestion,
) -> Answer {
    // SAFETY: see above.
    let (held, it) = unsafe { (held::<C>(object), &*congestion) };
    held.call(|controller| controller.on_congestion(&it.into()))
}

unsafe extern "C" fn on_recovered<C: Exported>(object: *mut c_void, now: u64) -> Answer {
    // SAFETY: see above.
    unsafe { held::<C>(object) }.call(|controller| controller.on_recovered(now))
}

unsafe extern "C" fn on_transmission_start<C: Exported>(
    object: *mut c_void,
    now: u64,
    application_limited: bool,
    smoothed_rtt: u64,
) -> Answer {
    let smoothed_rtt = known(smoothed_rtt);
    let start = TransmissionStart { now, application_limited, smoothed_rtt };
    // SAFETY: see above.
    unsafe { held::<C>(object) }.call(|controller| controller.on_transmission_start(&start))
}

unsafe extern "C" fn on_spurious<C: Exported>(
    object: *mut c_void,
    before: *const c_void,
) -> Answer {
    // SAFETY: see above; the two are different objects.
    let (held, before) = unsafe { (held::<C>(object), shared::<C>(before)) };
    held.call(|controller| before.controller.iter().for_each(|it| controller.on_spurious(it)))
}

unsafe extern "C" fn lower_window<C: Exported>(
    object: *mut c_void,
    cwnd: f64,
    ssthresh: f64,
) -> Answer {
    // SAFETY: see above.
    unsafe { held::<C>(object) }.call(|controller| controller.lower_window(cwnd, ssthresh))
}
