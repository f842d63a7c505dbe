//! Files that arrive by a Poisson process, each over a stream of its own.

use std::collections::BTreeMap;

use rand_distr::{Distribution, Exp1};
use windtunnel_engine::{Duration, Random, Time};

use crate::{Application, Before, Completed, Host, Sizes, Stream, file};

/// When files arrive and how large they are, as far as it was drawn. The process is
/// independent of the network: whoever has its random stream sees the same files.
#[derive(Debug)]
struct Process {
    per_second: f64,
    sizes: Sizes,
    random: Random,
    next: Time,
}

impl Process {
    fn new(start: Time, per_second: f64, sizes: Sizes, random: Random) -> Self {
        let mut process = Self { per_second, sizes, random, next: start };
        process.next = process.after(start);
        process
    }

    /// When the file after one that arrived at `time` does.
    fn after(&mut self, time: Time) -> Time {
        let gap: f64 = Exp1.sample(self.random.generator());
        let gap = Duration::from_seconds(gap / self.per_second).unwrap_or(Duration::MAX);
        time + gap.max(Duration::from_picos(1))
    }

    /// The next file: when it arrives, and its size in bytes.
    fn draw(&mut self) -> (Time, u64) {
        let time = self.next;
        let bytes = self.sizes.draw(&mut self.random);
        self.next = self.after(time);
        (time, bytes)
    }
}

/// Sends the files.
#[derive(Debug)]
pub(crate) struct ArrivalsSender {
    process: Process,
    sent: u64,
}

/// Receives them.
#[derive(Debug)]
pub(crate) struct ArrivalsReceiver {
    process: Process,
    drawn: u64,
    /// Files that were drawn and whose streams were not opened yet, by ordinal.
    expected: BTreeMap<u64, (Time, u64)>,
    /// Those under way.
    open: BTreeMap<Stream, (Time, u64)>,
}

/// The two ends of the process.
pub(crate) fn ends(
    start: Time,
    per_second: f64,
    sizes: &Sizes,
    random: &Random,
) -> (ArrivalsSender, ArrivalsReceiver) {
    let process = || Process::new(start, per_second, sizes.clone(), random.clone());
    let sender = ArrivalsSender { process: process(), sent: 0 };
    let (expected, open) = (BTreeMap::new(), BTreeMap::new());
    (sender, ArrivalsReceiver { process: process(), drawn: 0, expected, open })
}

impl Application for ArrivalsSender {
    fn next_wake(&self) -> Time {
        self.process.next
    }

    fn wake(&mut self, _now: Time, host: &mut dyn Host) {
        let (_, bytes) = self.process.draw();
        file::send(host, self.sent, bytes);
        self.sent += 1;
    }
}

impl ArrivalsReceiver {
    fn expect(&mut self, ordinal: u64) -> Option<(Time, u64)> {
        while self.drawn <= ordinal {
            let file = self.process.draw();
            self.expected.insert(self.drawn, file);
            self.drawn += 1;
        }
        self.expected.remove(&ordinal)
    }
}

impl Application for ArrivalsReceiver {
    fn on_open(&mut self, _now: Time, stream: Stream, host: &mut dyn Host) {
        if let Some(file) = self.expect(host.ordinal(stream)) {
            self.open.insert(stream, file);
            host.await_received(stream, file.1);
        }
    }

    fn on_received(&mut self, _now: Time, stream: Stream, host: &mut dyn Host) {
        if let Some((start, bytes)) = self.open.remove(&stream) {
            let number = host.ordinal(stream);
            host.complete(Completed { number, bytes, start, before: Before::Opening });
        }
    }
}
