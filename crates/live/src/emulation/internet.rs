//! A door from an emulation to the Internet: what leaves a node's namespace leaves the machine by
//! its own interface, with its own address (NAT by nftables).
//!
//! A process of its own undoes what was changed on the machine, as soon as this one ends, whatever
//! ends it.

use std::io::{self, BufRead, BufReader};
use std::net::Ipv4Addr;
use std::process::{Child, ChildStdin, Command, Stdio};

use super::names::NameRelay;
use crate::namespace::{Namespace, ip};

/// The interface of the machine, and its peer in the namespace.
const OUTSIDE: &str = "windtunnel-nat";
const INSIDE: &str = "internet";
/// The addresses of the two, with the lengths of their prefixes: of those for benchmarks (RFC 2544), and
/// unique local ones (RFC 4193).
const MACHINE: [&str; 2] = ["198.19.255.253", "fd57:696e:6474::1"];
const NAMESPACE: [&str; 2] = ["198.19.255.254", "fd57:696e:6474::2"];
const PREFIXES: [&str; 2] = ["30", "64"];
/// The number of the routes of what comes from the Internet.
const TABLE: &str = "99";
/// The options of `ip` for the two versions.
const VERSIONS: [&str; 2] = ["-4", "-6"];
/// Addresses that only a route to the Internet leads to: of a root server of the DNS.
/// Nothing is sent there.
const FAR: [&str; 2] = ["198.41.0.4", "2001:503:ba3e::2:30"];

/// Has the namespace forward and translate addresses.
const FORWARD: &str = include_str!("internet/namespace.sh");
/// Has the machine do so, until its standard input ends.
const GUARD: &str = include_str!("internet/machine.sh");

/// What the script prints when it is done.
const READY: &str = "ready";

/// A door that is open until it is dropped.
#[derive(Debug)]
pub(super) struct Internet {
    guard: Child,
    input: Option<ChildStdin>,
    _names: NameRelay,
    versions: [bool; 2],
}

impl Internet {
    /// Opens one behind a namespace, whose `interface` leads to the emulation, with a name server
    /// there at this address, which asks that of the machine. Needs root, `ip`, `nft` and `unshare`.
    ///
    /// # Errors
    /// Those of these programs, or that the machine has no route to the Internet.
    pub(super) fn open(
        namespace: &Namespace,
        name_server: Ipv4Addr,
        interface: &'static str,
    ) -> io::Result<Self> {
        let interfaces = [0, 1].map(|it| interface_towards(VERSIONS[it], FAR[it]));
        let versions = interfaces.each_ref().map(Option::is_some);
        if versions == [false; 2] {
            return Err(io::Error::other("this machine has no route to the Internet"));
        }
        let names = NameRelay::start(namespace, name_server)?;
        join(namespace)?;
        namespace.run(move || {
            set_up(INSIDE, NAMESPACE)?;
            for it in [0, 1].into_iter().filter(|it| versions[*it]) {
                let version = VERSIONS[it];
                ip(&[version, "route", "add", "default", "via", MACHINE[it]])?;
                // Hosts behind nodes have any address.
                ip(&[version, "rule", "add", "iif", INSIDE, "lookup", TABLE])?;
                ip(&[version, "route", "add", "default", "dev", interface, "table", TABLE])?;
            }
            shell(FORWARD, &[INSIDE]).output().and_then(checked)
        })?;
        set_up(OUTSIDE, MACHINE)?;
        let (guard, input) = start_guard(interfaces.map(Option::unwrap_or_default))?;
        Ok(Self { guard, input: Some(input), _names: names, versions })
    }

    /// Has another namespace send what is for no node through its interface.
    ///
    /// # Errors
    /// That of `ip`.
    pub(super) fn lead_there(&self, namespace: &Namespace, interface: &str) -> io::Result<()> {
        let (versions, interface) = (self.versions, interface.to_owned());
        namespace.run(move || {
            for it in [0, 1].into_iter().filter(|it| versions[*it]) {
                ip(&[VERSIONS[it], "route", "add", "default", "dev", &interface])?;
            }
            Ok(())
        })
    }
}

impl Drop for Internet {
    fn drop(&mut self) {
        drop(self.input.take());
        // It reports itself what it cannot undo.
        drop(self.guard.wait());
    }
}

/// The interface that leads to an address, if one does.
fn interface_towards(version: &str, address: &str) -> Option<String> {
    let route = Command::new("ip").args([version, "-o", "route", "get", address]).output().ok()?;
    let words = String::from_utf8_lossy(&route.stdout).into_owned();
    let mut words = words.split_whitespace().skip_while(|it| *it != "dev").skip(1);
    words.next().filter(|_| route.status.success()).map(str::to_owned)
}

/// Joins a namespace to that of this process.
fn join(namespace: &Namespace) -> io::Result<()> {
    let process = std::process::id().to_string();
    let joined = namespace.run(move || {
        let peer = ["type", "veth", "peer", "name", OUTSIDE, "netns", &process];
        ip(&[&["link", "add", INSIDE], &peer[..]].concat())
    });
    joined.map_err(|error| {
        io::Error::other(format!(
            "{error}\nhelp: if {OUTSIDE} exists, another emulation has opened --internet on this \
             machine"
        ))
    })
}

/// Gives an interface its addresses.
fn set_up(interface: &str, addresses: [&str; 2]) -> io::Result<()> {
    for (address, prefix) in addresses.into_iter().zip(PREFIXES) {
        let address = format!("{address}/{prefix}");
        let is_v6 = address.contains(':');
        let mut words = vec!["address", "add", &address, "dev", interface];
        // Nobody else can have it.
        words.extend(is_v6.then_some("nodad"));
        match ip(&words) {
            // Without IPv6 on the machine.
            Err(_) if is_v6 => {}
            done => done?,
        }
    }
    ip(&["link", "set", interface, "up"])
}

fn shell(script: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--mount", "--", "sh", "-c", script, "windtunnel"]).args(arguments);
    command
}

fn checked(output: std::process::Output) -> io::Result<()> {
    if output.status.success() {
        return Ok(());
    }
    Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}

/// Starts the process that has the machine forward, and waits until it does.
fn start_guard(interfaces: [String; 2]) -> io::Result<(Child, ChildStdin)> {
    let [v4, v6] = interfaces;
    let mut command = shell(GUARD, &[OUTSIDE, NAMESPACE[0], NAMESPACE[1], &v4, &v6]);
    let mut guard = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (input, output) = (guard.stdin.take(), guard.stdout.take());
    let lines = output.into_iter().flat_map(|it| BufReader::new(it).lines().map_while(Result::ok));
    let mut words = Vec::new();
    for line in lines {
        if line == READY {
            return input.map(|it| (guard, it)).ok_or_else(|| io::ErrorKind::BrokenPipe.into());
        }
        words.push(line);
    }
    guard.wait()?;
    Err(io::Error::other(words.join("\n")))
}
