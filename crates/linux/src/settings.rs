//! What is set in a guest, and by which commands.

use std::collections::BTreeSet;
use std::time::Duration;

use windtunnel_stack::{Place, Role};

use crate::agent::Command;
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
    /// What its network device offers.
    pub(crate) offer: Offer,
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

    /// What has a guest be the host of ends at these places.
    pub(crate) fn commands_at(&self, places: &[Place]) -> Vec<Command> {
        let mut commands = self.commands();
        if places.iter().all(|it| it.own.is_ipv4()) {
            commands.push(Command::Sysctl("net.ipv6.conf.eth0.disable_ipv6=1".to_owned()));
        }
        let addresses: BTreeSet<_> = places.iter().map(|it| it.own.ip()).collect();
        commands.extend(addresses.iter().map(|it| Command::Address(it.to_string())));
        let servers = places.iter().filter(|it| it.role == Role::Server);
        commands.extend(servers.map(|it| Command::Listen(it.own.ip().to_string(), it.own.port())));
        commands
    }
}
