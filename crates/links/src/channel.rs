//! What a link does in the course of time.

use std::any::Any;
use std::fmt::Debug;

use dyn_clone::DynClone;
use windtunnel_engine::{Duration, Rate, Streams, Time};

use crate::budget::LinkBudget;
use crate::fixed_wireless::mcs::SCHEMES;
use crate::fixed_wireless::{Mcs, PatternCurve};
use crate::radio::map::{Map, Point};

/// How fast a link sends in the course of time.
pub trait Channel: Debug + DynClone + Send {
    /// Which directions have had packets to send since the last sample; said before each.
    fn on_traffic(&mut self, _has: [bool; 2]) {}

    /// The link at `now`, which is not before the time of the last call. It stays so until
    /// the next one.
    fn sample(&mut self, now: Time) -> ChannelState;
}

dyn_clone::clone_trait_object!(Channel);

/// A link at one time. A pair is for what the link's first node sends, and for what its
/// second node sends.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChannelState {
    /// How fast each direction sends; none: nothing is sent, what waits goes on waiting. What is
    /// left of a packet under transmission is sent at the new rate.
    pub rates: [Option<Rate>; 2],
    /// How long a bit takes to the other end in each direction; none: as before. No path is
    /// searched for anew.
    pub delays: [Option<Duration>; 2],
    /// Whether what each direction sends is lost, if the [`ChannelMaker`] says that it can be:
    /// a packet is if that is so at any time of its transmission.
    pub loses: [bool; 2],
    /// When the channel is to be sampled again, later than now; none: it does not change
    /// any more.
    pub next: Option<Time>,
    /// What a radio measures; none where the channel is not a radio.
    pub radio: Option<RadioSample>,
    /// The received power; none where the channel does not say.
    pub power: Option<PowerSample>,
    /// How packets are received; none where the channel does not say.
    pub reception: Option<[Reception; 2]>,
}

/// How packets of one direction are received at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reception {
    /// The SNR, in dB.
    pub snr: f64,
    /// The scheme that they are sent with.
    pub scheme: &'static Mcs,
}

impl Reception {
    /// Without errors, with the simplest scheme: as long as a channel has not been sampled.
    pub const PERFECT: Self = Self { snr: f64::INFINITY, scheme: &SCHEMES[0] };
}

/// What is received at one time. A pair is for what the link's first node sends, and for what
/// its second node sends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerSample {
    /// The received power, in dBm, if it is known.
    pub received: Option<[f64; 2]>,
    /// By how much it is above what the receiver needs, in dB.
    pub margin: [f64; 2],
}

/// What a radio measures at one time. A pair is for what the link's first node sends, and
/// for what the user, its second node, sends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RadioSample {
    /// Where the user is.
    pub position: Point,
    /// The serving station, by its place on the map; during a handover the next one.
    pub station: usize,
    /// Whether there is a line of sight between the user and that station.
    pub line_of_sight: bool,
    /// The SINR, in dB.
    pub sinr: [f64; 2],
    /// The bandwidth, in Hz.
    pub bandwidth: [f64; 2],
}

/// How a radio reports its SINR and bandwidth to the senders whose data crosses it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReportPlan {
    /// How often, at the most: reports are sent when the channel is sampled.
    pub period: Duration,
    /// How old a report is when it arrives.
    pub delay: Duration,
}

/// What a link offers a channel that is made for it.
#[derive(Clone, Copy, Debug)]
pub struct ChannelSetting<'a> {
    /// The link's name: part of the names of the channel's random streams.
    pub link: &'a str,
    /// The run's random streams.
    pub streams: &'a Streams,
    /// The rates that the link's plan gives its directions.
    pub rates: [Rate; 2],
}

/// Makes the channel of a link. As it is [`Any`], tests can look at what a plan holds.
pub trait ChannelMaker: Any + Debug + Send + Sync {
    /// The channel of that link, before its first sample.
    fn channel(&self, setting: ChannelSetting<'_>) -> Box<dyn Channel>;

    /// How the channel reports to senders, if it is a radio.
    fn reports(&self) -> Option<ReportPlan> {
        None
    }

    /// The link budget of each direction, if it has any.
    fn budgets(&self) -> Option<[LinkBudget; 2]> {
        None
    }

    /// What the antenna of each end loses beside its axis, if it has any.
    fn patterns(&self) -> Option<[PatternCurve; 2]> {
        None
    }

    /// The least of its [`ChannelState::delays`] in each direction, if it has any.
    fn least_delays(&self) -> [Option<Duration>; 2] {
        [None, None]
    }

    /// Whether its [`ChannelState::loses`] is ever true.
    fn can_lose(&self) -> bool {
        false
    }

    /// The map that the positions and stations of its samples are on, if there is one.
    fn map(&self) -> Option<&Map> {
        None
    }
}
