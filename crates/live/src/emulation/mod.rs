//! The world of a scenario in real time: packets of real hosts enter at interfaces, cross its
//! queues and links beside simulated flows, and leave when the world says so.

mod failure;
mod internet;
mod names;
mod report;
mod session;
mod thread;

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;

use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use smallvec::SmallVec;
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::real::RealHeader;
use windtunnel_world::{Entry, Plan, Unreachable, World};

use crate::capabilities::give_up_all_but;
use crate::clock::Clock;
use crate::interface::TunInterface;
pub use failure::Failure;
pub use report::{Buckets, Direction, Percentiles, Queue, Report};
use report::{Counters, Ended};
pub use session::{Door, EmulationSession, SessionError};
use thread::RealTime;

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
    attachments: Vec<Attached>,
    /// The attachments that addresses are at: those of the interfaces, and those of hosts behind
    /// them, from where packets have come.
    places: HashMap<IpAddr, usize>,
    /// The attachment that all other addresses are at, if one is.
    default: Option<usize>,
    counters: Counters,
}

#[derive(Debug)]
struct Attached {
    interface: TunInterface,
    /// When it was last seen without a packet that waits.
    emptied: Time,
}

/// So many packets of one interface enter before those that leave are looked at again.
const BATCH: usize = 32;
/// So many addresses are known at the most.
const MOST_PLACES: usize = 4096;
/// The thread does not sleep in so long before an event: the kernel may wake it that late.
const AWAKE: std::time::Duration = std::time::Duration::from_micros(50);
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
        let places = attachments.iter().enumerate();
        let addresses = places.flat_map(|(place, it)| {
            it.interface.addresses().iter().map(move |address| (*address, place))
        });
        Ok(Self {
            world,
            end: plan.end(),
            places: addresses.collect(),
            default,
            counters: Counters::new(&plan),
            attachments: attachments
                .into_iter()
                .map(|it| Attached { interface: it.interface, emptied: Time::ZERO })
                .collect(),
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
        let goes_on = || has_begun && !stop.load(Ordering::Relaxed);
        let failure = self.pass_time(&clock, &mut real_time, goes_on).err();
        let end = clock.now().min(self.end);
        self.world.advance(end);
        self.leave(&clock);
        // Of an interface that has vanished nothing more is known.
        let drops = self.attachments.iter().map(|it| it.interface.dropped().unwrap_or(0)).collect();
        let ended = Ended { end, is_real_time: real_time.is_some(), failure };
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
        let mut packet = vec![0; usize::from(u16::MAX)];
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
            let has_read = self.enter(clock, &mut packet)?;
            if !has_read {
                let slept = self.wait(clock)?;
                if let Some(it) = real_time {
                    it.has_slept(slept);
                }
                // What has come meanwhile has ended the wait.
                let now = clock.now();
                self.attachments.iter_mut().for_each(|it| it.emptied = now);
            }
        }
        Ok(())
    }

    /// Takes in what waits at the interfaces; returns whether there was anything.
    fn enter(&mut self, clock: &Clock, packet: &mut [u8]) -> Result<bool, Failure> {
        let mut has_read = false;
        for from in 0..self.attachments.len() {
            for _ in 0..BATCH {
                let interface = &self.attachments[from].interface;
                let received = interface.receive(packet).map_err(Failure::of(interface))?;
                let Some(length) = received else {
                    self.attachments[from].emptied = clock.now();
                    break;
                };
                has_read = true;
                let now = clock.now().min(self.end);
                self.counters.waited(now.since(self.attachments[from].emptied.min(now)));
                self.enter_one(now, from, &packet[..length]);
                self.leave(clock);
            }
        }
        Ok(has_read)
    }

    /// A packet enters, if it is one that the world can carry.
    fn enter_one(&mut self, now: Time, from: usize, bytes: &[u8]) {
        let Some(header) = RealHeader::parse(bytes) else {
            self.counters.malformed += 1;
            return;
        };
        if is_for_all(header.destination) {
            self.counters.multicast += 1;
            return;
        }
        let is_default = self.default == Some(from);
        if self.places.len() < MOST_PLACES && !is_default {
            self.places.entry(header.source).or_insert(from);
        }
        let default = self.default.filter(|_| !is_default);
        let Some(to) = self.places.get(&header.destination).copied().or(default) else {
            self.counters.unknown_destination += 1;
            return self.world.enter_to_nowhere(now, from, &header, bytes);
        };
        match self.world.enter(now, [from, to], &header, bytes) {
            Entry::Entered => self.counters.entered([from, to], bytes.len()),
            Entry::Unreachable => self.counters.unreachable += 1,
        }
    }

    /// Gives the interfaces what has left the world.
    fn leave(&mut self, clock: &Clock) {
        let (counters, attachments) = (&mut self.counters, &self.attachments);
        self.world.departures(|it| {
            let is_sent = attachments[it.to].interface.send(it.bytes).is_ok();
            counters.left(&it, clock.now(), is_sent);
        });
    }

    /// Waits until something happens in the world or a packet comes; returns how long it slept.
    fn wait(&self, clock: &Clock) -> Result<Duration, Failure> {
        let next = self.world.next_event().unwrap_or(self.end);
        let left = clock.until(next).min(LOOK).saturating_sub(AWAKE);
        if left.is_zero() {
            std::hint::spin_loop();
            return Ok(Duration::ZERO);
        }
        let mut waits: SmallVec<[PollFd<'_>; 8]> = self
            .attachments
            .iter()
            .map(|it| PollFd::new(it.interface.as_fd(), PollFlags::POLLIN))
            .collect();
        let before = clock.now();
        match ppoll(&mut waits, Some(TimeSpec::from_duration(left)), None) {
            Ok(_) | Err(nix::Error::EINTR) => Ok(clock.now().since(before)),
            Err(error) => Err(Failure::Waiting(error.into())),
        }
    }
}

/// Whether an address is one of many hosts.
fn is_for_all(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(it) => it.is_multicast() || it.is_broadcast(),
        IpAddr::V6(it) => it.is_multicast(),
    }
}
