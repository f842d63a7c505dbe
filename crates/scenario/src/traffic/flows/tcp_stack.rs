//! Flows over TCP, between implementations that are used as they are.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_applications::WorkloadKeys;
use windtunnel_engine::Duration;
use windtunnel_linux::{DEFAULT_KERNEL, LinuxKind};
use windtunnel_packets::Dscp;
use windtunnel_packets::ip::IpVersion;
use windtunnel_smoltcp::SmoltcpKind;
use windtunnel_stack::StackKind;
use windtunnel_tcp::TcpKind;
use windtunnel_world::Transport;

use super::paths::{FULL_PACKET, FlowContext};
use super::quic::{Chosen, no_time};
use super::several_paths::NamedPaths;
use super::stack_paths::SeveralPaths;
use crate::network::linux_hosts::{KernelSettings, names_and_values};
use crate::reading::error::Mistake;
use crate::reading::files::Files;
use crate::reading::located::Located;
use crate::reading::units::{Bytes, Measured};
use crate::traffic::needs::Network;

/// A flow over TCP, by an implementation that is used as it is.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TcpStack {
    /// What it carries; default: `bulk`.
    workload: Option<Located<WorkloadKeys>>,
    /// The implementations at both ends; default: smoltcp.
    #[serde(default)]
    tcp: Implementation,
}

/// An implementation of TCP.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "TcpImplementation", deny_unknown_fields)]
struct Implementation {
    /// Which it is: [`smoltcp`](https://docs.rs/smoltcp) 0.14, `linux`, the kernel itself, which
    /// `windtunnel linux build` builds, `windtunnel`, the TCP of flows with `protocol = "tcp"`, with its
    /// bytes, or the name of one that is written outside; default: `smoltcp`.
    stack: Option<Located<String>>,
    /// The implementation at the receiver of the data, if it is another one; with its own default
    /// controller. Default: the same.
    receiver: Option<Located<String>>,
    /// The name of its own controller: smoltcp has `cubic`, `reno` and `none`, with which its buffers of
    /// 1 MiB alone limit what is in flight; `linux` has those of the kernel, and `windtunnel` its own, the
    /// first of which is `cubic`; default: the first of them, or the kernel's own.
    controller: Option<Located<String>>,
    /// The kernel, by its name in `windtunnel linux list`, at both ends; only `linux` has any; default:
    /// `6.12`.
    kernel: Option<Located<String>>,
    /// Settings of the kernel (`sysctl`), by name, at both ends; only `linux` has any; default: those
    /// of the kernel.
    sysctl: Option<Located<KernelSettings>>,
    /// For how long after a packet has arrived its host waits for others before it reads them all
    /// at once, as a busy one does; default: it reads each at once.
    #[serde(default = "no_time")]
    reads: Measured<Duration>,
    /// How long the processor of each end takes for each packet that it reads or sends; default:
    /// no time.
    #[serde(default = "no_time")]
    cost: Measured<Duration>,
    /// The most bytes of IP packets that wait at each end until they are read; what
    /// arrives beyond that is dropped. Default: no limit.
    socket_buffer: Option<Located<Measured<Bytes>>>,
    /// Whether its connections are those of Multipath TCP (RFC 8684), which use all of their paths at once;
    /// only `linux` has them.
    #[serde(default)]
    multipath: Located<bool>,
    /// With `multipath`, the links of each path, from `from` to `to`; what comes back takes the same links.
    /// The end that connects has another network device and address on each, and connections begin on the
    /// first. Default: the shortest path by each link of the end that connects.
    paths: Option<NamedPaths>,
}

impl Default for Implementation {
    fn default() -> Self {
        Self {
            stack: None,
            receiver: None,
            controller: None,
            kernel: None,
            sysctl: None,
            reads: no_time(),
            cost: no_time(),
            socket_buffer: None,
            multipath: Located::default(),
            paths: None,
        }
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
        (network, has_path): (Network, bool),
        files: &mut Files<'_>,
    ) -> Result<Transport, Mistake> {
        // Tunnels that leave no room are refused later.
        let mtu = FULL_PACKET.saturating_sub(network.overhead).max(1);
        let (smoltcp, linux) = (SmoltcpKind::new(mtu), self.linux(mtu)?);
        self.chosen(&[&smoltcp, &linux, &TcpKind::new(mtu)])
            .plan(ip, dscp, context, ends, has_path, files)
    }

    /// The kernel, with its settings.
    fn linux(&self, mtu: u16) -> Result<LinuxKind, Mistake> {
        self.check_kernel("kernel", self.tcp.kernel.as_ref())?;
        self.check_kernel("sysctl", self.tcp.sysctl.as_ref())?;
        let settings = names_and_values(self.tcp.sysctl.as_ref());
        let named = self.tcp.kernel.as_ref();
        let linux = LinuxKind::new(named.map_or(DEFAULT_KERNEL, |it| &it.value), mtu, settings)
            .multipath(self.tcp.multipath.value);
        if let Some(name) = named {
            linux.check().map_err(|it| name.mistake(it))?;
        }
        Ok(linux)
    }

    /// What is said of the kernel is said where there is one.
    fn check_kernel<T>(&self, key: &str, it: Option<&Located<T>>) -> Result<(), Mistake> {
        let Some(it) = it else { return Ok(()) };
        let is = |it: &Option<Located<String>>| it.as_ref().is_some_and(|it| it.value == "linux");
        it.checked(
            |_| is(&self.tcp.stack) || is(&self.tcp.receiver),
            || format!("`{key}` is of the kernel, which neither end has"),
            &format!("write stack = \"linux\", or leave out `{key}`"),
        )
    }

    /// Whether the receiver of the data opens the connections.
    pub(super) fn receiver_opens(&self) -> bool {
        self.workload.as_ref().is_some_and(|it| it.value.receiver_opens())
    }

    /// What its keys choose.
    fn chosen<'a>(&'a self, built_in: &'a [&'a dyn StackKind]) -> Chosen<'a> {
        Chosen {
            protocol: "tcp",
            name: self.tcp.stack.as_ref(),
            own: self.tcp.controller.as_ref(),
            ours: None,
            receiver: self.tcp.receiver.as_ref(),
            reads: self.tcp.reads.0,
            cost: self.tcp.cost.0,
            socket_buffer: self.tcp.socket_buffer.as_ref(),
            paths: SeveralPaths {
                paths: self.tcp.paths.as_ref(),
                migrations: &[],
                multipath: Some(&self.tcp.multipath).filter(|it| it.value),
            },
            zero_rtt: None,
            priorities: None,
            workload: self.workload.as_ref(),
            datagrams: None,
            built_in,
        }
    }
}
