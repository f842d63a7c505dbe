//! How both ends of a connection behave. Settings that belong together are a table of their own in
//! `settings`, which says what its keys mean in files and has their defaults: **to add a setting**,
//! add a field there.

mod acknowledgements;
mod buffers;
mod misbehaviour;
mod offload;
mod socket;
mod window;

use windtunnel_controllers::{Need, Settings as ControllerSettings, Start};
use windtunnel_packets::Dscp;
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::tcp::{Flags, Segment};

use crate::rtt::RtoLimits;
pub use acknowledgements::Acknowledgements;
pub use buffers::{Buffers, MOST_BUFFER};
pub use misbehaviour::Misbehaviour;
pub use offload::Offload;
pub use socket::{Nagle, Reading, Socket};
pub use window::{AfterPathChange, Idleness, Window};

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

/// How both ends of a connection behave.
#[derive(Clone, Debug, PartialEq)]
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
    /// The congestion window at the start.
    pub window: Window,
    /// When the receiver acknowledges.
    pub acknowledgements: Acknowledgements,
    /// The retransmission timeout's limits.
    pub timeout: RtoLimits,
    /// What both ends hold.
    pub buffers: Buffers,
    /// How applications use the connection.
    pub socket: Socket,
    /// Whether the sender spreads a window over the round trip also where the
    /// controller does not ask for it.
    pub pacing: bool,
    /// Whether what waits in the queue of the sender's own host is kept small (TCP small
    /// queues), so that the host does not drop its own packets; if that is not said, the host
    /// decides.
    pub small_queues: Option<bool>,
    /// What the interfaces of both hosts do.
    pub offload: Offload,
    /// The sender's congestion controller.
    pub controller: ControllerSettings,
    /// A congestion controller at the receiver, which bounds the window that is advertised
    /// (RFC 9840).
    pub receiver_controller: Option<ControllerSettings>,
}

impl TcpSettings {
    /// Whether segments carry timestamps where nothing else is said: as in Linux.
    pub const TIMESTAMPS: bool = true;

    /// Over IPv4 in packets of 1500 bytes, with what else this controller needs and the defaults
    /// of Linux, for applications that have set `TCP_NODELAY` and read at once.
    #[must_use]
    pub fn new(controller: ControllerSettings) -> Self {
        let ecn = EcnMode::wanted_by(&controller);
        Self {
            ip: IpVersion::V4,
            dscp: Dscp::DEFAULT,
            maximum_segment: 1448,
            timestamps: Self::TIMESTAMPS,
            recovery: Recovery::default(),
            ecn,
            server_ecn: ecn,
            window: Window::default(),
            acknowledgements: Acknowledgements::default(),
            timeout: RtoLimits::linux(),
            buffers: Buffers::default(),
            socket: Socket::default(),
            pacing: false,
            small_queues: None,
            offload: Offload::default(),
            controller,
            receiver_controller: None,
        }
    }

    /// Where the controllers begin.
    #[must_use]
    pub fn start(&self) -> Start {
        self.window.start(self.maximum_segment)
    }

    /// The bytes of the headers of a segment with data, that of IP included.
    #[must_use]
    pub fn headers(&self) -> u16 {
        let flags = Flags::ACK.with_if(Flags::TIMESTAMPS, self.timestamps);
        self.ip.header() + Segment::new(0, 0, flags).size()
    }
}
