//! What the tests of the kernel share: two network namespaces, and the reasons to skip.

use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use windtunnel_controllers::{DESCRIPTIONS, Settings};
use windtunnel_live::kernel::{Flight, KernelError};

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
            println!("skipped: {what}");
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

/// Two network namespaces with a veth pair between them, which vanish when it is dropped.
pub(crate) struct Pair {
    pub(crate) near: String,
    pub(crate) far: String,
}

/// The address in the far namespace.
pub(crate) const FAR: &str = "10.77.0.2";

impl Pair {
    /// Makes it, or says why this machine cannot.
    pub(crate) fn new(test: &str) -> Option<Self> {
        for program in ["ip", "iperf3", "ss"] {
            if Command::new(program)
                .arg("-h")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_err()
            {
                println!("skipped: {program} is not installed");
                return None;
            }
        }
        let name = |end: &str| format!("fly-{}-{test}-{end}", std::process::id());
        let it = Self { near: name("near"), far: name("far") };
        let made = run(&["ip", "netns", "add", &it.near]);
        if !made.status.success() {
            println!("skipped: {}", String::from_utf8_lossy(&made.stderr));
            return None;
        }
        output(&["ip", "netns", "add", &it.far]);
        let ends = ["link", "add", "wire", "type", "veth", "peer", "name", "wire", "netns"];
        output(&[&["ip", "-n", it.near.as_str()], &ends[..], &[it.far.as_str()]].concat());
        for (namespace, address) in [(&it.near, "10.77.0.1/24"), (&it.far, "10.77.0.2/24")] {
            output(&["ip", "-n", namespace, "address", "add", address, "dev", "wire"]);
            output(&["ip", "-n", namespace, "link", "set", "wire", "up"]);
        }
        Some(it)
    }

    /// Sets a variable of both kernels' networks.
    pub(crate) fn set(&self, variable: &str, value: &str) {
        for namespace in [&self.near, &self.far] {
            let setting = format!("{variable}={value}");
            output(&["ip", "netns", "exec", namespace, "sysctl", "-qw", &setting]);
        }
    }

    /// A command in the near namespace that carries data for so many seconds to a server in the
    /// far one, and prints what iperf3 measured.
    pub(crate) fn transfer(&self, seconds: u32, more: &str) -> Vec<String> {
        let (near, far) = (&self.near, &self.far);
        let script = format!(
            "ip netns exec {far} iperf3 -s -1 -p 5301 > /dev/null & \
             until ip netns exec {far} ss -Hltn | grep -q :5301; do sleep 0.02; done; \
             ip netns exec {near} iperf3 -J -c {FAR} -p 5301 -t {seconds} {more}; wait"
        );
        ["sh", "-c", &script].map(str::to_owned).to_vec()
    }

    /// What `ss` says of connections that send to iperf3.
    pub(crate) fn sockets(&self) -> String {
        let near = self.near.as_str();
        output(&["ip", "netns", "exec", near, "ss", "-Htin", "dport", "=", ":5301"])
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        for namespace in [&self.near, &self.far] {
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

/// Waits until something holds.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(5);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
