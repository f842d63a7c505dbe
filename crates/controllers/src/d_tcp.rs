//! D-TCP: one flow that behaves like as many as the bandwidth allows.
//!
//! Source: Kanagarathinam et al., "NexGen D-TCP: next generation dynamic TCP
//! congestion control algorithm", IEEE Access 8, 2020, section III.
//!
//! - bandwidth (1): `b = d / t`, the segments that an acknowledgement delivers over
//!   the time since the one before. The paper plots its filter for that series, so
//!   no other delivery rate is used here
//! - filtered (4): `f = kappa f' + (1 - kappa) (b + b') / 2`, `kappa = 0.9`, where a
//!   dash marks the value before
//! - estimate (6, 7): `e = f + g ((b - f) + s)`, `g = 0.5`; `s` is zero unless the
//!   flag `sinr` is set, and then the channel's excess over its average,
//!   `s = C(SINR) - C(SINR_A)` with `C(x) = B log2(1 + 10^(x/10))`
//! - once per epoch of 0.5 s, from (10) and (11):
//!   `n = max(1, n + 1 - n (e - b) / (alpha e))`, `alpha = 0.2`
//!
//! - slow start: `w += 1` for each segment, from twice the initial window
//! - avoidance (14): `w += n/w` for each segment
//! - congestion (15, 16): `w = ssthresh = (1 - y) w`, `y = eta / ((2 eta - 1) n + 1)`, with
//!   `eta = 2` in the paper's trials, and then `2 / (3 n + 1)`
//! - timeout: `ssthresh = (1 - y) w`, `w` is twice the initial window, `n = 1`
//!
//! The paper contradicts itself; `reading` selects an interpretation:
//!
//! - (2) and (4) feed back the raw bandwidth where a Tustin filter feeds back the
//!   filtered one, and (5), 0.9 and 0.1 of two raw ones, does not follow from (4)
//! - if the estimate is an average, the mean of `e - b` is zero, so that `n`
//!   grows without bound and (13) divides by zero. It has to be an upper envelope:
//!   by default the largest of the last ten round trips
//! - (12) multiplies by the window where (10) and (11) together give `n`, and only
//!   with `n` follow (13) and the throughput (27)
//! - algorithm 1 raises `n` on both sides of the estimate, doubling it below, and
//!   lowers it on a timeout only: nothing limits it, hence `most-flows`
//! - its reset sets `n = 1`, and not the previous value that `n` is raised by next:
//!   with `keep-previous`, as printed, one epoch after a timeout brings the flows back;
//!   else the previous value is 1 as well
//! - it does not specify what a timeout does to the threshold (by default (15);
//!   `literal-alg1` leaves it), nor how long an epoch is (`g` "is set as 0.5 to match
//!   with the epoch timer"). Its first threshold, 65535, has no unit: the transport sets
//!   it ([`Start::initial_ssthresh`])
//! - it rounds `3 n` up, which changes nothing where it applies: `n` is whole there
//! - (6) adds a difference of SINR, in decibels, to one of bandwidths. The default uses
//!   the capacities by Shannon's equation, to which the paper refers; both literal
//!   readings add the decibels as printed, to segments per second, since the paper
//!   gives no unit. `SINR_A` is the mean of the decibels of all reports that
//!   acknowledgements carried, each counted once: the paper does not specify the average
//! - in (10) to (13) unused bandwidth is taken for a queue, so that
//!   a channel better than its average lowers `n` and a worse one raises it. Only
//!   algorithm 1 uses the term as the paper's text describes it

use core::f64::consts::LN_2;

use libm::{exp10, floor, log1p};

use crate::virtual_flows::{Epoch, VirtualFlows};
use crate::windowed::WindowedMaximum;
use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Nanoseconds, Need, Parameter,
    RadioReport, Settings, Signal, Start, Window, seconds,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "d-tcp",
    title: "D-TCP",
    source: "Kanagarathinam et al., IEEE Access 8, 2020, section III",
    status: "checked against its laws (13) and (27); its equations conflict, see `reading`",
    needs: &[],
    parameters: &[
        Parameter {
            name: "reading",
            meaning: "how the number of virtual flows depends on the bandwidth",
            kind: Kind::Choice(&[
                ("envelope", "equation 10, with the largest estimate of ten round trips"),
                ("literal-alg1", "algorithm 1 as printed: the number rises until a timeout"),
                ("literal-eq12", "equations 5, 7 and 12 as printed"),
            ]),
        },
        Parameter {
            name: "alpha",
            meaning: "the fraction of the bandwidth that may be unused per virtual flow",
            kind: Kind::Number { default: 0.2, minimum: 0.001, maximum: 1.0 },
        },
        Parameter {
            name: "most-flows",
            meaning: "the maximum number of virtual flows (an integer) of `literal-alg1`",
            kind: Kind::Number { default: 64.0, minimum: 1.0, maximum: 1e6 },
        },
        Parameter {
            name: "keep-previous",
            meaning: "whether a timeout leaves the previous number of virtual flows as it was, \
                      by which `literal-alg1` raises the number next (prenValue)",
            kind: Kind::Flag { default: false, needs: &[] },
        },
        Parameter {
            name: "eta",
            meaning: "the convergence factor of equation 16",
            kind: Kind::Number { default: 2.0, minimum: 1.0, maximum: 1000.0 },
        },
        Parameter {
            name: "sinr",
            meaning: "equation 6's term: how much better the channel is than on average; requires \
                      a radio's SINR",
            kind: Kind::Flag { default: false, needs: &[Need::Sinr] },
        },
    ],
};

const KAPPA: f64 = 0.9;
const G: f64 = 0.5;
const EPOCH: Nanoseconds = 500_000_000;
/// Round trips for which the envelope keeps an estimate.
const MEMORY: u64 = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    Envelope,
    LiteralAlgorithm1,
    LiteralEquation12,
}

/// D-TCP.
#[derive(Clone, Debug)]
pub struct DTcp {
    flows: VirtualFlows,
    reading: Reading,
    alpha: f64,
    most_flows: f64,
    eta: f64,
    /// Algorithm 1's `prenValue`.
    previous: f64,
    keeps_previous: bool,
    epoch: Epoch,
    bandwidth: Bandwidth,
    /// What the radio reports, if requested.
    channel: Option<Channel>,
}

/// The channel relative to its average.
#[derive(Clone, Debug, Default)]
struct Channel {
    /// When the latest report was received.
    received: Option<Nanoseconds>,
    /// How many there were.
    reports: f64,
    /// The mean of their SINR, in decibels.
    average: f64,
    /// Equation 6's term, in segments per second.
    surplus: f64,
}

impl Channel {
    fn on_report(&mut self, report: &RadioReport, reading: Reading) {
        if self.received == Some(report.received) {
            return;
        }
        self.received = Some(report.received);
        self.reports += 1.0;
        self.average += (report.sinr - self.average) / self.reports;
        self.surplus = if reading == Reading::Envelope {
            report.bandwidth * (efficiency(report.sinr) - efficiency(self.average))
        } else {
            report.sinr - self.average
        };
    }
}

/// Shannon's capacity at an SINR in decibels, in bits per second and hertz.
fn efficiency(sinr: f64) -> f64 {
    log1p(exp10(sinr / 10.0)) / LN_2
}

/// The measured bandwidth and what is derived from it, in segments per second.
#[derive(Clone, Debug, Default)]
struct Bandwidth {
    /// When something was last delivered.
    since: Option<Nanoseconds>,
    /// Delivered since then: several acknowledgements arrived at the same time.
    delivered: f64,
    /// The latest sample, `b`.
    current: f64,
    /// The filtered value, `f`.
    filtered: f64,
    /// The bandwidth taken as available, `e`.
    estimate: f64,
    largest: WindowedMaximum,
}

impl Bandwidth {
    /// `surplus` is equation 6's term.
    fn observe(&mut self, acknowledgement: &Acknowledgement, surplus: f64, reading: Reading) {
        let now = acknowledgement.now;
        if acknowledgement.delivered <= 0.0 {
            return;
        }
        let Some(since) = self.since else {
            self.since = Some(now);
            return;
        };
        self.delivered += acknowledgement.delivered;
        if now > since {
            let sample = self.delivered / seconds(now - since);
            self.filter(sample, surplus, reading);
            self.since = Some(now);
            self.delivered = 0.0;
        }
        if reading == Reading::Envelope {
            let memory = MEMORY.saturating_mul(acknowledgement.smoothed_rtt.unwrap_or(0));
            self.largest.update(now, self.estimate, memory);
        }
    }

    /// Equations 4 or 5, 6 and 7; the first sample is its own predecessor.
    fn filter(&mut self, sample: f64, surplus: f64, reading: Reading) {
        let first = self.current == 0.0;
        let before = if first { sample } else { self.current };
        let filtered = if first { sample } else { self.filtered };
        self.filtered = if reading == Reading::Envelope {
            KAPPA * filtered + (1.0 - KAPPA) * (sample + before) / 2.0
        } else {
            KAPPA * before + (1.0 - KAPPA) * sample
        };
        self.current = sample;
        self.estimate = self.filtered + G * (sample - self.filtered + surplus);
    }

    /// The fraction of the available bandwidth that is unused now, as this reading
    /// defines available; negative if more is used.
    fn unused(&self) -> f64 {
        let available = self.largest.get().unwrap_or(self.estimate);
        if available > 0.0 { 1.0 - self.current / available } else { 0.0 }
    }
}

impl DTcp {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        let twice = (2.0 * start.initial_window).max(start.minimum_window);
        let start = Start { initial_window: twice, restart_window: twice, ..start };
        Self {
            flows: VirtualFlows::new(start),
            reading: match settings.choice("reading") {
                "literal-alg1" => Reading::LiteralAlgorithm1,
                "literal-eq12" => Reading::LiteralEquation12,
                _ => Reading::Envelope,
            },
            alpha: settings.number("alpha"),
            most_flows: floor(settings.number("most-flows")),
            eta: settings.number("eta"),
            previous: 1.0,
            keeps_previous: settings.flag("keep-previous"),
            epoch: Epoch::default(),
            bandwidth: Bandwidth::default(),
            channel: settings.flag("sinr").then(Channel::default),
        }
    }

    /// Equation 6's term.
    fn surplus(&mut self, report: Option<&RadioReport>) -> f64 {
        let Some(channel) = &mut self.channel else { return 0.0 };
        if let Some(report) = report {
            channel.on_report(report, self.reading);
        }
        channel.surplus
    }

    fn adapt(&mut self) {
        let unused = self.bandwidth.unused();
        match self.reading {
            Reading::Envelope => self.flows.adapt(self.flows.count * unused / self.alpha),
            Reading::LiteralEquation12 => {
                self.flows.adapt(self.flows.window.cwnd() * unused / self.alpha);
            }
            Reading::LiteralAlgorithm1 => self.rise(unused),
        }
    }

    /// Lines 17 to 25 of algorithm 1.
    fn rise(&mut self, unused: f64) {
        let more = if unused > 0.0 {
            self.previous
        } else if unused < 0.0 {
            1.0
        } else {
            0.0
        };
        self.flows.count = (self.flows.count + more).min(self.most_flows);
        if more > 0.0 {
            self.previous = self.flows.count;
        }
    }

    /// The window after congestion, by equations 15 and 16.
    fn kept(&self) -> f64 {
        let decrease = self.eta / ((2.0 * self.eta - 1.0) * self.flows.count + 1.0);
        self.flows.window.cwnd() * (1.0 - decrease)
    }

    fn start_again(&mut self, now: Nanoseconds, kept: f64) {
        let window = &mut self.flows.window;
        let keeps_threshold = self.reading == Reading::LiteralAlgorithm1;
        window.restart(if keeps_threshold { window.ssthresh() } else { kept });
        self.flows.count = 1.0;
        if !self.keeps_previous {
            self.previous = 1.0;
        }
        self.epoch.begin(now);
    }
}

impl Controller for DTcp {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        let surplus = self.surplus(acknowledgement.radio.as_ref());
        self.bandwidth.observe(acknowledgement, surplus, self.reading);
        if self.epoch.ended(acknowledgement.now, EPOCH) {
            self.adapt();
        }
        self.flows.acknowledge(acknowledgement.acknowledged);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let kept = self.kept();
        if congestion.signal == Signal::Timeout {
            self.start_again(congestion.now, kept);
        } else {
            self.flows.window.reduce_to(kept);
        }
    }

    fn on_spurious(&mut self, before: &Self) {
        self.window_mut().restore(before.window());
        self.flows.count = before.flows.count;
        self.previous = before.previous;
        self.epoch = before.epoch;
    }

    fn window(&self) -> &Window {
        &self.flows.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.flows.window
    }
}
