//! What the tests of the kernel share: two network namespaces, and the reasons to skip.

use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use windtunnel_controllers::{DESCRIPTIONS, Settings};
use windtunnel_live::kernel::{Flight, KernelError};

use crate::skipping::skipped;

/// One at a time: they measure, and use one algorithm's name.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A controller's settings at their defaults.
pub(crate) fn settings(name: &str) -> Settings {
    let found = DESCRIPTIONS.iter().find(|it| it.name == name);
    Settings::defaults(found.unwrap_or_else(|| panic!("no controller {name}")))
}

/// Starts a flight, or says why this machine cannot.
pub(crate) fn start(settings: &Settings) -> Option<Flight> {
    match Flight::start(settings) {
        Ok(flight) => Some(flight),
        Err(KernelError::Missing(what)) => {
            skipped(what);
            None
        }
        Err(other) => panic!("{other}"),
    }
}

/// Runs a program to its end.
pub(crate) fn run(command: &[&str]) -> Output {
    let made = Command::new(command[0]).args(&command[1..]).output();
    made.unwrap_or_else(|it| panic!("{}: {it}", command[0]))
}

/// What a program that must succeed prints.
pub(crate) fn output(command: &[&str]) -> String {
    let output = run(command);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Network namespaces `near` and `far`, with a router between them, whose link to the far one may
/// be a bottleneck; all vanish when it is dropped.
pub(crate) struct Network {
    pub(crate) near: String,
    router: String,
    pub(crate) far: String,
}

/// The address in the far namespace.
pub(crate) const FAR: &str = "10.77.2.1";

impl Network {
    /// Makes it, or says why this machine cannot. `bottleneck` is what tbf is to be.
    pub(crate) fn new(test: &str, bottleneck: Option<&str>) -> Option<Self> {
        for program in ["ip", "iperf3", "ss"] {
            let mut asked = Command::new(program);
            asked.arg("-h").stdout(Stdio::null()).stderr(Stdio::null());
            if asked.status().is_err() {
                skipped(format_args!("{program} is not installed"));
                return None;
            }
        }
        let name = |end: &str| format!("fly-{}-{test}-{end}", std::process::id());
        let it = Self { near: name("near"), router: name("router"), far: name("far") };
        let made = run(&["ip", "netns", "add", &it.router]);
        if !made.status.success() {
            skipped(String::from_utf8_lossy(&made.stderr));
            return None;
        }
        for (end, device, network) in [(&it.near, "near", 1), (&it.far, "far", 2)] {
            output(&["ip", "netns", "add", end]);
            let pair = ["type", "veth", "peer", "name", "wire", "netns", end];
            output(&[&["ip", "-n", &it.router, "link", "add", device], &pair[..]].concat());
            for (namespace, device, host) in [(&it.router, device, 2), (end, "wire", 1)] {
                let address = format!("10.77.{network}.{host}/24");
                let inside = ["ip", "-n", namespace];
                let does = |words: &[&str]| output(&[&inside[..], words].concat());
                does(&["address", "add", &address, "dev", device]);
                // What a queue counts is packets.
                does(&["link", "set", device, "gso_max_segs", "1"]);
                does(&["link", "set", device, "up"]);
            }
            let gateway = format!("10.77.{network}.2");
            output(&["ip", "-n", end, "route", "add", "default", "via", &gateway]);
        }
        output(&["ip", "netns", "exec", &it.router, "sysctl", "-qw", "net.ipv4.ip_forward=1"]);
        if let Some(shape) = bottleneck {
            let mut add = vec!["tc", "-n", &it.router, "qdisc", "add", "dev", "far", "root", "tbf"];
            add.extend(shape.split(' '));
            let made = run(&add);
            if !made.status.success() {
                skipped(String::from_utf8_lossy(&made.stderr));
                return None;
            }
        }
        Some(it)
    }

    /// Has the router mark this many of a thousand packets that can be marked; false, with the
    /// reason said, if this machine cannot.
    pub(crate) fn mark(&self, of_a_thousand: u32) -> bool {
        let rules = format!(
            "add table ip marks; \
             add chain ip marks forward {{ type filter hook forward priority 0; }}; \
             add rule ip marks forward oifname far ip ecn {{ 1, 2 }} \
             numgen random mod 1000 < {of_a_thousand} ip ecn set ce"
        );
        let nft = ["netns", "exec", &self.router, "nft", &rules];
        let made = Command::new("ip").args(nft).output().expect("ip has run before");
        if !made.status.success() {
            skipped(String::from_utf8_lossy(&made.stderr));
        }
        made.status.success()
    }

    /// A command in the near namespace that carries data to a server in the far one, with these
    /// options of iperf3, and prints what it measured.
    pub(crate) fn transfer(&self, options: &str) -> Vec<String> {
        let (near, far) = (&self.near, &self.far);
        let script = format!(
            "ip netns exec {far} iperf3 -s -1 -p 5301 > /dev/null & \
             until ip netns exec {far} ss -Hltn | grep -q :5301; do sleep 0.02; done; \
             ip netns exec {near} iperf3 -J -c {FAR} -p 5301 {options} && wait"
        );
        ["sh", "-c", &script].map(str::to_owned).to_vec()
    }

    /// What `ss` says of connections that send to iperf3.
    pub(crate) fn sockets(&self) -> String {
        let near = self.near.as_str();
        output(&["ip", "netns", "exec", near, "ss", "-Htin", "dport", "=", ":5301"])
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for namespace in [&self.near, &self.router, &self.far] {
            run(&["ip", "netns", "del", namespace]);
        }
    }
}

/// A value that `ss` prints after `name:`, of the connection that has sent most.
pub(crate) fn value(sockets: &str, name: &str) -> Option<f64> {
    let of = |line: &str, name: &str| {
        let start = line.find(&format!(" {name}:"))? + name.len() + 2;
        let text = line[start..].split([' ', '/', ',']).next()?;
        text.parse::<f64>().ok()
    };
    let sent = |line: &&str| of(line, "bytes_sent").unwrap_or(0.0) as u64;
    sockets.lines().max_by_key(sent).and_then(|it| of(it, name))
}
