//! A wire that remembers its packets.

use std::io;
use std::time::Duration;

use windtunnel_engine::Time;
use windtunnel_live::tcp::Wire;
use windtunnel_packets::ip::decode_segment;
use windtunnel_packets::tcp::Segment;

/// A packet, when it passed, and whether it is ours.
pub(crate) struct Recorded {
    pub(crate) time: Time,
    pub(crate) is_ours: bool,
    pub(crate) bytes: Vec<u8>,
}

impl Recorded {
    pub(crate) fn segment(&self) -> Option<Segment> {
        decode_segment(&self.bytes).ok().map(|it| it.segment)
    }
}

pub(crate) struct Recorder<'a, W> {
    wire: W,
    packets: &'a mut Vec<Recorded>,
}

impl<'a, W: Wire> Recorder<'a, W> {
    pub(crate) fn new(wire: W, packets: &'a mut Vec<Recorded>) -> Self {
        Self { wire, packets }
    }

    fn record(&mut self, time: Time, is_ours: bool, bytes: &[u8]) {
        self.packets.push(Recorded { time, is_ours, bytes: bytes.to_vec() });
    }
}

impl<W: Wire> Wire for Recorder<'_, W> {
    fn receive(&mut self, now: Time, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let length = self.wire.receive(now, buffer)?;
        if let Some(length) = length {
            self.record(now, false, &buffer[..length]);
        }
        Ok(length)
    }

    fn send(&mut self, now: Time, packet: &[u8]) -> io::Result<()> {
        self.record(now, true, packet);
        self.wire.send(now, packet)
    }

    fn wait(&mut self, longest: Duration) -> io::Result<()> {
        self.wire.wait(longest)
    }
}
