//! Flows over TCP, UDP, QUIC and protocols that are written outside.

mod kernels;
mod multipath;
mod path_policy;
mod paths;
mod quic;
mod requests;
mod several_paths;
mod shared_settings;
mod split;
mod stack_paths;
mod subflow_changes;
mod tcp;
mod tcp_stack;
mod udp;
mod workloads;

use std::ops::Range;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;
use windtunnel_applications::Workload;
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::Dscp;
use windtunnel_packets::ip::IpVersion;
use windtunnel_queues::Class;
use windtunnel_reading::choice;
use windtunnel_transports::tcp::TcpSettings;
use windtunnel_world::{FlowPlan, PortId, Transport as TransportPlan};

use crate::network::nodes::{Names, Node};
use crate::reading::error::Mistake;
use crate::reading::files::Files;
use crate::reading::generators::{InTurn, Pattern};
use crate::reading::located::{Both, Located, Named};
use crate::reading::same_schema::same_schema;
use crate::reading::timers::{self, zero};
use crate::reading::units::Measured;
use kernels::Kernels;
use path_policy::AnyPolicy;
pub(crate) use path_policy::POLICIES;
use paths::along;
pub(crate) use paths::{FlowContext, room_taken};
pub(crate) use quic::STACKS;
use quic::{Outside, Quic};
pub(crate) use requests::serve;
pub(crate) use tcp::Tcp;
use tcp_stack::TcpStack;
use udp::Udp;

/// A flow, over TCP, UDP, QUIC or a protocol that is written outside.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct Flow(pub(crate) Located<Both<Common, Transport>>);

same_schema!(Flow: Both<Common, Transport>);

/// A flow over TCP or UDP, from one node to another.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Flow")]
pub(crate) struct Common {
    /// The node that the data comes from.
    from: Located<String>,
    /// The node that it goes to.
    to: Located<String>,
    /// The version of IP.
    #[serde(default)]
    ip: Ip,
    /// The class of all its packets, acknowledgements included: a name such as "EF". Queues
    /// look at it that have bands or tins.
    #[serde(default)]
    dscp: Class,
    /// When it starts.
    #[serde(default = "zero")]
    start: Located<Measured<Duration>>,
    /// It starts at a random time, different in each run, at most this long after `start`.
    #[serde(default = "zero")]
    start_within: Located<Measured<Duration>>,
    /// When its application stops, while what it handed over is still sent; default:
    /// at the end of the run.
    stop: Option<Located<Measured<Duration>>>,
    /// The links of its path, from `from` to `to`, which routing does not change; what
    /// comes back takes the same links; default: the shortest path.
    path: Option<Located<Vec<Located<String>>>>,
    /// What chooses the path of each of its packets between autonomous systems. What comes back
    /// takes the path of what came. Default: `first`; of a flow over Multipath TCP `disjoint`.
    path_policy: Option<Located<AnyPolicy>>,
    /// With regions: the name of the other end for the end that opens the connection, or over UDP
    /// for `from`. That end asks the root of its region for the address, and the flow begins when
    /// the answer arrives. Default: the address is known.
    peer_name: Option<Located<String>>,
    /// Who sends to whom where it stands for many flows: `from` and `to` then name several nodes,
    /// such as `"rack-host-*"`. Default: they name one node each.
    #[serde(rename = "pattern")]
    _pattern: Option<Pattern>,
    /// How many flows it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts `#` is
    /// the number. With a `pattern`: how many of each pair of nodes. Default: one.
    #[serde(rename = "count")]
    _count: Option<u32>,
    /// For some keys, the values that the flows have in turn: the first one has the first value, and
    /// after the last value it is the turn of the first again. Default: all have the same values.
    #[serde(rename = "in_turn")]
    _in_turn: Option<InTurn>,
    /// How much later each of several flows starts than the one before it; default: they start
    /// together.
    #[serde(rename = "stagger")]
    _stagger: Option<Measured<Duration>>,
}

/// The protocol that carries a flow.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "protocol", rename_all = "kebab-case")]
#[schemars(rename = "Transport", tag = "protocol")]
#[expect(
    clippy::large_enum_variant,
    reason = "the flows of a scenario are one piece of memory, which goes back to the system as a whole"
)]
pub(crate) enum Transport {
    /// The Transmission Control Protocol.
    Tcp(Tcp),
    /// The User Datagram Protocol.
    Udp(Box<Udp>),
    /// QUIC, by an implementation that is used as it is.
    Quic(Box<Quic>),
    /// Another protocol, by an implementation that is written outside.
    Stack(Box<Outside>),
    /// The Transmission Control Protocol, by an implementation that is used as it is.
    TcpStack(Box<TcpStack>),
    /// What programs in the Linux kernels of both nodes send each other, over any protocol.
    Programs(Programs),
}

/// What programs in the Linux kernels of both nodes send each other, over any protocol.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Programs {}

choice! {
    /// A version of IP.
    pub Ip as IpVersion {
        /// IPv4.
        V4,
        /// IPv6.
        V6,
    }
}

/// The flows of a scenario.
pub(crate) fn plans(
    flows: &Named<Flow>,
    nodes: &Named<Node>,
    context: &FlowContext<'_>,
    files: &mut Files<'_>,
) -> Result<Vec<FlowPlan>, Mistake> {
    let kernels = kernels(flows, nodes, context)?;
    // There may be a million: what is collected takes no more room than they do.
    let mut plans = Vec::with_capacity(flows.len());
    for (name, flow) in flows {
        let plan = flow.plan(name, context, &kernels, files);
        plans.push(plan.map_err(|it| of_table(it, name, flow.0.span.clone()))?);
    }
    Ok(plans)
}

/// The kernels that are hosts of nodes, with what the flows there need.
fn kernels(
    flows: &Named<Flow>,
    nodes: &Named<Node>,
    context: &FlowContext<'_>,
) -> Result<Kernels, Mistake> {
    let hosts = || {
        nodes
            .iter()
            .enumerate()
            .filter_map(|(place, it)| Some((place, it.0.get_ref().as_str(), it.1.linux()?)))
    };
    if hosts().next().is_none() {
        return Ok(Kernels::default());
    }
    let over_tcp = flows
        .iter()
        .filter(|it| matches!(it.1.0.value.own, Transport::Tcp(_) | Transport::Programs(_)));
    let overheads = over_tcp.map(|(name, Flow(flow))| {
        let common = &flow.value.common;
        let ends = common.ends(name, context.nodes)?;
        let path = common.path(ends, context)?;
        let ip = IpVersion::from(common.ip);
        Ok((ends, context.paths.network(ends, path.as_deref(), ip).overhead))
    });
    let overheads: Vec<_> = overheads.collect::<Result<_, Mistake>>()?;
    Kernels::of(hosts(), &overheads)
}

/// A mistake, with the name and the place of the table in which a key is missing, if that is it.
fn of_table(
    mistake: Mistake,
    name: &Spanned<String>,
    place: impl Into<Option<Range<usize>>>,
) -> Mistake {
    match mistake.missing.is_some() && mistake.span.is_none() {
        true => mistake.of(name.get_ref()).at(place),
        false => mistake,
    }
}

/// Flows that carry the messages of a service from one node to another, for each pair of `ends`.
pub(crate) fn of_messages(
    tcp: &Tcp,
    service: &Spanned<String>,
    ends: &[[usize; 2]],
    context: &FlowContext<'_>,
) -> Result<Vec<FlowPlan>, Mistake> {
    let Some(first) = ends.first() else { return Ok(Vec::new()) };
    let network = context.paths.network(*first, None, IpVersion::V4);
    let settings = tcp.of_others("sessions", IpVersion::V4, context, network);
    let settings = settings.map_err(|it| of_table(it, service, service.span()))?;
    let flow = |ends: &[usize; 2]| {
        let [from, to] = ends.map(|it| context.nodes.name(it));
        let workload = Workload::Messages;
        FlowPlan {
            name: format!("{}: {from} to {to}", service.get_ref()),
            from: ends[0],
            to: ends[1],
            transport: TransportPlan::Tcp { settings: Arc::clone(&settings), workload },
            split: None,
            start: Time::ZERO,
            start_within: Duration::ZERO,
            stop: Time::NEVER,
            path: None,
            multipath: None,
            radio: None,
            lookup: None,
        }
    };
    Ok(ends.iter().map(flow).collect())
}

/// How the connection between the two ends of a tunnel behaves.
pub(crate) fn of_tunnel(
    (name, tcp): (&Spanned<String>, &Tcp),
    ip: IpVersion,
    ends: [usize; 2],
    context: &FlowContext<'_>,
) -> Result<Arc<TcpSettings>, Mistake> {
    let settings = tcp.of_others("tunnels", ip, context, context.paths.network(ends, None, ip));
    settings.map_err(|it| of_table(it, name, name.span()))
}

/// How the ends of a connection over one link behave that is a face.
pub(crate) fn of_face(
    (name, tcp): (&Spanned<String>, &Tcp),
    link: usize,
    context: &FlowContext<'_>,
) -> Result<Arc<TcpSettings>, Mistake> {
    let (ends, over) = (context.paths.link(link).nodes, [PortId::new(link, 0)]);
    let network = context.paths.network(ends, Some(&over), IpVersion::V4);
    tcp.of_others("faces", IpVersion::V4, context, network)
        .map_err(|it| of_table(it, name, name.span()))
}

impl Flow {
    /// Whether the receiver of the data opens the connections.
    pub(crate) fn receiver_opens(&self) -> bool {
        match &self.0.value.own {
            Transport::Tcp(it) => it.receiver_opens(),
            Transport::Quic(it) => it.chosen().receiver_opens(),
            Transport::Stack(it) => it.chosen().receiver_opens(),
            Transport::TcpStack(it) => it.receiver_opens(),
            Transport::Udp(_) | Transport::Programs(_) => false,
        }
    }

    fn plan(
        &self,
        name: &Spanned<String>,
        context: &FlowContext<'_>,
        kernels: &Kernels,
        files: &mut Files<'_>,
    ) -> Result<FlowPlan, Mistake> {
        let Common { ip, dscp, start, start_within, stop, .. } = &self.0.value.common;
        let ends = self.0.value.common.ends(name, context.nodes)?;
        let path = self.0.value.common.path(ends, context)?;
        let start = Time::ZERO + start.value.0;
        let start_within = start_within.value.0;
        let stop = timers::stop(stop.as_ref(), start + start_within)?;
        let (ip, dscp) = (IpVersion::from(*ip), Dscp::from(*dscp));
        let mut network = context.paths.network(ends, path.as_deref(), ip);
        let (transport, split, multipath) = match &self.0.value.own {
            Transport::Udp(it) => {
                (TransportPlan::Udp(it.plan(ip, dscp, network.overhead, files)?), None, None)
            }
            Transport::Quic(it) => {
                let has_path = path.is_some();
                (it.chosen().plan(ip, dscp, context, ends, has_path, files)?, None, None)
            }
            Transport::Stack(it) => {
                let has_path = path.is_some();
                (it.chosen().plan(ip, dscp, context, ends, has_path, files)?, None, None)
            }
            Transport::TcpStack(it) => {
                let network = (network, path.is_some());
                (it.plan(ip, dscp, context, ends, network, files)?, None, None)
            }
            Transport::Programs(_) => {
                let kernels = kernels.at(ends).ok_or(0);
                let planned = kernels.and_then(|it| it.programs((ip, dscp)));
                (planned.map_err(|it| self.0.value.common.no_kernel(it))?, None, None)
            }
            Transport::Tcp(it) if let Some(kernels) = kernels.at(ends) => {
                let on_path = (ends, network.overhead);
                (kernels.plan(it, (ip, dscp), context, on_path, files)?, None, None)
            }
            Transport::Tcp(it) => {
                let split = it.split(context, ends)?;
                if split.is_some() {
                    // The radio may be on a proxy's part of the path.
                    network.radio = None;
                }
                let transport = it.plan(ip, dscp, context, ends, network, files)?;
                let multipath = it.multipath(context, ends, &transport, path.is_some())?;
                if multipath.is_some() {
                    // Subflows have paths of their own.
                    network.radio = None;
                }
                (transport, split, multipath)
            }
        };
        let ([from, to], radio) = (ends, network.radio);
        let name = name.get_ref().clone();
        Ok(FlowPlan {
            name,
            from,
            to,
            transport,
            split,
            start,
            start_within,
            stop,
            path,
            multipath,
            radio,
            lookup: None,
        })
    }
}

impl Common {
    /// The ports of the flow's own path.
    fn path(
        &self,
        ends: [usize; 2],
        context: &FlowContext<'_>,
    ) -> Result<Option<Vec<PortId>>, Mistake> {
        let Some(path) = &self.path else { return Ok(None) };
        path.checked(
            |_| !context.paths.routed.are_apart(ends),
            || "`path` cannot be set between regions or autonomous systems".to_owned(),
            "leave out `path`",
        )?;
        along(context, ends, path).map(Some)
    }

    /// Programs run in a kernel, which one of the two ends, by its place, has not.
    fn no_kernel(&self, end: usize) -> Mistake {
        let node = [&self.from, &self.to][end];
        let why = format!(
            "the host of node `{}` is not a Linux kernel, in which programs could run",
            node.value
        );
        node.mistake(why).help(format!("write nodes.{}.linux = {{}}", node.value))
    }

    fn ends(&self, name: &Spanned<String>, nodes: &Names<'_>) -> Result<[usize; 2], Mistake> {
        let ends = [nodes.index(&self.from)?, nodes.index(&self.to)?];
        self.to.checked(
            |_| ends[0] != ends[1],
            || format!("both ends of flow `{}` are at the same node", name.get_ref()),
            "name two different nodes",
        )?;
        Ok(ends)
    }
}
