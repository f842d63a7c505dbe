//! Flows over TCP, between implementations that are used as they are.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_applications::WorkloadKeys;
use windtunnel_engine::Duration;
use windtunnel_packets::Dscp;
use windtunnel_packets::ip::IpVersion;
use windtunnel_smoltcp::{Smoltcp, SmoltcpController};
use windtunnel_world::{StackSettings, Transport};

use super::paths::{FULL_PACKET, FlowContext};
use super::quic::no_time;
use super::workloads::{self, Segments};
use crate::reading::error::{Mistake, suggestion};
use crate::reading::files::Files;
use crate::reading::located::Located;
use crate::reading::units::Measured;
use crate::traffic::needs::Network;

/// A flow over TCP, by an implementation that is used as it is.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FlowOverTcpStack")]
pub(crate) struct TcpStack {
    /// What it carries; default: `bulk`.
    workload: Option<Located<WorkloadKeys>>,
    /// The implementation at both ends; default: smoltcp.
    #[serde(default)]
    tcp: Chosen,
}

/// An implementation of TCP.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "TcpImplementation", deny_unknown_fields)]
struct Chosen {
    /// Which it is.
    #[serde(default)]
    #[serde(rename = "stack")]
    _stack: Stack,
    /// The name of its own controller; default: its default.
    controller: Option<Located<String>>,
    /// For how long after a packet has arrived its host waits for others before it reads them all
    /// at once, as a busy one does; default: it reads each at once.
    #[serde(default = "no_time")]
    reads: Measured<Duration>,
    /// How long the processor of each end takes for each packet that it reads or sends; default:
    /// no time.
    #[serde(default = "no_time")]
    cost: Measured<Duration>,
}

/// The name of an implementation of TCP.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename = "TcpImplementationName", rename_all = "kebab-case")]
enum Stack {
    /// [smoltcp](https://docs.rs/smoltcp) 0.14. Its own controllers are `cubic`, which is its
    /// default, `reno` and `none`: then its buffers of 1 MiB alone limit what is in flight.
    #[default]
    Smoltcp,
}

impl Default for Chosen {
    fn default() -> Self {
        Self { _stack: Stack::default(), controller: None, reads: no_time(), cost: no_time() }
    }
}

impl TcpStack {
    /// How a flow between two nodes is carried, and what.
    pub(super) fn plan(
        &self,
        ip: IpVersion,
        dscp: Dscp,
        context: &FlowContext<'_>,
        ends: [usize; 2],
        network: Network,
        files: &mut Files<'_>,
    ) -> Result<Transport, Mistake> {
        let (name, controller) = self.controller()?;
        // Tunnels that leave no room are refused later.
        let mtu = FULL_PACKET.saturating_sub(network.overhead).max(1);
        let settings = StackSettings {
            protocol: "tcp",
            maker: Arc::new(Smoltcp::new(controller).mtu(mtu)),
            receiver: None,
            controller: format!("smoltcp's {name}"),
            is_extended: false,
            ip,
            dscp,
            receiver_opens: self.receiver_opens(),
            paths: Vec::new(),
            migrations: Vec::new(),
            reads: self.tcp.reads.0,
            cost: self.tcp.cost.0,
        };
        let keys = self.workload.as_ref().map(|it| it.value.clone()).unwrap_or_default();
        let segments =
            Segments { data: settings.largest_datagram(), headers: settings.headers().into() };
        let workload = workloads::plan(&keys, context, ends, segments, files)?;
        Ok(Transport::Stack { settings: Arc::new(settings), workload })
    }

    /// Whether the receiver of the data opens the connections.
    pub(super) fn receiver_opens(&self) -> bool {
        self.workload.as_ref().is_some_and(|it| it.value.receiver_opens())
    }

    fn controller(&self) -> Result<(&str, SmoltcpController), Mistake> {
        let names = &SmoltcpController::NAMES;
        let own = self.tcp.controller.as_ref();
        let name = own.map_or(names[0], |it| it.value.as_str());
        let controller = SmoltcpController::named(name).ok_or_else(|| {
            let mistake = Mistake::new(format!("smoltcp has no controller `{name}`"));
            mistake.at(own.and_then(|it| it.span.clone())).help(suggestion(name, names))
        })?;
        Ok((name, controller))
    }
}
