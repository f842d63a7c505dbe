//! Loading libraries, and driving their ends like any other stack.

use std::cell::{Cell, RefCell};
use std::ffi::{CString, c_char, c_int, c_void};
use std::fmt;
use std::path::Path;
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use crate::buffer::{Buffer, ROOM};
use crate::interface::{
    self as c, Interface, LOG_ERROR, LOG_SECRET, NONE, SYMBOL, VERSION, ecn_codepoint, ecn_number,
    event_of, nanoseconds, text,
};
use crate::{
    Datagram, Departure, Event, Failure, MakeStack, Place, Read, Role, Stack, StackKind, State,
    StreamStack,
};

/// Why a library was not loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It cannot be opened.
    #[error("not a dynamic library: {0}")]
    Unopened(libloading::Error),
    /// It has no stack.
    #[error("has no stack: it does not define the function windtunnel_stack()")]
    NoStack,
    /// The function gives a null pointer.
    #[error("has no stack: its function windtunnel_stack() returned NULL")]
    Null,
    /// It was built with another version of the interface.
    #[error("built for version {0} of windtunnel_stack.h, here is {VERSION}; build it again")]
    OtherVersion(u32),
    /// Its structure has another size than here.
    #[error(
        "its struct windtunnel_stack has {0} bytes, here it has {size}; set `size` to its size, and \
         build it with the same header",
        size = size_of::<Interface>()
    )]
    OtherSize(u32),
    /// Something in it is not there or not possible.
    #[error("its `{0}` is missing or not valid")]
    Incomplete(&'static str),
}

/// A library with a stack. It stays loaded until the process ends.
#[derive(Clone, Copy)]
pub struct Library {
    functions: Functions,
    interface: &'static Interface,
}

impl fmt::Debug for Library {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Library {{ name: {:?} }}", self.name())
    }
}

/// The functions of a library, which are all there.
#[derive(Clone, Copy)]
struct Functions {
    create: unsafe extern "C" fn(u64, *const c::Place, *const c::Host, *mut *mut c::End) -> c_int,
    destroy: unsafe extern "C" fn(*mut c::End),
    receive: unsafe extern "C" fn(*mut c::End, u64, *const c::Datagram, usize) -> c_int,
    wake: c::Timed,
    send: unsafe extern "C" fn(*mut c::End, u64, *mut u8, usize, *mut c::Departure) -> c_int,
    next_wake: unsafe extern "C" fn(*mut c::End, *mut u64) -> c_int,
    state: unsafe extern "C" fn(*mut c::End, *mut c::State) -> c_int,
    open: unsafe extern "C" fn(*mut c::End, u64, *mut u64) -> c_int,
    write: unsafe extern "C" fn(*mut c::End, u64, u64, u64, *mut u64) -> c_int,
    finish: unsafe extern "C" fn(*mut c::End, u64, u64) -> c_int,
    read: unsafe extern "C" fn(*mut c::End, u64, u64, *mut c::Read) -> c_int,
    next_event: unsafe extern "C" fn(*mut c::End, *mut c::Event) -> c_int,
}

impl Functions {
    fn of(it: &Interface) -> Result<Self, LoadError> {
        let missing = LoadError::Incomplete;
        Ok(Self {
            create: it.create.ok_or(missing("create"))?,
            destroy: it.destroy.ok_or(missing("destroy"))?,
            receive: it.receive.ok_or(missing("receive"))?,
            wake: it.wake.ok_or(missing("wake"))?,
            send: it.send.ok_or(missing("send"))?,
            next_wake: it.next_wake.ok_or(missing("next_wake"))?,
            state: it.state.ok_or(missing("state"))?,
            open: it.open.ok_or(missing("open"))?,
            write: it.write.ok_or(missing("write"))?,
            finish: it.finish.ok_or(missing("finish"))?,
            read: it.read.ok_or(missing("read"))?,
            next_event: it.next_event.ok_or(missing("next_event"))?,
        })
    }
}

impl Library {
    /// Loads a library, whose code runs: only one that is trusted.
    ///
    /// # Errors
    /// [`LoadError`], if it is not a library with a stack for this version.
    pub fn open(file: &Path) -> Result<Self, LoadError> {
        type Exported = unsafe extern "C" fn() -> *const Interface;
        // SAFETY: that its initialisation is sound is what loading any library trusts in.
        let library = unsafe { libloading::Library::new(file) }.map_err(LoadError::Unopened)?;
        // SAFETY: a function of this name is that of the header.
        let exported = unsafe { library.get::<Exported>(SYMBOL) };
        // SAFETY: as above.
        let interface = unsafe { exported.map_err(|_| LoadError::NoStack)?() };
        // Results refer to it, for as long as anybody has some.
        std::mem::forget(library);
        // SAFETY: it is what such a function of a library that is never closed returns.
        unsafe { Self::of(interface) }
    }

    /// A library that is part of this program, or is never closed.
    ///
    /// # Errors
    /// [`LoadError`], if it is of another version, or something is missing.
    ///
    /// # Safety
    /// `interface` is what a function as that of the header returns.
    pub unsafe fn of(interface: *const Interface) -> Result<Self, LoadError> {
        if interface.is_null() {
            return Err(LoadError::Null);
        }
        // SAFETY: the first two fields of every version are the version and the size.
        let [version, size] = unsafe { *interface.cast::<[u32; 2]>() };
        if version != VERSION {
            return Err(LoadError::OtherVersion(version));
        }
        if size as usize != size_of::<Interface>() {
            return Err(LoadError::OtherSize(size));
        }
        // SAFETY: the caller's promise; it has the version and the size of this one.
        let interface: &'static Interface = unsafe { &*interface };
        let library = Self { functions: Functions::of(interface)?, interface };
        if library.name().is_empty() {
            return Err(LoadError::Incomplete("name"));
        }
        if !(1..=u32::from(u16::MAX)).contains(&interface.largest_datagram) {
            return Err(LoadError::Incomplete("largest_datagram"));
        }
        if interface.first_datagram > interface.largest_datagram {
            return Err(LoadError::Incomplete("first_datagram"));
        }
        Ok(library)
    }

    /// The name that the library gives its stack.
    #[must_use]
    pub fn name(&self) -> String {
        // SAFETY: the text is a constant of a library that is never closed.
        unsafe { text(self.interface.name) }
    }

    /// The names of its own controllers; the first is its default.
    #[must_use]
    pub fn controllers(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut next = self.interface.controllers;
        // SAFETY: it is null, or an array of constant texts that ends with null.
        unsafe {
            while !next.is_null() && !(*next).is_null() {
                names.push(text(*next));
                next = next.add(1);
            }
        }
        names
    }

    /// Its stack, under a name in scenarios.
    #[must_use]
    pub fn kind(self, name: &str) -> Arc<dyn StackKind> {
        Arc::new(Kind { library: self, name: name.to_owned() })
    }

    /// What makes its ends, with one of its controllers.
    pub(crate) fn loaded(self, name: &str, controller: Option<&str>) -> Result<Loaded, String> {
        let controller = controller.map(CString::new).transpose().map_err(|it| it.to_string())?;
        Ok(Loaded { library: self, name: name.to_owned(), controller })
    }
}

#[derive(Debug)]
struct Kind {
    library: Library,
    name: String,
}

impl StackKind for Kind {
    fn name(&self) -> &str {
        &self.name
    }

    fn controllers(&self) -> Result<Vec<String>, String> {
        Ok(self.library.controllers())
    }

    fn maker(&self, controller: Option<&str>) -> Result<Arc<dyn MakeStack>, String> {
        Ok(Arc::new(self.library.loaded(&self.name, controller)?))
    }
}

/// A library's stack with one of its controllers.
#[derive(Debug)]
pub(crate) struct Loaded {
    library: Library,
    name: String,
    controller: Option<CString>,
}

impl MakeStack for Loaded {
    fn name(&self) -> &str {
        &self.name
    }

    fn largest_datagram(&self) -> u16 {
        self.library.interface.largest_datagram as u16
    }

    fn first_datagram(&self) -> u16 {
        match self.library.interface.first_datagram {
            0 => self.largest_datagram(),
            it => it as u16,
        }
    }

    fn is_deterministic(&self) -> bool {
        self.library.interface.is_deterministic != 0
    }

    fn make(&self, now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
        let context = Box::into_raw(Box::new(Context::new(place.seed)));
        let host = Box::into_raw(Box::new(c::Host { context: context.cast(), random, log }));
        let mut end = End {
            functions: self.library.functions,
            end: ptr::null_mut(),
            context,
            host,
            buffer: Buffer::new()?,
            peer: place.peer.into(),
            name: self.name.clone(),
            failure: Failure::default(),
        };
        let role = match place.role {
            Role::Client => 0,
            Role::Server => 1,
        };
        let controller = self.controller.as_ref().map_or(ptr::null(), |it| it.as_ptr());
        let place = c::Place { role, own: place.own.into(), peer: place.peer.into(), controller };
        let create = self.library.functions.create;
        // SAFETY: the arguments live during the call, and the host longer than the end.
        let code = unsafe { create(nanoseconds(now), &raw const place, host, &raw mut end.end) };
        if code < 0 {
            return Err(end.why("create", code));
        }
        if end.end.is_null() {
            return Err(format!("{}: create: it made no end", self.name));
        }
        Ok(Box::new(end))
    }
}

/// What an end may ask for and tell.
#[derive(Debug)]
struct Context {
    random: Cell<u64>,
    error: RefCell<String>,
    secrets: RefCell<String>,
}

impl Context {
    fn new(seed: u64) -> Self {
        let random = Cell::new(seed);
        Self { random, error: RefCell::default(), secrets: RefCell::default() }
    }

    /// SplitMix64.
    fn draw(&self) -> u64 {
        let state = self.random.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.random.set(state);
        let mut it = state;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        it ^ (it >> 31)
    }
}

unsafe extern "C" fn random(context: *mut c_void, bytes: *mut u8, length: usize) {
    // SAFETY: it is the context of an end that lives.
    let context = unsafe { &*context.cast::<Context>() };
    for start in (0..length).step_by(8) {
        let drawn = context.draw().to_le_bytes();
        let count = (length - start).min(8);
        // SAFETY: the caller has room for so many bytes.
        unsafe { ptr::copy_nonoverlapping(drawn.as_ptr(), bytes.add(start), count) };
    }
}

unsafe extern "C" fn log(context: *mut c_void, kind: u32, written: *const c_char) {
    // SAFETY: it is the context of an end that lives, and the text lives during the call.
    let (context, written) = unsafe { (&*context.cast::<Context>(), text(written)) };
    match kind {
        LOG_ERROR => *context.error.borrow_mut() = written,
        LOG_SECRET => {
            let mut secrets = context.secrets.borrow_mut();
            secrets.push_str(written.trim_end());
            secrets.push('\n');
        }
        _ => {}
    }
}

/// One end of a connection.
struct End {
    functions: Functions,
    end: *mut c::End,
    context: *mut Context,
    host: *mut c::Host,
    buffer: Buffer,
    peer: c::Address,
    /// The stack's.
    name: String,
    failure: Failure,
}

// SAFETY: the header says that one thread at a time calls an end, and not always the same.
unsafe impl Send for End {}

impl fmt::Debug for End {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "an end of {}", self.name)
    }
}

impl Drop for End {
    fn drop(&mut self) {
        if !self.end.is_null() {
            // SAFETY: the library made it, and nothing uses it any more.
            unsafe { (self.functions.destroy)(self.end) };
        }
        // SAFETY: they were boxes in `make`, and the end that used them is gone.
        unsafe {
            drop(Box::from_raw(self.host));
            drop(Box::from_raw(self.context));
        }
    }
}

impl End {
    fn context(&self) -> &Context {
        // SAFETY: it lives as long as the end.
        unsafe { &*self.context }
    }

    /// Why a function gave an error code.
    fn why(&self, function: &str, code: c_int) -> String {
        let error = self.context().error.take();
        let error = if error.is_empty() { format!("error {code}") } else { error };
        format!("{}: {function}: {error}", self.name)
    }

    /// What a function returned; none if the end has failed, now or before.
    fn call(&self, function: &str, call: impl FnOnce(*mut c::End) -> c_int) -> Option<c_int> {
        if self.failure.is_set() {
            return None;
        }
        let code = call(self.end);
        if code < 0 {
            self.failure.set(|| self.why(function, code));
        }
        (code >= 0).then_some(code)
    }

    fn fail<T>(&self, function: &str, why: &str) -> Option<T> {
        self.failure.set(|| format!("{}: {function}: {why}", self.name));
        None
    }

    fn event(&self, event: &c::Event) -> Option<Event> {
        let why = || {
            let why = self.context().error.take();
            let why = if why.is_empty() { "it gave no reason".to_owned() } else { why };
            format!("{}: {why}", self.name)
        };
        let found = event_of(event.kind, event.stream, why);
        found.or_else(|| self.fail("next_event", &format!("there is no event {}", event.kind)))
    }
}

// SAFETY of all calls that follow: the end was made by the library and is not destroyed, `&mut` or the
// lack of `Sync` shows that nothing else uses it, and arguments live during the call.

impl Stack for End {
    fn receive(&mut self, now: Duration, datagrams: &[Datagram<'_>]) {
        let datagram = |it: &Datagram<'_>| c::Datagram {
            from: it.from.into(),
            to: it.to.into(),
            data: it.bytes.as_ptr(),
            length: it.bytes.len(),
            ecn: ecn_number(it.ecn),
        };
        let given: Vec<c::Datagram> = datagrams.iter().map(datagram).collect();
        let (function, now) = (self.functions.receive, nanoseconds(now));
        // SAFETY: see above.
        self.call("receive", |end| unsafe { function(end, now, given.as_ptr(), given.len()) });
    }

    fn wake(&mut self, now: Duration) {
        let (function, now) = (self.functions.wake, nanoseconds(now));
        // SAFETY: see above.
        self.call("wake", |end| unsafe { function(end, now) });
    }

    fn send(&mut self, now: Duration, buffer: &mut Vec<u8>) -> Option<Departure> {
        let (function, now, start) = (self.functions.send, nanoseconds(now), self.buffer.start());
        let mut sent = c::Departure { to: self.peer, length: 0, segment: 0, ecn: 0 };
        let out = &raw mut sent;
        // SAFETY: see above.
        let code = self.call("send", |end| unsafe { function(end, now, start, ROOM, out) })?;
        if code == 0 {
            return None;
        }
        if !(1..=ROOM).contains(&sent.length) {
            let why = format!("it wrote {} B, and there is room for {ROOM} B", sent.length);
            return self.fail("send", &why);
        }
        let Some(to) = sent.to.read() else {
            return self.fail("send", "it sends to an address of no version of IP");
        };
        buffer.extend_from_slice(self.buffer.bytes(sent.length));
        let segment = if sent.segment == 0 { sent.length } else { sent.segment };
        Some(Departure { from: None, to, ecn: ecn_codepoint(sent.ecn), segment })
    }

    fn next_wake(&mut self) -> Option<Duration> {
        let (function, mut time) = (self.functions.next_wake, NONE);
        let out = &raw mut time;
        // SAFETY: see above.
        self.call("next_wake", |end| unsafe { function(end, out) });
        self.failure.wake((time != NONE).then(|| Duration::from_nanos(time)))
    }

    fn state(&self) -> State {
        let (function, mut state) = (self.functions.state, c::State::from(&State::default()));
        let out = &raw mut state;
        // SAFETY: see above.
        self.call("state", |end| unsafe { function(end, out) });
        (&state).into()
    }

    fn secrets(&self) -> String {
        self.context().secrets.borrow().clone()
    }
}

impl StreamStack for End {
    fn open(&mut self, now: Duration) -> Option<u64> {
        let (function, now, mut stream) = (self.functions.open, nanoseconds(now), 0);
        let out = &raw mut stream;
        // SAFETY: see above.
        let code = self.call("open", |end| unsafe { function(end, now, out) })?;
        (code > 0).then_some(stream)
    }

    fn write(&mut self, now: Duration, stream: u64, bytes: u64) -> u64 {
        let (function, now, mut taken) = (self.functions.write, nanoseconds(now), 0);
        let out = &raw mut taken;
        // SAFETY: see above.
        self.call("write", |end| unsafe { function(end, now, stream, bytes, out) });
        taken
    }

    fn finish(&mut self, now: Duration, stream: u64) {
        let (function, now) = (self.functions.finish, nanoseconds(now));
        // SAFETY: see above.
        self.call("finish", |end| unsafe { function(end, now, stream) });
    }

    fn read(&mut self, now: Duration, stream: u64) -> Read {
        let (function, now, mut read) = (self.functions.read, nanoseconds(now), c::Read::default());
        let out = &raw mut read;
        // SAFETY: see above.
        self.call("read", |end| unsafe { function(end, now, stream, out) });
        Read { bytes: read.bytes, is_end: read.is_end != 0 }
    }

    fn next_event(&mut self) -> Option<Event> {
        let (function, mut event) = (self.functions.next_event, c::Event::default());
        let out = &raw mut event;
        // SAFETY: see above.
        let code = self.call("next_event", |end| unsafe { function(end, out) });
        let event = code.filter(|it| *it > 0).and_then(|_| self.event(&event));
        self.failure.event().or(event)
    }
}
