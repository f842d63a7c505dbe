//! The C interface between a library and what loads it, as `include/windtunnel_stack.h` has it, which
//! says what everything means.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use crate::Ecn;

/// `WINDTUNNEL_STACK_VERSION`.
pub const VERSION: u32 = 1;

/// The name of the function that every library defines.
pub const SYMBOL: &str = "windtunnel_stack";

/// `WINDTUNNEL_NONE`.
pub const NONE: u64 = u64::MAX;

/// The kinds of `log`.
pub const LOG_ERROR: u32 = 0;
/// As above.
pub const LOG_SECRET: u32 = 1;

/// `struct windtunnel_end`, which is the library's own.
#[repr(C)]
#[derive(Debug)]
pub struct End {
    nothing: [u8; 0],
    /// It is neither `Send` nor `Sync` by itself.
    marker: PhantomData<*mut u8>,
}

/// `struct windtunnel_address`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Address {
    bytes: [u8; 16],
    port: u16,
    version: u16,
}

impl From<SocketAddr> for Address {
    fn from(address: SocketAddr) -> Self {
        let mut bytes = [0; 16];
        let version = match address.ip() {
            IpAddr::V4(it) => {
                bytes[..4].copy_from_slice(&it.octets());
                4
            }
            IpAddr::V6(it) => {
                bytes = it.octets();
                6
            }
        };
        Self { bytes, port: address.port(), version }
    }
}

impl Address {
    /// The address; none if it is of no version of IP.
    #[must_use]
    pub fn read(&self) -> Option<SocketAddr> {
        let [a, b, c, d, ..] = self.bytes;
        let ip = match self.version {
            4 => IpAddr::from(Ipv4Addr::new(a, b, c, d)),
            6 => IpAddr::from(Ipv6Addr::from(self.bytes)),
            _ => return None,
        };
        Some(SocketAddr::new(ip, self.port))
    }
}

/// `struct windtunnel_datagram`.
#[repr(C)]
#[derive(Debug)]
pub struct Datagram {
    /// Where it comes from.
    pub from: Address,
    /// Where it was sent to.
    pub to: Address,
    /// Its data.
    pub data: *const u8,
    /// How much that is.
    pub length: usize,
    /// Its ECN field.
    pub ecn: u32,
}

/// `struct windtunnel_departure`.
#[repr(C)]
#[derive(Debug)]
pub struct Departure {
    /// Where it is sent to.
    pub to: Address,
    /// How many bytes were written.
    pub length: usize,
    /// Of each datagram but the last; 0: it is one.
    pub segment: usize,
    /// The ECN field of each.
    pub ecn: u32,
}

/// `struct windtunnel_place`.
#[repr(C)]
#[derive(Debug)]
pub struct Place {
    /// 0: client, 1: server.
    pub role: u32,
    /// Its own address.
    pub own: Address,
    /// That of the peer.
    pub peer: Address,
    /// The name of its controller, or null.
    pub controller: *const c_char,
}

/// `struct windtunnel_host`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// The first argument of both functions.
    pub context: *mut c_void,
    /// Random bytes.
    pub random: unsafe extern "C" fn(*mut c_void, *mut u8, usize),
    /// Takes a copy of a text.
    pub log: unsafe extern "C" fn(*mut c_void, u32, *const c_char),
}

/// `struct windtunnel_state`: in the order that it has there, and [`NONE`] is not known.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct State(pub [u64; 9]);

impl From<&crate::State> for State {
    fn from(it: &crate::State) -> Self {
        let time = |it: Option<Duration>| it.map(nanoseconds);
        let numbers = [
            it.cwnd,
            it.ssthresh,
            it.in_flight,
            time(it.smoothed_rtt),
            time(it.least_rtt),
            it.pacing_rate,
            it.lost_packets,
            it.decreases,
            it.mtu.map(u64::from),
        ];
        Self(numbers.map(|it| it.unwrap_or(NONE)))
    }
}

impl From<&State> for crate::State {
    fn from(it: &State) -> Self {
        let known = it.0.map(|it| (it != NONE).then_some(it));
        let [cwnd, ssthresh, in_flight, smoothed, least, pacing_rate, lost, decreases, mtu] = known;
        Self {
            cwnd,
            ssthresh,
            in_flight,
            smoothed_rtt: smoothed.map(Duration::from_nanos),
            least_rtt: least.map(Duration::from_nanos),
            pacing_rate,
            lost_packets: lost,
            retransmissions: None,
            decreases,
            mtu: mtu.and_then(|it| u16::try_from(it).ok()),
        }
    }
}

/// `struct windtunnel_event`.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Event {
    /// What has happened.
    pub kind: u32,
    /// To which stream.
    pub stream: u64,
}

/// `struct windtunnel_read`.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Read {
    /// How many bytes.
    pub bytes: u64,
    /// 1: there will be no more.
    pub is_end: u32,
}

/// A function of an end without another argument than the time.
pub type Timed = unsafe extern "C" fn(*mut End, u64) -> c_int;

/// `struct windtunnel_stack`. In C, any pointer may be null.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the header has it")]
pub struct Interface {
    pub version: u32,
    pub size: u32,
    pub name: *const c_char,
    pub controllers: *const *const c_char,
    pub largest_datagram: u32,
    pub first_datagram: u32,
    pub is_deterministic: u32,
    pub create:
        Option<unsafe extern "C" fn(u64, *const Place, *const Host, *mut *mut End) -> c_int>,
    pub destroy: Option<unsafe extern "C" fn(*mut End)>,
    pub receive: Option<unsafe extern "C" fn(*mut End, u64, *const Datagram, usize) -> c_int>,
    pub wake: Option<Timed>,
    pub send: Option<unsafe extern "C" fn(*mut End, u64, *mut u8, usize, *mut Departure) -> c_int>,
    pub next_wake: Option<unsafe extern "C" fn(*mut End, *mut u64) -> c_int>,
    pub state: Option<unsafe extern "C" fn(*mut End, *mut State) -> c_int>,
    pub open: Option<unsafe extern "C" fn(*mut End, u64, *mut u64) -> c_int>,
    pub write: Option<unsafe extern "C" fn(*mut End, u64, u64, u64, *mut u64) -> c_int>,
    pub finish: Option<unsafe extern "C" fn(*mut End, u64, u64) -> c_int>,
    pub read: Option<unsafe extern "C" fn(*mut End, u64, u64, *mut Read) -> c_int>,
    pub next_event: Option<unsafe extern "C" fn(*mut End, *mut Event) -> c_int>,
}

// SAFETY: it is never written to, and its pointers are to functions and to constant texts.
unsafe impl Sync for Interface {}
// SAFETY: as above.
unsafe impl Send for Interface {}

/// A copy of a text; what is not UTF-8 in it is replaced. Null is empty.
///
/// # Safety
/// It is null, or ends with a zero and lives during the call.
#[must_use]
pub unsafe fn text(bytes: *const c_char) -> String {
    if bytes.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(bytes) }.to_string_lossy().into_owned()
}

/// A time as the interface has it.
#[must_use]
pub fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(NONE)
}

/// The number of a codepoint of the ECN field.
#[must_use]
pub fn ecn_number(ecn: Ecn) -> u32 {
    match ecn {
        Ecn::NotCapable => 0,
        Ecn::Capable1 => 1,
        Ecn::Capable0 => 2,
        Ecn::Congestion => 3,
    }
}

/// The codepoint of a number, of which only the last two bits count.
#[must_use]
pub fn ecn_codepoint(number: u32) -> Ecn {
    match number & 3 {
        0 => Ecn::NotCapable,
        1 => Ecn::Capable1,
        2 => Ecn::Capable0,
        _ => Ecn::Congestion,
    }
}

/// The kind of an event, and its stream.
#[must_use]
pub fn event_number(event: &crate::Event) -> (u32, u64) {
    match event {
        crate::Event::Connected => (0, 0),
        crate::Event::Available => (1, 0),
        crate::Event::Opened(it) => (2, *it),
        crate::Event::Readable(it) => (3, *it),
        crate::Event::Writable(it) => (4, *it),
        crate::Event::Acknowledged(it) => (5, *it),
        crate::Event::Failed(_) => (6, 0),
    }
}

/// The event of a kind, of a stream; `why` says why a connection is over. None if there is no such kind.
pub fn event_of(kind: u32, stream: u64, why: impl FnOnce() -> String) -> Option<crate::Event> {
    Some(match kind {
        0 => crate::Event::Connected,
        1 => crate::Event::Available,
        2 => crate::Event::Opened(stream),
        3 => crate::Event::Readable(stream),
        4 => crate::Event::Writable(stream),
        5 => crate::Event::Acknowledged(stream),
        6 => crate::Event::Failed(why()),
        _ => return None,
    })
}
