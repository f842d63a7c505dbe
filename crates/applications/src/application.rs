//! What an application is, and what its host offers it.

use std::fmt::Debug;

use dyn_clone::DynClone;
use windtunnel_engine::{Random, Time};

use crate::video::Player;
use crate::web_page::PageLoad;

/// A stream, as the host that it ends at numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Stream(pub u32);

/// A file, an answer or a frame that was received to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completed {
    /// Which of the flow's transfers it is, whatever the order in which they end: of files and
    /// segments the place in their order, of answers that of the request, and its worker's.
    pub number: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it began: its stream was opened, its request was written, or it was.
    pub start: Time,
    /// What came first.
    pub before: Before,
}

/// What comes before a transfer, and takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// Its stream is opened.
    Opening,
    /// It is requested.
    Request {
        /// The bytes of the request.
        bytes: u64,
        /// Whether its stream is opened for it.
        is_first: bool,
    },
    /// Nothing: it is written when it is there.
    Nothing,
}

/// What a host offers its applications.
pub trait Host {
    /// Opens a stream to the application at the flow's next host; from the last host,
    /// to the one before. `ordinal` numbers the flow's streams from 0, the same at all of
    /// its hosts.
    fn open(&mut self, ordinal: u64) -> Stream;

    /// Has what is written to a stream from now on leave before what is written to streams of greater
    /// urgency, from 0 to 7, where that of a stream is 3 (RFC 9218, section 4.1). Where streams are
    /// connections that share nothing, as over TCP, it changes nothing.
    fn prioritise(&mut self, _stream: Stream, _urgency: u8) {}

    /// Hands over `bytes` more to be sent; [`u64::MAX`] for data without end.
    fn write(&mut self, stream: Stream, bytes: u64);

    /// Nothing more will be written: the other end learns of it when all was sent. Of
    /// data without end, what has been sent is the end.
    fn close(&mut self, stream: Stream);

    /// Takes `bytes` of what was received out of the receive buffer, where that waits
    /// for the application.
    fn read(&mut self, stream: Stream, bytes: u64);

    /// Asks for a call of [`Application::on_received`] once `bytes` in all have been
    /// received in order; it is asked for once each time. With 0 it is called whenever
    /// the stream was active.
    fn await_received(&mut self, stream: Stream, bytes: u64);

    /// Asks for a call of [`Application::on_acknowledged`] whenever the stream was
    /// active, such as by an acknowledgement, until the stream is closed.
    fn await_acknowledged(&mut self, stream: Stream);

    /// The stream's number among the flow's streams.
    fn ordinal(&self, stream: Stream) -> u64;

    /// Bytes received in order so far.
    fn received(&self, stream: Stream) -> u64;

    /// Bytes written that the other end has not acknowledged; [`u64::MAX`] for data
    /// without end.
    fn unacknowledged(&self, stream: Stream) -> u64;

    /// Whether the other end has sent everything, and it was received.
    fn is_finished(&self, stream: Stream) -> bool;

    /// How many bytes may be written before two windows are waiting or in flight.
    fn room(&self, stream: Stream) -> u64;

    /// The data in a full segment, in bytes.
    fn segment(&self) -> u16;

    /// Records that a transfer has begun, whose end [`Host::complete`] records at this host or
    /// at the other one.
    fn begin(&mut self);

    /// What the flow's applications write at a time, in bytes; as much as they have if that is
    /// not limited. The host cuts what is handed to [`Host::write`].
    fn write_size(&self) -> Option<u64>;

    /// Records a transfer as completed.
    fn complete(&mut self, transfer: Completed);

    /// Tells the service that handed it over that the earliest message under way was
    /// received whole.
    fn deliver(&mut self);
}

/// What runs at one host of a flow. It is called at the flow's start and at its stop if
/// it is at the host that begins, and whenever a stream has something for it.
pub trait Application: Debug + DynClone + Send {
    /// When [`Application::wake`] wants to be called; [`Time::NEVER`] if it does not.
    fn next_wake(&self) -> Time {
        Time::NEVER
    }

    /// Its time has come.
    fn wake(&mut self, _now: Time, _host: &mut dyn Host) {}

    /// It shall begin nothing more, and [`Application::wake`] is not called again; what
    /// was written is still sent.
    fn stop(&mut self, _now: Time, _host: &mut dyn Host) {}

    /// A service of the network hands over a message of `bytes`, from the sender of the
    /// flow's data to the receiver. Both are called.
    fn on_message(&mut self, _now: Time, _bytes: u64, _host: &mut dyn Host) {}

    /// The application at the other end has opened a stream.
    fn on_open(&mut self, _now: Time, _stream: Stream, _host: &mut dyn Host) {}

    /// What [`Host::await_received`] waited for was received.
    fn on_received(&mut self, _now: Time, _stream: Stream, _host: &mut dyn Host) {}

    /// A stream for which [`Host::await_acknowledged`] was called was active.
    fn on_acknowledged(&mut self, _now: Time, _stream: Stream, _host: &mut dyn Host) {}

    /// The other end will write nothing more: this one does not either, unless the
    /// application has a use for a stream that is half closed.
    fn on_finished(&mut self, _now: Time, stream: Stream, host: &mut dyn Host) {
        host.close(stream);
    }

    /// Both ends have closed the stream, whose number means nothing from now on.
    fn on_closed(&mut self, _stream: Stream) {}

    /// What it plays; none if it is no player.
    fn player(&self) -> Option<&dyn Player> {
        None
    }

    /// How the page has loaded that it loads; none if it loads none.
    fn page(&self) -> Option<&PageLoad> {
        None
    }
}

dyn_clone::clone_trait_object!(Application);

/// What the applications of one flow begin with.
#[derive(Clone, Debug)]
pub struct Setting {
    /// When the flow starts.
    pub start: Time,
    /// The flow's random stream. Each of its applications has a copy, so that what one
    /// draws, such as the sizes of files, the others know without being sent it.
    pub random: Random,
}

/// Makes the applications at the two hosts of a flow.
pub trait Maker: Debug + Send + Sync {
    /// The applications at the sender and at the receiver of the flow's data.
    fn applications(&self, setting: &Setting) -> [Box<dyn Application>; 2];

    /// What they may do; by default anything.
    fn behaviour(&self) -> Behaviour {
        Behaviour { many_streams: true, transfers: true, playback: true, random: true }
    }
}

/// What the applications of a flow may do, as far as others must know before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Behaviour {
    /// There may be many streams at a time.
    pub many_streams: bool,
    /// Files, answers or frames are received to an end, which [`Host::complete`] records.
    pub transfers: bool,
    /// The receiver may be a player with a buffer.
    pub playback: bool,
    /// They draw from [`Setting::random`], so that runs differ.
    pub random: bool,
}

impl Behaviour {
    /// One stream, without any of the others.
    pub const STEADY: Self =
        Self { many_streams: false, transfers: false, playback: false, random: false };
}
