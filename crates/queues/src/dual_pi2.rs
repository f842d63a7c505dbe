//! DualPI2: two coupled queues, for scalable and for classic congestion control.
//!
//! Source: RFC 9332, sections 2.4 and 2.5 and appendix A. Packets with ECT(1) or CE
//! wait in the low-latency queue, all others in the classic one. Every `update` a
//! proportional integral controller moves one base probability `p'` by the longer
//! of the two queues' delays. A classic packet is chosen with `p'^2`, and marked if
//! it can be, or dropped. A low-latency packet is marked with the larger of `k p'`
//! (the coupling) and what a ramp of its own sojourn time says, the latter only
//! where another packet waits behind it.
//!
//! Overload: once `k p'` reaches certainty, marks alone do not help any more: all
//! packets that were chosen with `p'^2` are dropped, of either queue. Where `k` is below 1,
//! classic ones are once `p'` does (`p_Cmax = min(1 / k^2, 1)`).
//!
//! The low-latency queue goes first, but while packets wait in both, the classic
//! one gets its share of the bytes. Packets are chosen independently at random.
//! Updates are caught up with when a packet comes or goes, each at its own instant.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Random, Time};
use windtunnel_packets::{Ecn, FlowKey};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_reading::timers::above_zero;
use windtunnel_reading::units::{
    Frequency, Measured, Share, microseconds, millihertz, milliseconds, percent,
};

use crate::backlog::{Backlog, QueueLimit};
use crate::description::{Configured, QueueDescription};
use crate::fifo::Fifo;
use crate::keys::{Keys, alpha, packets, update};
use crate::queue::{Queue, Waiting};
use crate::ramp::{self, Ramp};
use crate::verdict::Verdict;

pub(super) const DESCRIPTION: QueueDescription = QueueDescription {
    name: "dualpi2",
    meaning: "two coupled queues: L4S with a shallow one, all others with PI squared",
    source: "RFC 9332",
    shapes: false,
    is_random: true,
};

/// The settings of the two queues.
#[derive(Clone, Debug)]
pub struct DualPi2Settings {
    /// The queueing delay to hold in the classic queue; 15 ms by default.
    pub target: Duration,
    /// How often the base probability moves; 16 ms by default.
    pub update: Duration,
    /// How much by the excess of the delay, in 1/s; 0.16 by default.
    pub alpha: f64,
    /// How much by the growth of the delay, in 1/s; 3.2 by default.
    pub beta: f64,
    /// The coupling factor `k`; 2 by default.
    pub coupling: f64,
    /// How likely a low-latency packet is marked by its own sojourn; a step at
    /// 1 ms by default.
    pub ramp: Ramp,
    /// The share of the link that the classic queue gets while packets wait in
    /// both; 10 % by default.
    pub classic_share: f64,
}

/// The two queues.
#[derive(Clone, Debug)]
pub struct DualPi2 {
    settings: DualPi2Settings,
    random: Random,
    low_latency: Fifo,
    classic: Fifo,
    /// The base probability `p'`.
    base: f64,
    delay: Duration,
    next: Time,
    /// Bytes that the classic queue may send, because the other one sent.
    credit: f64,
}

impl DualPi2 {
    /// Two empty queues, with their own random stream.
    #[must_use]
    pub fn new(settings: DualPi2Settings, random: Random) -> Self {
        Self {
            random,
            low_latency: Fifo::default(),
            classic: Fifo::default(),
            base: 0.0,
            delay: Duration::ZERO,
            next: Time::ZERO + settings.update,
            credit: 0.0,
            settings,
        }
    }

    /// The probability `p_C` for classic packets.
    #[must_use]
    pub fn classic_probability(&self) -> f64 {
        self.base * self.base
    }

    /// The probability `p_CL` for low-latency packets that comes from the other
    /// queue.
    #[must_use]
    pub fn coupled_probability(&self) -> f64 {
        (self.settings.coupling * self.base).min(1.0)
    }

    /// Does the updates that are due; since the last call no packet came or went.
    fn catch_up(&mut self, now: Time) {
        while self.next <= now {
            let heads = [self.low_latency.head(), self.classic.head()];
            let delays = heads.into_iter().flatten().map(|it| self.next.since(it.arrived));
            let delay = delays.max();
            self.update(delay.unwrap_or(Duration::ZERO));
            if delay.is_none() && self.base == 0.0 {
                let updates = now.since(self.next).as_picos() / self.settings.update.as_picos();
                self.next += self.settings.update * updates;
            }
            self.next += self.settings.update;
        }
    }

    fn update(&mut self, delay: Duration) {
        let DualPi2Settings { target, alpha, beta, .. } = self.settings;
        let error = delay.as_seconds() - target.as_seconds();
        let growth = delay.as_seconds() - self.delay.as_seconds();
        self.base = (self.base + alpha * error + beta * growth).clamp(0.0, 1.0);
        self.delay = delay;
    }

    /// Takes out the packet whose turn it is, and whether it is a classic one.
    fn next_packet(&mut self) -> Option<(Waiting, bool)> {
        let share = self.settings.classic_share;
        let both = self.low_latency.head().is_some() && self.classic.head().is_some();
        if !both {
            self.credit = 0.0;
            let low_latency = self.low_latency.pop().map(|it| (it, false));
            return low_latency.or_else(|| self.classic.pop().map(|it| (it, true)));
        }
        let classic = self.credit > 0.0;
        let queue = if classic { &mut self.classic } else { &mut self.low_latency };
        let packet = queue.pop()?;
        let bytes = f64::from(packet.size);
        self.credit += if classic { (share - 1.0) * bytes } else { share * bytes };
        Some((packet, classic))
    }

    fn judge_classic(&mut self) -> Verdict {
        if !self.random.happens(self.classic_probability()) {
            Verdict::Pass
        } else if self.coupled_probability() >= 1.0 || self.base >= 1.0 {
            Verdict::Drop
        } else {
            Verdict::Mark
        }
    }

    fn judge_low_latency(&mut self, sojourn: Duration) -> Verdict {
        let coupled = self.coupled_probability();
        if coupled >= 1.0 && self.random.happens(self.classic_probability()) {
            return Verdict::Drop;
        }
        let native = match self.low_latency.head() {
            Some(_) => self.settings.ramp.probability(sojourn),
            None => 0.0,
        };
        if self.random.happens(coupled.max(native)) { Verdict::Mark } else { Verdict::Pass }
    }
}

impl Configured for DualPi2 {
    type Keys = DualPi2Keys;
    type Settings = DualPi2Settings;

    fn marks(_settings: &Self::Settings) -> bool {
        true
    }

    fn start(settings: Self::Settings, random: Random) -> Self {
        Self::new(settings, random)
    }
}

impl Queue for DualPi2 {
    fn push(&mut self, waiting: Waiting, _flow: FlowKey) {
        self.catch_up(waiting.arrived);
        match waiting.ecn {
            Ecn::Scalable | Ecn::Congestion => self.low_latency.push(waiting),
            Ecn::Capable | Ecn::NotCapable => self.classic.push(waiting),
        }
    }

    fn pop(&mut self, now: Time) -> Option<(Waiting, Verdict)> {
        self.catch_up(now);
        let (packet, classic) = self.next_packet()?;
        let verdict = if classic {
            self.judge_classic()
        } else {
            self.judge_low_latency(now.since(packet.arrived))
        };
        Some((packet, verdict.on(packet.ecn)))
    }

    fn backlog(&self) -> Backlog {
        let (first, second) = (self.low_latency.backlog(), self.classic.backlog());
        Backlog { packets: first.packets + second.packets, bytes: first.bytes + second.bytes }
    }

    /// Each of the two keeps what room the other one leaves it, the low-latency one first.
    fn shed(&mut self, limit: QueueLimit, drop: &mut dyn FnMut(Waiting)) {
        self.low_latency.shed(limit, drop);
        self.classic.shed(limit.beside(self.low_latency.backlog()), drop);
    }
}

/// Two coupled queues, for L4S and for all others (RFC 9332). The low-latency queue
/// marks from a step on, or on a ramp.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DualPi2Keys {
    /// How much may wait in both queues together.
    #[serde(default = "packets::<10_000>")]
    limit: Measured<QueueLimit>,
    /// The queueing delay to hold in the classic queue.
    #[serde(default = "milliseconds::<15>")]
    target: Located<Measured<Duration>>,
    /// How often the probability is updated.
    #[serde(default = "milliseconds::<16>")]
    update: Located<Measured<Duration>>,
    /// How much the probability changes with the excess of the delay.
    #[serde(default = "millihertz::<160>")]
    alpha: Located<Measured<Frequency>>,
    /// How much it changes with the growth of the delay.
    #[serde(default = "millihertz::<3200>")]
    beta: Located<Measured<Frequency>>,
    /// The coupling factor between the two queues.
    #[serde(default = "coupling")]
    coupling: Located<f64>,
    /// The classic queue's share of the link while packets wait in both.
    #[serde(default = "percent::<10>")]
    classic_share: Measured<Share>,
    /// The sojourn time in the low-latency queue above which every packet is marked;
    /// default: 1 ms, without a ramp.
    step: Option<Measured<Duration>>,
    /// In place of a step: the sojourn time from which some packets are marked;
    /// default: 0.8 ms, with `ramp_end`.
    ramp_start: Option<Located<Measured<Duration>>>,
    /// In place of a step: the sojourn time from which all packets are marked;
    /// default: 1.2 ms, with `ramp_start`.
    ramp_end: Option<Located<Measured<Duration>>>,
}

fn coupling() -> Located<f64> {
    2.0.into()
}

impl Keys for DualPi2Keys {
    type Settings = DualPi2Settings;

    fn limit(&self) -> QueueLimit {
        self.limit.0
    }

    fn settings(&self) -> Result<DualPi2Settings, Mistake> {
        self.coupling.checked(
            |it| *it > 0.0 && it.is_finite(),
            || "`coupling` must be greater than zero".to_owned(),
            "write one such as coupling = 2",
        )?;
        Ok(DualPi2Settings {
            target: above_zero(&self.target, "target")?,
            update: update(&self.update)?,
            alpha: alpha(&self.alpha)?,
            beta: self.beta.value.0.0,
            coupling: self.coupling.value,
            ramp: self.step_or_ramp()?,
            classic_share: self.classic_share.0.0,
        })
    }
}

impl DualPi2Keys {
    fn step_or_ramp(&self) -> Result<Ramp, Mistake> {
        let of_ramp = self.ramp_start.as_ref().or(self.ramp_end.as_ref());
        match (self.step, of_ramp) {
            (step, None) => Ok(Ramp::step(step.map_or(Duration::from_millis(1), |it| it.0))),
            (Some(_), Some(of_ramp)) => Err(Mistake::new("`step` and a ramp cannot both be set")
                .at(of_ramp.span.clone())
                .help("write step, or ramp_start and ramp_end")),
            (None, Some(_)) => {
                let defaults = [microseconds::<800>(), microseconds::<1200>()];
                ramp::between([&self.ramp_start, &self.ramp_end], defaults)
            }
        }
    }
}
