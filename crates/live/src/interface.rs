//! TUN and TAP interfaces: what the kernel sends through one is read here, and what is written here
//! the kernel receives.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd};

use nix::ifaddrs::getifaddrs;
use nix::sys::socket::SockaddrStorage;
use tun_rs::{DeviceBuilder, Layer, SyncDevice};

use crate::namespace::ip;

/// The largest packet that an interface takes, in bytes: that of Ethernet.
pub const MTU: u16 = 1500;
/// The interfaces of the calling thread's namespace, and what they counted.
const TABLE: &str = "/proc/thread-self/net/dev";
/// So many packets of the kernel's wait at the most until they are read.
const QUEUE: &str = "1000";

/// What goes through an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carries {
    /// IP packets, each of which would be on a wire (TUN).
    Packets,
    /// IP packets that may stand for many on a wire, each behind an
    /// [`OffloadHeader`](windtunnel_packets::offload::OffloadHeader) (TUN with segmentation offload).
    Segments,
    /// Ethernet frames (TAP).
    Frames,
}

impl Carries {
    fn builder(self, name: &str) -> DeviceBuilder {
        let layer = if self == Self::Frames { Layer::L2 } else { Layer::L3 };
        DeviceBuilder::new().name(name).layer(layer).offload(self == Self::Segments)
    }
}

/// A TUN or TAP interface.
pub struct TunInterface {
    device: SyncDevice,
    name: String,
    carries: Carries,
    addresses: Vec<IpAddr>,
    /// What the interfaces of its namespace counted.
    table: File,
}

impl TunInterface {
    /// Opens the interface of that name in the namespace of the calling thread, or makes it with
    /// these addresses where there is none. It carries packets or frames.
    ///
    /// # Errors
    /// As [`TunInterface::open`] and [`TunInterface::create`].
    pub fn open_or_create(
        carries: Carries,
        name: &str,
        addresses: &[(IpAddr, u8)],
    ) -> io::Result<Self> {
        // In another namespace than the first, /sys may still show that one's.
        let table = std::fs::read_to_string(TABLE)?;
        let mut names = table.lines().filter_map(|it| it.split_once(':'));
        if names.any(|(it, _)| it.trim() == name) {
            return Self::open(carries, name);
        }
        Self::create(carries, name, addresses, MTU)
    }

    /// Makes an interface in the namespace of the calling thread, with these addresses and the
    /// lengths of their prefixes, for packets of at most `mtu` bytes, and opens it. It vanishes when
    /// it is dropped. Needs `CAP_NET_ADMIN` there.
    ///
    /// # Errors
    /// That of the kernel.
    pub fn create(
        carries: Carries,
        name: &str,
        addresses: &[(IpAddr, u8)],
        mtu: u16,
    ) -> io::Result<Self> {
        let builder = carries.builder(name).mtu(mtu);
        let device = builder.build_sync()?;
        for (address, prefix) in addresses {
            add_address(name, *address, *prefix)?;
        }
        // Not by ioctl(2), which asks for the capability in the first user namespace.
        ip(&["link", "set", name, "txqueuelen", QUEUE])?;
        Self::of(device, carries, addresses.iter().map(|it| it.0).collect())
    }

    /// Opens an interface that somebody has made in the namespace of the calling thread, with
    /// `ip tuntap add`, and given addresses. It stays.
    ///
    /// # Errors
    /// That of the kernel.
    pub fn open(carries: Carries, name: &str) -> io::Result<Self> {
        let device = carries.builder(name).inherit_enable_state().build_sync()?;
        let addresses = addresses(name)?;
        Self::of(device, carries, addresses)
    }

    fn of(device: SyncDevice, carries: Carries, addresses: Vec<IpAddr>) -> io::Result<Self> {
        device.set_nonblocking(true)?;
        let name = device.name()?;
        let table = File::open(TABLE)?;
        Ok(Self { device, name, carries, addresses, table })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What goes through it.
    #[must_use]
    pub fn carries(&self) -> Carries {
        self.carries
    }

    /// Whether the kernel takes several datagrams of UDP as one packet, too (Linux 6.2).
    #[must_use]
    pub fn has_udp_offload(&self) -> bool {
        self.device.udp_gso()
    }

    /// Its addresses when it was opened.
    #[must_use]
    pub fn addresses(&self) -> &[IpAddr] {
        &self.addresses
    }

    /// Reads the next packet that the kernel has sent, and returns its length in bytes; none if
    /// none waits.
    ///
    /// # Errors
    /// That of the kernel.
    pub fn receive(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match self.device.recv(buffer) {
            Ok(length) => Ok(Some(length)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Has the kernel receive a packet.
    ///
    /// # Errors
    /// That of the kernel, such as for bytes that are no IP packet.
    pub fn send(&self, packet: &[u8]) -> io::Result<()> {
        self.device.send(packet).map(drop)
    }

    /// How many packets of the kernel's found no room because earlier ones had not been read.
    ///
    /// # Errors
    /// If the kernel's table of interfaces cannot be read.
    pub fn dropped(&self) -> io::Result<u64> {
        let mut table = String::new();
        let mut file = &self.table;
        file.seek(SeekFrom::Start(0))?;
        file.read_to_string(&mut table)?;
        let counters = |line: &str| {
            let (interface, counters) = line.split_once(':')?;
            (interface.trim() == self.name).then(|| counters.to_owned())
        };
        let counters = table.lines().find_map(counters).ok_or(io::ErrorKind::NotFound)?;
        // Eight counters of what it received, then packets, bytes, errors and drops.
        let dropped = counters.split_whitespace().nth(11).and_then(|it| it.parse().ok());
        dropped.ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

/// The addresses that an interface of the calling thread's namespace has.
fn addresses(name: &str) -> io::Result<Vec<IpAddr>> {
    let of_ip = |it: SockaddrStorage| {
        let version_4 = it.as_sockaddr_in().map(|it| IpAddr::from(it.ip()));
        version_4.or_else(|| it.as_sockaddr_in6().map(|it| IpAddr::from(it.ip())))
    };
    let own = getifaddrs()?.filter(|it| it.interface_name == name);
    Ok(own.filter_map(|it| it.address.and_then(of_ip)).collect())
}

/// Gives an interface an address, which can be used at once: nobody else can have one of IPv6.
fn add_address(name: &str, address: IpAddr, prefix: u8) -> io::Result<()> {
    let text = format!("{address}/{prefix}");
    let words = ["address", "add", &text, "dev", name, "nodad"];
    ip(if address.is_ipv6() { &words } else { &words[..5] })
}

impl fmt::Debug for TunInterface {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TunInterface").field("name", &self.name).finish_non_exhaustive()
    }
}

impl AsFd for TunInterface {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }
}
