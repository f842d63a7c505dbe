//! A network device of a guest (virtio 1.2, section 5.1) over vhost-user, whose notifications and
//! interrupts are messages, so that they happen at exact times.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, IoSliceMut, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

use nix::cmsg_space;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg};

use crate::guest_memory::GuestMemory;
use crate::offload::{self, HEADER};
use crate::process::told;
use crate::ring::{Buffer, Ring};

/// Requests of vhost-user.
const GET_FEATURES: u32 = 1;
const SET_MEMORY: u32 = 5;
const SET_RING_SIZE: u32 = 8;
const SET_RING_ADDRESSES: u32 = 9;
const GET_PROTOCOL_FEATURES: u32 = 15;
const SET_BACKEND_CHANNEL: u32 = 21;
const GET_CONFIGURATION: u32 = 24;
const KICK: u32 = 35;
/// A request of the device's: an interrupt.
const CALL: u32 = 4;
/// Flags of messages: the version, whether it is an answer, and whether it wants one.
const VERSION: u32 = 1;
const IS_REPLY: u32 = 4;
const NEEDS_REPLY: u32 = 8;
/// The device's features: checksums, an MTU, an address, further features of vhost-user, virtio 1.
const FEATURES: u64 = 1 | 1 << 3 | 1 << 5 | 1 << 30 | 1 << 32;
/// Segmentation of TCP over both versions of IP and with ECN.
const SEGMENTATION: u64 = 1 << 11 | 1 << 12 | 1 << 13;
/// Answers to requests, a channel of the device's own, configuration, notifications in band.
const PROTOCOL_FEATURES: u64 = 1 << 3 | 1 << 5 | 1 << 9 | 1 << 14;
/// The rings.
const RECEIVE: usize = 0;
const SEND: usize = 1;
/// The largest buffer without data of TCP: its header, those of Ethernet, IPv6 and TCP with all options.
const LARGEST_WITHOUT_DATA: usize = HEADER + 14 + 40 + 60;
/// A message of vhost-user has at most so many bytes here.
const MOST: usize = 1024;

/// A network device.
#[derive(Debug)]
pub(crate) struct Device {
    /// What it offers.
    features: u64,
    /// What it tells of itself: its address, and its MTU.
    configuration: [u8; 12],
    pub(crate) socket: Option<UnixStream>,
    /// Where interrupts are sent, and answered.
    pub(crate) calls: Option<File>,
    /// What was received of messages, and files with them.
    received: Vec<u8>,
    files: VecDeque<OwnedFd>,
    pub(crate) memory: GuestMemory,
    rings: [Ring; 2],
    buffer: Buffer,
    /// What is in a buffer.
    bytes: Vec<u8>,
    /// Frames that the guest has sent, and when.
    pub(crate) sent: VecDeque<(u64, Vec<u8>)>,
    /// Whether the guest is to be told that what it sent has left, and whether it waits for that:
    /// the memory of data is counted until then, that of acknowledgements is not.
    owes_interrupt: bool,
    has_sent_data: bool,
}

/// What a network device offers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    /// The bytes of the largest IP packet.
    pub(crate) mtu: u16,
    /// Whether it cuts what is larger into segments.
    pub(crate) cuts_segments: bool,
}

impl Device {
    pub(crate) fn new(address: [u8; 6], Offer { mtu, cuts_segments }: Offer) -> Self {
        let mut configuration = [0; 12];
        configuration[..6].copy_from_slice(&address);
        configuration[8] = 1;
        configuration[10..].copy_from_slice(&mtu.to_le_bytes());
        Self {
            features: FEATURES | if cuts_segments { SEGMENTATION } else { 0 },
            configuration,
            socket: None,
            calls: None,
            received: Vec::new(),
            files: VecDeque::new(),
            memory: GuestMemory::default(),
            rings: [Ring::default(); 2],
            buffer: Buffer::default(),
            bytes: Vec::new(),
            sent: VecDeque::new(),
            owes_interrupt: false,
            has_sent_data: false,
        }
    }

    /// Takes what the guest has sent on its socket, at this time of the guest's, and answers.
    pub(crate) fn receive(&mut self, now: u64) -> Result<(), String> {
        self.fill().map_err(|it| told(&it))?;
        while let Some((request, flags, payload)) = self.next_message() {
            let answer = self.on_message(now, request, &payload)?;
            let answer = match answer {
                None if flags & NEEDS_REPLY != 0 => Some(0_u64.to_ne_bytes().to_vec()),
                other => other,
            };
            if let (Some(answer), Some(socket)) = (answer, &mut self.socket) {
                let bytes = message(request, VERSION | IS_REPLY, &answer);
                socket.write_all(&bytes).map_err(|it| told(&it))?;
            }
        }
        Ok(())
    }

    /// Reads what there is on the socket.
    fn fill(&mut self) -> io::Result<()> {
        let socket = self.socket.as_ref().ok_or(io::ErrorKind::NotConnected)?;
        let mut bytes = [0; MOST];
        let mut space = cmsg_space!([std::os::fd::RawFd; 8]);
        let count = {
            let mut parts = [IoSliceMut::new(&mut bytes)];
            let flags = MsgFlags::MSG_CMSG_CLOEXEC;
            let received = recvmsg::<()>(socket.as_raw_fd(), &mut parts, Some(&mut space), flags)?;
            for part in received.cmsgs()? {
                if let ControlMessageOwned::ScmRights(files) = part {
                    // SAFETY: they were received this moment, and nobody else has them.
                    let files = files.into_iter().map(|it| unsafe { OwnedFd::from_raw_fd(it) });
                    self.files.extend(files);
                }
            }
            received.bytes
        };
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.received.extend_from_slice(&bytes[..count]);
        Ok(())
    }

    /// The next whole message: its request, its flags and what it carries.
    fn next_message(&mut self) -> Option<(u32, u32, Vec<u8>)> {
        let word = |at: usize| number(&self.received, at).map(|it| it as u32);
        let (request, flags, size) = (word(0)?, word(4)?, word(8)? as usize);
        let payload = self.received.get(12..12 + size)?.to_vec();
        self.received.drain(..12 + size);
        Some((request, flags, payload))
    }

    /// What it answers, if it is more than that all is well.
    fn on_message(
        &mut self,
        now: u64,
        request: u32,
        payload: &[u8],
    ) -> Result<Option<Vec<u8>>, String> {
        let short = || format!("its network device has a message {request} that is too short");
        let word = |at: usize| number(payload, at).ok_or_else(short);
        let long = |at: usize| Ok::<u64, String>(word(at)? | word(at + 4)? << 32);
        match request {
            GET_FEATURES => return Ok(Some(self.features.to_ne_bytes().to_vec())),
            GET_PROTOCOL_FEATURES => return Ok(Some(PROTOCOL_FEATURES.to_ne_bytes().to_vec())),
            GET_CONFIGURATION => return Ok(Some(self.configured(payload))),
            SET_MEMORY => {
                let files = self.files.drain(..);
                for (place, file) in files.take(word(0)? as usize).enumerate() {
                    let at = 8 + 32 * place;
                    let region = (long(at)?, long(at + 8)?);
                    let added = self.memory.add(region, long(at + 24)?, file);
                    added.map_err(|it| format!("its memory cannot be mapped: {it}"))?;
                }
            }
            SET_BACKEND_CHANNEL => self.calls = self.files.pop_front().map(File::from),
            SET_RING_SIZE | SET_RING_ADDRESSES | KICK => {
                let place = word(0)? as usize;
                let Some(ring) = self.rings.get_mut(place) else { return Ok(None) };
                match request {
                    SET_RING_SIZE => ring.size = word(4)? as u16,
                    SET_RING_ADDRESSES => {
                        (ring.descriptors, ring.used, ring.available) =
                            (long(8)?, long(16)?, long(24)?);
                        if place == RECEIVE {
                            ring.silence(&self.memory)?;
                        }
                    }
                    _ if place == SEND => self.take_sent(now)?,
                    _ => {}
                }
            }
            _ => {}
        }
        Ok(None)
    }

    /// The answer to a question for the device's configuration, which is repeated with it.
    fn configured(&self, question: &[u8]) -> Vec<u8> {
        let mut answer = question.to_vec();
        for (to, from) in answer.iter_mut().skip(12).zip(self.configuration) {
            *to = from;
        }
        answer
    }

    /// Takes the frames that the guest sends.
    fn take_sent(&mut self, now: u64) -> Result<(), String> {
        while self.rings[SEND].take(&self.memory, &mut self.buffer)? {
            let bytes = &mut self.bytes;
            bytes.clear();
            for &(address, length, _) in &self.buffer.parts {
                let before = bytes.len();
                bytes.resize(before + length as usize, 0);
                self.memory.read(address, &mut bytes[before..])?;
            }
            self.rings[SEND].give(&self.memory, self.buffer.head, 0)?;
            self.has_sent_data |= bytes.len() > LARGEST_WITHOUT_DATA;
            let sent = &mut self.sent;
            offload::frames(bytes, |frame| sent.push_back((now, frame)))
                .ok_or("its network device is to send a frame that is cut short")?;
        }
        self.owes_interrupt = self.rings[SEND].wants_interrupt(&self.memory)?;
        Ok(())
    }

    /// Puts a frame into the guest's memory, if there is room; whether there was.
    pub(crate) fn offer(&mut self, frame: &[u8]) -> Result<bool, String> {
        if !self.rings[RECEIVE].take(&self.memory, &mut self.buffer)? {
            return Ok(false);
        }
        let mut header = [0; HEADER];
        // One buffer.
        header[10] = 1;
        let mut written = 0;
        let total = HEADER + frame.len();
        for &(address, length, _) in self.buffer.parts.iter().filter(|it| it.2) {
            let mut address = address;
            let mut room = length as usize;
            while room > 0 && written < total {
                let rest = header
                    .get(written..)
                    .filter(|it| !it.is_empty())
                    .unwrap_or_else(|| &frame[written - HEADER..]);
                let part = &rest[..rest.len().min(room)];
                self.memory.write(address, part)?;
                address += part.len() as u64;
                room -= part.len();
                written += part.len();
            }
        }
        if written < total {
            return Err(format!("a frame of {} B is more than its buffers have", frame.len()));
        }
        self.rings[RECEIVE].give(&self.memory, self.buffer.head, written as u32)?;
        Ok(true)
    }

    /// Whether the guest waits to be told that data have left.
    pub(crate) fn owes_for_data(&self) -> bool {
        self.owes_interrupt && self.has_sent_data
    }

    /// Interrupts the guest for what it received, if it did, and for what it has sent; whether
    /// there was something. It answers.
    pub(crate) fn interrupt(&mut self, has_received: bool) -> Result<bool, String> {
        let received = has_received && self.rings[RECEIVE].wants_interrupt(&self.memory)?;
        let sent = std::mem::take(&mut self.owes_interrupt);
        self.has_sent_data = false;
        let mut bytes = Vec::new();
        // The last one is answered, and those before it were read then.
        for (ring, is_last) in [(SEND, !received), (RECEIVE, true)] {
            if (ring == SEND && sent) || (ring == RECEIVE && received) {
                let flags = VERSION | if is_last { NEEDS_REPLY } else { 0 };
                bytes.extend(message(CALL, flags, &(ring as u64).to_ne_bytes()));
            }
        }
        if let Some(calls) = self.calls.as_mut().filter(|_| !bytes.is_empty()) {
            calls.write_all(&bytes).map_err(|it| told(&it))?;
        }
        Ok(!bytes.is_empty())
    }

    /// Takes the answer to an interrupt.
    pub(crate) fn take_answer(&mut self) -> Result<(), String> {
        let mut bytes = [0; 20];
        let calls = self.calls.as_mut().ok_or("its network device has no interrupts")?;
        calls.read_exact(&mut bytes).map_err(|it| told(&it))
    }
}

/// The word of four bytes at a place.
fn number(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + 4)?;
    Some(u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]).into())
}

fn message(request: u32, flags: u32, payload: &[u8]) -> Vec<u8> {
    let mut message = Vec::with_capacity(12 + payload.len());
    for word in [request, flags, payload.len() as u32] {
        message.extend(word.to_ne_bytes());
    }
    message.extend(payload);
    message
}
