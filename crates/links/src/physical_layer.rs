//! How single packets get across a link.

use std::any::Any;
use std::fmt::Debug;

use dyn_clone::DynClone;
use windtunnel_engine::{Duration, Random, Rate, Time};

use crate::channel::Reception;

/// A packet that a link is to send.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Its bytes, with the link's framing.
    pub size: u32,
    /// How fast the link sends.
    pub rate: Rate,
    /// Whether the link was free; otherwise the packet directly follows another one of
    /// its direction.
    pub was_free: bool,
    /// From when on the link is free for it.
    pub free: Time,
    /// How it is received, if the link's channel says.
    pub reception: Option<Reception>,
}

impl Frame {
    /// How long its bits take.
    #[must_use]
    pub fn transmission_time(&self) -> Duration {
        self.rate.transmission_time(self.size)
    }
}

/// How a packet gets across.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The attempts made, at least one, each of which uses the link.
    pub attempts: u32,
    /// Whether it begins a transmission: a block or an aggregate, with a preamble where
    /// there is one. Otherwise it is part of that of the packet before.
    pub begins: bool,
    /// Whether all attempts failed.
    pub lost: bool,
}

impl Outcome {
    /// One attempt, which succeeds.
    pub const AT_ONCE: Self = Self { attempts: 1, begins: true, lost: false };
}

/// When a packet uses the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// From when on.
    pub starts: Time,
    /// Until when: the next packet starts no earlier.
    pub ends: Time,
    /// When the last attempt to get it across ends.
    pub across: Time,
}

/// What a link's physical layer does to packets: errors by their size, attempts, preambles.
pub trait PhysicalLayer: Debug + DynClone + Send {
    /// Decides how the next packet gets across.
    fn send(&mut self, frame: &Frame, random: &mut Random) -> Outcome;

    /// How long a packet of that outcome uses the link, all attempts together. The rate is
    /// another one if it has changed before the packet was sent.
    fn airtime(&self, size: u32, rate: Rate, outcome: Outcome) -> Duration {
        rate.transmission_time(size) * u64::from(outcome.attempts)
    }

    /// How much later than the end of its airtime and the link's delay it arrives.
    fn delay(&self, _outcome: Outcome) -> Duration {
        Duration::ZERO
    }

    /// Whether a packet under transmission keeps the rate with which it began when the link's
    /// rate changes, because it is sent with one modulation and coding scheme to its end.
    /// Otherwise what is left of it is sent at the new rate.
    fn keeps_its_rate(&self) -> bool {
        false
    }

    /// When the packet that was sent last uses the link, where that is not as soon as the link
    /// is free and for its airtime. Only of layers that decide on departure.
    fn slot(&self) -> Option<Slot> {
        None
    }

    /// Whether the next packet would be part of the same transmission: then a shared medium is
    /// kept for it.
    fn continues(&self) -> bool {
        false
    }
}

dyn_clone::clone_trait_object!(PhysicalLayer);

/// Makes the physical layer of one direction of a link. As it is [`Any`], tests can look
/// at what a plan holds.
pub trait PhysicalLayerMaker: Any + Debug + Send + Sync {
    /// A physical layer that has sent nothing.
    fn layer(&self) -> Box<dyn PhysicalLayer>;

    /// Whether it is asked only when the link is free for a packet, and not when that arrives:
    /// then it sees the channel as it is at that time.
    fn decides_on_departure(&self) -> bool {
        false
    }
}
