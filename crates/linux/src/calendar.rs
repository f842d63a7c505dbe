//! The calendar of a guest in User-Mode Linux's mode `time-travel=ext` (`um_timetravel.h`): it says
//! when the guest runs, through memory that both share and a few messages.

use std::fs::File;
use std::io::{self, IoSlice, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};
use std::os::fd::AsFd;

use crate::memory::Mapping;

/// Messages.
const ACK: u32 = 0;
const START: u32 = 1;
const WAIT: u32 = 3;
const GET: u32 = 4;
const RUN: u32 = 6;
const GET_TIME_OF_DAY: u32 = 8;

/// The version of the shared memory, and where its fields are.
const VERSION: u32 = 2;
const FREE_UNTIL: usize = 8;
const CURRENT_TIME: usize = 16;
const RUNNING: usize = 24;
const CLIENTS: usize = 4096;
const CLIENT_BYTES: usize = 128;
const FLAGS: usize = 4;
const REQUESTED: usize = 8;
/// A client that uses the shared memory; one that wants to run.
const SHARES_TIME: u32 = 1;
const WANTS_TO_RUN: u32 = 1;
/// Who runs: this side or the guest.
const SIMULATOR: u16 = 0;
const GUEST: u16 = 1;
/// Where the guest's time ends.
const NEVER: u64 = i64::MAX as u64;
/// The time of day when a guest starts: the first second of 2025, in nanoseconds.
const TIME_OF_DAY: u64 = 1_735_689_600_000_000_000;

/// The calendar of one guest, which starts at time 0 and runs until it waits.
#[derive(Debug)]
pub(crate) struct Calendar {
    shared: Mapping,
    file: OwnedFd,
    log: OwnedFd,
    pub(crate) socket: Option<UnixStream>,
    sequence: u32,
}

impl Calendar {
    pub(crate) fn new(free_until: u64) -> io::Result<Self> {
        let length = CLIENTS + 2 * CLIENT_BYTES;
        let file = memfd_create("calendar", MFdFlags::MFD_CLOEXEC)?;
        let file = File::from(file);
        file.set_len(length as u64)?;
        let shared = Mapping::new(file.as_fd(), length)?;
        let log = File::options().write(true).open("/dev/null")?.into();
        let calendar = Self { shared, file: file.into(), log, socket: None, sequence: 0 };
        calendar.set(0, &VERSION.to_ne_bytes());
        calendar.set(4, &(length as u32).to_ne_bytes());
        calendar.set(RUNNING + 2, &2_u16.to_ne_bytes());
        calendar.set(CLIENTS, &SHARES_TIME.to_ne_bytes());
        calendar.begin(free_until);
        Ok(calendar)
    }

    fn set(&self, at: usize, bytes: &[u8]) {
        self.shared.write(at, bytes).expect("it is within the shared memory");
    }

    fn get<const N: usize>(&self, at: usize) -> [u8; N] {
        self.shared.array(at).expect("it is within the shared memory")
    }

    fn begin(&self, free_until: u64) {
        self.set(FREE_UNTIL, &free_until.to_ne_bytes());
        self.set(RUNNING, &GUEST.to_ne_bytes());
    }

    /// The guest's time, as far as it has told it.
    pub(crate) fn now(&self) -> u64 {
        u64::from_ne_bytes(self.get(CURRENT_TIME))
    }

    /// What the guest reads as its time when it is interrupted.
    pub(crate) fn set_now(&self, time: u64) {
        self.set(CURRENT_TIME, &time.to_ne_bytes());
    }

    /// Has the guest run from a time, until it has nothing to do before `free_until`.
    pub(crate) fn run(&mut self, time: u64, free_until: u64) -> io::Result<()> {
        self.set_now(time);
        self.begin(free_until);
        self.sequence = self.sequence.wrapping_add(1);
        self.send(RUN, self.sequence, time)
    }

    /// When the guest, which waits, wants to run next, if ever.
    pub(crate) fn requested(&self) -> Option<u64> {
        let own = CLIENTS + usize::from(GUEST) * CLIENT_BYTES;
        let flags = u32::from_ne_bytes(self.get(own + FLAGS));
        let time = u64::from_ne_bytes(self.get(own + REQUESTED));
        (flags & WANTS_TO_RUN != 0 && time < NEVER).then_some(time)
    }

    fn send(&mut self, operation: u32, sequence: u32, time: u64) -> io::Result<()> {
        let message = message(operation, sequence, time);
        let socket = self.socket.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        socket.write_all(&message)
    }

    /// Takes a message of the guest, if it has sent one; whether it waits now.
    pub(crate) fn receive(&mut self) -> io::Result<bool> {
        let mut bytes = [0; 16];
        self.socket.as_mut().ok_or(io::ErrorKind::NotConnected)?.read_exact(&mut bytes)?;
        let [o0, o1, o2, o3, s0, s1, s2, s3, ..] = bytes;
        let operation = u32::from_ne_bytes([o0, o1, o2, o3]);
        let sequence = u32::from_ne_bytes([s0, s1, s2, s3]);
        match operation {
            START => self.share(sequence)?,
            // In shared memory it has no answer.
            WAIT => {
                self.set(RUNNING, &SIMULATOR.to_ne_bytes());
                return Ok(true);
            }
            GET => self.send(ACK, sequence, self.now())?,
            GET_TIME_OF_DAY => self.send(ACK, sequence, TIME_OF_DAY)?,
            _ => self.send(ACK, sequence, 0)?,
        }
        Ok(false)
    }

    /// Answers the first message with the shared memory, and a file for a log.
    fn share(&mut self, sequence: u32) -> io::Result<()> {
        let message = message(ACK, sequence, GUEST.into());
        let files = [self.file.as_raw_fd(), self.log.as_raw_fd()];
        let files = [ControlMessage::ScmRights(&files)];
        let socket = self.socket.as_ref().ok_or(io::ErrorKind::NotConnected)?;
        let bytes = [IoSlice::new(&message)];
        sendmsg::<()>(socket.as_raw_fd(), &bytes, &files, MsgFlags::MSG_NOSIGNAL, None)?;
        Ok(())
    }
}

fn message(operation: u32, sequence: u32, time: u64) -> [u8; 16] {
    let mut message = [0; 16];
    message[..4].copy_from_slice(&operation.to_ne_bytes());
    message[4..8].copy_from_slice(&sequence.to_ne_bytes());
    message[8..].copy_from_slice(&time.to_ne_bytes());
    message
}
