//! A guest that is ready: its network is set up, and its first program waits for commands.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::time::Duration;

use crate::agent::{Announcement, Command, ETHERNET, Event, Events};
use crate::device::{Device, Offer};
use crate::installation::Installation;
use crate::machine::Machine;
use crate::packet::Addresses;

/// When a guest has started, when its network is set up, and which of its times is that at which the
/// simulator has it begin, in nanoseconds.
const STARTED: u64 = 4_000_000_000;
const SET_UP: u64 = 5_000_000_000;
const BEGINS: u64 = 6_000_000_000;
/// The types of Ethernet frames with packets of both versions of IP.
const IPV4: [u8; 2] = [0x08, 0x00];
const IPV6: [u8; 2] = [0x86, 0xdd];
/// What no host says that has but one peer, of each device: no routers are looked for, no address is made
/// up.
const QUIET: [&str; 3] = ["accept_ra=0", "router_solicitations=0", "addr_gen_mode=1"];

/// The buffers of a machine with some GB of memory, of which a guest has little.
const BUFFERS: [&str; 3] = [
    "net.ipv4.tcp_rmem=4096 131072 6291456",
    "net.ipv4.tcp_wmem=4096 16384 4194304",
    "net.ipv4.tcp_mem=190000 250000 380000",
];

/// A guest, whose times are those of the simulator.
#[derive(Debug)]
pub(crate) struct Guest {
    machine: Machine,
    events: Events,
    /// The addresses of its network devices, after which it has one for commands.
    interfaces: Vec<BTreeSet<IpAddr>>,
    /// When it began.
    began: Duration,
}

impl Guest {
    /// Starts one with network devices that are to have these addresses, which takes no time; the
    /// congestion controllers of its kernel, the default first.
    pub(crate) fn start(
        installation: &Installation,
        began: Duration,
        offer: Offer,
        seed: u64,
        interfaces: Vec<BTreeSet<IpAddr>>,
        commands: &[Command],
    ) -> Result<(Self, Vec<String>), String> {
        let control = interfaces.len();
        let devices = (0..=control).map(|it| Device::new(address(it), offer)).collect();
        let parameters = [format!("seed={seed}")];
        let mut machine = Machine::start(installation, devices, &parameters, STARTED)?;
        let sent = machine.devices[control].sent.drain(..);
        let announced = sent.filter_map(|(_, frame)| Announcement::read(&frame)).next();
        let Some(Announcement { events, controllers, is_current }) = announced else {
            return Err(machine.failure("its first program says nothing"));
        };
        if !is_current {
            let why = "the kernel's first program is of another version of Windtunnel";
            return Err(format!("{why}: run `windtunnel linux build` again"));
        }
        let mut guest = Self { machine, events, interfaces, began };
        guest.forget_sent();
        let quiet = (0..control)
            .flat_map(|device| QUIET.map(|it| format!("net.ipv6.conf.eth{device}.{it}")));
        let own = quiet.chain(BUFFERS.map(str::to_owned)).map(Command::Sysctl);
        let own: Vec<_> = own.collect();
        let commands: Vec<_> = own.iter().chain(commands).map(Command::frame).collect();
        guest.machine.receive(STARTED, control, commands)?;
        while let Some(time) = guest.machine.next().filter(|it| *it < SET_UP) {
            guest.machine.run(time)?;
        }
        while let Some(event) = guest.next_event()? {
            if let Event::Failed(_, why) = event {
                return Err(why);
            }
        }
        guest.forget_sent();
        Ok((guest, controllers))
    }

    /// The network devices.
    fn network(&mut self) -> &mut [Device] {
        &mut self.machine.devices[..self.interfaces.len()]
    }

    /// What it has sent goes nowhere.
    fn forget_sent(&mut self) {
        self.network().iter_mut().for_each(|it| it.sent.clear());
    }

    /// A time of the simulator's as one of the guest's.
    fn exactly(&self, time: Duration) -> u64 {
        BEGINS + time.saturating_sub(self.began).as_nanos() as u64
    }

    /// The same, but not before the guest has come so far.
    fn inside(&self, time: Duration) -> u64 {
        self.exactly(time).max(self.machine.time())
    }

    fn outside(&self, time: u64) -> Duration {
        self.began + Duration::from_nanos(time.saturating_sub(BEGINS))
    }

    /// IP packets arrive, each at the device that has its address.
    pub(crate) fn receive<'a>(
        &mut self,
        now: Duration,
        packets: impl Iterator<Item = &'a [u8]>,
    ) -> Result<(), String> {
        let mut batches: Vec<(usize, Vec<_>)> = Vec::with_capacity(1);
        for packet in packets {
            let device = self.device_of(packet);
            if batches.last().is_none_or(|it| it.0 != device) {
                batches.push((device, Vec::with_capacity(1)));
            }
            batches.last_mut().into_iter().for_each(|it| it.1.push(frame(device, packet)));
        }
        batches
            .into_iter()
            .try_for_each(|(device, frames)| self.machine.receive(self.inside(now), device, frames))
    }

    /// The device at which a packet arrives: the first if none has its address.
    fn device_of(&self, packet: &[u8]) -> usize {
        let Some(Addresses { destination, .. }) = Addresses::of(packet) else { return 0 };
        self.interfaces.iter().position(|it| it.contains(&destination)).unwrap_or_default()
    }

    /// The first program gets commands.
    pub(crate) fn command(&mut self, now: Duration, commands: &[Command]) -> Result<(), String> {
        let frames = commands.iter().map(Command::frame).collect();
        self.machine.receive(self.inside(now), self.interfaces.len(), frames)
    }

    /// Runs it, if it has something to do by now.
    pub(crate) fn wake(&mut self, now: Duration) -> Result<(), String> {
        let time = self.inside(now);
        match self.machine.next().is_some_and(|it| it <= time) {
            true => self.machine.run(time),
            false => Ok(()),
        }
    }

    /// When it is to be woken or has sent something, if ever.
    pub(crate) fn next_wake(&mut self) -> Option<Duration> {
        let sent = self.network().iter().filter_map(|it| it.sent.front()).map(|it| it.0).min();
        self.machine.next().into_iter().chain(sent).min().map(|it| self.outside(it))
    }

    /// The IP packet that [`Self::take_sent`] takes, if it has sent any by now.
    pub(crate) fn next_sent(&mut self, now: Duration) -> Option<&[u8]> {
        let time = self.exactly(now);
        let is_ip =
            |frame: &[u8]| matches!(frame.get(12..ETHERNET), Some(it) if it == IPV4 || it == IPV6);
        for Device { sent, .. } in self.network() {
            while sent.front().is_some_and(|it| it.0 <= time && !is_ip(&it.1)) {
                sent.pop_front();
            }
        }
        let (_, frame) = self.first_to_send()?.sent.front().filter(|it| it.0 <= time)?;
        Some(&frame[ETHERNET..])
    }

    /// The device whose next frame has left before those of others.
    fn first_to_send(&mut self) -> Option<&mut Device> {
        let all = self.network().iter_mut().filter(|it| !it.sent.is_empty());
        all.min_by_key(|it| it.sent.front().map(|it| it.0))
    }

    /// The next IP packet that it has sent.
    pub(crate) fn take_sent(&mut self) -> Option<Vec<u8>> {
        let (_, mut frame) = self.first_to_send()?.sent.pop_front()?;
        frame.drain(..ETHERNET);
        Some(frame)
    }

    /// The next thing that has happened in it.
    pub(crate) fn next_event(&mut self) -> Result<Option<Event>, String> {
        self.events.next(&self.machine.devices[self.interfaces.len()].memory)
    }
}

/// The address of a device.
fn address(device: usize) -> [u8; 6] {
    [2, 0, 0, 0, 0, 1 + device as u8]
}

/// The frame of an IP packet that arrives at a device.
fn frame(device: usize, packet: &[u8]) -> Vec<u8> {
    let kind = if packet.first().is_some_and(|it| it >> 4 == 6) { IPV6 } else { IPV4 };
    let mut frame = Vec::with_capacity(ETHERNET + packet.len());
    frame.extend(address(device));
    frame.extend(address(device));
    frame.extend(kind);
    frame.extend(packet);
    frame
}
