//! What happens to the packets of a flow: an event each, at the ends of the flow and where its
//! packets are dropped. The world's events are the same whether they are logged or not.

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::Dscp;

use crate::port_id::PortId;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketEventKind {
    /// A segment with data, a SYN or a FIN, a datagram or an Interest was sent for the first
    /// time.
    Sent,
    /// It was sent again.
    Retransmitted,
    /// It arrived, or Data did.
    Received,
    /// A segment that only acknowledges was sent.
    AcknowledgementSent,
    /// It arrived.
    AcknowledgementReceived,
    /// A range of bytes is known for the first time to have arrived out of order.
    Sacked,
    /// Segments that had arrived before were taken in, because the host's interface was polled.
    Polled,
    /// An Interest came back as refused.
    NackReceived,
    /// It was dropped by a queue, because no path led on, or by the socket of a host.
    Dropped,
    /// A link lost it.
    Lost,
}

/// Where it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketEventLocation {
    /// At the end of a connection from which the flow's data comes.
    Sender,
    /// At the end to which it goes.
    Receiver,
    /// At the consumer of an NDN flow.
    Consumer,
    /// At the queue of this port.
    Queue(PortId),
    /// On the link behind this port.
    Link(PortId),
    /// At a node on the path.
    Path,
}

/// How an end that sends data fares.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SendingState {
    /// The window in segments.
    pub cwnd: f64,
    /// The slow-start threshold in segments.
    pub ssthresh: f64,
    /// Segments or Interests in flight; none where that is not known.
    pub in_flight: Option<u64>,
    /// The smoothed round trip; none before a sample.
    pub smoothed_rtt: Option<Duration>,
    /// The controller's rate of sending in bits per second of data; none if it sets none.
    pub pacing_rate_bps: Option<f64>,
}

/// Something that happened to a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PacketEvent {
    /// When.
    pub time: Time,
    /// The flow's place: first the consumers, then the flows over IP.
    pub flow: u32,
    /// Which of the flow's connections; none without connections.
    pub connection: Option<u64>,
    /// Which of the connection's subflows; none without such.
    pub subflow: Option<u32>,
    /// At which node; none where there is no end of the flow.
    pub node: Option<u32>,
    /// Where that is.
    pub place: PacketEventLocation,
    /// What happened.
    pub kind: PacketEventKind,
    /// The number of its first byte (a SYN has number 0, the first byte of data 1), of the
    /// datagram or of the segment of NDN's name; none of what was polled.
    pub number: Option<u64>,
    /// Bytes of data in it, or in the range that was acknowledged.
    pub bytes: u64,
    /// The size of the network-layer packet in bytes; none of what is no packet.
    pub size: Option<u16>,
    /// The class of service in its header; none of NDN's packets and of what is no packet.
    pub dscp: Option<Dscp>,
    /// The byte that its sender expects next; none without an acknowledgement.
    pub acknowledgement: Option<u64>,
    /// Whether it has a congestion mark.
    pub is_marked: bool,
    /// The round trip that was measured by it.
    pub rtt: Option<Duration>,
    /// How the end fares after it; none where the end sends no data.
    pub state: Option<SendingState>,
}
