//! The interface by which an implementation of a transport protocol, a *stack*, becomes a host of
//! a simulated network.
//!
//! A stack does no input or output of its own and has no clock: the simulator calls it, says what
//! time it is, hands it what arrived, and takes what it sends. Six calls are enough:
//!
//! 1. [`MakeStack::make`] makes the stack of one end of a connection.
//! 2. [`Stack::receive`]: datagrams have arrived, all that are read together.
//! 3. [`Stack::wake`]: the time has come that it asked for.
//! 4. [`Stack::send`]: what leaves now, until there is nothing more.
//! 5. [`Stack::next_wake`]: when it wants to be called again, asked after every call.
//! 6. [`Stack::state`]: what it tells of its connection.
//!
//! One whose data are streams is a [`StreamStack`] as well, so that any application can use it.
//! What it sends and receives are the data of UDP datagrams, or whole IP packets: [`Unit`].
//!
//! One with a clock of its own, which cannot say when it wants to be called, has a seventh call
//! instead of the third and the fifth: [`OwnClock::run`](own_clock::OwnClock::run), until a time.
//!
//! A library outside this tree exports one, by [`export!`] or in C
//! (`include/windtunnel_stack.h`), and `Library` loads it, with the feature `load`.
//!
//! Time is what has passed since the run began. It never runs backwards, and a stack sees no other
//! clock: one that reads the clock of the machine gives other results in each run.

#[cfg(feature = "load")]
#[allow(unsafe_code, reason = "memory of the system's; each use says why it is sound")]
mod buffer;
pub mod content;
#[allow(unsafe_code, reason = "a C interface passes pointers; each use says why it is sound")]
pub mod exported;
mod failure;
#[allow(unsafe_code, reason = "a C interface passes pointers; each use says why it is sound")]
pub mod interface;
mod kind;
#[cfg(feature = "load")]
#[allow(unsafe_code, reason = "a C interface passes pointers; each use says why it is sound")]
mod loaded;
#[cfg(all(feature = "load", unix))]
mod messages;
pub mod own_clock;
pub mod ports;
#[cfg(all(feature = "load", unix))]
#[allow(unsafe_code, reason = "streams of the process; each use says why it is sound")]
mod process;
pub mod trace;

use std::fmt::Debug;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

pub use failure::Failure;
pub use kind::StackKind;
#[cfg(feature = "load")]
pub use loaded::{Library, LoadError};
#[cfg(all(feature = "load", unix))]
pub use process::serve;

/// The ECN field of the IP header of a datagram (RFC 3168, section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Not-ECT: routers may not mark it.
    #[default]
    NotCapable,
    /// ECT(0).
    Capable0,
    /// ECT(1), which scalable controllers use (RFC 9331).
    Capable1,
    /// CE: it was marked.
    Congestion,
}

/// What a stack sends and receives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// The data of UDP datagrams, which its host puts into IP packets.
    #[default]
    UdpDatagram,
    /// IP packets with their headers (RFC 791, RFC 8200), whose addresses are those of the two
    /// ends on one of their paths. The host sets their class (DSCP), which is that of the flow, and routers do not decrement
    /// their hop limits.
    IpPacket,
}

/// A UDP datagram, or an IP packet, that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram<'a> {
    /// Where it comes from.
    pub from: SocketAddr,
    /// Where it was sent to: an address of the host.
    pub to: SocketAddr,
    /// Its ECN field.
    pub ecn: Ecn,
    /// Its data; of an IP packet all of it, with that ECN field.
    pub bytes: &'a [u8],
}

/// What leaves at once: one datagram, or several of the same size but for the last, which may be
/// shorter, as with segmentation offload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// Which of the host's addresses it is sent from; none: the host's choice.
    pub from: Option<IpAddr>,
    /// Where it is sent to; of IP packets, their headers say it.
    pub to: SocketAddr,
    /// The ECN field of each datagram; of IP packets, their headers have it.
    pub ecn: Ecn,
    /// The bytes of each datagram but the last; not zero.
    pub segment: usize,
}

/// What a stack tells of its connection; none where it does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State {
    /// The congestion window in bytes.
    pub cwnd: Option<u64>,
    /// The slow-start threshold in bytes.
    pub ssthresh: Option<u64>,
    /// Bytes in flight.
    pub in_flight: Option<u64>,
    /// The smoothed round trip.
    pub smoothed_rtt: Option<Duration>,
    /// The least round trip.
    pub least_rtt: Option<Duration>,
    /// The pacing rate in bytes per second.
    pub pacing_rate: Option<u64>,
    /// Packets that it considered lost so far.
    pub lost_packets: Option<u64>,
    /// Packets whose data it has sent before; those written outside Rust cannot tell.
    pub retransmissions: Option<u64>,
    /// How often it reduced its rate of sending.
    pub decreases: Option<u64>,
    /// The largest datagram that it sends, in bytes.
    pub mtu: Option<u16>,
}

impl State {
    /// What is in flight, in datagrams of the largest size, rounded up.
    #[must_use]
    pub fn in_flight_packets(&self) -> Option<u64> {
        Some(self.in_flight?.div_ceil(self.mtu.filter(|it| *it > 0)?.into()))
    }
}

/// A command that a host has run, which is a machine with programs of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostCommand {
    /// When it began.
    pub at: Duration,
    /// The command.
    pub command: String,
    /// When it ended, and its exit code, if it has ended: 128 and the number of the signal that ended it.
    pub exited: Option<(Duration, i32)>,
    /// What it wrote so far to its standard output and its standard error.
    pub output: Vec<u8>,
}

/// An implementation of a transport protocol, as the end of a connection.
pub trait Stack: Debug + Send {
    /// These datagrams have arrived and are read together.
    fn receive(&mut self, now: Duration, datagrams: &[Datagram<'_>]);

    /// The time has come that it asked for. An earlier call does no harm.
    fn wake(&mut self, now: Duration);

    /// Puts what leaves now into `buffer`, which is empty; none if nothing does. It is asked again
    /// until there is nothing more.
    fn send(&mut self, now: Duration, buffer: &mut Vec<u8>) -> Option<Departure>;

    /// When it wants [`Stack::wake`] to be called, if ever. It may change with each other call.
    fn next_wake(&mut self) -> Option<Duration>;

    /// The host now sends from this address of its own, as one that has left one network for
    /// another. What it is told by default: nothing.
    fn moved(&mut self, now: Duration, own: SocketAddr) {
        let _ = (now, own);
    }

    /// What it tells of its connection.
    fn state(&self) -> State;

    /// What decrypts its packets, as lines of a key log (`SSLKEYLOGFILE`, RFC 9850): all so far.
    fn secrets(&self) -> String {
        String::new()
    }

    /// The commands that its host has run so far, which all its ends tell alike.
    fn commands(&self) -> Vec<HostCommand> {
        Vec::new()
    }
}

/// What has happened to a stack's streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The handshake is over.
    Connected,
    /// More streams may be opened than before.
    Available,
    /// The peer has opened this stream.
    Opened(u64),
    /// There is something to read, or the end.
    Readable(u64),
    /// There is room to write again, after there was too little.
    Writable(u64),
    /// All that was written was acknowledged, the end as well.
    Acknowledged(u64),
    /// The connection is over, because of this.
    Failed(String),
}

/// What was read of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// How many bytes.
    pub bytes: u64,
    /// Whether there will be no more.
    pub is_end: bool,
}

/// A stack whose data are streams of bytes in both directions, numbered from 0 in the order in
/// which the end that connected opened them. Bytes are counted. What is in them is of no concern between
/// two ends of one implementation; those that come with Windtunnel send and expect that of [`content`].
pub trait StreamStack: Stack {
    /// Opens a stream, if the peer allows another one; returns its number.
    fn open(&mut self, now: Duration) -> Option<u64>;

    /// Takes as many of `bytes` more as there is room for; returns how many.
    fn write(&mut self, now: Duration, stream: u64, bytes: u64) -> u64;

    /// Has the bytes of a stream leave before those of streams of greater urgency, from 0 to 7, where
    /// that of a stream is 3 until this is called (RFC 9218, section 4.1). One that does not serve
    /// streams by their urgency ignores it.
    fn prioritise(&mut self, now: Duration, stream: u64, urgency: u8) {
        let _ = (now, stream, urgency);
    }

    /// Bytes of a stream that it took and the peer has not acknowledged; none: it does not tell.
    fn unacknowledged(&self, stream: u64) -> Option<u64> {
        let _ = stream;
        None
    }

    /// Nothing more will be written.
    fn finish(&mut self, now: Duration, stream: u64);

    /// Reads what has arrived in order.
    fn read(&mut self, now: Duration, stream: u64) -> Read;

    /// Sends these data once, beside the streams, and not again if they are lost (DATAGRAM frames of
    /// QUIC, RFC 9221); whether it takes them. Those of [`MakeStack::has_datagrams`] do.
    fn send_datagram(&mut self, now: Duration, data: &[u8]) -> bool {
        let _ = (now, data);
        false
    }

    /// Puts the next of such data that have arrived into `buffer`, which is empty; whether there were
    /// any. It is asked after [`Stack::receive`], until there are none.
    fn receive_datagram(&mut self, buffer: &mut Vec<u8>) -> bool {
        let _ = buffer;
        false
    }

    /// What has happened since the last call; none if nothing has.
    fn next_event(&mut self) -> Option<Event>;
}

/// Which end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The one that connects.
    Client,
    /// The one that waits for that.
    Server,
}

/// An address of each end, between which datagrams travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    /// The end's own.
    pub own: SocketAddr,
    /// That of the peer.
    pub peer: SocketAddr,
}

/// One end of a connection that is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which end.
    pub role: Role,
    /// Its own address.
    pub own: SocketAddr,
    /// That of the peer.
    pub peer: SocketAddr,
    /// Further paths that it may use at the same time.
    pub further: Vec<Path>,
    /// Whether it has what its host sends to the peer's beyond the connections of other ends.
    pub has_other_packets: bool,
    /// What its random numbers are to be made from: another one in each run.
    pub seed: u64,
}

/// Makes stacks.
pub trait MakeStack: Debug + Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// Whether it sends and receives UDP datagrams or IP packets.
    fn unit(&self) -> Unit {
        Unit::default()
    }

    /// The bytes of the largest datagram that it sends, or IP packet with its headers.
    fn largest_datagram(&self) -> u16;

    /// The same of those that it sends before it knows that the path carries more.
    fn first_datagram(&self) -> u16 {
        self.largest_datagram()
    }

    /// Whether its runs are the same when the seed is: it draws no random number of its own.
    fn is_deterministic(&self) -> bool {
        true
    }

    /// Whether its ends send data that are not sent again when they are lost
    /// ([`StreamStack::send_datagram`]).
    fn has_datagrams(&self) -> bool {
        false
    }

    /// About how many bytes of memory each end takes in a process of its own; default: none.
    fn memory(&self) -> u64 {
        0
    }

    /// Whether all its ends at one node share a host, such as a kernel, and are made together
    /// ([`MakeStack::make_together`]); default: each end is a host of its own.
    fn shares_host(&self) -> bool {
        false
    }

    /// Whether its hosts begin with the run, as they have something to do of their own; default: when they
    /// are called first.
    fn begins_with_the_run(&self) -> bool {
        false
    }

    /// The stack of one end, which begins now.
    ///
    /// # Errors
    /// Why there can be none.
    fn make(&self, now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String>;

    /// The stacks of all ends at one host, in this order, which begins now. When one of them was called,
    /// all are asked what they send and when they are to be woken, in turn until there is nothing more:
    /// each gives out one departure at a time, so that a host can keep the order between them.
    ///
    /// # Errors
    /// Why there can be none.
    fn make_together(
        &self,
        now: Duration,
        places: Vec<Place>,
    ) -> Result<Vec<Box<dyn StreamStack>>, String> {
        places.into_iter().map(|it| self.make(now, it)).collect()
    }

    /// An end that another maker made together with others, as one of this maker's: by default as it is.
    fn adopt(&self, stack: Box<dyn StreamStack>, _: Role) -> Box<dyn StreamStack> {
        stack
    }
}

/// What is shared makes the same.
impl<M: MakeStack + ?Sized> MakeStack for Arc<M> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn unit(&self) -> Unit {
        (**self).unit()
    }

    fn largest_datagram(&self) -> u16 {
        (**self).largest_datagram()
    }

    fn first_datagram(&self) -> u16 {
        (**self).first_datagram()
    }

    fn is_deterministic(&self) -> bool {
        (**self).is_deterministic()
    }

    fn has_datagrams(&self) -> bool {
        (**self).has_datagrams()
    }

    fn memory(&self) -> u64 {
        (**self).memory()
    }

    fn shares_host(&self) -> bool {
        (**self).shares_host()
    }

    fn begins_with_the_run(&self) -> bool {
        (**self).begins_with_the_run()
    }

    fn make(&self, now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
        (**self).make(now, place)
    }

    fn make_together(
        &self,
        now: Duration,
        places: Vec<Place>,
    ) -> Result<Vec<Box<dyn StreamStack>>, String> {
        (**self).make_together(now, places)
    }

    fn adopt(&self, stack: Box<dyn StreamStack>, role: Role) -> Box<dyn StreamStack> {
        (**self).adopt(stack, role)
    }
}
