//! What a consumer asks for, and how it reacts.

use rand_distr::Zipf;
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ndn::PrefixId;
use windtunnel_packets::ndn::wire::size::NameSize;

use crate::ndn::blocking_read::BlockingRead;
use crate::rtt::RtoLimits;

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

/// When a congestion signal leads to a decrease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// Always.
    Every,
    /// At most once a round trip: only if Data was received that was asked for
    /// after the last decrease (ndn-tools' conservative window adaptation).
    OncePerRoundTrip,
    /// Never; a marked Data then counts like any other.
    Ignore,
}

/// What a timeout of an Interest means to the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeoutMeaning {
    /// A segment was lost: the ordinary decrease.
    Loss,
    /// Start again from the initial window.
    Restart,
}

/// How much one round trip moves the smoothed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RttGain {
    /// The usual gains, shared among the samples of a round trip (ndn-cxx).
    PerRoundTrip,
    /// The usual gains for each sample (ndnSIM).
    PerSample,
}

/// What a fraction of a segment in the window allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowFraction {
    /// Nothing: what is in flight never exceeds the window.
    Waits,
    /// One more Interest (ndnSIM).
    Sends,
}

/// When a timeout doubles the retransmission timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backoff {
    /// Once for all Interests that were sent before it was doubled last: a burst of
    /// losses is one sign, however long its timeouts take to come (RFC 6298, section
    /// 5, whose one timer starts again when it is doubled).
    OncePerRoundTrip,
    /// Once for all Interests found timed out at the same moment.
    EachEvent,
    /// For each timed-out Interest, as ndnSIM's consumers do.
    EachInterest,
}

/// What Data does whose Interest timed out and was not sent again yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LateData {
    /// Its round trip is measured: it is of the only Interest, so that Karn's rule allows it,
    /// and shows that the timeout was too short. Its timeout has ended that Interest's time in
    /// flight.
    Measures,
    /// It lowers the number in flight once more, and its round trip is not measured
    /// (ndnSIM): one Interest too many is in flight from then on.
    LowersInFlight,
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
    /// What a fraction of a segment in the window allows.
    pub window_fraction: WindowFraction,
    /// The retransmission timeout's limits.
    pub timeout_limits: RtoLimits,
    /// How much one round trip moves the smoothed one.
    pub rtt_gain: RttGain,
    /// The interval at which timeouts are looked for; zero: each at its own time.
    pub timeout_check: Duration,
    /// When a timeout doubles the timeout.
    pub backoff: Backoff,
    /// What marked Data leads to.
    pub on_mark: Reaction,
    /// What timeouts lead to.
    pub on_timeout: Reaction,
    /// What a timeout means.
    pub timeout_meaning: TimeoutMeaning,
    /// What a congestion NACK leads to.
    pub on_nack: Reaction,
    /// Where the recovery point lies after a decrease, beyond which Data must be received
    /// before the next one: at the highest segment asked for (ndn-tools), or so great a share
    /// of the segments from the highest received to the next behind that next one (ndnSIM:
    /// 0.5).
    pub recovery_margin: Option<f64>,
    /// What Data does that comes after its timeout.
    pub late_data: LateData,
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
