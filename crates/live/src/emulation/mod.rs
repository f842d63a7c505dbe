//! The world of a scenario in real time: packets of real hosts enter at interfaces, cross its
//! queues and links beside simulated flows, and leave when the world says so.

mod data;
mod failure;
mod gate;
mod internet;
mod names;
mod places;
mod report;
mod session;
mod sleep;
mod thread;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::frame::Frame;
use windtunnel_packets::real::RealHeader;
use windtunnel_world::{Entry, Plan, Unreachable, World};

use crate::capabilities::give_up_all_but;
use crate::clock::Clock;
use crate::interface::{Carries, TunInterface};
pub use failure::Failure;
use gate::{Gate, ROOM, cut};
use places::{Place, Places, is_for_all};
pub use report::{Buckets, Direction, Percentiles, Queue, Report};
use report::{Counters, Ended};
pub use session::{Door, EmulationSession, Layer, SessionError};
use sleep::Sleep;
use thread::{RealTime, processor_time};

/// A node that real hosts are behind.
#[derive(Debug)]
pub struct Attachment {
    /// The node, by its place in the plan.
    pub node: usize,
    /// Where its packets enter and leave. It has the addresses of the node.
    pub interface: TunInterface,
}

/// An emulation that has ended.
#[derive(Debug)]
pub struct Finished {
    /// What it counted.
    pub report: Report,
    /// The world as it was then.
    pub world: World,
    /// The virtual time at its end.
    pub end: Time,
}

/// A world in real time.
#[derive(Debug)]
pub struct Emulation {
    world: World,
    end: Time,
    gates: Vec<Gate>,
    places: Places,
    counters: Counters,
}

/// So often one interface is read before the next one is.
const BATCH: usize = 32;
/// So often, at the least, it is looked whether to stop.
const LOOK: std::time::Duration = std::time::Duration::from_millis(50);

impl Emulation {
    /// The world of a plan, with real hosts at these nodes, none twice. All addresses of no other
    /// attachment are at `default`, by its place among them. `record` is given the plan with
    /// these nodes, and the world before anything happens.
    ///
    /// # Errors
    /// [`Unreachable`] as for [`World::new`].
    pub fn new(
        mut plan: Plan,
        attachments: Vec<Attachment>,
        default: Option<usize>,
        record: impl FnOnce(&Plan, &mut World),
    ) -> Result<Self, Unreachable> {
        plan.attachments = attachments.iter().map(|it| it.node).collect();
        let mut world = World::new(&plan)?;
        record(&plan, &mut world);
        let all = attachments.iter().enumerate();
        let addresses = all.flat_map(|(place, it)| {
            it.interface.addresses().iter().map(move |address| (*address, place))
        });
        Ok(Self {
            world,
            end: plan.end(),
            places: Places::new(addresses, default, plan.nodes.len()),
            counters: Counters::new(&plan),
            gates: attachments.into_iter().map(|it| Gate::new(it.interface)).collect(),
        })
    }

    /// Waits for `begin`, at which virtual time is zero, then lets real time pass until the end of
    /// the plan, or until `stop` is set. What comes before waits at the interfaces. Nothing
    /// happens if `begin` is dropped. Runs the calling thread as a real-time one, if it may, and
    /// from then on without capabilities.
    ///
    /// It ends early if an interface vanishes, as the report says.
    ///
    /// # Errors
    /// That of the kernel, if the capabilities cannot be given up.
    pub fn run(mut self, begin: &Receiver<()>, stop: &AtomicBool) -> io::Result<Finished> {
        let mut real_time = RealTime::begin();
        give_up_all_but(&[])?;
        let has_begun = begin.recv().is_ok();
        let clock = Clock::start();
        let before = processor_time().unwrap_or_default();
        let goes_on = || has_begun && !stop.load(Ordering::Relaxed);
        let failure = self.pass_time(&clock, &mut real_time, goes_on).err();
        let processor = processor_time().unwrap_or_default().saturating_sub(before);
        let end = clock.now().min(self.end);
        self.world.advance(end);
        self.leave(&clock);
        // Of an interface that has vanished nothing more is known.
        let drops = self.gates.iter().map(|it| it.interface.dropped().unwrap_or(0)).collect();
        let ended = Ended { end, processor, is_real_time: real_time.is_some(), failure };
        let report = self.counters.report(ended, &mut self.world, drops);
        Ok(Finished { report, world: self.world, end })
    }

    /// Lets real time pass as long as that is wanted.
    fn pass_time(
        &mut self,
        clock: &Clock,
        real_time: &mut Option<RealTime>,
        goes_on: impl Fn() -> bool,
    ) -> Result<(), Failure> {
        let mut room = vec![0; ROOM];
        let mut sleep = Sleep::begin();
        while goes_on() {
            let now = clock.now();
            if let Some(it) = real_time {
                it.move_on(now);
            }
            self.world.advance(now);
            self.leave(clock);
            if now >= self.end {
                break;
            }
            let has_read = self.enter(clock, &mut room)?;
            if !has_read {
                let slept = self.wait(clock, &mut sleep)?;
                if let Some(it) = real_time {
                    it.has_slept(slept);
                }
                // What has come meanwhile has ended the wait.
                let now = clock.now();
                self.gates.iter_mut().for_each(|it| it.emptied = now);
            }
        }
        Ok(())
    }

    /// Takes in what waits at the interfaces; returns whether there was anything.
    fn enter(&mut self, clock: &Clock, room: &mut [u8]) -> Result<bool, Failure> {
        let mut has_read = false;
        for from in 0..self.gates.len() {
            for _ in 0..BATCH {
                let interface = &self.gates[from].interface;
                let received = interface.receive(room).map_err(Failure::of(interface))?;
                let Some(length) = received else {
                    self.gates[from].emptied = clock.now();
                    break;
                };
                has_read = true;
                self.enter_together(clock.now().min(self.end), from, &mut room[..length]);
                self.leave(clock);
            }
        }
        Ok(has_read)
    }

    /// What was received at once enters.
    fn enter_together(&mut self, now: Time, from: usize, received: &mut [u8]) {
        let waited = now.since(self.gates[from].emptied.min(now));
        let carries = self.gates[from].interface.carries();
        let is_valid = cut(carries, received, |bytes| {
            self.counters.waited(waited);
            match carries {
                Carries::Frames => self.enter_frame(now, from, bytes),
                Carries::Packets | Carries::Segments => self.enter_packet(now, from, bytes),
            }
        });
        self.counters.malformed += u64::from(!is_valid);
    }

    /// A packet enters, if it is one that the world can carry.
    fn enter_packet(&mut self, now: Time, from: usize, bytes: &[u8]) {
        let Some(header) = RealHeader::parse(bytes) else {
            self.counters.malformed += 1;
            return;
        };
        if is_for_all(header.destination) {
            self.counters.multicast += 1;
            return;
        }
        self.places.learn(header.source, from);
        match self.places.of(header.destination, from) {
            Place::Attachment(to) => self.enter_between(now, [from, to], &header, bytes),
            Place::Router(router) => {
                self.counters.to_routers += 1;
                self.world.enter_to_router(now, [from, router], &header, bytes);
            }
            Place::Unknown => {
                self.counters.unknown_destination += 1;
                self.world.enter_to_nowhere(now, from, &header, bytes);
            }
        }
    }

    /// A frame enters; one for several stations, or for one that is not known, once for each other
    /// attachment.
    fn enter_frame(&mut self, now: Time, from: usize, bytes: &[u8]) {
        let Some(frame) = Frame::parse(bytes) else {
            self.counters.malformed += 1;
            return;
        };
        match self.places.of_frame(&frame, from) {
            Some(to) => self.enter_between(now, [from, to], &frame.header, bytes),
            None => {
                let others = (0..self.gates.len()).filter(|it| *it != from);
                others.for_each(|to| self.enter_between(now, [from, to], &frame.header, bytes));
            }
        }
    }

    fn enter_between(&mut self, now: Time, ends: [usize; 2], header: &RealHeader, bytes: &[u8]) {
        match self.world.enter(now, ends, header, bytes) {
            Entry::Entered => self.counters.entered(ends, usize::from(header.length)),
            Entry::Unreachable => self.counters.unreachable += 1,
        }
    }

    /// Gives the interfaces what has left the world.
    fn leave(&mut self, clock: &Clock) {
        let (counters, gates) = (&mut self.counters, &mut self.gates);
        self.world.departures(|it| gates[it.to].leave(&it, clock, counters));
        gates.iter_mut().for_each(|it| it.flush(clock, counters));
    }

    /// Waits until something happens in the world or a packet comes; returns how long it slept.
    fn wait(&self, clock: &Clock, sleep: &mut Sleep) -> Result<Duration, Failure> {
        let next = self.world.next_event().unwrap_or(self.end);
        let slept = sleep.until_due(clock.until(next).min(LOOK), &self.gates)?;
        Ok(Duration::from_nanos(slept.as_nanos() as u64))
    }
}
