//! What is set in a guest, and by which commands.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::time::Duration;

use windtunnel_stack::{Place, Role};

use crate::agent::{Command, Paths};
use crate::device::Offer;

/// What is set in a guest.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The congestion controller; none: the kernel's default.
    pub(crate) controller: Option<String>,
    /// Names and values of the kernel's settings.
    pub(crate) sysctl: Vec<(String, String)>,
    /// When it runs which commands, in the order of time.
    pub(crate) run: Vec<(Duration, String)>,
    /// What its network devices offer.
    pub(crate) offer: Offer,
    /// Whether its connections are those of TCP or of Multipath TCP.
    pub(crate) paths: Paths,
}

/// The addresses of the network devices of a guest with ends at these places: the first has the ends' own,
/// and each further one of those of further paths.
pub(crate) fn interfaces(places: &[Place]) -> Vec<BTreeSet<IpAddr>> {
    let mut all = vec![places.iter().map(|it| it.own.ip()).collect::<BTreeSet<_>>()];
    for own in places.iter().flat_map(|it| &it.further).map(|it| it.own.ip()) {
        if !all.iter().any(|it| it.contains(&own)) {
            all.push(BTreeSet::from([own]));
        }
    }
    all
}

impl Settings {
    /// What sets them in a guest.
    pub(crate) fn commands(&self) -> Vec<Command> {
        let mut commands = Vec::new();
        if let Some(name) = &self.controller {
            commands.push(Command::Sysctl(format!("net.ipv4.tcp_congestion_control={name}")));
        }
        let set = |(name, value): &(String, String)| Command::Sysctl(format!("{name}={value}"));
        commands.extend(self.sysctl.iter().map(set));
        commands
    }

    /// What has a guest with these addresses be the host of ends at these places.
    pub(crate) fn commands_at(
        &self,
        places: &[Place],
        interfaces: &[BTreeSet<IpAddr>],
    ) -> Vec<Command> {
        let mut commands = self.commands();
        let numbered = || interfaces.iter().enumerate();
        if places.iter().all(|it| it.own.is_ipv4()) {
            let off = |(it, _)| Command::Sysctl(format!("net.ipv6.conf.eth{it}.disable_ipv6=1"));
            commands.extend(numbered().map(off));
        }
        let addresses = numbered().flat_map(|(device, its)| its.iter().map(move |it| (device, it)));
        let addresses = addresses.map(|(device, it)| (device, it.to_string()));
        commands.extend(addresses.clone().map(|(device, it)| Command::Address(device, it)));
        if self.paths == Paths::Several {
            let further = places.iter().map(|it| it.further.len()).max().unwrap_or_default();
            commands.push(Command::Subflows(further));
            let further = addresses.filter(|it| it.0 > 0);
            commands.extend(further.map(|(device, it)| Command::Endpoint(device, it)));
        }
        let servers = places.iter().filter(|it| it.role == Role::Server);
        let listen =
            |it: &Place| Command::Listen(it.own.ip().to_string(), it.own.port(), self.paths);
        commands.extend(servers.map(listen));
        commands
    }
}
