//! How both ends of a connection behave.

use windtunnel_controllers::{Need, Settings as ControllerSettings, Start};
use windtunnel_engine::Duration;
use windtunnel_packets::Dscp;
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::tcp::{Flags, Segment};

use crate::rtt::RtoLimits;

/// How a sender finds and repairs losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Three duplicate acknowledgements lead back to slow start; what followed
    /// the loss is sent again (Jacobson 1988). Without SACK.
    Tahoe,
    /// Fast retransmit and fast recovery, which the first new acknowledgement
    /// ends (RFC 5681, section 3.2). Without SACK.
    Reno,
    /// Fast recovery until everything sent before it is acknowledged (RFC 6582).
    /// Without SACK.
    NewReno,
    /// The SACK scoreboard with three duplicates (RFC 6675), and proportional
    /// rate reduction (RFC 9937).
    Sack,
    /// By the time of sending, with tail loss probes (RFC 8985), and proportional
    /// rate reduction (RFC 9937).
    Rack,
}

impl Recovery {
    /// Whether it uses selective acknowledgements.
    #[inline]
    #[must_use]
    pub fn uses_sack(self) -> bool {
        matches!(self, Self::Sack | Self::Rack)
    }
}

/// What an end does with ECN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnMode {
    /// Nothing: its packets are not ECN-capable.
    Off,
    /// The receiver echoes a mark until the sender has answered it (RFC 3168).
    Classic,
    /// Each acknowledgement says whether what it acknowledges was marked
    /// (RFC 8257, section 3.2).
    Dctcp,
    /// The receiver counts marked packets (accurate ECN: RFC 9768); the sender's
    /// packets are ECT(0).
    Accurate,
    /// The same with packets of ECT(1) (L4S: RFC 9331).
    Scalable,
    /// RFC 3168, and an echo of the milder mark (SCE).
    SomeCongestion,
}

impl EcnMode {
    /// What a controller needs of ECN.
    #[must_use]
    pub fn wanted_by(controller: &ControllerSettings) -> Self {
        let needs = |need| controller.needs().any(|it| it == need);
        if needs(Need::ScalableMarking) {
            Self::Scalable
        } else if needs(Need::MarksCounted) {
            Self::Dctcp
        } else if needs(Need::SomeCongestion) {
            Self::SomeCongestion
        } else {
            Self::Off
        }
    }
}

/// What becomes of the window when nothing was sent for longer than the retransmission
/// timeout. Controllers that work from delivery rates are not concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idleness {
    /// It restarts from the initial window (RFC 5681, section 4.1).
    Restart,
    /// It is halved for each timeout that passed, down to the initial window, and the
    /// threshold is at least three quarters of it (RFC 2861, as in Linux).
    Decay,
    /// It stays for five minutes, and then is halved. Where less than half of it is in use,
    /// it does not grow, and a decrease is one of what is in use (RFC 7661).
    Validate,
    /// It stays.
    Keep,
}

/// Which data waits that does not fill a segment, unless it is the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nagle {
    /// None (`TCP_NODELAY` of Linux and others).
    Off,
    /// That written while any data is not acknowledged (RFC 9293, section 3.7.4).
    Classic,
    /// That written while a segment is not acknowledged that was not full either
    /// (draft-minshall-nagle-01, as in Linux).
    Minshall,
}

/// What becomes of the congestion state when the network layer takes another path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterPathChange {
    /// The window and the round-trip estimate stay.
    #[default]
    Keep,
    /// What was sent until then neither raises nor lowers the window, which is the initial one;
    /// then the controller and the round-trip estimate begin anew.
    Restart,
}

/// How large a buffer is, in bytes of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferLimits {
    /// At first.
    pub initial: u64,
    /// At most.
    pub maximum: u64,
}

impl BufferLimits {
    /// One that always has this size.
    #[must_use]
    pub fn fixed(size: u64) -> Self {
        Self { initial: size, maximum: size }
    }
}

/// When the receiving application takes what arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// At once.
    AtOnce,
    /// When it says so ([`Endpoint::take`](super::Endpoint::take)): without that the
    /// window closes.
    AsTaken,
}

/// How both ends of a connection behave.
#[derive(Clone, Debug)]
pub struct TcpSettings {
    /// The version of IP below.
    pub ip: IpVersion,
    /// The class of its packets, those without data included.
    pub dscp: Dscp,
    /// The bytes of data in a full segment.
    pub maximum_segment: u16,
    /// Whether segments carry timestamps (RFC 7323).
    pub timestamps: bool,
    /// How losses are found and repaired.
    pub recovery: Recovery,
    /// What the end that opens the connection would do with ECN.
    pub ecn: EcnMode,
    /// What the other end would do with ECN. In effect is what both agree on.
    pub server_ecn: EcnMode,
    /// After how many full segments the receiver acknowledges at the latest.
    pub acknowledge_every: u8,
    /// How long it waits for them at the most.
    pub acknowledge_within: Duration,
    /// The retransmission timeout's limits.
    pub timeout_limits: RtoLimits,
    /// What the receiver can hold.
    pub receive_buffer: BufferLimits,
    /// The bytes that the sender can hold until they are acknowledged.
    pub send_buffer: u64,
    /// The bytes that the application writes at a time, without a pause between them; all that
    /// it has if there is no limit.
    pub write_size: Option<u64>,
    /// Which of it waits for more.
    pub nagle: Nagle,
    /// What becomes of the window after idleness.
    pub after_idleness: Idleness,
    /// What becomes of it when the network layer takes another path and says so.
    pub after_path_change: AfterPathChange,
    /// When its application takes them.
    pub reading: Reading,
    /// Whether the sender spreads a window over the round trip also where the
    /// controller does not ask for it.
    pub pacing: bool,
    /// Whether what waits in the queue of the sender's own host is kept small (TCP small
    /// queues), so that the host does not drop its own packets; if that is not said, the host
    /// decides.
    pub small_queues: Option<bool>,
    /// Whether the sender hands segments to its host's interface in bursts, which the
    /// interface cuts into segments (TSO and GSO in Linux).
    pub segmentation_offload: bool,
    /// Whether segments that arrive one after the other are merged before they are taken in
    /// (GRO in Linux), and how long after the first of them the interface is polled.
    pub receive_offload: Option<Duration>,
    /// Whether acknowledgements of segments beyond a gap wait for others.
    pub sack_compression: bool,
    /// The sender's congestion controller.
    pub controller: ControllerSettings,
    /// A congestion controller at the receiver, which bounds the window that is advertised
    /// (RFC 9840).
    pub receiver_controller: Option<ControllerSettings>,
    /// Where it begins.
    pub start: Start,
}

impl TcpSettings {
    /// The bytes of the headers of a segment with data, that of IP included.
    #[must_use]
    pub fn headers(&self) -> u16 {
        let flags = Flags::ACK.with_if(Flags::TIMESTAMPS, self.timestamps);
        self.ip.header() + Segment::new(0, 0, flags).size()
    }
}
