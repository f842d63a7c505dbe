//! Tunnels: what a scenario says of them, and whether flows cross them.

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;
use windtunnel_engine::Rate;
use windtunnel_networks::tunnel::WireGuardSettings;
use windtunnel_packets::ip::IpVersion;
use windtunnel_world::{BridgePlan, FlowPlan, TcpTunnelPlan, TunnelCarrier, TunnelPlan, places};

use crate::network::nodes::Names;
use crate::network::reachability;
use crate::network::stages::{Carried, Network, Routed};
use crate::reading::error::Mistake;
use crate::reading::located::{Both, Located, Named};
use crate::reading::units::{Bytes, Measured, bytes};
use crate::traffic::controllers::Controllers;
use crate::traffic::flow_paths::{FlowPath, flow_paths};
use crate::traffic::flows::{self, FlowContext, Ip, Tcp, room_taken};

/// The least MTU that IPv4 and IPv6 work with.
const LEAST_MTU: u64 = 1280;
/// The greatest: with the headers around it, a packet has at most 65,535 bytes.
const MOST_MTU: u64 = 65_440;

/// A packet of the greatest size, and its length.
const LEAST_BUFFER: u64 = 65_537;
/// The most that the headers of tunnels inside each other take of a packet of 1500 bytes.
const MOST_TAKEN: u16 = 1000;

/// A tunnel of some kind.
pub(crate) type Tunnel = Both<Common, Kind>;

/// A tunnel: IP packets whose path leads over both nodes travel between them inside other
/// packets, in both directions. Routers between them see the outer headers alone: all packets
/// are one flow there, and the ECN field is treated as RFC 6040 says.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Tunnel")]
pub(crate) struct Common {
    /// The nodes of its two ends.
    nodes: [Located<String>; 2],
    /// The version of IP of the outer header: 20 bytes, or 40 with IPv6.
    #[serde(default)]
    ip: Ip,
}

/// What carries the packets of a tunnel.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "TunnelKind", tag = "kind")]
pub(crate) enum Kind {
    /// IP packets (RFC 2003, RFC 2473).
    IpInIp(IpInIp),
    /// WireGuard: encrypted packets in UDP, with headers of 60 bytes, or 80 over IPv6. The first
    /// packet waits for a handshake of one round trip; after 120 s of use there is another one,
    /// for which nothing waits. The segments of TCP flows through the tunnel are so small that
    /// their packets are within its MTU; larger packets of other flows are dropped.
    Wireguard(WireGuard),
    /// A TCP connection between the ends, in whose stream packets are one after another, each
    /// after two bytes with its length. Nothing is lost inside; what the path loses is sent again,
    /// and what came after it waits. The first node opens it when the run begins.
    Tcp(TcpTunnel),
}

/// IP packets in IP packets (RFC 2003, RFC 2473).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct IpInIp {}

/// WireGuard.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireGuard {
    /// The most bytes of a packet inside: 1280 B to 65440 B. Packets are padded to a multiple
    /// of 16 bytes, but not beyond it.
    #[serde(default = "bytes::<1420>")]
    mtu: Located<Measured<Bytes>>,
    /// How fast each end encrypts and decrypts, both on one core with a queue of 1024
    /// packets; default: at once.
    crypto: Option<Measured<Rate>>,
}

/// A TCP connection between the ends.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "TcpConnection")]
pub(crate) struct TcpTunnel {
    /// How both ends of the connection behave.
    pub(crate) tcp: Box<Tcp>,
    /// The most bytes that wait at an end for an acknowledgement; packets that do not fit are
    /// dropped before they enter.
    #[serde(default = "buffer")]
    buffer: Located<Measured<Bytes>>,
}

/// 500 packets: a TUN device's queue in Linux.
fn buffer() -> Located<Measured<Bytes>> {
    bytes::<750_000>()
}

/// The tunnels of a scenario.
pub(crate) fn plans(
    tunnels: &Named<Tunnel>,
    nodes: &Names<'_>,
    links: &Names<'_>,
    controllers: &Controllers<'_>,
    routed: &Routed,
) -> Result<Vec<TunnelPlan>, Mistake> {
    let mut plans: Vec<TunnelPlan> = Vec::with_capacity(tunnels.len());
    for (name, Both { common, own }) in tunnels {
        let ends = common.ends(name, nodes)?;
        check_joined(&routed.network, &common.nodes, ends)?;
        check_alone(&plans, ends, name)?;
        let carrier = own.carrier(common.ip.into())?;
        plans.push(TunnelPlan { name: name.get_ref().clone(), ends, carrier });
    }
    // The segments of connections are within the MTUs of other tunnels.
    for (place, (name, Both { common, own })) in tunnels.iter().enumerate() {
        let Kind::Tcp(it) = own else { continue };
        let (ends, ip) = (plans[place].ends, common.ip.into());
        let context = FlowContext::new(nodes, links, controllers, routed, &plans);
        let settings = flows::of_tunnel((name, &it.tcp), ip, ends, &context)?;
        let carrier = TcpTunnelPlan { face: None, settings, buffer: it.buffer()? };
        plans[place].carrier = TunnelCarrier::Tcp(carrier);
    }
    Ok(plans)
}

impl TcpTunnel {
    /// In bytes.
    pub(crate) fn buffer(&self) -> Result<u64, Mistake> {
        let bytes = self.buffer.value.0.0;
        self.buffer.checked(
            |_| bytes >= LEAST_BUFFER,
            || format!("a buffer of {bytes} B holds not even one packet"),
            &format!("write \"{LEAST_BUFFER} B\" or more"),
        )?;
        Ok(bytes)
    }
}

/// Checks which flows and bridges the tunnels of a scenario are on the paths of.
pub(crate) fn check(
    tunnels: &Named<Tunnel>,
    Carried { routed, tunnels: plans }: &Carried,
    flows: &[FlowPlan],
    bridges: &[BridgePlan],
) -> Result<(), Mistake> {
    if tunnels.is_empty() {
        return Ok(());
    }
    let paths = flow_paths(flows, &routed.topology());
    for (name, tunnel) in tunnels.keys().zip(plans) {
        check_crossed(&paths, tunnel.ends, name)?;
        check_room(&paths, plans, tunnel.ends, name)?;
        check_bridges(&paths, bridges, tunnel.ends, name)?;
    }
    Ok(())
}

impl Kind {
    fn carrier(&self, version: IpVersion) -> Result<TunnelCarrier, Mistake> {
        // Of a TCP connection more is to be known first.
        let Self::Wireguard(it) = self else { return Ok(TunnelCarrier::Ip(version)) };
        let mtu = it.mtu.value.0.0;
        it.mtu.checked(
            |_| (LEAST_MTU..=MOST_MTU).contains(&mtu),
            || format!("an MTU of {mtu} B is out of range"),
            &format!("write \"{LEAST_MTU} B\" to \"{MOST_MTU} B\""),
        )?;
        let (mtu, crypto) = (mtu as u16, it.crypto.map(|it| it.0));
        Ok(TunnelCarrier::WireGuard(WireGuardSettings { version, mtu, crypto }))
    }
}

impl Common {
    fn ends(&self, name: &Spanned<String>, nodes: &Names<'_>) -> Result<[usize; 2], Mistake> {
        let [first, second] = &self.nodes;
        let ends = [nodes.index(first)?, nodes.index(second)?];
        second.checked(
            |_| ends[0] != ends[1],
            || format!("both ends of tunnel `{}` are at the same node", name.get_ref()),
            "name two different nodes",
        )?;
        Ok(ends)
    }
}

fn check_joined(
    network: &Network,
    nodes: &[Located<String>; 2],
    ends: [usize; 2],
) -> Result<(), Mistake> {
    let [first, second] = nodes;
    second.checked(
        |_| reachability::are_joined(network, ends),
        || format!("there is no path between `{}` and `{}`", first.value, second.value),
        "connect them by links",
    )
}

/// Checks that no other tunnel has the same ends: each would be inside the other. No other
/// tunnels can be in a loop, because their packets take shortest paths.
fn check_alone(
    others: &[TunnelPlan],
    [first, second]: [usize; 2],
    name: &Spanned<String>,
) -> Result<(), Mistake> {
    let has_same = |it: &&TunnelPlan| it.ends == [first, second] || it.ends == [second, first];
    let Some(other) = others.iter().find(has_same) else { return Ok(()) };
    let message = format!("tunnels `{}` and `{}` have the same ends", other.name, name.get_ref());
    Err(Mistake::new(message)
        .at(name.span())
        .help("each would be inside the other; remove one, or let one begin further inside"))
}

/// Checks that some flow crosses a tunnel.
fn check_crossed(
    paths: &[FlowPath<'_>],
    [first, second]: [usize; 2],
    name: &Spanned<String>,
) -> Result<(), Mistake> {
    let crosses = |it: &FlowPath<'_>| it.nodes.contains(&first) && it.nodes.contains(&second);
    if paths.iter().any(crosses) {
        return Ok(());
    }
    Err(Mistake::new(format!("no flow crosses tunnel `{}`", name.get_ref()))
        .at(name.span())
        .help("the data of a flow must go through both its nodes"))
}

/// Checks that the tunnels on a flow's path leave room for its data.
fn check_room(
    paths: &[FlowPath<'_>],
    tunnels: &[TunnelPlan],
    [first, second]: [usize; 2],
    name: &Spanned<String>,
) -> Result<(), Mistake> {
    let crosses = |it: &&FlowPath<'_>| it.nodes.contains(&first) && it.nodes.contains(&second);
    let is_full = |it: &&FlowPath<'_>| room_taken(tunnels, &it.nodes) > MOST_TAKEN;
    let Some(full) = paths.iter().filter(crosses).find(is_full) else { return Ok(()) };
    let message = format!(
        "the tunnels inside each other on the path of flow `{}` leave no room \
                           for its data",
        full.flow
    );
    Err(Mistake::new(message).at(name.span()).help("remove some, or write a greater `mtu`"))
}

/// Checks that no edge of a bridge is between a tunnel's ends: it could not see what the
/// packets there carry.
fn check_bridges(
    paths: &[FlowPath<'_>],
    bridges: &[BridgePlan],
    [first, second]: [usize; 2],
    name: &Spanned<String>,
) -> Result<(), Mistake> {
    for path in paths {
        let ends = [[first, second], [second, first]];
        let Some([from, to]) = ends.into_iter().find_map(|it| places(&path.nodes, it)) else {
            continue;
        };
        let is_inside = |edge: usize| path.nodes[from + 1..to].contains(&edge);
        if let Some(bridge) = bridges.iter().find(|it| is_inside(it.from) || is_inside(it.to)) {
            let message = format!(
                "an edge of bridge `{}` is inside tunnel `{}` on the path of flow `{}`",
                bridge.name,
                name.get_ref(),
                path.flow,
            );
            let help = "let the tunnel end where the bridge begins, or put it inside the bridge";
            return Err(Mistake::new(message).at(name.span()).help(help));
        }
    }
    Ok(())
}
