//! A guest that is ready: its network is set up, and its first program waits for commands.

use std::time::Duration;

use crate::agent::{Announcement, Command, ETHERNET, Event, Events};
use crate::device::{Device, Offer};
use crate::installation::Installation;
use crate::machine::Machine;

/// The devices.
const NETWORK: usize = 0;
const CONTROL: usize = 1;
/// When a guest has started, when its network is set up, and which of its times is that at which the
/// simulator has it begin, in nanoseconds.
const STARTED: u64 = 4_000_000_000;
const SET_UP: u64 = 5_000_000_000;
const BEGINS: u64 = 6_000_000_000;
/// The addresses of its devices.
const ADDRESSES: [[u8; 6]; 2] = [[2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2]];
/// The types of Ethernet frames with packets of both versions of IP.
const IPV4: [u8; 2] = [0x08, 0x00];
const IPV6: [u8; 2] = [0x86, 0xdd];
/// What no host says that has but one peer: no routers are looked for, no address is made up.
const QUIET: [&str; 3] = [
    "net.ipv6.conf.eth0.accept_ra=0",
    "net.ipv6.conf.eth0.router_solicitations=0",
    "net.ipv6.conf.eth0.addr_gen_mode=1",
];

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
    /// When it began.
    began: Duration,
}

impl Guest {
    /// Starts one, which takes no time; the congestion controllers of its kernel, the default first.
    pub(crate) fn start(
        installation: &Installation,
        began: Duration,
        offer: Offer,
        seed: u64,
        commands: &[Command],
    ) -> Result<(Self, Vec<String>), String> {
        let devices = ADDRESSES.map(|it| Device::new(it, offer)).into();
        let parameters = [format!("seed={seed}")];
        let mut machine = Machine::start(installation, devices, &parameters, STARTED)?;
        let sent = machine.devices[CONTROL].sent.drain(..);
        let announced = sent.filter_map(|(_, frame)| Announcement::read(&frame)).next();
        let Some(Announcement { events, controllers, is_current }) = announced else {
            return Err(machine.failure("its first program says nothing"));
        };
        if !is_current {
            let why = "the kernel's first program is of another version of Windtunnel";
            return Err(format!("{why}: run `windtunnel linux build` again"));
        }
        machine.devices[NETWORK].sent.clear();
        let mut guest = Self { machine, events, began };
        let own = QUIET.iter().chain(&BUFFERS).map(|it| Command::Sysctl((*it).to_owned()));
        let own: Vec<_> = own.collect();
        let commands: Vec<_> = own.iter().chain(commands).map(Command::frame).collect();
        guest.machine.receive(STARTED, CONTROL, commands)?;
        while let Some(time) = guest.machine.next().filter(|it| *it < SET_UP) {
            guest.machine.run(time)?;
        }
        while let Some(event) = guest.next_event()? {
            if let Event::Failed(_, why) = event {
                return Err(why);
            }
        }
        guest.machine.devices[NETWORK].sent.clear();
        Ok((guest, controllers))
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

    /// IP packets arrive.
    pub(crate) fn receive<'a>(
        &mut self,
        now: Duration,
        packets: impl Iterator<Item = &'a [u8]>,
    ) -> Result<(), String> {
        let frames = packets.map(|packet| {
            let kind = if packet.first().is_some_and(|it| it >> 4 == 6) { IPV6 } else { IPV4 };
            let mut frame = Vec::with_capacity(ETHERNET + packet.len());
            frame.extend(ADDRESSES[NETWORK]);
            frame.extend(ADDRESSES[NETWORK]);
            frame.extend(kind);
            frame.extend(packet);
            frame
        });
        let frames = frames.collect();
        self.machine.receive(self.inside(now), NETWORK, frames)
    }

    /// The first program gets commands.
    pub(crate) fn command(&mut self, now: Duration, commands: &[Command]) -> Result<(), String> {
        let frames = commands.iter().map(Command::frame).collect();
        self.machine.receive(self.inside(now), CONTROL, frames)
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
    pub(crate) fn next_wake(&self) -> Option<Duration> {
        let sent = self.machine.devices[NETWORK].sent.front().map(|it| it.0);
        self.machine.next().into_iter().chain(sent).min().map(|it| self.outside(it))
    }

    /// The IP packet that [`Self::take_sent`] takes, if it has sent any by now.
    pub(crate) fn next_sent(&mut self, now: Duration) -> Option<&[u8]> {
        let time = self.exactly(now);
        let sent = &mut self.machine.devices[NETWORK].sent;
        let is_ip =
            |frame: &[u8]| matches!(frame.get(12..ETHERNET), Some(it) if it == IPV4 || it == IPV6);
        while sent.front().is_some_and(|it| it.0 <= time && !is_ip(&it.1)) {
            sent.pop_front();
        }
        let (_, frame) = sent.front().filter(|it| it.0 <= time)?;
        Some(&frame[ETHERNET..])
    }

    /// The next IP packet that it has sent.
    pub(crate) fn take_sent(&mut self) -> Option<Vec<u8>> {
        let (_, mut frame) = self.machine.devices[NETWORK].sent.pop_front()?;
        frame.drain(..ETHERNET);
        Some(frame)
    }

    /// The next thing that has happened in it.
    pub(crate) fn next_event(&mut self) -> Result<Option<Event>, String> {
        self.events.next(&self.machine.devices[CONTROL].memory)
    }
}
