//! A namespace with an interface: the kernel has the first address, we have the second.

use std::fs;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use windtunnel_live::{Carries, Clock, MTU, Namespace, TunInterface, ip};
use windtunnel_tcp::{TcpHost, controller, settings};

use crate::common;

const NAME: &str = "windtunnel0";
/// The port that is listened on.
pub(crate) const PORT: u16 = 7007;
/// Nothing here takes longer, unless it hangs.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

/// A version of IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    V4,
    V6,
}

impl Version {
    pub(crate) fn kernel(self) -> IpAddr {
        match self {
            Self::V4 => [10, 7, 0, 1].into(),
            Self::V6 => [0xfd07, 0, 0, 0, 0, 0, 0, 1].into(),
        }
    }

    pub(crate) fn ours(self) -> IpAddr {
        match self {
            Self::V4 => [10, 7, 0, 2].into(),
            Self::V6 => [0xfd07, 0, 0, 0, 0, 0, 0, 2].into(),
        }
    }
}

pub(crate) struct Network {
    pub(crate) namespace: Namespace,
    pub(crate) interface: TunInterface,
    pub(crate) clock: Clock,
}

impl Network {
    /// None where there can be none.
    pub(crate) fn new() -> Option<Self> {
        let namespace = common::namespace()?;
        let make = || {
            // No wait for an answer of neighbours that have the same address.
            fs::write("/proc/sys/net/ipv6/conf/default/accept_dad", "0")?;
            TunInterface::create(
                Carries::Packets,
                NAME,
                &[(Version::V4.kernel(), 24), (Version::V6.kernel(), 64)],
                MTU,
            )
        };
        match namespace.run(make) {
            Ok(interface) => {
                let network = Self { namespace, interface, clock: Clock::start() };
                // The kernel takes a moment to know its address.
                for _ in 0..200 {
                    let address = SocketAddr::new(Version::V6.kernel(), 0);
                    if network.namespace.run(move || TcpListener::bind(address)).is_ok() {
                        break;
                    }
                    std::thread::sleep(Duration::from_millis(10));
                }
                Some(network)
            }
            Err(error) => {
                common::skipping::skipped(format_args!("no TUN interface can be made: {error}"));
                None
            }
        }
    }

    /// The kernel's setting under `net.ipv4`.
    pub(crate) fn set(&self, name: &'static str, value: &'static str) {
        let write = move || fs::write(format!("/proc/sys/net/ipv4/{name}"), value);
        self.namespace.run(write).unwrap_or_else(|error| panic!("{name}: {error}"));
    }

    /// A counter of the kernel's TCP (RFC 4022), such as `OutRsts`.
    pub(crate) fn kernel_counter(&self, name: &str) -> u64 {
        let read = || fs::read_to_string("/proc/thread-self/net/snmp");
        let text = self.namespace.run(read).unwrap();
        let mut lines = text.lines().filter_map(|it| it.strip_prefix("Tcp: "));
        let (names, values) = (lines.next().unwrap(), lines.next().unwrap());
        let place = names.split(' ').position(|it| it == name).unwrap();
        values.split(' ').nth(place).unwrap().parse().unwrap()
    }

    /// Packets of at most this many bytes.
    pub(crate) fn shrink(&self, largest_packet: u16) {
        let size = largest_packet.to_string();
        self.namespace.run(move || ip(&["link", "set", NAME, "mtu", &size])).unwrap();
    }

    /// Us, with that controller and such packets.
    pub(crate) fn host(&self, named: &str, largest_packet: u16) -> TcpHost {
        let addresses = vec![Version::V4.ours(), Version::V6.ours()];
        let settings = settings(&controller(named).unwrap(), largest_packet);
        TcpHost::new(addresses, settings, [0x1234_5678_9abc_def0, 0x0fed_cba9_8765_4321])
    }

    pub(crate) fn kernel_listener(&self, version: Version) -> TcpListener {
        let address = SocketAddr::new(version.kernel(), PORT);
        self.namespace.run(move || TcpListener::bind(address)).unwrap()
    }

    /// A function that connects from the kernel to us; to be called from any thread, while the
    /// host is driven.
    pub(crate) fn kernel_connects(
        &self,
        version: Version,
    ) -> impl FnOnce() -> TcpStream + Send + 'static {
        let connect = self.tries_to_connect(SocketAddr::new(version.ours(), PORT));
        move || connect().unwrap()
    }

    /// The same to any address and port, where it may fail.
    pub(crate) fn tries_to_connect(
        &self,
        address: SocketAddr,
    ) -> impl FnOnce() -> io::Result<TcpStream> + Send + 'static {
        // A socket stays in the namespace that it was made in.
        let socket = self.namespace.run(move || {
            use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};
            let family = if address.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
            Ok(socket(family, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?)
        });
        let socket = socket.unwrap();
        move || {
            use nix::sys::socket::{SockaddrStorage, connect};
            use std::os::fd::AsRawFd;
            connect(socket.as_raw_fd(), &SockaddrStorage::from(address))?;
            Ok(socket.into())
        }
    }
}
