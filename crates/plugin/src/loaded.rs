//! Loading libraries, and driving their controllers like any other.

use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::fmt;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use windtunnel_controllers::{
    Acknowledgement, Congestion, Controller, Description, External, Failed, Maker, Start,
    TransmissionStart, Window,
};

use crate::interface::{Answer, Interface, Made, SYMBOL, UNKNOWN, VERSION, needs};

/// Why a library was not loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It cannot be opened.
    #[error("not a dynamic library: {0}")]
    Unopened(libloading::Error),
    /// It exports no controller.
    #[error("exports no controller; write windtunnel_plugin::export!(…) in its crate")]
    NoController,
    /// It was built with another version of the interface.
    #[error("built for version {0} of the plugin interface, here is {VERSION}; build it again")]
    OtherVersion(u32),
}

/// A library with a controller. It stays loaded until the process ends.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    interface: &'static Interface,
}

impl Library {
    /// Loads a library, whose code runs: only one that is trusted.
    ///
    /// # Errors
    /// [`LoadError`], if it is not a library with a controller for this version.
    pub fn open(file: &Path) -> Result<Self, LoadError> {
        // SAFETY: that its initialisation is sound is what loading any library trusts in.
        let library = unsafe { libloading::Library::new(file) }.map_err(LoadError::Unopened)?;
        // SAFETY: a symbol of this name is a `static` of `export!`; its first field, of any
        // version, is the version.
        let version = unsafe { library.get::<*const u32>(SYMBOL) };
        let version: *const u32 = *version.map_err(|_| LoadError::NoController)?;
        // SAFETY: as above.
        let found = unsafe { *version };
        if found != VERSION {
            return Err(LoadError::OtherVersion(found));
        }
        // Descriptions and objects refer to it, for as long as anybody has results.
        std::mem::forget(library);
        // SAFETY: of this version it is an `Interface`, and the library is never closed.
        Ok(Self { interface: unsafe { &*version.cast() } })
    }

    /// A library that is part of this program.
    #[must_use]
    pub fn of(interface: &'static Interface) -> Self {
        Self { interface }
    }

    /// The name that the library gives its controller.
    #[must_use]
    pub fn name(&self) -> String {
        // SAFETY: the text is a constant of a library that is never closed.
        unsafe { self.interface.name.read() }
    }

    /// The maker of its controllers, under a name in scenarios.
    #[must_use]
    pub fn maker(&self, name: &str) -> Arc<dyn Maker> {
        let description = described(name, self.interface.needs);
        Arc::new(Loaded { interface: self.interface, description })
    }
}

/// A description, made once and never freed, because results refer to it.
fn described(name: &str, bits: u32) -> &'static Description {
    type Known = BTreeMap<(String, u32), &'static Description>;
    static DESCRIPTIONS: Mutex<Known> = Mutex::new(BTreeMap::new());
    let mut known = DESCRIPTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry((name.to_owned(), bits)).or_insert_with(|| {
        let name: &'static str = name.to_owned().leak();
        Box::leak(Box::new(Description {
            name,
            title: name,
            source: "a dynamic library",
            status: "not checked",
            needs: needs(bits).leak(),
            parameters: &[],
        }))
    })
}

/// The controllers of a library, with their name.
#[derive(Clone, Copy, Debug)]
struct Loaded {
    interface: &'static Interface,
    description: &'static Description,
}

impl Loaded {
    fn take(self, made: Made, method: &str, window: Window) -> Object {
        let mut object = Object { of: self, object: made.object, window, pacing_rate: None };
        object.take(method, &made.answer);
        object
    }
}

impl Maker for Loaded {
    fn description(&self) -> &'static Description {
        self.description
    }

    fn make(&self, start: Start) -> Box<dyn External> {
        let argument = start.into();
        // SAFETY: the argument lives during the call.
        let made = unsafe { (self.interface.make)(&raw const argument) };
        Box::new(self.take(made, "make", Window::new(start)))
    }
}

/// The controller of one connection.
struct Object {
    of: Loaded,
    object: *mut c_void,
    window: Window,
    pacing_rate: Option<f64>,
}

// SAFETY: `export!` takes only controllers that are `Send`.
unsafe impl Send for Object {}
// SAFETY: `export!` takes only controllers that are `Sync`; shared, they are only copied.
unsafe impl Sync for Object {}

impl fmt::Debug for Object {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { of, window, pacing_rate, .. } = self;
        let name = of.description.name;
        write!(formatter, "{name}: {window:?}, pacing rate {pacing_rate:?}")
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: the library made it, and nothing uses it any more.
        unsafe { (self.of.interface.free)(self.object) }
    }
}

impl Object {
    /// Takes over an answer. One that cannot be, or a failure, ends the run.
    fn take(&mut self, method: &str, answer: &Answer) {
        // SAFETY: the object that owns the text is called again only after this.
        let failure = unsafe { answer.failure.read() };
        if !failure.is_empty() {
            self.fail(method, &failure);
        }
        let Answer { cwnd, ssthresh, pacing_rate, .. } = *answer;
        if !self.window.take_over(cwnd, ssthresh) {
            let minimum = self.window.floor();
            self.fail(
                method,
                &format!(
                    "cwnd is {cwnd} and ssthresh is {ssthresh}; cwnd must be a finite number of \
                 segments, at least {minimum}, and ssthresh must be a number"
                ),
            );
        }
        self.pacing_rate = (!pacing_rate.is_nan()).then_some(pacing_rate);
        if self.pacing_rate.is_some_and(|it| !(it.is_finite() && it > 0.0)) {
            self.fail(method, &format!(
                "pacing_rate is {pacing_rate}; it must be a finite number of segments per second \
                 greater than zero, or none"
            ));
        }
    }

    fn fail(&self, method: &str, why: &str) -> ! {
        let name = self.of.description.name;
        resume_unwind(Box::new(Failed(format!("controller `{name}`: {method}: {why}"))))
    }
}

// SAFETY of all calls that follow: the object was made by the library and is not freed, `&mut`
// shows that nothing else uses it, and arguments live during the call.

impl Controller for Object {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let it = acknowledgement.into();
        // SAFETY: see above.
        let answer = unsafe { (self.of.interface.on_acknowledgement)(self.object, &raw const it) };
        self.take("on_acknowledgement", &answer);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let it = congestion.into();
        // SAFETY: see above.
        let answer = unsafe { (self.of.interface.on_congestion)(self.object, &raw const it) };
        self.take("on_congestion", &answer);
    }

    fn on_recovered(&mut self, now: u64) {
        // SAFETY: see above.
        let answer = unsafe { (self.of.interface.on_recovered)(self.object, now) };
        self.take("on_recovered", &answer);
    }

    fn on_transmission_start(&mut self, start: &TransmissionStart) {
        let TransmissionStart { now, application_limited, smoothed_rtt } = *start;
        let smoothed_rtt = smoothed_rtt.unwrap_or(UNKNOWN);
        let call = self.of.interface.on_transmission_start;
        // SAFETY: see above.
        let answer = unsafe { call(self.object, now, application_limited, smoothed_rtt) };
        self.take("on_transmission_start", &answer);
    }

    fn lower_window(&mut self, cwnd: f64, ssthresh: f64) {
        // SAFETY: see above.
        let answer = unsafe { (self.of.interface.lower_window)(self.object, cwnd, ssthresh) };
        self.take("lower_window", &answer);
    }

    fn pacing_rate(&self) -> Option<f64> {
        self.pacing_rate
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}

impl External for Object {
    fn copy(&self) -> Box<dyn External> {
        // SAFETY: see above; a shared object is only copied.
        let made = unsafe { (self.of.interface.copy)(self.object) };
        Box::new(self.of.take(made, "clone", self.window))
    }

    fn undo(&mut self, before: &dyn External) {
        if let Some(before) = (before as &dyn Any).downcast_ref::<Self>() {
            let call = self.of.interface.on_spurious;
            // SAFETY: see above; `before` is an object of the same library.
            let answer = unsafe { call(self.object, before.object) };
            self.take("on_spurious", &answer);
        }
    }

    fn description(&self) -> &'static Description {
        self.of.description
    }
}
