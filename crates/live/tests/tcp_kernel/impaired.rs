//! A wire that loses, duplicates and delays packets, both ways.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration as RealDuration;

use windtunnel_engine::{Duration, Random, Streams, Time};
use windtunnel_links::{Fate, Impairment, Impairments, Loss, Reordering, Victims};
use windtunnel_live::Clock;
use windtunnel_live::tcp::Wire;
use windtunnel_packets::real::{RealHeader, set_ecn};
use windtunnel_packets::{Ecn, Packet, ProtocolNumber};

/// How late a delayed packet is.
const LATENESS: Duration = Duration::from_millis(3);

/// One of the two directions.
struct Direction {
    impairments: Impairments,
    random: Random,
    late: BTreeMap<(Time, u64), Vec<u8>>,
    packets: u64,
    pub(crate) lost: u64,
}

impl Direction {
    fn new(seed: u64, name: &str) -> Self {
        let reordering = Reordering::Independent(0.01);
        let impairment = Impairment { reordering, duplication: 0.001, ..Impairment::default() };
        Self {
            impairments: Impairments::new(Loss::Bernoulli(0.01), Victims::All, impairment),
            random: Streams::new(seed, 0).stream(name),
            late: BTreeMap::new(),
            packets: 0,
            lost: 0,
        }
    }

    /// How often the packet arrives now.
    fn arrivals(&mut self, now: Time, packet: &[u8]) -> usize {
        self.packets += 1;
        let any = Packet::message(ProtocolNumber(0), 0, &[], 0);
        match self.impairments.fate(now, &any, &mut self.random) {
            Fate::Arrives => 1,
            Fate::Twice => 2,
            Fate::Lost => {
                self.lost += 1;
                0
            }
            Fate::Late => {
                self.late.insert((now + LATENESS, self.packets), packet.to_vec());
                0
            }
        }
    }

    fn take_late(&mut self, now: Time) -> Option<Vec<u8>> {
        let first = self.late.first_entry()?;
        (first.key().0 <= now).then(|| first.remove())
    }
}

/// A wire with losses.
pub(crate) struct Impaired<W> {
    wire: W,
    clock: Clock,
    to_us: Direction,
    from_us: Direction,
    again: Option<Vec<u8>>,
}

impl<W: Wire> Impaired<W> {
    pub(crate) fn new(wire: W, clock: Clock, seed: u64) -> Self {
        let [to_us, from_us] = ["to us", "from us"].map(|it| Direction::new(seed, it));
        Self { wire, clock, to_us, from_us, again: None }
    }
}

impl<W: Wire> Wire for Impaired<W> {
    fn receive(&mut self, now: Time, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        while let Some(packet) = self.from_us.take_late(now) {
            self.wire.send(now, &packet)?;
        }
        if let Some(packet) = self.again.take().or_else(|| self.to_us.take_late(now)) {
            buffer[..packet.len()].copy_from_slice(&packet);
            return Ok(Some(packet.len()));
        }
        loop {
            let Some(length) = self.wire.receive(now, buffer)? else { return Ok(None) };
            match self.to_us.arrivals(now, &buffer[..length]) {
                0 => {}
                1 => return Ok(Some(length)),
                _ => {
                    self.again = Some(buffer[..length].to_vec());
                    return Ok(Some(length));
                }
            }
        }
    }

    fn send(&mut self, now: Time, packet: &[u8]) -> io::Result<()> {
        for _ in 0..self.from_us.arrivals(now, packet) {
            self.wire.send(now, packet)?;
        }
        Ok(())
    }

    fn wait(&mut self, longest: RealDuration) -> io::Result<()> {
        let late = [&self.to_us, &self.from_us].map(|it| it.late.keys().next().map(|it| it.0));
        let first = late.into_iter().flatten().min();
        let until = first.map_or(longest, |it| self.clock.until(it).min(longest));
        self.wire.wait(until)
    }
}

/// A wire that marks every so many packets that may be marked, both ways.
pub(crate) struct Marking<'a, W> {
    wire: W,
    every: u64,
    seen: u64,
    marked: &'a mut u64,
}

impl<'a, W: Wire> Marking<'a, W> {
    pub(crate) fn new(wire: W, every: u64, marked: &'a mut u64) -> Self {
        Self { wire, every, seen: 0, marked }
    }

    fn mark(&mut self, packet: &mut [u8]) {
        let is_capable = RealHeader::parse(packet).is_some_and(|it| it.ecn.is_capable());
        if !is_capable {
            return;
        }
        self.seen += 1;
        if self.seen.is_multiple_of(self.every) {
            *self.marked += 1;
            set_ecn(packet, Ecn::Congestion);
        }
    }
}

impl<W: Wire> Wire for Marking<'_, W> {
    fn receive(&mut self, now: Time, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let length = self.wire.receive(now, buffer)?;
        if let Some(length) = length {
            self.mark(&mut buffer[..length]);
        }
        Ok(length)
    }

    fn send(&mut self, now: Time, packet: &[u8]) -> io::Result<()> {
        let mut packet = packet.to_vec();
        self.mark(&mut packet);
        self.wire.send(now, &packet)
    }

    fn wait(&mut self, longest: RealDuration) -> io::Result<()> {
        self.wire.wait(longest)
    }
}
