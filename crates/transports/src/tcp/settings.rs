//! How both ends of a connection behave.

use windtunnel_controllers::{Need, Settings as ControllerSettings, Start};
use windtunnel_engine::Duration;
use windtunnel_packets::Dscp;
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::tcp::{Flags, Segment};

use crate::rtt::RtoLimits;

/// How a sender finds and repairs losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Recovery {
    /// Selective acknowledgements and the time of sending (RFC 8985, RFC 9937).
    #[default]
    Rack,
    /// Selective acknowledgements (RFC 6675, RFC 9937).
    Sack,
    /// Fast recovery until all is acknowledged that was sent before (RFC 6582).
    NewReno,
    /// Fast recovery that the first new acknowledgement ends (RFC 5681).
    Reno,
    /// Three duplicate acknowledgements lead back to slow start (Jacobson 1988).
    Tahoe,
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case"),
    schemars(rename = "Ecn")
)]
pub enum EcnMode {
    /// Nothing: routers drop where they would mark.
    #[default]
    Off,
    /// A mark is echoed until the sender has reacted to it (RFC 3168).
    Classic,
    /// Each acknowledgement says whether what it acknowledges was marked
    /// (RFC 8257).
    Dctcp,
    /// The receiver counts marked packets (RFC 9768).
    Accurate,
    /// The same, with packets that ask for L4S (RFC 9331).
    Scalable,
    /// As `classic`, and the milder mark of SCE is echoed.
    #[cfg_attr(feature = "serde", serde(rename = "sce"))]
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

/// What happens to the window when nothing was sent for longer than the timeout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Idleness {
    /// Halved for each timeout that passed, down to the initial window (RFC 2861, as in
    /// Linux).
    #[default]
    Decay,
    /// The initial window (RFC 5681, section 4.1).
    Restart,
    /// As before for five minutes; an unused window does not grow, and does not count when it
    /// is decreased (RFC 7661).
    Validate,
    /// As before.
    Keep,
}

/// Which data that does not fill a segment waits for more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Nagle {
    /// None.
    #[default]
    Off,
    /// All that is written while any data is not acknowledged (RFC 9293, section 3.7.4).
    Classic,
    /// What is written while a segment is not acknowledged that was not full either
    /// (draft-minshall-nagle, as in Linux).
    Minshall,
}

/// What happens to the congestion state when packets take another path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum AfterPathChange {
    /// It stays.
    #[default]
    Keep,
    /// The initial window; when all that was sent on the path before is acknowledged, the
    /// controller and the round-trip estimate begin anew.
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
    /// Of receivers in Linux: at first what a window says that is not scaled.
    pub const LINUX: Self = Self { initial: 65_535, maximum: 6 << 20 };

    /// One that always has this size.
    #[must_use]
    pub fn fixed(size: u64) -> Self {
        Self { initial: size, maximum: size }
    }
}

/// When the receiving application takes what arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// At once.
    #[default]
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
    /// After how many full segments a receiver acknowledges where nothing else is said.
    pub const ACKNOWLEDGE_EVERY: u8 = 2;
    /// How long it waits for them where nothing else is said: as in Linux.
    pub const ACKNOWLEDGE_WITHIN: Duration = Duration::from_millis(40);
    /// The bytes that a sender can hold where nothing else is said: as in Linux.
    pub const SEND_BUFFER: u64 = 4 << 20;

    /// Over IPv4 in packets of 1500 bytes, with what else this controller needs and the defaults
    /// of Linux, for applications that have set `TCP_NODELAY` and read at once.
    #[must_use]
    pub fn new(controller: ControllerSettings) -> Self {
        let ecn = EcnMode::wanted_by(&controller);
        Self {
            ip: IpVersion::V4,
            dscp: Dscp::DEFAULT,
            maximum_segment: 1448,
            timestamps: true,
            recovery: Recovery::default(),
            ecn,
            server_ecn: ecn,
            acknowledge_every: Self::ACKNOWLEDGE_EVERY,
            acknowledge_within: Self::ACKNOWLEDGE_WITHIN,
            timeout_limits: RtoLimits::LINUX,
            receive_buffer: BufferLimits::LINUX,
            send_buffer: Self::SEND_BUFFER,
            write_size: None,
            nagle: Nagle::default(),
            after_idleness: Idleness::default(),
            after_path_change: AfterPathChange::default(),
            reading: Reading::default(),
            pacing: false,
            small_queues: None,
            segmentation_offload: false,
            receive_offload: None,
            sack_compression: false,
            controller,
            receiver_controller: None,
            start: Start::default(),
        }
    }

    /// The bytes of the headers of a segment with data, that of IP included.
    #[must_use]
    pub fn headers(&self) -> u16 {
        let flags = Flags::ACK.with_if(Flags::TIMESTAMPS, self.timestamps);
        self.ip.header() + Segment::new(0, 0, flags).size()
    }
}
