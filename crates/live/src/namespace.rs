//! Network namespaces that end with the process: each belongs to a thread, and what is made in it
//! is made by that thread. The kernel removes it, with its interfaces, when the thread and what
//! the thread has started have ended, whatever ends them.

use std::fs::File;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

use nix::sched::{CloneFlags, setns, unshare};

/// So many lines of a hosts file are one argument of a program.
const LINES: usize = 1000;

type Task = Box<dyn FnOnce() + Send>;

/// A network namespace, and the thread that is in it.
#[derive(Debug)]
pub struct Namespace {
    tasks: Option<Sender<Task>>,
    thread: Option<JoinHandle<()>>,
}

impl Namespace {
    /// A new one, whose loopback interface is up. Needs `CAP_SYS_ADMIN`, and `ip` of iproute2.
    ///
    /// # Errors
    /// That of the kernel, or of `ip`.
    pub fn create() -> io::Result<Self> {
        Self::enter(|| {
            unshare(CloneFlags::CLONE_NEWNET)?;
            ip(&["link", "set", "lo", "up"])
        })
    }

    /// The one with that name among those of `ip netns`.
    ///
    /// # Errors
    /// That there is none, or that of the kernel.
    pub fn named(name: &str) -> io::Result<Self> {
        let file = File::open(Path::new("/run/netns").join(name))?;
        Self::enter(move || Ok(setns(file, CloneFlags::CLONE_NEWNET)?))
    }

    /// The one that the caller is in.
    ///
    /// # Errors
    /// If there can be no other thread.
    pub fn current() -> io::Result<Self> {
        Self::enter(|| Ok(()))
    }

    fn enter(enter: impl FnOnce() -> io::Result<()> + Send + 'static) -> io::Result<Self> {
        let (tasks, received) = channel::<Task>();
        let (entered, answer) = channel();
        let thread = thread::Builder::new().name("namespace".to_owned()).spawn(move || {
            let result = enter();
            let is_in = result.is_ok();
            // The caller waits for the answer.
            if entered.send(result).is_ok() && is_in {
                received.into_iter().for_each(|task| task());
            }
        })?;
        answer.recv().map_err(|_| io::ErrorKind::BrokenPipe)??;
        Ok(Self { tasks: Some(tasks), thread: Some(thread) })
    }

    /// Runs something in it, and waits for what that returns.
    ///
    /// # Errors
    /// Those of the task, or that it panicked.
    pub fn run<T: Send + 'static>(
        &self,
        task: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let (done, answer) = channel();
        let task = Box::new(move || drop(done.send(task())));
        let ended = || io::Error::from(io::ErrorKind::BrokenPipe);
        self.tasks.as_ref().ok_or_else(ended)?.send(task).map_err(|_| ended())?;
        answer.recv().map_err(|_| ended())?
    }

    /// Whether a socket in it waits to be spoken to: one of TCP that
    /// listens, or one of UDP without a peer.
    ///
    /// # Errors
    /// If the kernel's tables cannot be read.
    pub fn has_listener(&self) -> io::Result<bool> {
        // The fourth column is the state: 0A is LISTEN, and a socket of UDP with a peer has not 07.
        const TABLES: [(&str, &str); 4] =
            [("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")];
        self.run(|| {
            for (table, state) in TABLES {
                let sockets = std::fs::read_to_string(format!("/proc/thread-self/net/{table}"))?;
                if sockets.lines().any(|it| it.split_whitespace().nth(3) == Some(state)) {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    /// Starts a program in it. It finds the names in `hosts`, the lines of a hosts file, and those
    /// that `name_server` knows, if there is one. The program and all that it starts are killed
    /// when this namespace is dropped, or the process ends. Needs `setpriv` and `unshare` of
    /// util-linux.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn spawn(
        &self,
        program: &[String],
        hosts: &[String],
        name_server: Option<IpAddr>,
    ) -> io::Result<Child> {
        // Files in memory, bound over the system's where only this program sees them. Where there
        // is no name server, who asks for another name is refused at once.
        const NAMES: &str = "mount -t tmpfs tmpfs /mnt && \
            while [ \"$1\" != -- ]; do printf '%s\\n' \"$1\" >> /mnt/hosts; shift; done && shift && \
            echo \"127.0.1.1 $(uname -n)\" >> /mnt/hosts && \
            mount --bind /mnt/hosts /etc/hosts && \
            echo \"nameserver $0\" > /mnt/resolv.conf && \
            { ! [ -e /etc/resolv.conf ] || mount --bind /mnt/resolv.conf /etc/resolv.conf; } && \
            umount --lazy /mnt && exec \"$@\"";
        let name_server = name_server.unwrap_or(Ipv4Addr::LOCALHOST.into()).to_string();
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--fork"]);
        command.args(["--mount-proc", "--kill-child", "--", "sh", "-c", NAMES, &name_server]);
        // Linux limits the length of an argument (MAX_ARG_STRLEN), so that they are several.
        command.args(hosts.chunks(LINES).map(|it| it.join("\n")));
        command.arg("--").args(program);
        self.run(move || command.spawn())
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        drop(self.tasks.take());
        if let Some(thread) = self.thread.take() {
            // A task that panicked has been reported to who asked for it.
            drop(thread.join());
        }
    }
}

/// Runs `ip` of iproute2 in the namespace of the calling thread.
///
/// # Errors
/// With what it says, if it fails.
pub fn ip(arguments: &[&str]) -> io::Result<()> {
    let output = Command::new("ip").args(arguments).output().map_err(|error| {
        io::Error::new(error.kind(), format!("`ip` of iproute2 cannot be run: {error}"))
    })?;
    if output.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(io::Error::other(format!("`ip {}`: {words}", arguments.join(" "))))
}
