//! What the simulator and the first program of a guest (`agent.c`) say to each other: commands are frames
//! at the last network device, events are in pages of the program's memory.

use crate::guest_memory::GuestMemory;

/// The type of Ethernet frames for local experiments.
const FRAME_TYPE: [u8; 2] = [0x88, 0xb5];
/// The bytes of an Ethernet header, and the least of a frame.
pub(crate) const ETHERNET: usize = 14;
const LEAST_FRAME: usize = 60;
/// Which commands and events there are, as in `agent.c`.
const VERSION: &str = "4";
const PAGES: usize = 16;
const EVENTS_A_PAGE: u64 = 32;
const EVENTS: u64 = (PAGES as u64 - 1) * EVENTS_A_PAGE;
const EVENT: usize = 128;
/// In the value of a command that has a port: its connections are those of Multipath TCP.
const MULTIPATH: u64 = 1 << 32;

/// What the program is told to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Set a value of the kernel, `name=value`.
    Sysctl(String),
    /// Give the network device of this number an address.
    Address(usize, String),
    /// Wait for connections at an address and a port.
    Listen(String, u16, Paths),
    /// Connect a stream between two addresses, and ports.
    Open(u32, [String; 2], [u16; 2], Paths),
    /// Write more; the largest number: without end.
    Write(u32, u64),
    /// Write nothing more.
    Finish(u32),
    /// Run a program: the number of the command, and its words.
    Run(u32, String),
    /// Let each connection have so many subflows beyond its first.
    Subflows(usize),
    /// Have each connection have a subflow from this address of the network device of this number.
    Endpoint(usize, String),
}

/// How many paths the connections of a command have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paths {
    /// One, as those of TCP.
    One,
    /// Those of Multipath TCP.
    Several,
}

impl Paths {
    /// With a port, as the value of a command.
    fn with(self, ports: u64) -> u64 {
        match self {
            Self::One => ports,
            Self::Several => ports | MULTIPATH,
        }
    }
}

impl Command {
    /// As a frame.
    pub(crate) fn frame(&self) -> Vec<u8> {
        let (operation, stream, value, text): (u32, u32, u64, String) = match self {
            Self::Sysctl(text) => (1, 0, 0, text.clone()),
            Self::Address(device, address) => (2, 0, *device as u64, address.clone()),
            Self::Listen(address, port, paths) => {
                (3, 0, paths.with(u64::from(*port)), address.clone())
            }
            Self::Open(stream, [own, peer], [from, to], paths) => {
                let ports = u64::from(*from) | u64::from(*to) << 16;
                (4, *stream, paths.with(ports), format!("{own} {peer}"))
            }
            Self::Write(stream, bytes) => (5, *stream, *bytes, String::new()),
            Self::Finish(stream) => (6, *stream, 0, String::new()),
            Self::Run(number, words) => (7, *number, 0, words.clone()),
            Self::Subflows(count) => (8, 0, *count as u64, String::new()),
            Self::Endpoint(device, address) => (9, 0, *device as u64, address.clone()),
        };
        let mut frame = vec![0xff; 12];
        frame.extend(FRAME_TYPE);
        frame.extend(operation.to_ne_bytes());
        frame.extend(stream.to_ne_bytes());
        frame.extend(value.to_ne_bytes());
        frame.extend((text.len() as u16).to_ne_bytes());
        frame.extend(text.as_bytes());
        frame.resize(frame.len().max(LEAST_FRAME), 0);
        frame
    }
}

/// What the kernel says of a connection (`struct tcp_info`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sample {
    /// The window and its threshold, in segments.
    pub(crate) cwnd: u64,
    pub(crate) ssthresh: u64,
    /// Microseconds.
    pub(crate) rtt: u64,
    pub(crate) least_rtt: u64,
    /// Bytes per second.
    pub(crate) pacing_rate: u64,
    /// Segments that were sent again.
    pub(crate) retransmissions: u64,
    /// Segments that are in the network, as the kernel counts it.
    pub(crate) in_flight: u64,
    /// Bytes that were acknowledged.
    pub(crate) acknowledged: u64,
}

/// What has happened in a guest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A peer has connected from a port to one here.
    Opened {
        stream: u32,
        from: u16,
        to: u16,
    },
    Connected(u32),
    /// How many bytes were written so far, and received.
    Written(u32, u64),
    Received(u32, u64),
    /// So many were received, and there will be no more.
    Ended(u32, u64),
    Acknowledged(u32),
    Failed(u32, String),
    Sampled(u32, Sample),
    /// What a command has written.
    Output(u32, Vec<u8>),
    /// A command has ended, with this code.
    Exited(u32, i32),
}

/// The events of a guest.
#[derive(Debug)]
pub(crate) struct Events {
    /// The physical addresses of its pages.
    pages: Vec<u64>,
    read: u64,
}

/// What the program says when it begins.
#[derive(Debug)]
pub(crate) struct Announcement {
    pub(crate) events: Events,
    /// The kernel's congestion controllers, the default first.
    pub(crate) controllers: Vec<String>,
    /// Whether it understands this side.
    pub(crate) is_current: bool,
}

impl Announcement {
    /// From a frame, if it is one.
    pub(crate) fn read(frame: &[u8]) -> Option<Self> {
        let (header, rest) = frame.split_at_checked(ETHERNET)?;
        let (pages, names) = rest.split_at_checked(8 * PAGES)?;
        if header[12..] != FRAME_TYPE {
            return None;
        }
        let page = |it: &[u8]| it.try_into().map(u64::from_ne_bytes).unwrap_or_default();
        let pages = pages.chunks_exact(8).map(page).collect();
        let names = String::from_utf8_lossy(names);
        let mut names = names.trim_end_matches('\0').split_whitespace();
        let is_current = names.next() == Some(VERSION);
        let mut controllers: Vec<String> = Vec::new();
        for name in names {
            if !controllers.iter().any(|it| it == name) {
                controllers.push(name.to_owned());
            }
        }
        Some(Self { events: Events { pages, read: 0 }, controllers, is_current })
    }
}

impl Events {
    /// The next one, if there is one.
    pub(crate) fn next(&mut self, memory: &GuestMemory) -> Result<Option<Event>, String> {
        if memory.u64(self.pages[0])? == self.read {
            return Ok(None);
        }
        let place = self.read % EVENTS;
        let page = self.pages[1 + (place / EVENTS_A_PAGE) as usize];
        let bytes: [u8; EVENT] = memory.array(page + place % EVENTS_A_PAGE * EVENT as u64)?;
        self.read += 1;
        memory.write(self.pages[0] + 8, &self.read.to_ne_bytes())?;
        Ok(event(&bytes))
    }
}

fn event(bytes: &[u8; EVENT]) -> Option<Event> {
    let word = |at: usize| bytes[at..at + 4].try_into().map(u32::from_ne_bytes);
    let (kind, stream) = (word(0).ok()?, word(4).ok()?);
    let value = |place: usize| {
        let at = 8 + 8 * place;
        bytes[at..at + 8].try_into().map(u64::from_ne_bytes).unwrap_or_default()
    };
    Some(match kind {
        1 => Event::Opened { stream, from: value(0) as u16, to: value(1) as u16 },
        2 => Event::Connected(stream),
        3 => Event::Written(stream, value(0)),
        4 => Event::Received(stream, value(0)),
        5 => Event::Ended(stream, value(0)),
        6 => Event::Acknowledged(stream),
        7 => {
            let text = bytes[8..].split(|it| *it == 0).next().unwrap_or_default();
            Event::Failed(stream, String::from_utf8_lossy(text).into_owned())
        }
        8 => {
            // What was sent and not acknowledged, less what was lost or received, and what of it was
            // sent again.
            let in_flight = (value(8) + value(9)).saturating_sub(value(7) + value(10));
            Event::Sampled(
                stream,
                Sample {
                    cwnd: value(1),
                    ssthresh: value(2),
                    rtt: value(3),
                    least_rtt: value(4),
                    pacing_rate: value(5),
                    retransmissions: value(6),
                    in_flight,
                    acknowledged: value(11),
                },
            )
        }
        9 => {
            let rest = &bytes[16..];
            let count = rest.len().min(value(0) as usize);
            Event::Output(stream, rest[..count].to_vec())
        }
        10 => Event::Exited(stream, value(0) as i32),
        _ => return None,
    })
}
