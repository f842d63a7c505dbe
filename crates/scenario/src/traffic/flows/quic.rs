//! Flows over implementations of transport protocols that are used as they are: over QUIC, and over
//! what is written outside.

use std::ops::Range;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_applications::WorkloadKeys;
use windtunnel_applications::udp::UdpSettings;
use windtunnel_engine::{Duration, Rate};
use windtunnel_packets::Dscp;
use windtunnel_packets::ip::IpVersion;
use windtunnel_quic::{Implementation, NOQ, Options, QUINN};
use windtunnel_quinn::WindtunnelFactory;
use windtunnel_stack::{MakeStack, StackKind, Unit};
use windtunnel_world::{StackData, StackSettings, Transport};

use super::paths::FlowContext;
use super::several_paths::NamedPaths;
use super::stack_paths::{PathMigration, SeveralPaths};
use super::workloads::{self, Segments};
use crate::reading::error::{Mistake, suggestion};
use crate::reading::files::Files;
use crate::reading::located::Located;
use crate::reading::units::{Bytes, Measured};
use crate::traffic::controllers::Controller;

/// The implementations that are built in; the first is the default.
pub(crate) const STACKS: [Implementation; 2] = [QUINN, NOQ];

/// A flow over QUIC.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Quic {
    /// What controls its congestion window: a name under `[controllers]`, the name of a controller, or
    /// a table with the latter as `kind` and parameters; default: the implementation's own.
    controller: Option<Controller>,
    /// What it carries, where each connection of a flow over TCP is a stream; default: `bulk`.
    workload: Option<Located<WorkloadKeys>>,
    /// What it carries in place of streams: datagrams that are not sent again when they are lost
    /// (RFC 9221); quinn and noq can. Default: streams.
    datagrams: Option<Located<DatagramKeys>>,
    /// The implementation at both ends; default: quinn.
    #[serde(default)]
    #[serde(rename = "quic")]
    stack: QuicStack,
}

/// A flow over another protocol, by an implementation that is written outside.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Outside {
    /// What it carries, where each connection of a flow over TCP is a stream; default: `bulk`.
    workload: Option<Located<WorkloadKeys>>,
    /// The implementation at both ends.
    stack: OutsideStack,
}

/// An implementation of QUIC.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "Quic", deny_unknown_fields)]
struct QuicStack {
    /// Which it is: [`quinn`](https://docs.rs/quinn) 0.11, [`noq`](https://docs.rs/noq) 1.4, a fork of
    /// quinn that obeys a controller's pacing rate, [`aioquic`](https://aioquic.readthedocs.io), where
    /// that is installed, or the name of one that is written outside; default: `quinn`.
    stack: Option<Located<String>>,
    /// The implementation at the receiver of the data, if it is another one; with its own default
    /// controller, unless the flow has one of Windtunnel's. Default: the same.
    receiver: Option<Located<String>>,
    /// The name of its own controller: quinn has `cubic`, `new-reno` and `bbr`, noq `cubic`, `new-reno`
    /// and `bbr3`, aioquic `reno` and `cubic`; default: the first of them.
    controller: Option<Located<String>>,
    /// For how long after a datagram has arrived its host waits for others before it reads them all
    /// at once, as a busy one does; default: it reads each at once.
    #[serde(default = "no_time")]
    reads: Measured<Duration>,
    /// How long the processor of each end takes for each datagram that it reads or sends; default:
    /// no time.
    #[serde(default = "no_time")]
    cost: Measured<Duration>,
    /// The most bytes of the data of datagrams that wait at each end until they are read; what
    /// arrives beyond that is dropped. Default: no limit.
    socket_buffer: Option<Located<Measured<Bytes>>>,
    /// The links of each path that the connection can take, from `from` to `to`; what comes back takes
    /// the same links. The end that connects has another address on each, and the connection begins on
    /// the first. Default: with `migrations` or `multipath`, the shortest path by each link of the end
    /// that connects; without, the path by routing.
    paths: Option<NamedPaths>,
    /// When the end that connects changes to another path, where it has another address (RFC 9000,
    /// section 9); default: never.
    #[serde(default)]
    migrations: Vec<PathMigration>,
    /// Whether the connection uses all of its paths at once; only noq can.
    #[serde(default)]
    multipath: Located<bool>,
    /// Whether the connection resumes an earlier one, so that what the client sends first leaves before
    /// the handshake is over, with 0-RTT (RFC 9001, section 4.6); quinn and noq can.
    #[serde(default)]
    zero_rtt: Located<bool>,
    /// Whether streams are served by their urgency, which the objects of a `web-page` have, and those of
    /// one urgency each whole, in the order in which they are written (RFC 9218, section 10); quinn and
    /// noq can. Default: all in turn.
    #[serde(default)]
    priorities: Located<bool>,
}

/// An implementation of another protocol.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "OutsideStack", deny_unknown_fields)]
struct OutsideStack {
    /// The name of one that is written outside.
    name: Located<String>,
    /// That at the receiver of the data, if it is another one. Default: the same.
    receiver: Option<Located<String>>,
    /// The name of its own controller; default: its default.
    controller: Option<Located<String>>,
    /// For how long after a datagram has arrived its host waits for others before it reads them all
    /// at once, as a busy one does; default: it reads each at once.
    #[serde(default = "no_time")]
    reads: Measured<Duration>,
    /// How long the processor of each end takes for each datagram that it reads or sends; default:
    /// no time.
    #[serde(default = "no_time")]
    cost: Measured<Duration>,
    /// The most bytes of the data of datagrams that wait at each end until they are read; what
    /// arrives beyond that is dropped. Default: no limit.
    socket_buffer: Option<Located<Measured<Bytes>>>,
}

/// Datagrams over QUIC at a constant rate, from when the handshake is over.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "Datagrams", deny_unknown_fields)]
pub(super) struct DatagramKeys {
    /// The rate of what they carry, without headers.
    rate: Measured<Rate>,
    /// What each carries, its number and time of 16 bytes included.
    #[serde(default = "payload")]
    payload: Located<Measured<Bytes>>,
}

fn payload() -> Located<Measured<Bytes>> {
    Measured(Bytes(1000)).into()
}

impl DatagramKeys {
    /// The least that a datagram carries: its number and the time at which it was made.
    const LEAST: u64 = 16;
    /// What QUIC adds at most: the flags, a connection ID of 8 bytes, a packet number of 4, the frame's
    /// type and length of 9, and the tag of 16 (RFC 9000, section 17.3; RFC 9221, section 4).
    const OVERHEAD: u64 = 38;

    /// A source whose datagrams fit into the least that every path carries.
    fn settings(&self, stack: &StackSettings) -> Result<UdpSettings, Mistake> {
        let first = stack.makers().map(MakeStack::first_datagram).min().unwrap_or_default();
        let most = u64::from(first).saturating_sub(Self::OVERHEAD);
        self.payload.checked(
            |it| (Self::LEAST..=most).contains(&it.0.0),
            || format!("`payload` must be between {} B and {most} B", Self::LEAST),
            "write one such as payload = \"1000 B\"",
        )?;
        let payload = self.payload.value.0.0 as u16;
        let settings = UdpSettings::of_rate(stack.ip, self.rate.0, payload);
        Ok(UdpSettings { dscp: stack.dscp, ..settings })
    }
}

pub(super) fn no_time() -> Measured<Duration> {
    Measured(Duration::ZERO)
}

impl Default for QuicStack {
    fn default() -> Self {
        Self {
            stack: None,
            controller: None,
            receiver: None,
            reads: no_time(),
            cost: no_time(),
            socket_buffer: None,
            paths: None,
            migrations: Vec::new(),
            multipath: Located::default(),
            zero_rtt: Located::default(),
            priorities: Located::default(),
        }
    }
}

/// What the keys of a flow choose, over whatever protocol.
pub(super) struct Chosen<'a> {
    pub(super) protocol: &'static str,
    /// None: the default.
    pub(super) name: Option<&'a Located<String>>,
    /// The implementation's own controller.
    pub(super) own: Option<&'a Located<String>>,
    /// One of Windtunnel's.
    pub(super) ours: Option<&'a Controller>,
    pub(super) receiver: Option<&'a Located<String>>,
    pub(super) reads: Duration,
    pub(super) cost: Duration,
    pub(super) socket_buffer: Option<&'a Located<Measured<Bytes>>>,
    pub(super) paths: SeveralPaths<'a>,
    /// Set, if the connection resumes an earlier one.
    pub(super) zero_rtt: Option<&'a Located<bool>>,
    /// Set, if streams are served by their urgency.
    pub(super) priorities: Option<&'a Located<bool>>,
    pub(super) workload: Option<&'a Located<WorkloadKeys>>,
    pub(super) datagrams: Option<&'a Located<DatagramKeys>>,
    /// What is built in for this protocol, beside the implementations of QUIC; the first is the default.
    pub(super) built_in: &'a [&'a dyn StackKind],
}

/// The implementation with a controller: the latter's name, and whether one of them is written
/// outside.
struct Controlled {
    name: String,
    maker: Arc<dyn MakeStack>,
    is_extended: bool,
}

impl Quic {
    /// What its keys choose.
    pub(super) fn chosen(&self) -> Chosen<'_> {
        Chosen {
            protocol: "quic",
            name: self.stack.stack.as_ref(),
            own: self.stack.controller.as_ref(),
            ours: self.controller.as_ref(),
            receiver: self.stack.receiver.as_ref(),
            reads: self.stack.reads.0,
            cost: self.stack.cost.0,
            socket_buffer: self.stack.socket_buffer.as_ref(),
            paths: SeveralPaths {
                paths: self.stack.paths.as_ref(),
                migrations: &self.stack.migrations,
                multipath: Some(&self.stack.multipath).filter(|it| it.value),
            },
            zero_rtt: Some(&self.stack.zero_rtt).filter(|it| it.value),
            priorities: Some(&self.stack.priorities).filter(|it| it.value),
            workload: self.workload.as_ref(),
            datagrams: self.datagrams.as_ref(),
            built_in: &[],
        }
    }
}

impl Outside {
    /// What its keys choose.
    pub(super) fn chosen(&self) -> Chosen<'_> {
        Chosen {
            protocol: "stack",
            name: Some(&self.stack.name),
            own: self.stack.controller.as_ref(),
            ours: None,
            receiver: self.stack.receiver.as_ref(),
            reads: self.stack.reads.0,
            cost: self.stack.cost.0,
            socket_buffer: self.stack.socket_buffer.as_ref(),
            paths: SeveralPaths::default(),
            zero_rtt: None,
            priorities: None,
            workload: self.workload.as_ref(),
            datagrams: None,
            built_in: &[],
        }
    }
}

impl Chosen<'_> {
    /// Whether the receiver of the data connects.
    pub(super) fn receiver_opens(&self) -> bool {
        self.workload.is_some_and(|it| it.value.receiver_opens())
    }

    /// How a flow between two nodes is carried, and what.
    pub(super) fn plan(
        &self,
        ip: IpVersion,
        dscp: Dscp,
        context: &FlowContext<'_>,
        ends: [usize; 2],
        has_path: bool,
        files: &mut Files<'_>,
    ) -> Result<Transport, Mistake> {
        let Controlled { name: controller, maker, is_extended } =
            self.end(self.name, self.own, context)?;
        let unit = maker.unit();
        let receiver = self.receiver.map(|it| self.receiver(it, unit, context)).transpose()?;
        let paths =
            self.paths.plan(self.protocol, context, ends, has_path, self.receiver_opens())?;
        if unit == Unit::IpPacket
            && self.paths.multipath.is_none()
            && let Some(it) = self.paths.named().filter(|_| !paths.is_empty())
        {
            let message = format!("{} sends IP packets, of one address", maker.name());
            let help = "write multipath = true, or leave out what sets several paths";
            return Err(Mistake::new(message).at(it).help(help));
        }
        let keys = self.workload.map(|it| it.value.clone()).unwrap_or_default();
        let mut settings = StackSettings {
            protocol: self.protocol,
            maker,
            receiver,
            controller,
            is_extended,
            ip,
            dscp,
            receiver_opens: self.receiver_opens(),
            migrations: self.paths.migrations(paths.len())?,
            paths,
            reads: self.reads,
            cost: self.cost,
            socket_buffer: None,
        };
        settings.socket_buffer = self.socket_buffer(settings.largest_datagram())?;
        let segments =
            Segments { data: settings.largest_datagram(), headers: settings.headers().into() };
        let data = match self.datagrams {
            Some(it) => StackData::Datagrams(self.datagrams(it, &settings)?),
            None => StackData::Streams(workloads::plan(&keys, context, ends, segments, files)?),
        };
        Ok(Transport::Stack { settings: Arc::new(settings), data })
    }

    /// The source of datagrams, if both ends can send and receive them.
    fn datagrams(
        &self,
        keys: &Located<DatagramKeys>,
        settings: &StackSettings,
    ) -> Result<UdpSettings, Mistake> {
        if let Some(it) = self.workload {
            let message = "`datagrams` and `workload` cannot both be set";
            return Err(it.mistake(message).help("leave out one of them"));
        }
        if let Some(it) = settings.makers().find(|it| !it.has_datagrams()) {
            return Err(keys
                .mistake(format!("{} has no datagrams", it.name()))
                .help("write stack = \"quinn\" or \"noq\", or leave out `datagrams`"));
        }
        keys.value.settings(settings)
    }

    /// How many bytes wait at each end at most, where the largest datagram has so many.
    fn socket_buffer(&self, largest: u16) -> Result<Option<u64>, Mistake> {
        let Some(it) = self.socket_buffer else { return Ok(None) };
        let bytes = it.value.0.0;
        it.checked(
            |_| bytes >= largest.into(),
            || {
                format!(
                    "`socket_buffer` is {bytes} B, less than the largest datagram of {largest} B"
                )
            },
            "write one such as socket_buffer = \"208 kB\"",
        )?;
        Ok(Some(bytes))
    }

    /// The implementation at an end: of that name, or the default one, with its own controller of a
    /// name, or with one of Windtunnel's.
    fn end(
        &self,
        named: Option<&Located<String>>,
        own: Option<&Located<String>>,
        context: &FlowContext<'_>,
    ) -> Result<Controlled, Mistake> {
        let outside = &context.controllers.extensions.stacks;
        let span = named.and_then(|it| it.span.clone());
        let name = match (named, self.built_in) {
            (Some(it), _) => it.value.as_str(),
            (None, [first, ..]) => first.name(),
            (None, []) => STACKS[0].name,
        };
        if let Some(kind) = outside.iter().find(|it| it.name() == name) {
            let controlled = self.of_kind(span, own, kind.as_ref())?;
            return Ok(Controlled { is_extended: true, ..controlled });
        }
        if let Some(kind) = self.built_in.iter().find(|it| it.name() == name) {
            return self.of_kind(span, own, *kind);
        }
        let of_quic = STACKS.iter().filter(|_| self.protocol == "quic");
        if let Some(it) = of_quic.clone().find(|it| it.name == name) {
            return self.of_quic(*it, own, context);
        }
        let built_in = of_quic.map(|it| it.name).chain(self.built_in.iter().map(|it| it.name()));
        let known: Vec<&str> = built_in.chain(outside.iter().map(|it| it.name())).collect();
        let mistake = Mistake::new(format!("there is no stack `{name}`")).at(span);
        Err(mistake.help(suggestion(name, &known)))
    }

    /// What makes the receiver of the data, by the name of another implementation.
    fn receiver(
        &self,
        named: &Located<String>,
        unit: Unit,
        context: &FlowContext<'_>,
    ) -> Result<Arc<dyn MakeStack>, Mistake> {
        if let Some(it) = self.zero_rtt {
            let message = "`zero_rtt` and `receiver` cannot both be set".to_owned();
            return Err(it.mistake(message).help("leave out one of them"));
        }
        let maker = self.end(Some(named), None, context)?.maker;
        named.checked(
            |_| maker.unit() == unit,
            || {
                "one of the two implementations sends UDP datagrams, the other IP packets"
                    .to_owned()
            },
            "name two that send the same",
        )?;
        Ok(maker)
    }

    /// What is asked for beyond the defaults of a stack, if it can do that.
    fn options(&self, stack: &str, can: Options) -> Result<Options, Mistake> {
        let Chosen { paths: SeveralPaths { multipath, .. }, zero_rtt, priorities, .. } = *self;
        if let Some(it) = multipath.filter(|_| !can.multipath) {
            let one = if self.protocol == "tcp" { "linux" } else { "noq" };
            return Err(it
                .mistake(format!("{stack} has no multipath"))
                .help(format!("write stack = \"{one}\", or leave out `multipath`")));
        }
        if let Some(it) = zero_rtt.filter(|_| !can.zero_rtt) {
            return Err(it
                .mistake(format!("{stack} cannot be made to resume a connection"))
                .help("write stack = \"quinn\", or leave out `zero_rtt`"));
        }
        if let Some(it) = priorities.filter(|_| !can.priorities) {
            return Err(it
                .mistake(format!("{stack} has no priorities of streams"))
                .help("write stack = \"quinn\", or leave out `priorities`"));
        }
        Ok(Options {
            multipath: multipath.is_some(),
            zero_rtt: zero_rtt.is_some(),
            priorities: priorities.is_some(),
        })
    }

    /// One with its default or another controller of its own.
    fn of_kind(
        &self,
        span: Option<Range<usize>>,
        own: Option<&Located<String>>,
        kind: &dyn StackKind,
    ) -> Result<Controlled, Mistake> {
        let name = kind.name();
        self.options(name, Options { multipath: kind.has_multipath(), ..Options::default() })?;
        let unusable = |why: String| {
            let mistake = Mistake::new(format!("stack `{name}`: {why}")).at(span.clone());
            mistake.help("repair it, or name another one")
        };
        let controllers = kind.controllers().map_err(unusable)?;
        if let Some(ours) = self.ours {
            let message = format!("`controller` cannot be used with {name}, which has its own");
            let help = "leave out `controller`; one of the stack's own is `quic.controller`";
            return Err(ours.kind.mistake(message).help(help));
        }
        let controllers: Vec<&str> = controllers.iter().map(String::as_str).collect();
        let controller = match own {
            Some(own) if !controllers.contains(&own.value.as_str()) => {
                return Err(no_controller(name, own, &controllers));
            }
            Some(own) => Some(own.value.as_str()),
            None => controllers.first().copied(),
        };
        let maker = kind.maker(controller).map_err(unusable)?;
        Ok(Controlled { name: described(name, controller), maker, is_extended: false })
    }

    /// One of QUIC's that are built in.
    fn of_quic(
        &self,
        implementation: Implementation,
        own: Option<&Located<String>>,
        context: &FlowContext<'_>,
    ) -> Result<Controlled, Mistake> {
        let Implementation { name: stack, controllers, has_multipath, with_own, with } =
            implementation;
        let can = Options { multipath: has_multipath, zero_rtt: true, priorities: true };
        let options = self.options(stack, can)?;
        match (self.ours, own) {
            (Some(_), Some(own)) => {
                let message = "`controller` and `quic.controller` cannot both be set".to_owned();
                Err(own.mistake(message).help("leave out one of them"))
            }
            (Some(ours), None) => {
                let settings = context.controllers.settings(ours)?;
                let factory = WindtunnelFactory::new(&settings)
                    .map_err(|it| ours.kind.mistake(it.to_string()).help("name another one"))?;
                let name = settings.description().name.to_owned();
                let is_extended = settings.maker().is_some();
                Ok(Controlled { name, maker: with(factory, options), is_extended })
            }
            (None, own) => {
                let name = own.map_or(controllers[0], |it| it.value.as_str());
                let maker = with_own(name, options).ok_or_else(|| {
                    no_controller(stack, own.expect("it has its default"), controllers)
                })?;
                Ok(Controlled { name: described(stack, Some(name)), maker, is_extended: false })
            }
        }
    }
}

/// A stack's own controller, as tables name it.
pub(super) fn described(stack: &str, controller: Option<&str>) -> String {
    controller.map_or_else(|| stack.to_owned(), |it| format!("{stack}'s {it}"))
}

pub(super) fn no_controller(stack: &str, named: &Located<String>, controllers: &[&str]) -> Mistake {
    let name = named.value.as_str();
    let mistake = named.mistake(format!("{stack} has no controller `{name}`"));
    match controllers {
        [] => mistake.help("leave it out: there is nothing to choose"),
        _ => mistake.help(suggestion(name, controllers)),
    }
}
