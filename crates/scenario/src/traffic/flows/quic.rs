//! Flows over QUIC, between implementations that are used as they are.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_applications::WorkloadKeys;
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::Dscp;
use windtunnel_packets::ip::IpVersion;
use windtunnel_quic::{Implementation, NOQ, Options, QUINN};
use windtunnel_quinn::WindtunnelFactory;
use windtunnel_stack::MakeStack;
use windtunnel_world::{Migration, StackPathPlan, StackSettings, Transport};

use super::paths::FlowContext;
use super::several_paths::{Interfaces, NamedPaths, check, named};
use super::workloads::{self, Segments};
use crate::reading::error::{Mistake, suggestion};
use crate::reading::files::Files;
use crate::reading::located::Located;
use crate::reading::units::Measured;
use crate::traffic::controllers::Controller;

/// A flow over QUIC.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Quic {
    /// What controls its congestion window: a name under `[controllers]`, the name of a controller, or
    /// a table with the latter as `kind` and parameters; default: the implementation's own.
    controller: Option<Controller>,
    /// What it carries, where each connection of a flow over TCP is a stream; default: `bulk`.
    workload: Option<Located<WorkloadKeys>>,
    /// The implementation at both ends; default: quinn.
    #[serde(default)]
    #[serde(rename = "quic")]
    stack: Chosen,
}

/// An implementation of QUIC.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "Quic", deny_unknown_fields)]
struct Chosen {
    /// Which it is.
    #[serde(default)]
    stack: Stack,
    /// The name of its own controller; default: its default.
    controller: Option<Located<String>>,
    /// For how long after a datagram has arrived its host waits for others before it reads them all
    /// at once, as a busy one does; default: it reads each at once.
    #[serde(default = "at_once")]
    reads: Measured<Duration>,
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
    /// the handshake is over, with 0-RTT (RFC 9001, section 4.6).
    #[serde(default)]
    zero_rtt: bool,
}

/// The end that connects changes to another path.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PathMigration {
    /// When.
    at: Measured<Duration>,
    /// The number of the path: 0 is that of the first.
    path: Located<usize>,
}

fn at_once() -> Measured<Duration> {
    Measured(Duration::ZERO)
}

/// The name of an implementation of QUIC.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Stack {
    /// [quinn](https://docs.rs/quinn) 0.11. Its own controllers are `cubic`, which is its default,
    /// `new-reno` and `bbr`.
    #[default]
    Quinn,
    /// [noq](https://docs.rs/noq) 1.4, a fork of quinn that obeys a controller's pacing rate. Its own
    /// controllers are `cubic`, which is its default, `new-reno` and `bbr3`.
    Noq,
}

/// The implementation with a controller: the latter's name, and whether that is written outside.
struct Controlled {
    name: String,
    maker: Arc<dyn MakeStack>,
    is_extended: bool,
}

impl Default for Chosen {
    fn default() -> Self {
        Self {
            stack: Stack::default(),
            controller: None,
            reads: at_once(),
            paths: None,
            migrations: Vec::new(),
            multipath: Located::default(),
            zero_rtt: false,
        }
    }
}

impl Quic {
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
        let Controlled { name: controller, maker, is_extended } = self.controlled(context)?;
        let paths = self.stack.paths(context, ends, has_path, self.receiver_opens())?;
        let keys = self.workload.as_ref().map(|it| it.value.clone()).unwrap_or_default();
        let settings = StackSettings {
            protocol: "quic",
            maker,
            controller,
            is_extended,
            ip,
            dscp,
            receiver_opens: self.receiver_opens(),
            migrations: self.stack.migrations(paths.len())?,
            paths,
            reads: self.stack.reads.0,
        };
        let segments = Segments {
            data: settings.maker.largest_datagram(),
            headers: settings.headers().into(),
        };
        let workload = workloads::plan(&keys, context, ends, segments, files)?;
        Ok(Transport::Stack { settings: Arc::new(settings), workload })
    }

    /// Whether the receiver of the data connects.
    pub(super) fn receiver_opens(&self) -> bool {
        self.workload.as_ref().is_some_and(|it| it.value.receiver_opens())
    }

    fn controlled(&self, context: &FlowContext<'_>) -> Result<Controlled, Mistake> {
        let Implementation { name: stack, controllers, has_multipath, with_own, with } =
            self.stack.stack.implementation();
        self.stack.multipath.checked(
            |it| !it || has_multipath,
            || format!("{stack} has no multipath"),
            "write stack = \"noq\", or leave out `multipath`",
        )?;
        let (multipath, zero_rtt) = (self.stack.multipath.value, self.stack.zero_rtt);
        let options = Options { multipath, zero_rtt };
        match (&self.controller, &self.stack.controller) {
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
                let name = own.as_ref().map_or(controllers[0], |it| it.value.as_str());
                let maker = with_own(name, options).ok_or_else(|| {
                    let message = format!("{stack} has no controller `{name}`");
                    let span = own.as_ref().and_then(|it| it.span.clone());
                    Mistake::new(message).at(span).help(suggestion(name, controllers))
                })?;
                Ok(Controlled { name: format!("{stack}'s {name}"), maker, is_extended: false })
            }
        }
    }
}

impl Chosen {
    /// The paths of a connection between two nodes; none, if routing decides.
    fn paths(
        &self,
        context: &FlowContext<'_>,
        ends: [usize; 2],
        has_path: bool,
        receiver_opens: bool,
    ) -> Result<Vec<StackPathPlan>, Mistake> {
        let paths = self.paths.as_ref().map(|it| it.span.clone());
        let migrations = || self.migrations.first().map(|it| it.path.span.clone());
        let multipath = || self.multipath.value.then(|| self.multipath.span.clone());
        let Some(span) = paths.or_else(migrations).or_else(multipath) else {
            return Ok(Vec::new());
        };
        let mistake = |message: &str| Mistake::new(message).at(span.clone());
        if has_path {
            let mistake = mistake("`path` and several paths under `quic` cannot both be set");
            return Err(mistake.help("name its paths under `quic.paths`"));
        }
        if context.paths.routed.are_apart(ends) {
            let mistake =
                mistake("several paths cannot be set between regions or autonomous systems");
            return Err(mistake.help("leave out `paths`, `migrations` and `multipath`"));
        }
        let mut ports = match &self.paths {
            Some(it) => named(context, ends, it)?,
            None => context.paths.of_interfaces(ends),
        };
        if self.paths.is_none() {
            let mut links = Vec::new();
            ports.retain(|it| {
                let link = if receiver_opens { it.last() } else { it.first() }.copied();
                let is_new = !links.contains(&link);
                links.push(link);
                is_new
            });
        }
        check(&ports, span.clone())?;
        let interfaces = Interfaces::of(&ports, receiver_opens);
        let clients: Vec<u8> = ports.iter().map(|it| interfaces.addresses(it)[0]).collect();
        if let Some(place) = (1..ports.len()).find(|it| clients[..*it].contains(&clients[*it])) {
            let end = context.nodes.name(ends[usize::from(receiver_opens)]);
            let message =
                format!("path {place} has the same link at `{end}` as another: one address");
            let mistake = Mistake::new(message).at(span);
            return Err(
                mistake.help("name paths that begin on different links of the end that connects")
            );
        }
        // A client that changes its own address keeps that of its server (RFC 9000, section 9).
        let plan = |(ports, client)| {
            let addresses = if receiver_opens { [0, client] } else { [client, 0] };
            StackPathPlan { ports, addresses }
        };
        Ok(ports.into_iter().zip(clients).map(plan).collect())
    }

    /// The migrations of a flow with so many paths, in the order of time.
    fn migrations(&self, paths: usize) -> Result<Vec<Migration>, Mistake> {
        let mut planned = Vec::with_capacity(self.migrations.len());
        for PathMigration { at, path } in &self.migrations {
            path.checked(
                |it| *it < paths,
                || format!("there is no path {}: the flow has {paths}", path.value),
                "their numbers begin with 0, in the order of `paths`",
            )?;
            planned.push(Migration { at: Time::ZERO + at.0, path: path.value });
        }
        planned.sort_by_key(|it| it.at);
        Ok(planned)
    }
}

impl Stack {
    fn implementation(self) -> Implementation {
        match self {
            Self::Quinn => QUINN,
            Self::Noq => NOQ,
        }
    }
}
