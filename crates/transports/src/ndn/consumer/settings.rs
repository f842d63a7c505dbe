//! What a consumer asks for, and how it reacts. Settings that belong together are a table of their
//! own in `settings`, which says what its keys mean in files and has their defaults.

mod timeout;
mod window;

use rand_distr::Zipf;
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ndn::PrefixId;
use windtunnel_packets::ndn::wire::size::NameSize;

use crate::ndn::blocking_read::BlockingRead;
pub use timeout::{Backoff, ConsumerTimeout, LateData, RttGain, TimeoutMeaning};
pub use window::{ConsumerWindow, WindowFraction};

/// What a consumer asks for.
#[derive(Clone, Debug)]
pub enum ConsumerWorkload {
    /// Segments 0, 1, 2 … without end.
    Stream,
    /// The segments of one file, each once.
    File {
        /// How many there are.
        segments: u64,
    },
    /// Objects of one segment each, drawn by popularity (Zipf's law), without
    /// end. While an object is in flight it is not drawn again.
    Catalogue {
        /// The law; object numbers start from 1.
        popularity: Zipf<f64>,
    },
}

/// How a consumer reacts to a congestion signal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Reaction {
    // Only if Data was received that was asked for after the last decrease: ndn-tools'
    // conservative window adaptation.
    /// One decrease per round trip.
    #[default]
    OncePerRoundTrip,
    /// A decrease each time.
    Every,
    /// Not at all; marked Data counts like any other.
    Ignore,
}

/// A consumer's settings.
#[derive(Clone, Debug)]
pub struct ConsumerSettings {
    /// The prefix of all names asked for.
    pub prefix: PrefixId,
    /// That prefix's encoded size.
    pub prefix_size: NameSize,
    /// What is asked for.
    pub workload: ConsumerWorkload,
    /// The bytes of content that count as one segment to the controller.
    pub segment_size: u32,
    /// How long an Interest stays pending in the routers, in milliseconds.
    pub lifetime_ms: u32,
    /// How many hops an Interest may take, if limited.
    pub hop_limit: Option<u8>,
    /// Whether cached Data past its freshness period will not do.
    pub must_be_fresh: bool,
    /// Its window.
    pub window: ConsumerWindow,
    /// When an Interest times out, and what that means.
    pub timeout: ConsumerTimeout,
    /// What marked Data leads to.
    pub on_mark: Reaction,
    /// What timeouts lead to.
    pub on_timeout: Reaction,
    /// What a congestion NACK leads to.
    pub on_nack: Reaction,
    /// Where the recovery point lies after a decrease, beyond which Data must be received
    /// before the next one: at the highest segment asked for (ndn-tools), or so great a share
    /// of the segments from the highest received to the next behind that next one (ndnSIM:
    /// 0.5).
    pub recovery_margin: Option<f64>,
    /// How it reads, if what is missing is found by blocking reads, and not by timeouts. Its
    /// window then begins with the first segment that is missing, and no NACK means anything.
    pub blocking_read: Option<BlockingRead>,
    /// When the consumer starts, at the earliest.
    pub start: Time,
    /// It starts at a random moment within so much time from then.
    pub start_within: Duration,
    /// From when it asks for nothing more.
    pub stop: Time,
}
