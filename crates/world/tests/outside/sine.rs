//! A link whose rate follows a sine, and on which any bit can be received wrong.

use std::f64::consts::TAU;

use windtunnel_engine::{Duration, Random, Rate, Time};
use windtunnel_links::{
    Channel, ChannelMaker, ChannelSetting, ChannelState, Frame, Outcome, PhysicalLayer,
    PhysicalLayerMaker,
};

/// Each direction sends at 1 + sin(2πt / period) / 2 times the rate of its plan.
#[derive(Debug)]
pub(crate) struct Sine {
    pub(crate) period: Duration,
}

#[derive(Clone, Debug)]
struct SineChannel {
    period: Duration,
    rates: [Rate; 2],
}

impl ChannelMaker for Sine {
    fn channel(&self, setting: ChannelSetting<'_>) -> Box<dyn Channel> {
        Box::new(SineChannel { period: self.period, rates: setting.rates })
    }
}

impl Channel for SineChannel {
    fn sample(&mut self, now: Time) -> ChannelState {
        let factor = 1.0 + (TAU * now.as_seconds() / self.period.as_seconds()).sin() / 2.0;
        let scaled = |it: Rate| it.bits_per_second() as f64 * factor;
        let rates = self.rates.map(|it| Rate::from_bits_per_second(scaled(it) as u64));
        let next = Some(now + Duration::from_millis(1));
        ChannelState { rates, next, ..ChannelState::default() }
    }
}

/// A packet is lost if one of its bits is wrong. Up to four packets that directly follow each
/// other are sent with one preamble.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BitErrors {
    pub(crate) probability: f64,
    pub(crate) preamble: Duration,
}

#[derive(Clone, Debug)]
struct BitErrorLayer {
    plan: BitErrors,
    /// The packets of the present transmission.
    packets: u32,
}

impl PhysicalLayerMaker for BitErrors {
    fn layer(&self) -> Box<dyn PhysicalLayer> {
        Box::new(BitErrorLayer { plan: *self, packets: 0 })
    }
}

impl PhysicalLayer for BitErrorLayer {
    fn send(&mut self, frame: &Frame, random: &mut Random) -> Outcome {
        let begins = frame.was_free || self.packets.is_multiple_of(4);
        self.packets = if begins { 1 } else { self.packets + 1 };
        let arrives = (1.0 - self.plan.probability).powf(8.0 * f64::from(frame.size));
        Outcome { attempts: 1, begins, lost: !random.happens(arrives) }
    }

    fn airtime(&self, size: u32, rate: Rate, outcome: Outcome) -> Duration {
        let preamble = if outcome.begins { self.plan.preamble } else { Duration::ZERO };
        preamble + rate.transmission_time(size)
    }
}
