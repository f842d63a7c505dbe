//! The calls of an end as messages, between a process and one that it has started.
//!
//! A message is its length in four bytes, and numbers of eight, all little-endian; a text or data is
//! its length and its bytes. A request begins with the number of its call.

use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::time::Duration;

use crate::interface::{
    NONE, State as Numbers, ecn_codepoint, ecn_number, event_number, event_of, nanoseconds,
};
use crate::{Datagram, Departure, Event, Place, Role, StreamStack};

/// The longest message, so that what is not one does not take all memory.
const LONGEST: usize = 1 << 26;

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Create,
    Receive,
    Wake,
    Send,
    NextWake,
    State,
    Open,
    Write,
    Finish,
    Read,
    NextEvent,
    Secrets,
}

impl Call {
    const ALL: [Self; 12] = [
        Self::Create,
        Self::Receive,
        Self::Wake,
        Self::Send,
        Self::NextWake,
        Self::State,
        Self::Open,
        Self::Write,
        Self::Finish,
        Self::Read,
        Self::NextEvent,
        Self::Secrets,
    ];

    pub(crate) fn of(number: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// The name of its function.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Receive => "receive",
            Self::Wake => "wake",
            Self::Send => "send",
            Self::NextWake => "next_wake",
            Self::State => "state",
            Self::Open => "open",
            Self::Write => "write",
            Self::Finish => "finish",
            Self::Read => "read",
            Self::NextEvent => "next_event",
            Self::Secrets => "secrets",
        }
    }
}

/// A message that is written.
#[derive(Debug, Default)]
pub(crate) struct Message(Vec<u8>);

impl Message {
    pub(crate) fn request(call: Call) -> Self {
        Self::default().number(call as u64)
    }

    pub(crate) fn number(mut self, number: u64) -> Self {
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    pub(crate) fn time(self, time: Duration) -> Self {
        self.number(nanoseconds(time))
    }

    pub(crate) fn data(mut self, bytes: &[u8]) -> Self {
        self = self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn address(self, address: SocketAddr) -> Self {
        self.data(address.to_string().as_bytes())
    }

    pub(crate) fn place(self, place: Place, controller: Option<&str>) -> Self {
        let role = u64::from(place.role == Role::Server);
        let message = self.number(role).address(place.own).address(place.peer).number(place.seed);
        let message = message.number(controller.is_some().into());
        message.data(controller.unwrap_or_default().as_bytes())
    }

    pub(crate) fn datagrams(self, datagrams: &[Datagram<'_>]) -> Self {
        datagrams.iter().fold(self.number(datagrams.len() as u64), |message, it| {
            let message = message.address(it.from).address(it.to);
            message.number(ecn_number(it.ecn).into()).data(it.bytes)
        })
    }

    fn departure(self, departure: Option<Departure>, bytes: &[u8]) -> Self {
        let Some(it) = departure else { return self.number(0) };
        let message = self.number(1).address(it.to).number(ecn_number(it.ecn).into());
        message.number(it.segment as u64).data(bytes)
    }

    fn event(self, event: Option<Event>) -> Self {
        let (kind, stream) = event.as_ref().map_or((u32::MAX, 0), event_number);
        let why = if let Some(Event::Failed(why)) = event { why } else { String::new() };
        self.number(kind.into()).number(stream).data(why.as_bytes())
    }

    pub(crate) fn write(&self, output: &mut impl Write) -> io::Result<()> {
        let length = u32::try_from(self.0.len()).map_err(io::Error::other)?;
        output.write_all(&length.to_le_bytes())?;
        output.write_all(&self.0)?;
        output.flush()
    }
}

/// A message that is read; a part that it does not have is none.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    bytes: Vec<u8>,
    at: usize,
}

impl Parts {
    pub(crate) fn read(input: &mut impl Read) -> io::Result<Self> {
        let mut length = [0; 4];
        input.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > LONGEST {
            return Err(io::Error::other("this is not a message"));
        }
        let mut bytes = vec![0; length];
        input.read_exact(&mut bytes)?;
        Ok(Self { bytes, at: 0 })
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        let bytes = self.bytes.get(self.at..self.at + 8)?;
        self.at += 8;
        bytes.try_into().ok().map(u64::from_le_bytes)
    }

    pub(crate) fn time(&mut self) -> Option<Duration> {
        self.number().map(Duration::from_nanos)
    }

    pub(crate) fn data(&mut self) -> Option<Vec<u8>> {
        let length = usize::try_from(self.number()?).ok()?;
        let bytes = self.bytes.get(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        Some(bytes.to_vec())
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        String::from_utf8(self.data()?).ok()
    }

    fn address(&mut self) -> Option<SocketAddr> {
        self.text()?.parse().ok()
    }

    pub(crate) fn place(&mut self) -> Option<(Place, Option<String>)> {
        let role = if self.number()? == 0 { Role::Client } else { Role::Server };
        let (own, peer, seed) = (self.address()?, self.address()?, self.number()?);
        let (has_controller, controller) = (self.number()? == 1, self.text()?);
        let place = Place { role, own, peer, further: Vec::new(), has_other_packets: false, seed };
        Some((place, has_controller.then_some(controller)))
    }

    pub(crate) fn departure(&mut self, buffer: &mut Vec<u8>) -> Option<Departure> {
        if self.number()? == 0 {
            return None;
        }
        let (to, ecn) = (self.address()?, ecn_codepoint(self.number()? as u32));
        let segment = usize::try_from(self.number()?).ok()?;
        buffer.extend_from_slice(&self.data()?);
        Some(Departure { from: None, to, ecn, segment })
    }

    pub(crate) fn event(&mut self) -> Option<Event> {
        let (kind, stream, why) = (self.number()?, self.number()?, self.text()?);
        event_of(u32::try_from(kind).ok()?, stream, || why)
    }

    pub(crate) fn state(&mut self) -> Option<Numbers> {
        let mut numbers = [NONE; 9];
        for it in &mut numbers {
            *it = self.number()?;
        }
        Some(Numbers(numbers))
    }

    fn receive(&mut self, now: Duration, stack: &mut dyn StreamStack) -> Option<Message> {
        let mut arrived = Vec::new();
        for _ in 0..self.number()? {
            let (from, to) = (self.address()?, self.address()?);
            arrived.push((from, to, ecn_codepoint(self.number()? as u32), self.data()?));
        }
        let datagrams: Vec<Datagram<'_>> = arrived
            .iter()
            .map(|(from, to, ecn, bytes)| Datagram { from: *from, to: *to, ecn: *ecn, bytes })
            .collect();
        stack.receive(now, &datagrams);
        Some(Message::default())
    }

    /// Does a call of an end that exists, and gives the answer; none if it is not a right one.
    pub(crate) fn answer(&mut self, call: Call, stack: &mut dyn StreamStack) -> Option<Message> {
        let answer = Message::default();
        Some(match call {
            Call::Create => return None,
            Call::Receive => return self.time().and_then(|now| self.receive(now, stack)),
            Call::Wake => {
                stack.wake(self.time()?);
                answer
            }
            Call::Send => {
                let mut bytes = Vec::new();
                let departure = stack.send(self.time()?, &mut bytes);
                answer.departure(departure, &bytes)
            }
            Call::NextWake => answer.number(stack.next_wake().map_or(NONE, nanoseconds)),
            Call::State => {
                Numbers::from(&stack.state()).0.into_iter().fold(answer, Message::number)
            }
            Call::Open => answer.number(stack.open(self.time()?).unwrap_or(NONE)),
            Call::Write => {
                let (now, stream, bytes) = (self.time()?, self.number()?, self.number()?);
                answer.number(stack.write(now, stream, bytes))
            }
            Call::Finish => {
                stack.finish(self.time()?, self.number()?);
                answer
            }
            Call::Read => {
                let read = stack.read(self.time()?, self.number()?);
                answer.number(read.bytes).number(read.is_end.into())
            }
            Call::NextEvent => answer.event(stack.next_event()),
            Call::Secrets => answer.data(stack.secrets().as_bytes()),
        })
    }
}
