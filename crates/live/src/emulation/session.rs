//! An emulation on a thread of its own, and the namespaces around it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::net::IpAddr;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

use thiserror::Error;
use windtunnel_packets::ip::LEAST_MTU_V6;
use windtunnel_packets::ip::{address_of_node, address_of_node_v6};
use windtunnel_world::{NodePlan, Plan, Unreachable, World};

use super::internet::Internet;
use super::{Attachment, Emulation, Finished};
use crate::interface::{Carries, MTU, TunInterface};
use crate::namespace::Namespace;

/// What makes TUN interfaces.
const TUN: &str = "/dev/net/tun";
/// The interface in a namespace that is made for a node.
const INTERFACE: &str = "world0";
/// The lengths of the prefixes of nodes' addresses: all nodes are neighbours of each other.
const PREFIXES: [u8; 2] = [8, 64];

/// Where the packets of a node enter and leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Door {
    /// A namespace made for it, with one interface, where [`EmulationSession::spawn`] starts programs.
    Own,
    /// One with another interface besides, to the Internet: addresses of no other node are there.
    Internet,
    /// An interface: one that is there, with its addresses, or one that is made.
    Interface {
        /// Its name.
        name: String,
        /// The name of its namespace, as `ip netns` has it; none: that of this process.
        namespace: Option<String>,
    },
}

/// What real hosts have in common with the nodes they are behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// IP: nodes are routers.
    Ip,
    /// Ethernet: nodes are bridges, and all hosts are on one network.
    Ethernet,
}

impl Layer {
    /// What goes through interfaces that are made for nodes.
    fn of_own(self) -> Carries {
        match self {
            Self::Ip => Carries::Segments,
            Self::Ethernet => Carries::Frames,
        }
    }

    /// What goes through interfaces that are attached: others may use them later, without offload.
    fn of_attached(self) -> Carries {
        match self {
            Self::Ip => Carries::Packets,
            Self::Ethernet => Carries::Frames,
        }
    }
}

/// Why an emulation could not begin.
#[derive(Debug, Error)]
pub enum SessionError {
    /// The plan has consumers or flows without a path.
    #[error("a consumer, flow, bridge or tunnel of the scenario has no path")]
    Unreachable(Unreachable),
    /// The machine does not allow it.
    #[error("{what}: {error}{}", help(.error))]
    Refused {
        /// What was tried.
        what: String,
        /// What the machine says.
        error: io::Error,
    },
}

/// An emulation in progress. When it is dropped, its namespaces vanish, and what runs in them.
#[derive(Debug)]
pub struct EmulationSession {
    /// None once it has begun.
    begin: Option<Sender<()>>,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<Finished>>,
    // The door closes before the namespaces vanish.
    internet: Option<Internet>,
    namespaces: BTreeMap<usize, Namespace>,
    hosts: Vec<String>,
    name_server: Option<IpAddr>,
}

/// What to do where the machine does not allow something.
fn help(error: &io::Error) -> &'static str {
    let is_missing = !std::path::Path::new(TUN).exists();
    match File::options().read(true).write(true).open(TUN) {
        Err(_) if is_missing => {
            "\nhelp: there is no /dev/net/tun; as root: `mkdir -p /dev/net && mknod -m 666 \
             /dev/net/tun c 10 200`, in a container: `--device /dev/net/tun`"
        }
        Err(_) => {
            "\nhelp: /dev/net/tun may not be opened; as root: `chmod 666 /dev/net/tun`, in a \
             container: `--device /dev/net/tun`"
        }
        Ok(_) if error.kind() == io::ErrorKind::PermissionDenied => {
            "\nhelp: it needs root, or user namespaces; a container needs `--cap-add NET_ADMIN \
             --cap-add SYS_ADMIN --security-opt apparmor=unconfined --device /dev/net/tun`"
        }
        Ok(_) => "",
    }
}

fn refused(what: String) -> impl FnOnce(io::Error) -> SessionError {
    |error| SessionError::Refused { what, error }
}

impl EmulationSession {
    /// Sets up the emulation of a plan, with these doors of nodes; none is [`Door::Internet`] over
    /// Ethernet. Virtual time stands still until [`EmulationSession::begin`]. `record` is given the plan
    /// with the attached nodes, and the world before anything happens.
    ///
    /// # Errors
    /// [`SessionError`].
    pub fn start(
        plan: Plan,
        doors: &[(usize, Door)],
        layer: Layer,
        record: impl FnOnce(&Plan, &mut World),
    ) -> Result<Self, SessionError> {
        let mut namespaces = BTreeMap::new();
        let mut attachments = Vec::new();
        for (node, door) in doors {
            let (node, name) = (*node, &plan.nodes[*node].name);
            let interface = match door {
                Door::Own | Door::Internet => {
                    let what = format!("cannot make a network namespace for {name}");
                    let namespace = Namespace::create().map_err(refused(what))?;
                    let (addresses, mtu) = (addresses(&plan, node, door), mtu(&plan, node));
                    let carries = layer.of_own();
                    let made = namespace
                        .run(move || TunInterface::create(carries, INTERFACE, &addresses, mtu));
                    namespaces.insert(node, namespace);
                    made.map_err(refused(format!("cannot make an interface for {name}")))?
                }
                Door::Interface { name, namespace } => {
                    let what = format!("cannot attach the interface {name}");
                    let addresses = addresses(&plan, node, door);
                    let carries = layer.of_attached();
                    attach(carries, name.clone(), namespace.as_deref(), addresses)
                        .map_err(refused(what))?
                }
            };
            attachments.push(Attachment { node, interface });
        }
        let default = doors.iter().position(|(_, door)| *door == Door::Internet);
        let internet = default.map(|it| open_internet(doors[it].0, &namespaces)).transpose()?;
        let name_server = default.map(|it| address_of_node(doors[it].0, 0).into());
        let hosts = hosts(&plan, &attachments);
        let emulation = Emulation::new(plan, attachments, default, record);
        let emulation = emulation.map_err(SessionError::Unreachable)?;
        let (begin, begins) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let is_stopped = Arc::clone(&stop);
        let thread = thread::Builder::new()
            .name("emulation".to_owned())
            .spawn(move || emulation.run(&begins, &is_stopped))
            .map_err(refused("cannot start a thread".to_owned()))?;
        let begin = Some(begin);
        Ok(Self { begin, stop, thread, internet, namespaces, hosts, name_server })
    }

    /// The namespace that was made for a node.
    #[must_use]
    pub fn namespace(&self, node: usize) -> Option<&Namespace> {
        self.namespaces.get(&node)
    }

    /// Starts a program behind a node with a namespace of its own, where the names of all
    /// nodes are known as hosts.
    ///
    /// # Errors
    /// If it cannot be started, or the node has no namespace of its own.
    pub fn spawn(&self, node: usize, program: &[String]) -> io::Result<Child> {
        let namespace = self.namespace(node).ok_or(io::ErrorKind::NotFound)?;
        namespace.spawn(program, &self.hosts, self.name_server)
    }

    /// Has virtual time begin. What was sent before enters then.
    pub fn begin(&mut self) {
        // A thread that has ended says why in `finish`.
        self.begin.take().map(|it| it.send(()));
    }

    /// Has it stop.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether it has ended.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.thread.is_finished()
    }

    /// Waits for its end. Programs behind nodes are killed then.
    ///
    /// # Errors
    /// That of the kernel, if the thread could not give up its capabilities.
    pub fn finish(mut self) -> io::Result<Finished> {
        drop((self.begin.take(), self.internet.take()));
        let panicked = || io::Error::other("the emulation has ended with an internal error");
        self.thread.join().map_err(|_| panicked())?
    }
}

/// The addresses of a node, with the lengths of their prefixes. All nodes are neighbours of each
/// other; where other addresses lead to the Internet, no more than they.
fn addresses(plan: &Plan, node: usize, door: &Door) -> [(IpAddr, u8); 2] {
    let [all_v4, v6] = PREFIXES;
    let of_nodes = (plan.nodes.len() as u32 + 1).leading_zeros() as u8;
    let v4 = if *door == Door::Internet { of_nodes } else { all_v4 };
    [(address_of_node(node, 0).into(), v4), (address_of_node_v6(node, 0).into(), v6)]
}

/// The MTU of a node's interface: that of its links, as far as IPv6 allows (RFC 8200, section 5).
fn mtu(plan: &Plan, node: usize) -> u16 {
    let links = plan.links.iter().filter(|it| it.nodes.contains(&node));
    let largest = links.map(|it| it.link_service.mtu.unwrap_or(MTU)).max();
    largest.unwrap_or(MTU).clamp(LEAST_MTU_V6, MTU)
}

/// The lines of a hosts file with all nodes: with the addresses of their interfaces, or those that
/// routers have.
fn hosts(plan: &Plan, attachments: &[Attachment]) -> Vec<String> {
    let mut lines = vec!["127.0.0.1 localhost".to_owned(), "::1 localhost".to_owned()];
    for (node, NodePlan { name, .. }) in plan.nodes.iter().enumerate() {
        let attached = attachments.iter().find(|it| it.node == node);
        let own = [address_of_node(node, 0).into(), address_of_node_v6(node, 0).into()];
        let addresses = attached.map_or(&own[..], |it| it.interface.addresses());
        lines.extend(addresses.iter().map(|it| format!("{it} {name}")));
    }
    lines
}

/// Opens the Internet behind a node, and leads the others there.
fn open_internet(
    node: usize,
    namespaces: &BTreeMap<usize, Namespace>,
) -> Result<Internet, SessionError> {
    let open = || {
        let internet = Internet::open(&namespaces[&node], address_of_node(node, 0), INTERFACE)?;
        for (_, other) in namespaces.iter().filter(|it| *it.0 != node) {
            internet.lead_there(other, INTERFACE)?;
        }
        Ok(internet)
    };
    open().map_err(refused("cannot open a door to the Internet".to_owned()))
}

/// Opens an interface of a namespace, or makes it.
fn attach(
    carries: Carries,
    name: String,
    namespace: Option<&str>,
    addresses: [(IpAddr, u8); 2],
) -> io::Result<TunInterface> {
    let namespace = namespace.map_or_else(Namespace::current, Namespace::named)?;
    namespace.run(move || TunInterface::open_or_create(carries, &name, &addresses))
}
