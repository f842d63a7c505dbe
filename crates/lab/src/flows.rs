//! From a scenario's flows to the plan's: what a type alone cannot check about
//! TCP and UDP.

use std::sync::Arc;

use toml::Spanned;
use windtunnel_applications::udp::UdpSettings;
use windtunnel_applications::{OnOffPeriods, Period, Sizes, Workload};
use windtunnel_controllers::{self as controllers, Need, Start};
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ip::IpVersion;
use windtunnel_queues::Discipline;
use windtunnel_transports::rtt::RtoLimits;
use windtunnel_transports::tcp::{EcnMode, Reading, Recovery, TcpSettings};
use windtunnel_world::{
    ChannelPlan, FlowPlan, LinkPlan, Plan, PortId, SplitPlan, Topology, Transport, headers,
};

use crate::build::{Builder, missing, stated, timeout, value};
use crate::error::Mistake;
use crate::scenario::{self as file, FlowWorkload, FlowWorkloadKind as Kind, Located};
use crate::units::{Bytes, Measured, Segments};

/// The packet that a full segment fills unless stated, in octets: Ethernet's.
const FULL_PACKET: u32 = 1500;
/// Room in the largest IP packet for the headers with all their options.
const MOST_DATA: u64 = 65_000;
const DEFAULT_DATAGRAM: u64 = 1400;
const DEFAULT_REQUEST: u64 = 100;

/// What a transport can give a controller.
#[derive(Clone, Copy)]
pub(crate) enum Carrier<'a> {
    /// An NDN consumer.
    Consumer,
    /// TCP with these settings, and what the network gives it.
    Tcp(&'a TcpSettings, Network),
}

/// What a network gives a flow.
#[derive(Clone, Copy)]
pub(crate) struct Network {
    /// Whether some router sends the milder mark.
    milder_marks: bool,
    /// The radio that the data crosses, if it is just one.
    radio: Option<PortId>,
}

/// Why a transport cannot give what a controller needs, and what would help; none
/// if it can.
fn refusal(need: Need, carrier: Carrier<'_>) -> Option<(&'static str, &'static str)> {
    use EcnMode::{Accurate, Dctcp, Scalable, SomeCongestion};
    match (need, carrier) {
        (Need::Pacing | Need::DeliveryRate | Need::MarksCounted, Carrier::Consumer)
        | (Need::Pacing | Need::DeliveryRate, Carrier::Tcp(..)) => None,
        (Need::MarksCounted, Carrier::Tcp(it, _)) => {
            (!matches!(it.ecn, Dctcp | Accurate | Scalable)).then_some((
                "an echo that counts congestion marks",
                "write ecn = \"dctcp\" or \"accurate\", or leave it out",
            ))
        }
        (Need::ScalableMarking, Carrier::Tcp(it, _)) => (it.ecn != Scalable).then_some((
            "packets that ask routers for L4S",
            "write ecn = \"scalable\", or leave it out",
        )),
        (Need::SomeCongestion, Carrier::Tcp(it, _)) if it.ecn != SomeCongestion => {
            Some(("an echo of the milder mark of SCE", "write ecn = \"sce\", or leave it out"))
        }
        (Need::SomeCongestion, Carrier::Tcp(_, network)) => (!network.milder_marks).then_some((
            "routers that send the milder mark of SCE",
            "give a link queue = { kind = \"sce\" }",
        )),
        (Need::OneWayDelay, Carrier::Tcp(it, _)) => {
            (!it.timestamps).then_some(("timestamps", "write timestamps = true, or leave it out"))
        }
        (Need::Sinr, Carrier::Tcp(_, network)) => network.radio.is_none().then_some((
            "a radio's SINR",
            "send over a link with a radio, and one alone; or write sinr = false",
        )),
        (Need::Sinr, Carrier::Consumer) => {
            Some(("a radio's SINR", "NDN does not tell it; use it in a flow over TCP"))
        }
        (Need::ScalableMarking, Carrier::Consumer) => {
            Some(("packets that ask routers for L4S", "NDN has none; use it in a flow over TCP"))
        }
        (Need::SomeCongestion, Carrier::Consumer) => {
            Some(("the milder mark of SCE", "NDN has none; use it in a flow over TCP"))
        }
        (Need::OneWayDelay, Carrier::Consumer) => {
            Some(("the delay of one way", "NDN tells only round trips; use it in a flow over TCP"))
        }
    }
}

/// Refuses a controller that its transport cannot give what it needs, with these
/// settings; `named` is where it is used.
pub(crate) fn check_needs(
    builder: &Builder<'_>,
    settings: &controllers::Settings,
    carrier: Carrier<'_>,
    named: &file::Controller,
) -> Result<(), Mistake> {
    let lacking = settings.needs().find_map(|need| Some((need, refusal(need, carrier)?)));
    let Some((need, (what, help))) = lacking else { return Ok(()) };
    let about = match carrier {
        Carrier::Consumer => "an NDN consumer has not",
        Carrier::Tcp(..) => "is not there",
    };
    let description = settings.description();
    let flag = if description.needs(need) { None } else { builder.flag(named, need) };
    let span = flag.unwrap_or_else(|| named.kind.span.clone());
    Err(Mistake::new(format!("controller `{}` needs {what}, which {about}", description.name))
        .at(span)
        .help(help))
}

/// The flows of a scenario; `plan` has all but them.
pub(crate) fn flows(builder: &Builder<'_>, plan: &Plan) -> Result<Vec<FlowPlan>, Mistake> {
    let paths = Paths::of(plan);
    let flows = builder.scenario.flows.iter();
    flows.map(|(name, flow)| build(builder, &paths, name, flow)).collect()
}

/// What there is for all flows alike.
struct Paths<'a> {
    plan: &'a Plan,
    topology: Topology,
    /// Whether some router sends the milder mark.
    milder_marks: bool,
    /// Whether some link is a radio.
    radios: bool,
}

fn build(
    builder: &Builder<'_>,
    paths: &Paths<'_>,
    name: &Spanned<String>,
    own: &file::Flow,
) -> Result<FlowPlan, Mistake> {
    let flow = own.or(&builder.scenario.defaults.flow);
    let from = flow.from.as_ref().ok_or_else(|| missing("flow", name, "from", "\"a\""))?;
    let to = flow.to.as_ref().ok_or_else(|| missing("flow", name, "to", "\"b\""))?;
    let nodes = [builder.node_index(from)?, builder.node_index(to)?];
    if nodes[0] == nodes[1] {
        let message = format!("flow `{}` ends where it starts", name.get_ref());
        return Err(Mistake::new(message).at(to.span.clone()).help("name two different nodes"));
    }
    let [start, start_within] =
        [&flow.start, &flow.start_within].map(|it| value(it, Duration::ZERO));
    let start = Time::ZERO + start;
    let stop = flow.stop.as_ref().map_or(Time::NEVER, |it| Time::ZERO + it.value.0);
    if let Some(it) = &flow.stop
        && stop <= start + start_within
    {
        return Err(Mistake::new("the flow stops before it starts").at(it.span.clone()));
    }
    let split = flow.split.as_ref().map(|it| split(builder, paths, nodes, it)).transpose()?;
    let mut network = paths.network(nodes);
    if split.is_some() {
        // The radio may be on a proxy's part of the way.
        network.radio = None;
    }
    let transport = match flow.protocol.unwrap_or_default() {
        file::Protocol::Udp => {
            refuse_keys_of_tcp(own)?;
            Transport::Udp(datagrams(name, &flow)?)
        }
        file::Protocol::Tcp => {
            refuse_keys_of_udp(own)?;
            let settings = settings(builder, network, name, &flow)?;
            let workload = workload(paths, nodes, &settings, &flow)?;
            if let (Some(_), Workload::RequestResponse { .. }) = (&split, &workload) {
                return Err(refuse_split_requests(&flow));
            }
            Transport::Tcp { settings: Arc::new(settings), workload }
        }
    };
    let [from, to] = nodes;
    let name = name.get_ref().clone();
    let radio = network.radio;
    Ok(FlowPlan { name, from, to, transport, split, start, start_within, stop, path: None, radio })
}

impl<'a> Paths<'a> {
    fn of(plan: &'a Plan) -> Self {
        Self {
            plan,
            topology: Topology::new(plan),
            milder_marks: plan.links.iter().flat_map(|it| &it.directions).any(sends_milder_mark),
            radios: plan.links.iter().any(is_radio),
        }
    }

    /// The links from one node to another. Where there is no way at all, the check of
    /// paths says so.
    fn path(&self, [from, to]: [usize; 2]) -> Vec<PortId> {
        self.topology.path(from, to).unwrap_or_default()
    }

    /// What the network gives a flow between two nodes.
    fn network(&self, nodes: [usize; 2]) -> Network {
        // A way is sought only where there is something to find on it.
        let path = if self.radios { self.path(nodes) } else { Vec::new() };
        let mut radios = path.into_iter().filter(|it| is_radio(&self.plan.links[it.link()]));
        let first = radios.next();
        // Of two, the sender could not say which one it hears.
        let radio = first.filter(|_| radios.next().is_none());
        Network { milder_marks: self.milder_marks, radio }
    }
}

fn is_radio(link: &LinkPlan) -> bool {
    matches!(link.channel, Some(ChannelPlan::Radio(_)))
}

fn foreign(key: &str, of: &str) -> Mistake {
    Mistake::new(format!("`{key}` is a key of {of} alone"))
}

fn refuse_keys_of_udp(flow: &file::Flow) -> Result<(), Mistake> {
    let keys = [("payload", flow.payload.as_ref().map(|it| &it.span))];
    refuse_keys(&keys, "flows over UDP", "write protocol = \"udp\", or leave it out")
}

fn refuse_keys_of_tcp(flow: &file::Flow) -> Result<(), Mistake> {
    let keys = [
        ("controller", flow.controller.as_ref().map(|it| &it.kind.span)),
        ("maximum_segment", flow.maximum_segment.as_ref().map(|it| &it.span)),
        ("timestamps", flow.timestamps.as_ref().map(|it| &it.span)),
        ("recovery", flow.recovery.as_ref().map(|it| &it.span)),
        ("ecn", flow.ecn.as_ref().map(|it| &it.span)),
        ("acknowledge_every", flow.acknowledge_every.as_ref().map(|it| &it.span)),
        ("acknowledge_within", flow.acknowledge_within.as_ref().map(|it| &it.span)),
        ("initial_timeout", flow.initial_timeout.as_ref().map(|it| &it.span)),
        ("minimum_timeout", flow.minimum_timeout.as_ref().map(|it| &it.span)),
        ("minimum_variation", flow.minimum_variation.as_ref().map(|it| &it.span)),
        ("maximum_timeout", flow.maximum_timeout.as_ref().map(|it| &it.span)),
        ("receive_buffer", flow.receive_buffer.as_ref().map(|it| &it.span)),
        ("reading", flow.reading.as_ref().map(|it| &it.span)),
        ("pacing", flow.pacing.as_ref().map(|it| &it.span)),
        ("initial_window", flow.initial_window.as_ref().map(|it| &it.span)),
        ("minimum_window", flow.minimum_window.as_ref().map(|it| &it.span)),
        ("split", flow.split.as_ref().map(|it| &it.span)),
    ];
    refuse_keys(&keys, "flows over TCP", "leave it out, or write protocol = \"tcp\"")
}

type Key<'a> = (&'a str, Option<&'a std::ops::Range<usize>>);

fn refuse_keys(keys: &[Key<'_>], of: &str, help: &str) -> Result<(), Mistake> {
    match keys.iter().find_map(|(key, span)| span.map(|span| (key, span))) {
        Some((key, span)) => Err(foreign(key, of).at(span.clone()).help(help)),
        None => Ok(()),
    }
}

/// Octets within limits.
fn octets(
    bytes: Option<&Located<Measured<Bytes>>>,
    default: u64,
    most: u64,
    what: &str,
) -> Result<u64, Mistake> {
    match bytes {
        None => Ok(default),
        Some(it) if (1..=most).contains(&it.value.0.0) => Ok(it.value.0.0),
        Some(it) => Err(Mistake::new(format!("{what} of {} B", it.value.0.0))
            .at(it.span.clone())
            .help(format!("write 1 B to {most} B"))),
    }
}

fn ip(flow: &file::Flow) -> IpVersion {
    match flow.ip {
        Some(file::Ip::V6) => IpVersion::V6,
        Some(file::Ip::V4) | None => IpVersion::V4,
    }
}

// -- UDP --------------------------------------------------------------------

fn datagrams(name: &Spanned<String>, flow: &file::Flow) -> Result<UdpSettings, Mistake> {
    let rate = flow.rate.as_ref().ok_or_else(|| missing("flow", name, "rate", "\"1 Mbps\""))?;
    let on_off = match &flow.workload {
        None => None,
        Some(it) if it.value.kind == Kind::Bulk => {
            keys_of(&it.value)?;
            None
        }
        Some(it) if it.value.kind == Kind::OnOff => Some(on_off_periods(it)?),
        Some(it) => {
            return Err(Mistake::new("UDP carries no workload of that kind")
                .at(it.span.clone())
                .help("write kind = \"on-off\", or leave it out for a constant rate"));
        }
    };
    let payload = octets(flow.payload.as_ref(), DEFAULT_DATAGRAM, MOST_DATA, "a payload")?;
    Ok(UdpSettings { ip: ip(flow), rate: rate.value.0, payload: payload as u16, on_off })
}

// -- TCP --------------------------------------------------------------------

fn settings(
    builder: &Builder<'_>,
    network: Network,
    name: &Spanned<String>,
    flow: &file::Flow,
) -> Result<TcpSettings, Mistake> {
    let named =
        flow.controller.as_ref().ok_or_else(|| missing("flow", name, "controller", "\"cubic\""))?;
    let controller = builder.controller(named)?;
    let mut settings = TcpSettings {
        ip: ip(flow),
        maximum_segment: 0,
        timestamps: flow.timestamps.as_ref().is_none_or(|it| it.value),
        recovery: recovery(flow),
        ecn: ecn(flow, &controller),
        acknowledge_every: acknowledge_every(flow.acknowledge_every.as_ref())?,
        acknowledge_within: stated(&flow.acknowledge_within, Duration::from_millis(40)),
        timeout_limits: timeout_limits(flow)?,
        receive_buffer: octets(flow.receive_buffer.as_ref(), 1 << 30, 1 << 30, "a receive buffer")?,
        reading: match flow.reading.as_ref().map(|it| it.value) {
            Some(file::Reading::Never) => Reading::AsTaken,
            Some(file::Reading::AtOnce) | None => Reading::AtOnce,
        },
        pacing: flow.pacing.as_ref().is_some_and(|it| it.value),
        start: start(flow)?,
        controller: controller.clone(),
    };
    let full = u64::from(FULL_PACKET - headers(&settings));
    let segment = octets(flow.maximum_segment.as_ref(), full, MOST_DATA, "a segment")?;
    settings.maximum_segment = segment as u16;
    check_needs(builder, &controller, Carrier::Tcp(&settings, network), named)?;
    Ok(settings)
}

fn sends_milder_mark(direction: &windtunnel_world::DirectionPlan) -> bool {
    matches!(direction.discipline, Discipline::Sce(_))
}

fn recovery(flow: &file::Flow) -> Recovery {
    match flow.recovery.as_ref().map(|it| it.value) {
        Some(file::Recovery::Tahoe) => Recovery::Tahoe,
        Some(file::Recovery::Reno) => Recovery::Reno,
        Some(file::Recovery::NewReno) => Recovery::NewReno,
        Some(file::Recovery::Sack) => Recovery::Sack,
        Some(file::Recovery::Rack) | None => Recovery::Rack,
    }
}

/// The proxies of a flow between two nodes.
fn split(
    builder: &Builder<'_>,
    paths: &Paths<'_>,
    nodes: [usize; 2],
    split: &Located<file::Split>,
) -> Result<SplitPlan, Mistake> {
    let way = paths.topology.nodes_of(nodes[0], &paths.path(nodes));
    let mut between = way.iter().skip(1).take_while(|it| **it != nodes[1]);
    let mut at = Vec::new();
    for proxy in &split.value.at {
        let node = builder.node_index(proxy)?;
        if !between.any(|it| *it == node) {
            let names: Vec<&str> =
                way.iter().map(|it| paths.plan.nodes[*it].name.as_str()).collect();
            let message = format!("no proxy at `{}` is next on the flow's way", proxy.value);
            return Err(Mistake::new(message).at(proxy.span.clone()).help(format!(
                "name nodes between its ends, in the order of its way: {}",
                names.join(", ")
            )));
        }
        at.push(node);
    }
    if at.is_empty() {
        return Err(Mistake::new("a flow that is split at no proxy")
            .at(split.span.clone())
            .help("name the proxies' nodes, or leave `split` out"));
    }
    let buffer = octets(split.value.buffer.as_ref(), 1 << 30, 1 << 30, "a proxy's buffer")?;
    Ok(SplitPlan { at, buffer })
}

/// Proxies wait for the sender's SYN.
fn refuse_split_requests(flow: &file::Flow) -> Mistake {
    let span = flow.split.as_ref().map(|it| it.span.clone());
    Mistake::new("the receiver opens this flow's connection, which proxies do not split")
        .at(span.unwrap_or_default())
        .help("leave `split` out, or have the flow carry another workload")
}

/// What the flow says, or else what its controller needs.
fn ecn(flow: &file::Flow, controller: &controllers::Settings) -> EcnMode {
    let needs = |need| controller.needs().any(|it| it == need);
    match flow.ecn.as_ref().map(|it| it.value) {
        Some(file::Ecn::Off) => EcnMode::Off,
        Some(file::Ecn::Classic) => EcnMode::Classic,
        Some(file::Ecn::Dctcp) => EcnMode::Dctcp,
        Some(file::Ecn::Accurate) => EcnMode::Accurate,
        Some(file::Ecn::Scalable) => EcnMode::Scalable,
        Some(file::Ecn::Sce) => EcnMode::SomeCongestion,
        None if needs(Need::ScalableMarking) => EcnMode::Scalable,
        None if needs(Need::MarksCounted) => EcnMode::Dctcp,
        None if needs(Need::SomeCongestion) => EcnMode::SomeCongestion,
        None => EcnMode::Off,
    }
}

fn acknowledge_every(every: Option<&Located<Measured<Segments>>>) -> Result<u8, Mistake> {
    let Some(every) = every else { return Ok(2) };
    let segments = every.value.0.0;
    if segments.fract() != 0.0 || segments > 255.0 {
        return Err(Mistake::new("an acknowledgement covers 1 to 255 whole segments")
            .at(every.span.clone())
            .help("write one such as \"2 segments\""));
    }
    Ok(segments as u8)
}

fn timeout_limits(flow: &file::Flow) -> Result<RtoLimits, Mistake> {
    let limits = RtoLimits::default();
    let minimum = timeout(flow.minimum_timeout.as_ref(), limits.minimum)?;
    let maximum = timeout(flow.maximum_timeout.as_ref(), limits.maximum)?;
    if let Some(it) = flow.maximum_timeout.as_ref().or(flow.minimum_timeout.as_ref())
        && maximum < minimum
    {
        let message = format!("the greatest timeout, {maximum}, is below the least, {minimum}");
        return Err(Mistake::new(message).at(it.span.clone()));
    }
    Ok(RtoLimits {
        initial: timeout(flow.initial_timeout.as_ref(), limits.initial)?,
        minimum,
        minimum_variation: stated(&flow.minimum_variation, Duration::from_millis(200)),
        maximum,
        ..limits
    })
}

fn start(flow: &file::Flow) -> Result<Start, Mistake> {
    let window = |it: &Option<Located<Measured<Segments>>>, default: f64| {
        it.as_ref().map_or(default, |it| it.value.0.0)
    };
    let initial_window = window(&flow.initial_window, 10.0);
    let minimum_window = window(&flow.minimum_window, initial_window.min(2.0));
    match &flow.minimum_window {
        Some(it) if minimum_window > initial_window => {
            Err(Mistake::new("the least window is above the initial one")
                .at(it.span.clone())
                .help(format!("write at most \"{initial_window} segments\"")))
        }
        _ => Ok(Start { initial_window, minimum_window, restart_window: 1.0 }),
    }
}

// -- Workloads --------------------------------------------------------------

fn workload(
    paths: &Paths<'_>,
    nodes: [usize; 2],
    settings: &TcpSettings,
    flow: &file::Flow,
) -> Result<Workload, Mistake> {
    const MOST: u64 = 1_000_000_000_000_000;
    let rate = flow.rate.as_ref();
    let bulk = Workload::Bulk { rate: rate.map(|it| it.value.0) };
    let Some(located) = &flow.workload else { return Ok(bulk) };
    let it = &located.value;
    keys_of(it)?;
    if let (Some(rate), false) = (rate, it.kind == Kind::Bulk) {
        return Err(Mistake::new("over TCP, only the application of `bulk` data has a `rate`")
            .at(rate.span.clone())
            .help("leave it out, or write workload = { kind = \"bulk\" }"));
    }
    let required = |key: &str, example: &str| {
        Mistake::new(format!("this workload needs its `{key}`"))
            .at(located.span.clone())
            .help(format!("write {key} = {example}"))
    };
    match it.kind {
        Kind::Bulk => Ok(bulk),
        Kind::File => {
            let size = it.size.as_ref().ok_or_else(|| required("size", "\"10 MB\""))?;
            Ok(Workload::File { bytes: octets(Some(size), 0, MOST, "a file")? })
        }
        Kind::RequestResponse => {
            let response =
                it.response.as_ref().ok_or_else(|| required("response", "\"64 KiB\""))?;
            Ok(Workload::RequestResponse {
                request: octets(it.request.as_ref(), DEFAULT_REQUEST, MOST, "a request")?,
                response: octets(Some(response), 0, MOST, "an answer")?,
                think: period(it, stated(&it.think, Duration::ZERO)),
            })
        }
        Kind::OnOff => on_off_periods(located).map(Workload::OnOff),
        Kind::Arrivals => {
            let sizes = it.sizes.as_ref().ok_or_else(|| required("sizes", "\"web-search\""))?;
            let sizes = sizes_of_files(sizes)?;
            let per_second = match (&it.rate, &it.load) {
                (Some(rate), None) => Located { value: rate.value.0.0, span: rate.span.clone() },
                (None, Some(load)) => {
                    let share = load.value.0.0;
                    let value = share * arrivals_at_full_load(paths, nodes, settings, &sizes);
                    Located { value, span: load.span.clone() }
                }
                (None, None) => return Err(required("load", "\"80 %\", or a rate")),
                (Some(_), Some(load)) => {
                    return Err(Mistake::new("both a rate of arrivals and a load")
                        .at(load.span.clone())
                        .help("write one of the two"));
                }
            };
            if per_second.value <= 0.0 {
                return Err(Mistake::new("nothing ever arrives").at(per_second.span));
            }
            Ok(Workload::Arrivals { per_second: per_second.value, sizes })
        }
    }
}

/// Refuses keys that this kind of workload has not.
fn keys_of(workload: &FlowWorkload) -> Result<(), Mistake> {
    let it = workload;
    let keys = [
        (it.size.as_ref().map(|it| &it.span), "size", &[Kind::File][..]),
        (it.request.as_ref().map(|it| &it.span), "request", &[Kind::RequestResponse]),
        (it.response.as_ref().map(|it| &it.span), "response", &[Kind::RequestResponse]),
        (it.think.as_ref().map(|it| &it.span), "think", &[Kind::RequestResponse]),
        (it.on.as_ref().map(|it| &it.span), "on", &[Kind::OnOff]),
        (it.off.as_ref().map(|it| &it.span), "off", &[Kind::OnOff]),
        (it.periods.as_ref().map(|it| &it.span), "periods", &[Kind::OnOff, Kind::RequestResponse]),
        (it.sizes.as_ref().map(|it| &it.span), "sizes", &[Kind::Arrivals]),
        (it.load.as_ref().map(|it| &it.span), "load", &[Kind::Arrivals]),
        (it.rate.as_ref().map(|it| &it.span), "rate", &[Kind::Arrivals]),
    ];
    for (span, key, kinds) in keys {
        if let Some(span) = span
            && !kinds.contains(&it.kind)
        {
            let message = format!("this kind of workload has no `{key}`");
            return Err(Mistake::new(message).at(span.clone()));
        }
    }
    Ok(())
}

fn period(workload: &FlowWorkload, mean: Duration) -> Period {
    match workload.periods.as_ref().map(|it| it.value) {
        Some(file::Periods::Exponential) => Period::Exponential(mean),
        Some(file::Periods::Fixed) | None => Period::Fixed(mean),
    }
}

fn on_off_periods(workload: &Located<FlowWorkload>) -> Result<OnOffPeriods, Mistake> {
    let it = &workload.value;
    keys_of(it)?;
    let length = |key: &str, length: &Option<Located<Measured<Duration>>>| match length {
        Some(it) if it.value.0 == Duration::ZERO => {
            Err(Mistake::new(format!("`{key}` of no time")).at(it.span.clone()))
        }
        Some(it) => Ok(it.value.0),
        None => Err(Mistake::new(format!("this workload needs its `{key}`"))
            .at(workload.span.clone())
            .help(format!("write {key} = \"500 ms\""))),
    };
    Ok(OnOffPeriods {
        on: period(it, length("on", &it.on)?),
        off: period(it, length("off", &it.off)?),
    })
}

fn sizes_of_files(sizes: &Located<file::SizesOfFiles>) -> Result<Sizes, Mistake> {
    let wrong = |message: &str| {
        Err(Mistake::new(message).at(sizes.span.clone()).help(
            "write points such as [[\"1 kB\", \"0 %\"], [\"10 kB\", \"60 %\"], [\"1 MB\", \"100 %\"]]",
        ))
    };
    match &sizes.value {
        file::SizesOfFiles::WebSearch => Ok(Sizes::web_search()),
        file::SizesOfFiles::DataMining => Ok(Sizes::data_mining()),
        file::SizesOfFiles::Fixed(Bytes(0)) => Err(Mistake::new("empty files")
            .at(sizes.span.clone())
            .help("write a size such as \"64 KiB\"")),
        file::SizesOfFiles::Fixed(bytes) => Ok(Sizes::Fixed(bytes.0)),
        file::SizesOfFiles::Points(points) => {
            let points: Vec<(f64, f64)> =
                points.iter().map(|(size, share)| (size.0.0 as f64, share.0.0)).collect();
            let rises = points.windows(2).all(|it| it[0].0 < it[1].0 && it[0].1 < it[1].1);
            let ends = points.first().zip(points.last());
            match ends {
                _ if points.len() < 2 || !rises => {
                    wrong("the points of a distribution must rise, in size and in probability")
                }
                Some(((_, first), (_, last))) if *first != 0.0 || *last != 1.0 => {
                    wrong("the points of a distribution go from 0 % to 100 %")
                }
                _ => Ok(Sizes::Points(points.into())),
            }
        }
    }
}

/// How many files a second would fill the narrowest link on the way with their
/// segments, headers included.
fn arrivals_at_full_load(
    paths: &Paths<'_>,
    nodes: [usize; 2],
    settings: &TcpSettings,
    sizes: &Sizes,
) -> f64 {
    let path = paths.path(nodes);
    let files = path.iter().map(|port| {
        let direction = paths.plan.direction(*port);
        let in_each = f64::from(headers(settings) + direction.overhead);
        let octets = sizes.mean() + sizes.mean_segments(settings.maximum_segment) * in_each;
        direction.rate.bits_per_second() as f64 / (8.0 * octets)
    });
    files.reduce(f64::min).unwrap_or(1.0)
}
