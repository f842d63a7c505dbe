//! A guest: its process, its calendar and its devices, which is run and interrupted at given times.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::calendar::Calendar;
use crate::device::Device;
use crate::doors::doors;
use crate::installation::Installation;
use crate::process::{FIRST_FILE, Process, told};

/// The memory of a guest, in MiB.
const MEMORY: u32 = 96;
/// A guest that says nothing for so long has hung.
const PATIENCE: Duration = Duration::from_secs(20);
/// For how long data that have left are not reported to a guest that receives nothing, in
/// nanoseconds.
const COALESCING: u64 = 100_000;
/// How far a guest goes on by itself, in nanoseconds: reading its clock costs it 256, and to ask for each
/// of them doubles what a frame costs. What it sends leaves at its exact time; what arrives
/// meanwhile waits for its end.
const AHEAD: u64 = 2_000;

/// A guest, whose times are nanoseconds since it started.
#[derive(Debug)]
pub(crate) struct Machine {
    process: Process,
    calendar: Calendar,
    pub(crate) devices: Vec<Device>,
    /// Frames that arrived while there was no room for them, by device.
    waiting: Vec<VecDeque<Vec<u8>>>,
    /// It has run until then, at the most.
    time: u64,
    /// When it is to be told at the latest that what it sent has left.
    owed: Option<u64>,
}

/// What a machine is waited for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Awaited {
    /// That it waits.
    Idle,
    /// That a device's interrupt is answered.
    Answer(usize),
}

impl Machine {
    /// Starts a guest, with these devices and further parameters of its kernel, and runs it until it
    /// has nothing to do before the time `until`.
    pub(crate) fn start(
        installation: &Installation,
        devices: Vec<Device>,
        parameters: &[String],
        until: u64,
    ) -> Result<Self, String> {
        let unable = |it: io::Error| format!("the kernel cannot be started: {it}");
        let doors = doors(1 + devices.len()).map_err(unable)?;
        let mut all = vec![
            format!("mem={MEMORY}M"),
            format!("initrd=/proc/self/fd/{}", FIRST_FILE + doors.len() as i32),
            format!("time-travel=ext:/proc/self/fd/{FIRST_FILE}"),
        ];
        for place in 1..doors.len() {
            let number = FIRST_FILE + place as i32;
            all.push(format!("virtio_uml.device=/proc/self/fd/{number}:1:{}", place - 1));
        }
        // There is no place where it could leave its name.
        let others =
            ["con=null", "con0=null,fd:1", "loglevel=4", "uml_dir=/proc/self/", "umid=guest"];
        all.extend(others.map(str::to_owned));
        all.extend_from_slice(parameters);
        let files = File::open(&installation.files).map_err(unable)?;
        let (listeners, mut passed): (Vec<_>, Vec<_>) =
            doors.into_iter().map(|it| (it.listener, it.file)).unzip();
        passed.push(files.into());
        let process = Process::start(&installation.kernel, &all, passed).map_err(unable)?;
        let calendar = Calendar::new(until).map_err(unable)?;
        let waiting = devices.iter().map(|_| VecDeque::new()).collect();
        let mut machine = Self { process, calendar, devices, waiting, time: until, owed: None };
        machine.serve(Awaited::Idle, &listeners)?;
        Ok(machine)
    }

    /// The earliest time at which it can be run or interrupted.
    pub(crate) fn time(&self) -> u64 {
        self.time
    }

    /// When it is to be run next, if ever.
    pub(crate) fn next(&self) -> Option<u64> {
        self.calendar.requested().into_iter().chain(self.owed).min().map(|it| it.max(self.time))
    }

    /// Runs it, from a time that is not before [`Self::time`] until it waits.
    pub(crate) fn run(&mut self, time: u64) -> Result<(), String> {
        if self.owed.is_some_and(|it| it <= time) {
            return self.receive(time, 0, Vec::new());
        }
        self.catch_up(time)
    }

    /// Runs it at each time at which it wants to, until it has nothing to do by this time.
    fn catch_up(&mut self, until: u64) -> Result<(), String> {
        while let Some(time) = self.calendar.requested().filter(|it| *it <= until) {
            let end = time + AHEAD;
            self.calendar.run(time, end).map_err(|it| self.broken(&it))?;
            self.serve(Awaited::Idle, &[])?;
            self.time = end;
        }
        self.time = self.time.max(until);
        let owes = self.devices.iter().any(Device::owes_for_data);
        self.owed = owes.then(|| self.owed.unwrap_or(until + COALESCING));
        Ok(())
    }

    /// These frames arrive at a device at a time that is not before [`Self::time`]; it runs until
    /// it waits.
    pub(crate) fn receive(
        &mut self,
        time: u64,
        device: usize,
        frames: Vec<Vec<u8>>,
    ) -> Result<(), String> {
        self.catch_up(time)?;
        self.waiting[device].extend(frames);
        loop {
            // What there was no room for comes once it has taken the others in, which takes it time.
            let time = time.max(self.time);
            let mut has_received = false;
            while let Some(frame) = self.waiting[device].front()
                && self.devices[device].offer(frame)?
            {
                self.waiting[device].pop_front();
                has_received = true;
            }
            self.calendar.set_now(time);
            for place in 0..self.devices.len() {
                if self.devices[place].interrupt(has_received && place == device)? {
                    self.serve(Awaited::Answer(place), &[])?;
                }
            }
            self.owed = None;
            self.catch_up(time)?;
            if self.waiting[device].is_empty() {
                return Ok(());
            }
            if !has_received {
                return Err(self.failure("it takes no more frames"));
            }
        }
    }

    /// Does what it asks for until what is awaited has happened. `listeners` are those of the
    /// calendar and of the devices, as long as these are not connected.
    fn serve(&mut self, awaited: Awaited, listeners: &[UnixListener]) -> Result<(), String> {
        let begun = Instant::now();
        loop {
            let ready = self.poll(awaited, listeners)?;
            let count = 1 + self.devices.len();
            if begun.elapsed() >= PATIENCE {
                let seconds = PATIENCE.as_secs();
                return Err(self.failure(&format!("it has not answered for {seconds} s")));
            }
            for place in ready {
                match place {
                    0 if self.calendar.socket.is_none() => {
                        let accepted = listeners[0].accept().map_err(|it| self.broken(&it))?;
                        self.calendar.socket = Some(accepted.0);
                    }
                    0 => {
                        let waits = self.calendar.receive().map_err(|it| self.broken(&it))?;
                        if waits && awaited == Awaited::Idle {
                            return Ok(());
                        }
                    }
                    it if it < count && self.devices[it - 1].socket.is_none() => {
                        let accepted = listeners[it].accept().map_err(|it| self.broken(&it))?;
                        self.devices[it - 1].socket = Some(accepted.0);
                    }
                    it if it < count => {
                        let now = self.calendar.now();
                        self.devices[it - 1].receive(now).map_err(|it| self.failure(&it))?;
                    }
                    it if it == count => {
                        self.process.listen();
                        if self.process.has_ended() {
                            return Err(self.failure("it has stopped"));
                        }
                    }
                    _ => {
                        let Awaited::Answer(device) = awaited else { continue };
                        let answered = self.devices[device].take_answer();
                        return answered.map_err(|it| self.failure(&it));
                    }
                }
            }
        }
    }

    /// Waits until there is something to do; which of these has it: the calendar, the devices, the
    /// console, and the interrupts of the device whose answer is awaited.
    fn poll(&self, awaited: Awaited, listeners: &[UnixListener]) -> Result<Vec<usize>, String> {
        let mut files = Vec::with_capacity(8);
        let mut places = Vec::with_capacity(8);
        let sockets =
            [&self.calendar.socket].into_iter().chain(self.devices.iter().map(|it| &it.socket));
        for (place, socket) in sockets.enumerate() {
            let file = match (socket, listeners.get(place)) {
                (Some(socket), _) => socket.as_fd(),
                (None, Some(listener)) => listener.as_fd(),
                (None, None) => continue,
            };
            places.push(place);
            files.push(PollFd::new(file, PollFlags::POLLIN));
        }
        let count = 1 + self.devices.len();
        places.push(count);
        files.push(PollFd::new(self.process.console.as_fd(), PollFlags::POLLIN));
        if let Awaited::Answer(device) = awaited
            && let Some(calls) = &self.devices[device].calls
        {
            places.push(count + 1);
            files.push(PollFd::new(calls.as_fd(), PollFlags::POLLIN));
        }
        let timeout = PollTimeout::try_from(PATIENCE).unwrap_or(PollTimeout::MAX);
        match poll(&mut files, timeout) {
            Err(nix::errno::Errno::EINTR) => return Ok(Vec::new()),
            other => other.map_err(|it| format!("the guest cannot be waited for: {it}"))?,
        };
        let ready = files.iter().zip(places).filter(|(it, _)| it.any().unwrap_or(true));
        Ok(ready.map(|it| it.1).collect())
    }

    fn broken(&mut self, error: &io::Error) -> String {
        self.failure(&told(error))
    }

    /// Ends it, and says why with the last lines of its console.
    pub(crate) fn failure(&mut self, why: &str) -> String {
        self.process.kill();
        let lines = self.process.last_lines();
        match lines.is_empty() {
            true => format!("the Linux kernel: {why}"),
            false => format!("the Linux kernel: {why}; its last lines: {lines}"),
        }
    }
}
