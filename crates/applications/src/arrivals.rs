//! Files that arrive by a Poisson process, each over a stream of its own.

use std::collections::BTreeMap;

use rand_distr::{Distribution, Exp1};
use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Random, Time};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_reading::units::{Load, Measured, PerSecond};

use crate::keys::{Keys, WorkloadContext};
use crate::sizes::SizesOfFiles;
use crate::{Application, Before, Behaviour, Completed, Host, Maker, Setting, Sizes, Stream, file};

/// Files that arrive by a Poisson process, each over a stream of its own.
#[derive(Clone, Debug)]
pub struct ArrivalsSettings {
    /// The mean number of arrivals in a second.
    pub per_second: f64,
    /// How large the files are.
    pub sizes: Sizes,
}

impl Maker for ArrivalsSettings {
    fn applications(&self, setting: &Setting) -> [Box<dyn Application>; 2] {
        let process = || Process::new(setting.start, self.clone(), setting.random.clone());
        [Box::new(ArrivalsSender::new(process())), Box::new(ArrivalsReceiver::new(process()))]
    }

    fn behaviour(&self) -> Behaviour {
        Behaviour { many_streams: true, transfers: true, random: true, ..Behaviour::STEADY }
    }
}

/// When files arrive and how large they are, as far as it was drawn. The process is
/// independent of the network: whoever has its random stream sees the same files.
#[derive(Clone, Debug)]
struct Process {
    settings: ArrivalsSettings,
    random: Random,
    next: Time,
}

impl Process {
    fn new(start: Time, settings: ArrivalsSettings, random: Random) -> Self {
        let mut process = Self { settings, random, next: start };
        process.next = process.after(start);
        process
    }

    /// When the file after one that arrived at `time` does.
    fn after(&mut self, time: Time) -> Time {
        let gap: f64 = Exp1.sample(self.random.generator());
        let gap = Duration::from_seconds(gap / self.settings.per_second).unwrap_or(Duration::MAX);
        time + gap.max(Duration::from_picos(1))
    }

    /// The next file: when it arrives, and its size in bytes.
    fn draw(&mut self) -> (Time, u64) {
        let time = self.next;
        let bytes = self.settings.sizes.draw(&mut self.random);
        self.next = self.after(time);
        (time, bytes)
    }
}

/// Sends the files.
#[derive(Clone, Debug)]
struct ArrivalsSender {
    process: Process,
    sent: u64,
}

/// Receives them.
#[derive(Clone, Debug)]
struct ArrivalsReceiver {
    process: Process,
    drawn: u64,
    /// Files that were drawn and whose streams were not opened yet, by ordinal.
    expected: BTreeMap<u64, (Time, u64)>,
    /// Those under way.
    open: BTreeMap<Stream, (Time, u64)>,
}

impl ArrivalsSender {
    fn new(process: Process) -> Self {
        Self { process, sent: 0 }
    }
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
    fn new(process: Process) -> Self {
        Self { process, drawn: 0, expected: BTreeMap::new(), open: BTreeMap::new() }
    }

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

/// Files that arrive by a Poisson process, each over a connection of its own. `load` or
/// `rate` is required.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArrivalsKeys {
    /// How large the files are: a size for all; `web-search` or `data-mining` for those
    /// distributions; or points of a distribution function, each a size and the
    /// probability of no more, such as
    /// `[["1 kB", "0 %"], ["10 kB", "60 %"], ["1 MB", "100 %"]]`, with straight lines between
    /// them: between two points of one probability no size lies, and two points of one size
    /// are as many files of exactly that size. Or such points in a file:
    /// `{ file = "sizes.txt" }`.
    sizes: Located<SizesOfFiles>,
    /// The share of the rate of the narrowest link on the path that their segments with
    /// data fill on average, headers included; this or `rate`. With a radio or a trace
    /// of rates that is the greatest rate, with a trace of opportunities the mean one. Above 100 %,
    /// to 1000 %, ever more files are under way at a time.
    load: Option<Located<Measured<Load>>>,
    /// How many arrive on average; this or `load`.
    rate: Option<Located<Measured<PerSecond>>>,
}

impl Keys for ArrivalsKeys {
    type Workload = ArrivalsSettings;

    fn workload(&self, context: &mut WorkloadContext<'_, '_>) -> Result<ArrivalsSettings, Mistake> {
        let sizes = SizesOfFiles::plan(&self.sizes, "sizes", context.files)?;
        let rate = match (&self.rate, &self.load) {
            (Some(rate), None) => Located { value: rate.value.0.0, span: rate.span.clone() },
            (None, Some(load)) => {
                let segments = sizes.mean_segments(context.maximum_segment);
                let full = (context.at_full_load)(sizes.mean(), segments);
                Located { value: load.value.0.0 * full, span: load.span.clone() }
            }
            (None, None) => {
                return Err(self
                    .sizes
                    .mistake("arrivals require `load` or `rate`")
                    .help("write load = \"80 %\" or rate = \"100 per second\""));
            }
            (Some(_), Some(load)) => {
                let message = "`rate` and `load` cannot both be set";
                return Err(load.mistake(message).help("write one of them"));
            }
        };
        let zero = || "`rate` or `load` must be greater than zero".to_owned();
        rate.checked(|it| *it > 0.0, zero, "write a greater `load` or `rate`")?;
        Ok(ArrivalsSettings { per_second: rate.value, sizes })
    }
}
