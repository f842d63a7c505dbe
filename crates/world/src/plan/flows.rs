//! Flows over IP.

use std::sync::Arc;

use windtunnel_applications::Workload;
use windtunnel_applications::udp::UdpSettings;
use windtunnel_controllers::Need;
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::{Dscp, udp};
use windtunnel_stack::{MakeStack, Unit};
use windtunnel_transports::mptcp::MultipathSettings;
use windtunnel_transports::tcp::TcpSettings;

use super::names::NameLookupPlan;
use crate::port_id::PortId;
use crate::side::Side;

/// A flow over IP, from one node to another.
#[derive(Clone, Debug)]
pub struct FlowPlan {
    /// Its name.
    pub name: String,
    /// The node that the data comes from.
    pub from: usize,
    /// The node that it goes to.
    pub to: usize,
    /// How it is carried, and what.
    pub transport: Transport,
    /// Proxies that split its connections; only of a flow over TCP whose sender opens
    /// them.
    pub split: Option<SplitPlan>,
    /// When it starts, at the earliest.
    pub start: Time,
    /// It starts at a random moment within so much time from then.
    pub start_within: Duration,
    /// From when it begins nothing more; what was handed over is still sent.
    pub stop: Time,
    /// The path of its data, where it has one of its own that routing does not change: its
    /// ports, from the sender to the receiver. What comes back takes the same links.
    pub path: Option<Vec<PortId>>,
    /// Its paths, where it takes several at once; only of a flow over TCP without `split` and
    /// `path`.
    pub multipath: Option<MultipathPlan>,
    /// The port of the only radio link on the path of its data: the SINR there is
    /// reported to the sender, if its controller asks for that. None where there is no
    /// such link, or more than one.
    pub radio: Option<PortId>,
    /// The name that is asked for before it begins, if it has one; only of a plan with domains.
    pub lookup: Option<NameLookupPlan>,
}

/// The paths of a flow over Multipath TCP.
#[derive(Clone, Debug)]
pub struct MultipathPlan {
    /// How its connections behave, with as many paths.
    pub settings: Arc<MultipathSettings>,
    /// The ports of each path of its data, which routing does not change; what comes back takes
    /// the same links.
    pub paths: Vec<Vec<PortId>>,
    /// Whether the receiver of the data opens the connections, and is the client of `settings`.
    pub receiver_opens: bool,
}

/// Proxies that split connections (RFC 3135, section 2.4): each ends the connection from
/// the node before and opens one to the next, over which it sends what it receives.
#[derive(Clone, Debug)]
pub struct SplitPlan {
    /// Their nodes, from the sender to the receiver: at least one, none twice, and none
    /// of the flow's own.
    pub at: Vec<usize>,
    /// How many bytes of a connection each can hold.
    pub buffer: u64,
}

/// How a flow is carried, and what it carries.
#[derive(Clone, Debug)]
pub enum Transport {
    /// Over TCP.
    Tcp {
        /// How its connections behave.
        settings: Arc<TcpSettings>,
        /// What they carry.
        workload: Workload,
    },
    /// Over UDP.
    Udp(UdpSettings),
    /// Over a protocol whose implementation is a real one.
    Stack {
        /// Which it is, and how it is used.
        settings: Arc<StackSettings>,
        /// What it carries.
        data: StackData,
    },
}

/// What a flow between real implementations carries.
#[derive(Clone, Debug)]
pub enum StackData {
    /// Streams, of which each is what a connection is over TCP.
    Streams(Workload),
    /// Datagrams of a source as over UDP, of which none is sent again: its rate begins when the
    /// handshake is over.
    Datagrams(UdpSettings),
    /// Packets that programs at both hosts send each other, and that no other flow has: hosts that are
    /// machines with programs of their own.
    Packets,
}

/// How a flow uses the real implementation of a protocol.
#[derive(Clone, Debug)]
pub struct StackSettings {
    /// The name of the protocol, such as `quic`.
    pub protocol: &'static str,
    /// Makes both ends, or that of the sender of the data.
    pub maker: Arc<dyn MakeStack>,
    /// Makes that of the receiver of the data, if it is another implementation, which sends and
    /// receives the same.
    pub receiver: Option<Arc<dyn MakeStack>>,
    /// The name of what controls its congestion window.
    pub controller: String,
    /// Whether that is written outside.
    pub is_extended: bool,
    /// The version of IP.
    pub ip: IpVersion,
    /// The class of its packets.
    pub dscp: Dscp,
    /// Whether the receiver of the data connects.
    pub receiver_opens: bool,
    /// The paths that it may take, which routing does not change; none: the one by routing.
    pub paths: Vec<StackPathPlan>,
    /// When the end that connects changes to another of its paths, in the order of time; it begins
    /// on the first.
    pub migrations: Vec<Migration>,
    /// For how long after a datagram has arrived others are waited for that are read with it.
    pub reads: Duration,
    /// How long each end takes for each datagram that it reads or sends.
    pub cost: Duration,
    /// The most bytes that wait at an end until they are read: of the data of UDP datagrams, or of IP
    /// packets with their headers. What arrives beyond that is dropped. None: no limit.
    pub socket_buffer: Option<u64>,
}

/// A path of a flow between real implementations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackPathPlan {
    /// The ports of its data, from their sender to the receiver; what comes back takes the same links.
    pub ports: Vec<PortId>,
    /// Which of the sender's addresses it has, and of the receiver's, from 0 on.
    pub addresses: [u8; 2],
}

/// The end that connects changes to another path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Migration {
    /// When.
    pub at: Time,
    /// To which, by its place.
    pub path: usize,
}

impl StackSettings {
    /// Which of the sender's addresses a path has, and of the receiver's.
    #[must_use]
    pub fn addresses(&self, path: usize) -> [u8; 2] {
        self.paths.get(path).map_or([0; 2], |it| it.addresses)
    }

    /// The bytes of the headers that are added to what the stacks send, from that of IP on.
    #[must_use]
    pub fn headers(&self) -> u16 {
        match self.maker.unit() {
            Unit::UdpDatagram => self.ip.header() + udp::HEADER,
            Unit::IpPacket => 0,
        }
    }

    /// What makes the end there.
    #[must_use]
    pub(crate) fn maker_of(&self, side: Side) -> &dyn MakeStack {
        let receiver = self.receiver.as_deref().filter(|_| side == Side::Receiver);
        receiver.unwrap_or(&*self.maker)
    }

    /// What makes the two ends.
    pub fn makers(&self) -> impl Iterator<Item = &dyn MakeStack> {
        [Side::Sender, Side::Receiver].into_iter().map(|it| self.maker_of(it))
    }

    /// The bytes of the largest datagram, or IP packet, of both ends.
    #[must_use]
    pub fn largest_datagram(&self) -> u16 {
        self.makers().map(MakeStack::largest_datagram).max().unwrap_or_default()
    }
}

impl Transport {
    /// The name of the protocol.
    #[must_use]
    pub fn protocol(&self) -> &'static str {
        match self {
            Self::Tcp { .. } => "tcp",
            Self::Udp(_) => "udp",
            Self::Stack { settings, .. } => settings.protocol,
        }
    }

    /// What its streams carry; none of datagrams.
    #[must_use]
    pub fn workload(&self) -> Option<&Workload> {
        match self {
            Self::Tcp { workload, .. } | Self::Stack { data: StackData::Streams(workload), .. } => {
                Some(workload)
            }
            Self::Udp(_)
            | Self::Stack { data: StackData::Datagrams(_) | StackData::Packets, .. } => None,
        }
    }
}

impl FlowPlan {
    /// Whether it is carried over TCP.
    #[must_use]
    pub fn is_over_tcp(&self) -> bool {
        matches!(self.transport, Transport::Tcp { .. })
    }

    /// The MTU that its packets need, in bytes: that of its largest ones, or of a stack of those that
    /// it sends before it has searched for the path's.
    #[must_use]
    pub fn needed_mtu(&self) -> u32 {
        let [data, headers] = match &self.transport {
            Transport::Tcp { settings, .. } => [settings.maximum_segment, settings.headers()],
            Transport::Udp(it) => [it.payload, it.ip.header() + udp::HEADER],
            Transport::Stack { settings, .. } => {
                let first = settings.makers().map(MakeStack::first_datagram).max();
                [first.unwrap_or_default(), settings.headers()]
            }
        };
        u32::from(data) + u32::from(headers)
    }

    /// Whether its controller needs reports of a radio.
    #[must_use]
    pub fn needs_radio_reports(&self) -> bool {
        match &self.transport {
            Transport::Tcp { settings, .. } => {
                settings.controller.needs().any(|it| it == Need::Sinr)
            }
            Transport::Udp(_) | Transport::Stack { .. } => false,
        }
    }

    /// Whether it opens connections again and again.
    #[must_use]
    pub fn has_many_connections(&self) -> bool {
        matches!(&self.transport, Transport::Tcp { workload, .. } if workload.behaviour().many_streams)
    }

    /// The paths among which its ends choose, and which routing does not change; none, if it has
    /// only one.
    pub fn paths(&self) -> impl Iterator<Item = &[PortId]> {
        let of_stack = match &self.transport {
            Transport::Stack { settings, .. } => &settings.paths[..],
            _ => &[],
        };
        let subflows = self.multipath.iter().flat_map(|it| it.paths.iter().map(|it| &it[..]));
        subflows.chain(of_stack.iter().map(|it| &it.ports[..]))
    }

    /// Its TCP connections, where each carries one stream: between which nodes, and on which
    /// path if they have one of their own. There is one, or one between each two neighbouring
    /// hosts if proxies split them, or a subflow on each of several paths. Of a flow over another
    /// protocol, as many as it has paths.
    pub fn connections(&self) -> impl Iterator<Item = ([usize; 2], Option<&[PortId]>)> {
        let subflows = self.paths().map(|it| ([self.from, self.to], Some(it)));
        let is_plain = self.paths().next().is_none();
        let own = self.path.as_deref();
        subflows.chain(self.parts().filter(move |_| is_plain).map(move |it| (it, own)))
    }

    /// Whether it has paths of its own.
    #[must_use]
    pub fn has_own_paths(&self) -> bool {
        self.path.is_some() || self.paths().next().is_some()
    }

    /// The nodes between which connections run, in pairs, from the sender to the
    /// receiver: one pair unless proxies split them.
    pub fn parts(&self) -> impl Iterator<Item = [usize; 2]> {
        let proxies = || self.split.iter().flat_map(|it| it.at.iter().copied());
        let starts = std::iter::once(self.from).chain(proxies());
        starts.zip(proxies().chain(std::iter::once(self.to))).map(<[usize; 2]>::from)
    }
}
