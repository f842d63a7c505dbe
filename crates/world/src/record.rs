//! Time series, sampled without touching what is measured: the world's events
//! are the same whether anybody looks or not.

use windtunnel_engine::Time;
use windtunnel_links::radio::Point;

/// A flow over one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowSample {
    /// The interval's end, in seconds.
    pub time_s: f64,
    /// Content received, in bits per second.
    pub goodput_bps: f64,
    /// The window at the end, in segments; none where there is not just one.
    pub cwnd: Option<f64>,
    /// The slow-start threshold at the end, in segments; none likewise.
    pub ssthresh: Option<f64>,
    /// Interests or segments in flight at the end.
    pub in_flight: u64,
    /// The smoothed round trip at the end, in seconds; none before a sample, and
    /// where there is not just one.
    pub smoothed_rtt_s: Option<f64>,
    /// The mean from a Data's first Interest to the Data, from a segment's first
    /// sending to its acknowledgement, or from a datagram's sending to its
    /// arrival, in seconds; none if none came.
    pub delay_s: Option<f64>,
    /// Interests or segments sent again.
    pub retransmissions: u64,
    /// Marked packets received.
    pub marks: u64,
    /// Interests that timed out, or retransmission timeouts.
    pub timeouts: u64,
    /// Decreases of the window.
    pub decreases: u64,
}

/// One direction of a link over one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PortSample {
    /// The interval's end, in seconds.
    pub time_s: f64,
    /// The share of the interval in which the link was sending.
    pub utilisation: f64,
    /// What arrived at the other end, headers included, in bits per second.
    pub throughput_bps: f64,
    /// Packets waiting at the end.
    pub queue_packets: u32,
    /// Their bytes.
    pub queue_bytes: u64,
    /// The mean time that packets waited, in seconds; none if none was sent.
    pub sojourn_s: Option<f64>,
    /// Packets dropped: no room, chosen by the discipline, lost by the link.
    pub overflows: u64,
    /// Packets that the queue discipline dropped.
    pub discipline_drops: u64,
    /// Packets that the link lost.
    pub losses: u64,
    /// Packets marked.
    pub marks: u64,
}

/// A direction of a link that follows a channel, at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChannelSample {
    /// The interval's end, in seconds.
    pub time_s: f64,
    /// Where the user is; none where the channel is a trace.
    pub position: Option<Point>,
    /// The serving station, by its place on the map; none likewise.
    pub station: Option<usize>,
    /// Whether there is a line of sight to it; none likewise.
    pub line_of_sight: Option<bool>,
    /// The SINR, in dB; none likewise.
    pub sinr_db: Option<f64>,
    /// How fast the link sends, in bits per second; 0 while it does not. With a
    /// delivery trace, the mean over the interval.
    pub rate_bps: f64,
}

/// Samples of several things, taken at the same times: row by row, all things
/// at one time after another.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Each flow at each time.
    pub flows: Vec<FlowSample>,
    /// Each port at each time.
    pub ports: Vec<PortSample>,
    /// Each direction of each link that follows a channel, at each time.
    pub channels: Vec<ChannelSample>,
    /// When the last sample was taken.
    pub last: Time,
}
