//! Flows over QUIC, between implementations that are used as they are.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_applications::WorkloadKeys;
use windtunnel_engine::Duration;
use windtunnel_packets::Dscp;
use windtunnel_packets::ip::IpVersion;
use windtunnel_quic::{Implementation, NOQ, QUINN};
use windtunnel_quinn::WindtunnelFactory;
use windtunnel_stack::MakeStack;
use windtunnel_world::{StackSettings, Transport};

use super::paths::FlowContext;
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
    /// The implementations at both ends; default: quinn.
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
    /// The implementation at the receiver of the data, if it is another one; with its own default
    /// controller, unless the flow has one of Windtunnel's. Default: the same.
    receiver: Option<Stack>,
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
}

pub(super) fn no_time() -> Measured<Duration> {
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
    /// The implementation of the receiver, if it is another one.
    receiver: Option<Arc<dyn MakeStack>>,
    is_extended: bool,
}

impl Default for Chosen {
    fn default() -> Self {
        let (stack, controller) = (Stack::default(), None);
        Self { stack, receiver: None, controller, reads: no_time(), cost: no_time() }
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
        files: &mut Files<'_>,
    ) -> Result<Transport, Mistake> {
        let Controlled { name: controller, maker, receiver, is_extended } =
            self.controlled(context)?;
        let keys = self.workload.as_ref().map(|it| it.value.clone()).unwrap_or_default();
        let settings = StackSettings {
            protocol: "quic",
            maker,
            receiver,
            controller,
            is_extended,
            ip,
            dscp,
            receiver_opens: self.receiver_opens(),
            reads: self.stack.reads.0,
            cost: self.stack.cost.0,
        };
        let segments =
            Segments { data: settings.largest_datagram(), headers: settings.headers().into() };
        let workload = workloads::plan(&keys, context, ends, segments, files)?;
        Ok(Transport::Stack { settings: Arc::new(settings), workload })
    }

    /// Whether the receiver of the data connects.
    pub(super) fn receiver_opens(&self) -> bool {
        self.workload.as_ref().is_some_and(|it| it.value.receiver_opens())
    }

    fn controlled(&self, context: &FlowContext<'_>) -> Result<Controlled, Mistake> {
        let Implementation { name: stack, controllers, with_own, with } =
            self.stack.stack.implementation();
        let receiver = self.stack.receiver.map(Stack::implementation);
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
                let receiver = receiver.map(|it| (it.with)(factory.clone()));
                Ok(Controlled { name, maker: with(factory), receiver, is_extended })
            }
            (None, own) => {
                let name = own.as_ref().map_or(controllers[0], |it| it.value.as_str());
                let maker = with_own(name).ok_or_else(|| {
                    let message = format!("{stack} has no controller `{name}`");
                    let span = own.as_ref().and_then(|it| it.span.clone());
                    Mistake::new(message).at(span).help(suggestion(name, controllers))
                })?;
                let receiver = receiver.and_then(|it| (it.with_own)(it.controllers[0]));
                let name = format!("{stack}'s {name}");
                Ok(Controlled { name, maker, receiver, is_extended: false })
            }
        }
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
