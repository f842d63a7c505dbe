//! The library's side of the [`interface`](crate::interface), for libraries in Rust.

use std::any::Any;
use std::ffi::{CString, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::slice;
use std::sync::OnceLock;
use std::time::Duration;

use crate::interface::{
    self as c, End, Host, Interface, LOG_ERROR, LOG_SECRET, NONE, VERSION, ecn_codepoint,
    ecn_number, event_number, nanoseconds, text,
};
use crate::{Datagram, Event, MakeStack, Place, Role, StreamStack};

/// Exports a stack from a crate whose `crate-type` is `cdylib`: its name in scenarios, the names of its
/// own controllers in brackets, of which the first is its default, and a function that makes a
/// [`MakeStack`] from the name of one of them. One for each library.
#[macro_export]
macro_rules! export {
    ($name:expr, [$($controller:expr),* $(,)?], $make:expr) => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        pub extern "C" fn windtunnel_stack() -> *const $crate::interface::Interface {
            fn make(controller: Option<&str>) -> Box<dyn $crate::MakeStack> {
                Box::new(($make)(controller))
            }
            $crate::exported::interface($name, &[$($controller),*], make)
        }
    };
}

/// Makes what makes ends, with one of the library's controllers.
pub type Make = fn(Option<&str>) -> Box<dyn MakeStack>;

/// The interface of a library, which is made once.
pub fn interface(name: &str, controllers: &[&str], make: Make) -> *const Interface {
    static INTERFACE: OnceLock<Interface> = OnceLock::new();
    ptr::from_ref(INTERFACE.get_or_init(|| {
        let make = MAKE.get_or_init(|| make);
        let maker = make(controllers.first().copied());
        let controllers = controllers.iter().map(|it| constant(it)).chain([ptr::null()]);
        Interface {
            version: VERSION,
            size: size_of::<Interface>() as u32,
            name: constant(name),
            controllers: Vec::leak(controllers.collect()).as_ptr(),
            largest_datagram: maker.largest_datagram().into(),
            first_datagram: maker.first_datagram().into(),
            is_deterministic: maker.is_deterministic().into(),
            create: Some(create),
            destroy: Some(destroy),
            receive: Some(receive),
            wake: Some(wake),
            send: Some(send),
            next_wake: Some(next_wake),
            state: Some(state),
            open: Some(open),
            write: Some(write),
            finish: Some(finish),
            read: Some(read),
            next_event: Some(next_event),
        }
    }))
}

static MAKE: OnceLock<Make> = OnceLock::new();

/// A text for C that is never freed.
fn constant(text: &str) -> *const std::ffi::c_char {
    CString::new(text).unwrap_or_default().into_raw()
}

/// An end, and what it was given.
struct Held {
    stack: Box<dyn StreamStack>,
    host: Host,
    buffer: Vec<u8>,
    /// How much of the key log was passed on.
    told: usize,
}

impl Held {
    /// Passes on what is new in the key log.
    fn log_secrets(&mut self) {
        let secrets = self.stack.secrets();
        for line in secrets.get(self.told..).unwrap_or_default().lines() {
            log(&self.host, LOG_SECRET, line);
        }
        self.told = secrets.len();
    }
}

fn log(host: &Host, kind: u32, line: &str) {
    if let Ok(line) = CString::new(line) {
        // SAFETY: the host lives as long as the end, and copies the text.
        unsafe { (host.log)(host.context, kind, line.as_ptr()) };
    }
}

/// Does the work of a call. That must not unwind into another language: a panic is an error.
fn guarded(host: &Host, work: impl FnOnce() -> Result<c_int, String>) -> c_int {
    let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(said(&*panic)));
    done.unwrap_or_else(|why| {
        log(host, LOG_ERROR, &why);
        -1
    })
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("it panicked: {}", text.unwrap_or("no message"))
}

/// Calls an end.
///
/// # Safety
/// It was made by this library and is not destroyed, and nothing else uses it now.
unsafe fn call(end: *mut End, work: impl FnOnce(&mut Held) -> c_int) -> c_int {
    // SAFETY: the caller's promise.
    let held = unsafe { &mut *end.cast::<Held>() };
    let host = held.host;
    guarded(&host, || Ok(work(held)))
}

// SAFETY of all that follow: the interface's user passes ends of this library that are not destroyed,
// one call at a time for each, and arguments that live during the call.

unsafe extern "C" fn create(
    now: u64,
    place: *const c::Place,
    host: *const Host,
    end: *mut *mut End,
) -> c_int {
    // SAFETY: see above.
    let (place, host) = unsafe { (&*place, *host) };
    guarded(&host, || {
        let mut seed = [0; 8];
        // SAFETY: there is room for so many bytes.
        unsafe { (host.random)(host.context, seed.as_mut_ptr(), seed.len()) };
        // SAFETY: see above.
        let controller = unsafe { text(place.controller) };
        let controller = (!place.controller.is_null()).then_some(controller.as_str());
        let of = |it: &c::Address| it.read().ok_or("an address is of no version of IP");
        let role = if place.role == 0 { Role::Client } else { Role::Server };
        let (own, peer) = (of(&place.own)?, of(&place.peer)?);
        let place = Place {
            role,
            own,
            peer,
            further: Vec::new(),
            has_other_packets: false,
            seed: u64::from_le_bytes(seed),
        };
        let make = MAKE.get().ok_or("the library exports nothing")?;
        let stack = make(controller).make(Duration::from_nanos(now), place)?;
        let held = Box::new(Held { stack, host, buffer: Vec::new(), told: 0 });
        // SAFETY: see above.
        unsafe { *end = Box::into_raw(held).cast() };
        Ok(0)
    })
}

unsafe extern "C" fn destroy(end: *mut End) {
    // SAFETY: see above; it was a box in `create`.
    let held: Box<Held> = unsafe { Box::from_raw(end.cast()) };
    // A panic has nobody to be reported to.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(held)));
}

unsafe extern "C" fn receive(
    end: *mut End,
    now: u64,
    datagrams: *const c::Datagram,
    count: usize,
) -> c_int {
    let read = |it: &c::Datagram| {
        // SAFETY: see above.
        let bytes = unsafe { slice::from_raw_parts(it.data, it.length) };
        let (from, to) = (it.from.read()?, it.to.read()?);
        Some(Datagram { from, to, ecn: ecn_codepoint(it.ecn), bytes })
    };
    let work = |held: &mut Held| {
        // SAFETY: see above.
        let given = unsafe { slice::from_raw_parts(datagrams, count) };
        let given: Vec<Datagram<'_>> = given.iter().filter_map(read).collect();
        held.stack.receive(Duration::from_nanos(now), &given);
        held.log_secrets();
        0
    };
    // SAFETY: see above.
    unsafe { call(end, work) }
}

unsafe extern "C" fn wake(end: *mut End, now: u64) -> c_int {
    let work = |held: &mut Held| {
        held.stack.wake(Duration::from_nanos(now));
        0
    };
    // SAFETY: see above.
    unsafe { call(end, work) }
}

unsafe extern "C" fn send(
    end: *mut End,
    now: u64,
    buffer: *mut u8,
    room: usize,
    out: *mut c::Departure,
) -> c_int {
    let work = |held: &mut Held| {
        held.buffer.clear();
        let Some(it) = held.stack.send(Duration::from_nanos(now), &mut held.buffer) else {
            return 0;
        };
        let length = held.buffer.len();
        // SAFETY: see above; what there is no room for is not copied, and told all the same.
        unsafe {
            ptr::copy_nonoverlapping(held.buffer.as_ptr(), buffer, length.min(room));
            *out = c::Departure {
                to: it.to.into(),
                length,
                segment: it.segment,
                ecn: ecn_number(it.ecn),
            };
        }
        1
    };
    // SAFETY: see above.
    unsafe { call(end, work) }
}

unsafe extern "C" fn next_wake(end: *mut End, time: *mut u64) -> c_int {
    let work = |held: &mut Held| {
        let wake = held.stack.next_wake().map_or(NONE, nanoseconds);
        // SAFETY: see above.
        unsafe { *time = wake };
        0
    };
    // SAFETY: see above.
    unsafe { call(end, work) }
}

unsafe extern "C" fn state(end: *mut End, state: *mut c::State) -> c_int {
    let work = |held: &mut Held| {
        let told = (&held.stack.state()).into();
        // SAFETY: see above.
        unsafe { *state = told };
        0
    };
    // SAFETY: see above.
    unsafe { call(end, work) }
}

unsafe extern "C" fn open(end: *mut End, now: u64, stream: *mut u64) -> c_int {
    let work = |held: &mut Held| {
        let opened = held.stack.open(Duration::from_nanos(now));
        if let Some(it) = opened {
            // SAFETY: see above.
            unsafe { *stream = it };
        }
        c_int::from(opened.is_some())
    };
    // SAFETY: see above.
    unsafe { call(end, work) }
}

unsafe extern "C" fn write(
    end: *mut End,
    now: u64,
    stream: u64,
    bytes: u64,
    taken: *mut u64,
) -> c_int {
    let work = |held: &mut Held| {
        let count = held.stack.write(Duration::from_nanos(now), stream, bytes);
        // SAFETY: see above.
        unsafe { *taken = count };
        0
    };
    // SAFETY: see above.
    unsafe { call(end, work) }
}

unsafe extern "C" fn finish(end: *mut End, now: u64, stream: u64) -> c_int {
    let work = |held: &mut Held| {
        held.stack.finish(Duration::from_nanos(now), stream);
        0
    };
    // SAFETY: see above.
    unsafe { call(end, work) }
}

unsafe extern "C" fn read(end: *mut End, now: u64, stream: u64, out: *mut c::Read) -> c_int {
    let work = |held: &mut Held| {
        let read = held.stack.read(Duration::from_nanos(now), stream);
        // SAFETY: see above.
        unsafe { *out = c::Read { bytes: read.bytes, is_end: read.is_end.into() } };
        0
    };
    // SAFETY: see above.
    unsafe { call(end, work) }
}

unsafe extern "C" fn next_event(end: *mut End, out: *mut c::Event) -> c_int {
    let work = |held: &mut Held| {
        let Some(event) = held.stack.next_event() else { return 0 };
        if let Event::Failed(why) = &event {
            log(&held.host, LOG_ERROR, why);
        }
        let (kind, stream) = event_number(&event);
        // SAFETY: see above.
        unsafe { *out = c::Event { kind, stream } };
        1
    };
    // SAFETY: see above.
    unsafe { call(end, work) }
}
