//! Flows over TCP from or to nodes whose hosts are Linux kernels: all of a node's flows are connections
//! of its kernel.

use std::collections::BTreeMap;
use std::sync::Arc;

use windtunnel_engine::Duration;
use windtunnel_linux::{DEFAULT_KERNEL, LinuxKind};
use windtunnel_packets::Dscp;
use windtunnel_packets::ip::IpVersion;
use windtunnel_stack::{MakeStack, StackKind};
use windtunnel_tcp::{Tcp as TcpHost, check};
use windtunnel_world::{StackData, StackSettings, Transport};

use super::paths::{FULL_PACKET, FlowContext};
use super::quic::{described, no_controller};
use super::tcp::Tcp;
use super::workloads::{self, Segments};
use crate::network::linux_hosts::{KernelCommand, LinuxHost, names_and_values};
use crate::reading::error::Mistake;
use crate::reading::files::Files;
use crate::reading::located::Located;
use crate::traffic::controllers::Controller;

/// The kernels of nodes, by the places of these.
#[derive(Default)]
pub(super) struct Kernels(BTreeMap<usize, Kernel>);

/// The kernel of a node.
struct Kernel {
    node: String,
    maker: Arc<dyn MakeStack>,
    /// The name of its controller, as tables have it.
    controller: String,
}

impl Kernels {
    /// Those of these nodes, with packets as small as the paths of all their flows need: `overheads` are
    /// the bytes that are added on the path of each flow over TCP, with its ends.
    pub(super) fn of<'a>(
        hosts: impl Iterator<Item = (usize, &'a str, &'a Located<LinuxHost>)>,
        overheads: &[([usize; 2], u16)],
    ) -> Result<Self, Mistake> {
        let mut kernels = BTreeMap::new();
        for (place, node, host) in hosts {
            let own = overheads.iter().filter(|it| it.0.contains(&place)).map(|it| it.1);
            if let Some(it) = host.value.run.first().filter(|_| own.clone().next().is_none()) {
                let why = format!(
                    "node `{node}` runs commands, but no flow of its kernel begins or ends there"
                );
                let help = "write a flow with protocol = \"tcp\", or with \"programs\" for what its programs send";
                return Err(it.command.mistake(why).help(help));
            }
            let mtu = packet(own.max().unwrap_or_default());
            kernels.insert(place, Kernel::new(node, host, mtu)?);
        }
        Ok(Self(kernels))
    }

    /// Those of the two ends of a flow, if there is one.
    pub(super) fn at(&self, ends: [usize; 2]) -> Option<EndKernels<'_>> {
        let kernels = ends.map(|it| self.0.get(&it));
        let first = kernels.into_iter().flatten().next()?;
        Some(EndKernels { kernels, first })
    }
}

/// The bytes of the largest packet, where so many are added on the path.
fn packet(overhead: u16) -> u16 {
    // Tunnels that leave no room are refused later.
    FULL_PACKET.saturating_sub(overhead).max(1)
}

impl Kernel {
    fn new(node: &str, host: &Located<LinuxHost>, mtu: u16) -> Result<Self, Mistake> {
        let LinuxHost { kernel, controller, sysctl, run } = &host.value;
        let name = kernel.as_ref().map_or(DEFAULT_KERNEL, |it| &it.value);
        let run = run.iter().map(KernelCommand::checked).collect::<Result<_, Mistake>>()?;
        let settings = names_and_values(sysctl.as_ref());
        let linux = LinuxKind::new(name, mtu, settings).run(run).shared();
        if let Some(it) = kernel {
            linux.check().map_err(|why| it.mistake(why))?;
        }
        let at_host = |why: String| {
            let place = sysctl.as_ref().and_then(|it| it.span.clone()).or(host.span.clone());
            Mistake::new(format!("the kernel of node `{node}`: {why}")).at(place)
        };
        let controllers = linux.controllers().map_err(at_host)?;
        let controllers: Vec<&str> = controllers.iter().map(String::as_str).collect();
        if let Some(it) = controller
            && !controllers.contains(&it.value.as_str())
        {
            return Err(no_controller("linux", it, &controllers));
        }
        let controller = controller.as_ref().map(|it| it.value.as_str());
        let maker = linux.maker(controller).map_err(at_host)?;
        let controller = described("linux", controller.or(controllers.first().copied()));
        Ok(Self { node: node.to_owned(), maker, controller })
    }

    fn host(&self) -> EndHost {
        let (maker, controller) = (Arc::clone(&self.maker), self.controller.clone());
        EndHost { maker, controller, is_extended: false }
    }
}

/// The kernels of the ends of a flow, of which there is at least one.
pub(super) struct EndKernels<'a> {
    kernels: [Option<&'a Kernel>; 2],
    first: &'a Kernel,
}

/// The host of an end: what makes it, and its controller.
struct EndHost {
    maker: Arc<dyn MakeStack>,
    controller: String,
    is_extended: bool,
}

impl EndKernels<'_> {
    /// How a flow over TCP between them is carried, and what.
    pub(super) fn plan(
        &self,
        tcp: &Tcp,
        (ip, dscp): (IpVersion, Dscp),
        context: &FlowContext<'_>,
        (ends, overhead): ([usize; 2], u16),
        files: &mut Files<'_>,
    ) -> Result<Transport, Mistake> {
        let node = &self.first.node;
        if let Some((key, span)) = tcp.keys_of_our_tcp().into_iter().find(|it| it.1.is_some()) {
            let why = format!("`{key}` cannot be set: the host of node `{node}` is a Linux kernel");
            let help = format!("leave it out; `nodes.{node}.linux.sysctl` sets the kernel");
            return Err(Mistake::new(why).at(span).help(help));
        }
        if let [Some(_), Some(_)] = self.kernels {
            self.check_no_controller(tcp.named_controller())?;
        }
        let [sender, receiver] = self.kernels.map(|kernel| match kernel {
            Some(it) => Ok(it.host()),
            None => ours(tcp.controller()?, packet(overhead), context),
        });
        let (sender, receiver) = (sender?, receiver?);
        let settings = between("tcp", [sender, receiver], (ip, dscp), tcp.receiver_opens());
        let segments =
            Segments { data: settings.largest_datagram(), headers: settings.headers().into() };
        let workload = tcp.workload().map(|it| it.value.clone()).unwrap_or_default();
        let data = workloads::plan(&workload, context, ends, segments, files)?;
        Ok(Transport::Stack { settings: Arc::new(settings), data: StackData::Streams(data) })
    }

    /// A flow of what programs at both nodes send each other.
    ///
    /// # Errors
    /// Which of the two ends, by its place, has no kernel.
    pub(super) fn programs(&self, (ip, dscp): (IpVersion, Dscp)) -> Result<Transport, usize> {
        let [Some(from), Some(to)] = self.kernels else {
            return Err(self.kernels.iter().position(Option::is_none).unwrap_or_default());
        };
        let settings = between("programs", [from.host(), to.host()], (ip, dscp), false);
        Ok(Transport::Stack { settings: Arc::new(settings), data: StackData::Packets })
    }

    /// Between two kernels, none of Windtunnel's controllers has anything to control.
    fn check_no_controller(&self, named: Option<&Controller>) -> Result<(), Mistake> {
        let Some(named) = named else { return Ok(()) };
        let node = &self.first.node;
        let why = "`controller` cannot be set: the hosts of both nodes are Linux kernels";
        let help = format!(
            "leave it out, and write one of the kernel's as `nodes.{node}.linux.controller`"
        );
        Err(named.kind.mistake(why).help(help))
    }
}

/// How a flow between two hosts is carried.
fn between(
    protocol: &'static str,
    [sender, receiver]: [EndHost; 2],
    (ip, dscp): (IpVersion, Dscp),
    receiver_opens: bool,
) -> StackSettings {
    StackSettings {
        protocol,
        maker: sender.maker,
        receiver: Some(receiver.maker),
        controller: sender.controller,
        is_extended: sender.is_extended,
        ip,
        dscp,
        receiver_opens,
        paths: Vec::new(),
        migrations: Vec::new(),
        reads: Duration::ZERO,
        cost: Duration::ZERO,
        socket_buffer: None,
    }
}

/// The end whose host is Windtunnel's TCP, with its bytes.
fn ours(named: &Controller, mtu: u16, context: &FlowContext<'_>) -> Result<EndHost, Mistake> {
    let settings = context.controllers.settings(named)?;
    check(&settings).map_err(|it| named.kind.mistake(it.to_string()).help("name another one"))?;
    Ok(EndHost {
        controller: settings.description().name.to_owned(),
        is_extended: settings.maker().is_some(),
        maker: Arc::new(TcpHost::new(settings).mtu(mtu)),
    })
}
