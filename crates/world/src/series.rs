//! Time series: which are recorded, the rows that they have, and where these go. The
//! world's events are the same whether anything is recorded or not.

use windtunnel_engine::Duration;
use windtunnel_links::radio::Point;

use crate::packet_events::PacketEvent;
use crate::port_id::PortId;

/// Which series are recorded; of those without a plan nothing is.
#[derive(Clone, Debug, Default)]
pub struct RecordingPlan {
    /// Of flows, by their place: first the consumers, then the flows over IP.
    pub flows: Option<SeriesPlan>,
    /// Of both directions of links, by the link's place.
    pub links: Option<SeriesPlan>,
    /// How often all links that follow a channel are sampled.
    pub channels: Option<Duration>,
    /// How often the paths of all flows over IP are sampled; only where nodes move.
    pub routes: Option<Duration>,
    /// How often all players are sampled.
    pub playback: Option<Duration>,
    /// Of the forwarders of nodes, by the node's place.
    pub nodes: Option<SeriesPlan>,
}

/// How a kind of series is recorded.
#[derive(Clone, Debug)]
pub struct SeriesPlan {
    /// How often it is sampled.
    pub interval: Duration,
    /// Of which things, in rising order; none: of all.
    pub only: Option<Vec<usize>>,
}

impl SeriesPlan {
    /// The things that are sampled, of this many.
    #[must_use]
    pub fn places(&self, count: usize) -> Vec<usize> {
        self.only.clone().unwrap_or_else(|| (0..count).collect())
    }
}

impl RecordingPlan {
    /// Everything at one interval.
    #[must_use]
    pub fn every(interval: Duration) -> Self {
        let all = SeriesPlan { interval, only: None };
        Self {
            flows: Some(all.clone()),
            links: Some(all.clone()),
            channels: Some(interval),
            routes: None,
            playback: Some(interval),
            nodes: Some(all),
        }
    }
}

/// Rows of one kind that follow each other: by time, and of one time in the plan's order.
#[derive(Clone, Copy, Debug)]
pub enum Chunk<'a> {
    /// Of flows.
    Flows(&'a [FlowSample]),
    /// Of subflows.
    Subflows(&'a [SubflowSample]),
    /// Of directions of links.
    Ports(&'a [PortSample]),
    /// Of directions of links that follow a channel.
    Channels(&'a [ChannelSample]),
    /// Of the paths of flows.
    Routes(&'a [RouteSample]),
    /// Of players.
    Playback(&'a [PlaybackSample]),
    /// Of the forwarders of nodes.
    Nodes(&'a [NodeSample]),
    /// Of packets.
    Packets(&'a [PacketEvent]),
}

/// Is called with each chunk when it is full, and at the end of the run with what is left.
pub type SeriesSink = Box<dyn FnMut(Chunk<'_>) + Send>;

/// A flow over one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowSample {
    /// The flow's place: first the consumers, then the flows over IP.
    pub flow: u32,
    /// The interval's end, in seconds.
    pub time_s: f64,
    /// Content received, in bits per second; over TCP in order.
    pub goodput_bps: f64,
    /// Content received in any order, each byte once.
    pub received_bps: f64,
    /// The window at the end, in segments; none where there is not just one.
    pub cwnd: Option<f64>,
    /// The slow-start threshold at the end, in segments; none likewise.
    pub ssthresh: Option<f64>,
    /// Interests or segments in flight at the end; none where an implementation does not tell.
    pub in_flight: Option<u64>,
    /// The smoothed round trip at the end, in seconds; none before a sample, and
    /// where there is not just one.
    pub smoothed_rtt_s: Option<f64>,
    /// The mean from a Data's first Interest to the Data, from a segment's first
    /// sending to its acknowledgement, or from a datagram's sending to its
    /// arrival, in seconds; none if none came.
    pub delay_s: Option<f64>,
    /// Interests or segments sent again.
    pub retransmissions: u64,
    /// Segments or datagrams received after one that was sent later; none of NDN, where
    /// nothing says which was sent later.
    pub reordered: Option<u64>,
    /// Datagrams found missing by their numbers, less those that came late after all; none
    /// where there are no datagrams.
    pub lost: Option<i64>,
    /// Their share of those and what was received; none where neither is.
    pub lost_share: Option<f64>,
    /// The interarrival jitter of datagrams at the end (RFC 3550), in seconds; none where there
    /// are none.
    pub jitter_s: Option<f64>,
    /// Marked packets received.
    pub marks: u64,
    /// Interests that timed out, or retransmission timeouts; none of implementations.
    pub timeouts: Option<u64>,
    /// Decreases of the window; none where an implementation does not tell.
    pub decreases: Option<u64>,
    /// Bytes received that wait at the end for others before them; none where nothing waits for
    /// an order.
    pub waiting_bytes: Option<u64>,
}

/// A subflow over one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SubflowSample {
    /// The flow's place among those over IP.
    pub flow: u32,
    /// The subflow's place among those of the flow.
    pub subflow: u32,
    /// The interval's end, in seconds.
    pub time_s: f64,
    /// Data received in the subflow's order, what was sent again on another included, in bits
    /// per second.
    pub throughput_bps: f64,
    /// The window at the end, in segments.
    pub cwnd: Option<f64>,
    /// The slow-start threshold at the end, in segments.
    pub ssthresh: Option<f64>,
    /// Segments in flight at the end.
    pub in_flight: u64,
    /// The smoothed round trip at the end, in seconds; none before a sample.
    pub smoothed_rtt_s: Option<f64>,
    /// Segments sent again on it.
    pub retransmissions: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Decreases of the window.
    pub decreases: u64,
    /// Bytes that it was given although another subflow had been given them.
    pub reinjected_bytes: u64,
    /// The bottleneck's bandwidth at the end, in bits per second of data, that the controller
    /// estimates; none if it does not.
    pub estimated_bandwidth_bps: Option<f64>,
    /// The round trip without queues, in seconds, that it estimates; none likewise.
    pub estimated_rtt_s: Option<f64>,
}

/// One direction of a link over one interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PortSample {
    /// The direction.
    pub port: PortId,
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
    /// Packets dropped because the queue was at its limit.
    pub overlimit_drops: u64,
    /// Packets that the queue discipline dropped.
    pub discipline_drops: u64,
    /// Packets that the link lost.
    pub losses: u64,
    /// Packets that the queue discipline marked.
    pub marks: u64,
    /// Packets that it gave the milder mark of SCE.
    pub some_congestion_marks: u64,
}

/// A direction of a link that follows a channel, at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChannelSample {
    /// The direction.
    pub port: PortId,
    /// The interval's end, in seconds.
    pub time_s: f64,
    /// Where the user is; none where the channel is no radio.
    pub position: Option<Point>,
    /// The serving station, by its place on the map; none likewise.
    pub station: Option<usize>,
    /// Whether there is a line of sight to it; none likewise.
    pub line_of_sight: Option<bool>,
    /// The SINR, in dB; of a fixed radio link, which nobody disturbs, the SNR; none where the
    /// channel is neither.
    pub sinr_db: Option<f64>,
    /// The index of the modulation and coding scheme; none where the channel has none.
    pub mcs: Option<u8>,
    /// The received power, in dBm; none where the channel does not say.
    pub received_dbm: Option<f64>,
    /// By how much it is above what the receiver needs, in dB; none likewise.
    pub margin_db: Option<f64>,
    /// How fast the link sends, in bits per second; 0 while it does not. With a
    /// delivery trace, the mean over the interval.
    pub rate_bps: f64,
}

/// A player, at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaybackSample {
    /// Its flow's place among those over IP.
    pub flow: u32,
    /// When, in seconds.
    pub time_s: f64,
    /// The media received and not played, in seconds.
    pub buffer_s: f64,
    /// The bitrate of the segment that is played, in bits per second; none without levels.
    pub quality_bps: Option<f64>,
    /// Whether it plays.
    pub is_playing: bool,
}

/// The forwarder of a node over one interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeSample {
    /// The node's place.
    pub node: u32,
    /// The interval's end, in seconds.
    pub time_s: f64,
    /// Interests that are pending at the end.
    pub pit_entries: u64,
    /// Data packets in the content store at the end.
    pub content_store_entries: u64,
    /// Interests that the content store answered.
    pub content_store_hits: u64,
    /// Interests that it could not answer.
    pub content_store_misses: u64,
}

/// The path of a flow's data, at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct RouteSample {
    /// The flow's place among those over IP.
    pub flow: u32,
    /// When, in seconds.
    pub time_s: f64,
    /// How long light takes along it, in seconds; none while there is no path.
    pub propagation_s: Option<f64>,
    /// The same of the path back.
    pub return_propagation_s: Option<f64>,
    /// Its nodes, from the sender to the receiver; none while there is no path.
    pub nodes: Box<[u32]>,
}
