//! Flows over QUIC, between implementations that are used as they are.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_applications::WorkloadKeys;
use windtunnel_engine::Duration;
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::{Dscp, udp};
use windtunnel_quic::{Noq, NoqController, Quinn, QuinnController};
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
    /// The implementation at both ends; default: quinn.
    #[serde(default)]
    quic: Implementation,
}

/// An implementation of QUIC.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "Quic", deny_unknown_fields)]
struct Implementation {
    /// Which it is.
    #[serde(default)]
    stack: Stack,
    /// The name of its own controller; default: its default.
    controller: Option<Located<String>>,
    /// For how long after a datagram has arrived its host waits for others before it reads them all
    /// at once, as a busy one does; default: it reads each at once.
    #[serde(default = "at_once")]
    reads: Measured<Duration>,
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

impl Default for Implementation {
    fn default() -> Self {
        Self { stack: Stack::default(), controller: None, reads: at_once() }
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
        let (controller, maker) = self.maker(context)?;
        let is_extended = match &self.controller {
            Some(it) => context.controllers.settings(it)?.maker().is_some(),
            None => false,
        };
        let keys = self.workload.as_ref().map(|it| it.value.clone()).unwrap_or_default();
        let settings = StackSettings {
            protocol: "quic",
            maker,
            controller,
            is_extended,
            ip,
            dscp,
            receiver_opens: self.receiver_opens(),
            reads: self.quic.reads.0,
        };
        let segments = Segments {
            data: settings.maker.largest_datagram(),
            headers: (ip.header() + udp::HEADER).into(),
        };
        let workload = workloads::plan(&keys, context, ends, segments, files)?;
        Ok(Transport::Stack { settings: Arc::new(settings), workload })
    }

    /// Whether the receiver of the data connects.
    pub(super) fn receiver_opens(&self) -> bool {
        self.workload.as_ref().is_some_and(|it| it.value.receiver_opens())
    }

    /// The name of the controller, and what makes both ends.
    fn maker(&self, context: &FlowContext<'_>) -> Result<(String, Arc<dyn MakeStack>), Mistake> {
        let stack = self.quic.stack;
        match (&self.controller, &self.quic.controller) {
            (Some(_), Some(own)) => {
                let message = "`controller` and `quic.controller` cannot both be set".to_owned();
                Err(own.mistake(message).help("leave out one of them"))
            }
            (Some(ours), None) => {
                let settings = context.controllers.settings(ours)?;
                let factory = WindtunnelFactory::new(&settings)
                    .map_err(|it| ours.kind.mistake(it.to_string()).help("name another one"))?;
                Ok((settings.description().name.to_owned(), stack.with(factory)))
            }
            (None, own) => {
                let name = own.as_ref().map_or(stack.own()[0], |it| it.value.as_str());
                let maker = stack.with_own(name).ok_or_else(|| {
                    let message = format!("{} has no controller `{name}`", stack.name());
                    let mistake = own.as_ref().map(|it| it.mistake(message.clone()));
                    mistake
                        .unwrap_or_else(|| Mistake::new(message))
                        .help(suggestion(name, stack.own()))
                })?;
                Ok((format!("{}'s {name}", stack.name()), maker))
            }
        }
    }
}

impl Stack {
    fn name(self) -> &'static str {
        match self {
            Self::Quinn => "quinn",
            Self::Noq => "noq",
        }
    }

    /// The names of its own controllers, the default first.
    fn own(self) -> &'static [&'static str] {
        match self {
            Self::Quinn => &QuinnController::OWN,
            Self::Noq => &NoqController::OWN,
        }
    }

    fn with_own(self, name: &str) -> Option<Arc<dyn MakeStack>> {
        Some(match self {
            Self::Quinn => Arc::new(Quinn::new(QuinnController::own(name)?)),
            Self::Noq => Arc::new(Noq::new(NoqController::own(name)?)),
        })
    }

    fn with(self, controller: WindtunnelFactory) -> Arc<dyn MakeStack> {
        let controller = Box::new(controller);
        match self {
            Self::Quinn => Arc::new(Quinn::new(QuinnController::Windtunnel(controller))),
            Self::Noq => Arc::new(Noq::new(NoqController::Windtunnel(controller))),
        }
    }
}
