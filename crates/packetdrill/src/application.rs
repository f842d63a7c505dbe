//! What the application of a script does with its sockets.

use std::collections::{BTreeMap, BTreeSet};

use windtunnel_tcp::{ConnectionId, Status};

use crate::host::VirtualHost;
use crate::outcome::Stop;
use crate::script::{Argument, Call};

/// The most bytes of a call at once: more than the buffers of a connection hold.
const MOST: i64 = 8 << 20;

/// Options of sockets that this TCP does not have.
const MISSING_OPTIONS: [&str; 20] = [
    "SO_KEEPALIVE",
    "SO_ZEROCOPY",
    "TCP_CORK",
    "TCP_DEFER_ACCEPT",
    "TCP_FASTOPEN",
    "TCP_FASTOPEN_CONNECT",
    "TCP_FASTOPEN_KEY",
    "TCP_FUNCTION_BLK",
    "TCP_KEEPCNT",
    "TCP_KEEPIDLE",
    "TCP_KEEPINIT",
    "TCP_KEEPINTVL",
    "TCP_MD5SIG",
    "TCP_NOOPT",
    "TCP_NOTSENT_LOWAT",
    "TCP_QUEUE_SEQ",
    "TCP_REMOTE_UDP_ENCAPS_PORT",
    "TCP_REPAIR",
    "TCP_ULP",
    "TCP_USER_TIMEOUT",
];

/// Flags of a write that this TCP does not have.
const MISSING_FLAGS: [&str; 4] = ["MSG_EOR", "MSG_FASTOPEN", "MSG_MORE", "MSG_ZEROCOPY"];

/// The sockets of an application.
#[derive(Debug, Default)]
pub(crate) struct Application {
    /// Those of connections, by their descriptors.
    connections: BTreeMap<i64, ConnectionId>,
    /// The one that was opened or accepted last, whether it was closed since or not.
    last: Option<ConnectionId>,
    listeners: BTreeSet<i64>,
    /// Those that reset their connections when they are closed.
    resetting: BTreeSet<i64>,
    /// What was written, and has no room in the host.
    unwritten: BTreeMap<i64, i64>,
    /// Calls that wait for something, and when they are to return.
    waiting: Vec<(i64, Call)>,
    /// How many answers were not checked.
    pub(crate) unchecked: usize,
}

impl Application {
    /// Makes a call, which returns at `returns` if it may wait.
    pub(crate) fn call(
        &mut self,
        call: &Call,
        returns: Option<i64>,
        host: &mut VirtualHost,
    ) -> Result<(), Stop> {
        let now = host.script_time();
        self.return_before(now + 1, host)?;
        match call.name.as_str() {
            "accept" if returns.is_some() && self.accept_one(call, host) => return Ok(()),
            "accept" | "read" | "recv" | "recvfrom" | "recvmsg" | "select" => {
                if let Some(time) = returns {
                    self.waiting.push((time, call.clone()));
                    return Ok(());
                }
            }
            _ => {}
        }
        self.make(call, host)
    }

    /// The connection that its script is about: the last one.
    pub(crate) fn connection(&self) -> Option<ConnectionId> {
        self.last
    }

    fn insert(&mut self, descriptor: i64, id: ConnectionId) {
        self.connections.insert(descriptor, id);
        self.last = Some(id);
    }

    /// Takes a connection that waits to be accepted, if there is one.
    fn accept_one(&mut self, call: &Call, host: &mut VirtualHost) -> bool {
        let Some(id) = host.tcp.accept(host.listener()) else { return false };
        self.insert(call.result.unwrap_or_default(), id);
        true
    }

    /// Lets calls return that are to return before that time of the script.
    pub(crate) fn return_before(&mut self, time: i64, host: &mut VirtualHost) -> Result<(), Stop> {
        while let Some(place) = self.waiting.iter().position(|it| it.0 < time) {
            let (returns, call) = self.waiting.remove(place);
            host.pass_until(returns);
            self.make(&call, host)?;
        }
        Ok(())
    }

    /// Writes what had no room.
    pub(crate) fn write_rest(&mut self, host: &mut VirtualHost) {
        for (descriptor, rest) in &mut self.unwritten {
            if let Some(&id) = self.connections.get(descriptor) {
                *rest -= write(id, *rest, host);
            }
        }
        self.unwritten.retain(|_, rest| *rest > 0);
    }

    fn make(&mut self, call: &Call, host: &mut VirtualHost) -> Result<(), Stop> {
        let descriptor = call.arguments.first().and_then(Argument::number);
        let connection = descriptor.and_then(|it| self.connections.get(&it).copied());
        match call.name.as_str() {
            "socket" if !call.arguments.iter().any(|it| it.has("SOCK_STREAM")) => {
                Stop::skips("a socket that is not a stream")
            }
            "socket" | "bind" | "fcntl" => Ok(()),
            "listen" => {
                self.listeners.extend(descriptor);
                host.tcp.listen(host.listener());
                Ok(())
            }
            "connect" => {
                self.connect(descriptor, host);
                Ok(())
            }
            "accept" | "accept4" => self.accept(call, host),
            "write" | "send" | "sendto" | "sendmsg" | "writev" => {
                self.write(call, connection, host)
            }
            "read" | "recv" | "recvfrom" | "recvmsg" | "readv" => read(call, connection, host),
            "shutdown" => {
                let way = call.arguments.get(1);
                let ends = way.is_some_and(|it| it.has("SHUT_WR") || it.has("SHUT_RDWR"));
                if let Some(id) = connection.filter(|_| ends && call.result == Some(0)) {
                    host.tcp.close(host.time(), id);
                }
                Ok(())
            }
            "close" => {
                self.close(descriptor, host);
                Ok(())
            }
            "setsockopt" => self.set_option(call, descriptor),
            "getsockopt" => self.option(call, connection, host),
            "select" | "poll" | "nanosleep" | "usleep" | "getsockname" | "ioctl" => {
                self.unchecked += 1;
                Ok(())
            }
            other => Stop::skips(format!("the call `{other}`")),
        }?;
        host.collect();
        Ok(())
    }

    fn connect(&mut self, descriptor: Option<i64>, host: &mut VirtualHost) {
        let Some(descriptor) = descriptor.filter(|it| !self.connections.contains_key(it)) else {
            return;
        };
        if let Some(id) = host.tcp.connect(host.time(), host.peer()) {
            self.insert(descriptor, id);
        }
    }

    fn accept(&mut self, call: &Call, host: &mut VirtualHost) -> Result<(), Stop> {
        if call.result.is_some_and(|it| it < 0) || self.accept_one(call, host) {
            return Ok(());
        }
        Stop::fails("there is no connection to accept")
    }

    fn write(
        &mut self,
        call: &Call,
        connection: Option<ConnectionId>,
        host: &mut VirtualHost,
    ) -> Result<(), Stop> {
        for flag in MISSING_FLAGS {
            if call.arguments.iter().any(|it| it.has(flag)) {
                return Stop::skips(format!("the flag {flag}"));
            }
        }
        let Some(count) = call.result.filter(|it| *it >= 0) else {
            self.unchecked += 1;
            return Ok(());
        };
        let (Some(id), Some(Argument::Number(descriptor))) = (connection, call.arguments.first())
        else {
            return Stop::fails("the socket has no connection");
        };
        let rest = count - write(id, count, host);
        if rest > 0 {
            *self.unwritten.entry(*descriptor).or_default() += rest;
        }
        Ok(())
    }

    fn close(&mut self, descriptor: Option<i64>, host: &mut VirtualHost) {
        let Some(descriptor) = descriptor else { return };
        if self.listeners.remove(&descriptor) {
            return;
        }
        let Some(id) = self.connections.remove(&descriptor) else { return };
        let now = host.time();
        // What was not read is lost, and the peer is to know that (RFC 2525, section 2.17).
        let is_unread = host.tcp.read(now, id, &mut [0]) > 0;
        if is_unread || self.resetting.contains(&descriptor) {
            host.tcp.reset(now, id);
        } else {
            host.tcp.close(now, id);
        }
        host.tcp.forget(now, id);
    }

    fn set_option(&mut self, call: &Call, descriptor: Option<i64>) -> Result<(), Stop> {
        let Some(option) = call.arguments.get(2) else { return Ok(()) };
        if let Some(name) = MISSING_OPTIONS.iter().find(|it| option.has(it)) {
            return Stop::skips(format!("the option {name}"));
        }
        let lingers = |value: &Argument| {
            value.field("onoff").or_else(|| value.field("l_onoff")) == Some(1)
                && value.field("linger").or_else(|| value.field("l_linger")) == Some(0)
        };
        if option.has("SO_LINGER") && call.arguments.get(3).is_some_and(lingers) {
            self.resetting.extend(descriptor);
        }
        Ok(())
    }

    /// Only what became of a connection is compared.
    fn option(
        &mut self,
        call: &Call,
        connection: Option<ConnectionId>,
        host: &VirtualHost,
    ) -> Result<(), Stop> {
        let is_error = call.arguments.get(2).is_some_and(|it| it.has("SO_ERROR"));
        let (true, Some(id), Some(wanted)) = (is_error, connection, call.arguments.get(3)) else {
            self.unchecked += 1;
            return Ok(());
        };
        let status = host.tcp.status(id);
        let is_met = if wanted.has("ECONNRESET") || wanted.has("ECONNREFUSED") {
            status == Status::Reset
        } else if wanted.has("ETIMEDOUT") {
            status == Status::TimedOut
        } else {
            wanted.number() != Some(0) || !matches!(status, Status::Reset | Status::TimedOut)
        };
        let is = match status {
            Status::Opening => "being opened",
            Status::Established => "open",
            Status::Closed => "closed",
            Status::Reset => "reset",
            Status::TimedOut => "given up",
        };
        if is_met { Ok(()) } else { Stop::fails(format!("the connection is {is}")) }
    }
}

/// Writes as much as there is room for; returns how much.
fn write(id: ConnectionId, count: i64, host: &mut VirtualHost) -> i64 {
    let bytes = vec![b'x'; count.clamp(0, MOST) as usize];
    let written = host.tcp.write(host.time(), id, &bytes) as i64;
    host.collect();
    written
}

fn read(call: &Call, connection: Option<ConnectionId>, host: &mut VirtualHost) -> Result<(), Stop> {
    let looks = call.arguments.iter().any(|it| it.has("MSG_PEEK") || it.has("MSG_TRUNC"));
    let (Some(id), Some(result)) = (connection, call.result) else { return Ok(()) };
    let would_block = matches!(call.error.as_deref(), Some("EAGAIN" | "EWOULDBLOCK"));
    if looks || result == 0 || (result < 0 && !would_block) {
        return Ok(());
    }
    let asked = match call.arguments.get(2) {
        Some(Argument::Number(most)) if call.name != "recvmsg" => *most,
        _ => result,
    };
    let mut buffer = vec![0; asked.clamp(1, MOST) as usize];
    let count = host.tcp.read(host.time(), id, &mut buffer) as i64;
    let wanted = result.max(0);
    if count == wanted {
        return Ok(());
    }
    Stop::fails(format!("{count} bytes are read, not {wanted}"))
}
