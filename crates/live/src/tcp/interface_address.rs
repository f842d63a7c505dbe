//! Where a command's host is: an address of its own in the subnet of an interface.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use thiserror::Error;

use crate::interface::{Carries, TunInterface};

/// An address and its subnet, written as `10.9.0.2/24`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterfaceAddress {
    /// Our address.
    pub address: IpAddr,
    /// The kernel's address in the same subnet: the first other one.
    pub kernel: IpAddr,
    /// The length of the subnet's prefix.
    pub prefix: u8,
}

/// Why a text is not an address in a subnet.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "`{0}` is not an address of a host in a subnet with others\nhelp: write one such as \
     10.9.0.2/24 or fd00:9::2/64"
)]
pub struct InterfaceAddressError(String);

impl FromStr for InterfaceAddress {
    type Err = InterfaceAddressError;

    fn from_str(text: &str) -> Result<Self, InterfaceAddressError> {
        let parsed = || {
            let (address, prefix) = text.split_once('/')?;
            let (address, prefix): (IpAddr, u8) = (address.parse().ok()?, prefix.parse().ok()?);
            let kernel = match address {
                IpAddr::V4(it) => kernels(u32::from(it).into(), prefix, 32)
                    .map(|it| IpAddr::V4(Ipv4Addr::from(it as u32))),
                IpAddr::V6(it) => {
                    kernels(it.into(), prefix, 128).map(|it| IpAddr::V6(Ipv6Addr::from(it)))
                }
            }?;
            let is_host = !address.is_loopback() && !address.is_multicast();
            is_host.then_some(Self { address, kernel, prefix })
        };
        parsed().ok_or_else(|| InterfaceAddressError(text.to_owned()))
    }
}

/// The first address of the subnet that is neither the subnet's own nor ours; none if ours is
/// not that of a host.
fn kernels(address: u128, prefix: u8, bits: u8) -> Option<u128> {
    // Two addresses of hosts beside the first and the last one.
    if prefix == 0 || prefix > bits - 2 {
        return None;
    }
    let hosts = (1_u128 << (bits - prefix)) - 1;
    let (subnet, host) = (address & !hosts, address & hosts);
    match host {
        0 => None,
        _ if host == hosts => None,
        1 => Some(subnet + 2),
        _ => Some(subnet + 1),
    }
}

/// Opens the interface of that name in the namespace of the calling thread. Where there is none
/// it is made, with the kernel's address, and vanishes with what is returned.
///
/// # Errors
/// That of the kernel, or that the address is the kernel's own.
pub fn open(name: &str, own: InterfaceAddress) -> io::Result<TunInterface> {
    let interface =
        TunInterface::open_or_create(Carries::Packets, name, &[(own.kernel, own.prefix)])?;
    if interface.addresses().contains(&own.address) {
        let message = format!(
            "{} is the kernel's own address on `{name}`; use another address of its subnet",
            own.address
        );
        return Err(io::Error::new(io::ErrorKind::AddrInUse, message));
    }
    Ok(interface)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_has_the_first_other_address() {
        for (text, kernel) in [
            ("10.9.0.2/24", "10.9.0.1"),
            ("10.9.0.1/24", "10.9.0.2"),
            ("10.9.3.7/16", "10.9.0.1"),
            ("10.9.0.6/30", "10.9.0.5"),
            ("fd00:9::2/64", "fd00:9::1"),
        ] {
            let own: InterfaceAddress = text.parse().unwrap();
            assert_eq!(own.kernel, kernel.parse::<IpAddr>().unwrap(), "{text}");
        }
    }

    #[test]
    fn what_is_no_host_in_a_subnet_is_refused() {
        for text in [
            "10.9.0.2",
            "10.9.0.0/24",
            "10.9.0.255/24",
            "10.9.0.2/31",
            "10.9.0.2/0",
            "10.9.0.2/33",
            "10.9.0/24",
            "fd00::/64",
            "fd00::2/127",
            "127.0.0.2/8",
            "224.0.0.1/4",
            "",
            "/",
        ] {
            assert_eq!(
                text.parse::<InterfaceAddress>(),
                Err(InterfaceAddressError(text.to_owned()))
            );
        }
    }
}
