//! Bytes both ways between the kernel and us, and how each end closes.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::ops::ControlFlow;
use std::thread;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use windtunnel_engine::Time;
use windtunnel_live::tcp::{Wire, drive};
use windtunnel_tcp::{ConnectionId, Status, TcpHost};
use windtunnel_transports::tcp::EndpointCounters;

use crate::network::{LIMIT, Network, PORT, Version};

/// Who opens the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opener {
    Kernel,
    Us,
}

/// When who closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closing {
    /// Each end when it has sent everything.
    WhenSent,
    /// The kernel when it has received everything.
    KernelLast,
    /// We when we have received everything.
    WeLast,
}

/// What is exchanged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exchange {
    pub(crate) version: Version,
    pub(crate) opener: Opener,
    pub(crate) closing: Closing,
    /// Bytes from us to the kernel, and from it to us.
    pub(crate) to_kernel: u64,
    pub(crate) to_us: u64,
    /// How long each end waits before it reads.
    pub(crate) kernel_waits: Duration,
    pub(crate) we_wait: Duration,
}

impl Default for Exchange {
    fn default() -> Self {
        let (opener, closing) = (Opener::Us, Closing::WhenSent);
        let version = Version::V4;
        let (kernel_waits, we_wait) = (Duration::ZERO, Duration::ZERO);
        Self { version, opener, closing, to_kernel: 0, to_us: 0, kernel_waits, we_wait }
    }
}

/// What we counted.
pub(crate) struct Outcome {
    pub(crate) counters: EndpointCounters,
    pub(crate) timestamps: bool,
    pub(crate) maximum_segment: u16,
}

/// The bytes of a stream: those of a counter with its bits mixed, eight at a time.
pub(crate) fn fill(seed: u64, place: u64, buffer: &mut [u8]) {
    assert!(place.is_multiple_of(8), "whole numbers");
    for (number, bytes) in (place / 8..).zip(buffer.chunks_mut(8)) {
        let mixed = windtunnel_engine::hash_twice(seed.wrapping_add(number)).to_be_bytes();
        bytes.copy_from_slice(&mixed[..bytes.len()]);
    }
}

pub(crate) fn digest(seed: u64, length: u64) -> String {
    let (mut hash, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    for place in (0..length).step_by(1 << 16) {
        let part = &mut buffer[..(length - place).min(1 << 16) as usize];
        fill(seed, place, part);
        hash.update(part);
    }
    hex(hash)
}

fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|it| format!("{it:02x}")).collect()
}

const OUR_SEED: u64 = 1 << 40;
const KERNEL_SEED: u64 = 2 << 40;

/// What the kernel's application does; returns the digest of what it received.
fn kernel(stream: &TcpStream, it: Exchange) -> String {
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    stream.set_write_timeout(Some(LIMIT)).unwrap();
    let mut writer = stream.try_clone().unwrap();
    let writes = thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        for place in (0..it.to_us).step_by(1 << 16) {
            let part = &mut buffer[..(it.to_us - place).min(1 << 16) as usize];
            fill(KERNEL_SEED, place, part);
            writer.write_all(part).unwrap();
        }
        if it.closing != Closing::KernelLast {
            writer.shutdown(Shutdown::Write).unwrap();
        }
    });
    thread::sleep(it.kernel_waits);
    let (mut hash, mut buffer, mut reader) = (Sha256::new(), vec![0; 1 << 16], stream);
    loop {
        match reader.read(&mut buffer).unwrap() {
            0 => break,
            count => hash.update(&buffer[..count]),
        }
    }
    writes.join().unwrap();
    stream.shutdown(Shutdown::Write).ok();
    hex(hash)
}

/// Our application.
struct Ours {
    it: Exchange,
    written: u64,
    buffer: Vec<u8>,
    hash: Sha256,
    is_closed: bool,
    started: Instant,
}

impl Ours {
    /// Its turn; whether it did something.
    fn act(&mut self, host: &mut TcpHost, id: ConnectionId, now: Time) -> bool {
        let mut did = false;
        let left = self.it.to_kernel - self.written;
        if left > 0 {
            let skipped = self.written % 8;
            let part = (left + skipped).min(1 << 16) as usize;
            fill(OUR_SEED, self.written - skipped, &mut self.buffer[..part]);
            let count = host.write(now, id, &self.buffer[skipped as usize..part]);
            self.written += count as u64;
            did |= count > 0;
        }
        if self.started.elapsed() < self.it.we_wait {
            return did;
        }
        let count = host.read(now, id, &mut self.buffer);
        self.hash.update(&self.buffer[..count]);
        did |= count > 0;
        let has_sent = self.written == self.it.to_kernel;
        let may_close = self.it.closing != Closing::WeLast || host.is_at_end(id);
        if has_sent && may_close && !self.is_closed && host.status(id) != Status::Opening {
            self.is_closed = true;
            host.close(now, id);
        }
        did
    }
}

/// Exchanges bytes over that wire, and compares what each end has received with what the other
/// has sent.
pub(crate) fn exchange(
    network: &Network,
    host: &mut TcpHost,
    wire: impl Wire,
    it: Exchange,
) -> Outcome {
    let clock = network.clock;
    let peer = std::net::SocketAddr::new(it.version.kernel(), PORT);
    let own = std::net::SocketAddr::new(it.version.ours(), PORT);
    let (application, mut id) = match it.opener {
        Opener::Us => {
            let listener = network.kernel_listener(it.version);
            let accepts = thread::spawn(move || kernel(&listener.accept().unwrap().0, it));
            (accepts, host.connect(clock.now(), peer))
        }
        Opener::Kernel => {
            host.listen(own);
            let connect = network.kernel_connects(it.version);
            (thread::spawn(move || kernel(&connect(), it)), None)
        }
    };
    let started = Instant::now();
    let buffer = vec![0; 1 << 16];
    let mut ours = Ours { it, written: 0, buffer, hash: Sha256::new(), is_closed: false, started };
    let id = drive(wire, host, &clock, |host, now| {
        assert!(started.elapsed() < LIMIT, "hangs: {:?}", id.map(|it| host.endpoint(it)));
        id = id.or_else(|| host.accept(own));
        let Some(id) = id else { return ControlFlow::Continue(false) };
        let did = ours.act(host, id, now);
        match host.status(id) {
            Status::Closed if !did => ControlFlow::Break(id),
            Status::Reset | Status::TimedOut => panic!("{:?}", host.status(id)),
            _ => ControlFlow::Continue(did),
        }
    })
    .unwrap();
    assert_eq!(application.join().unwrap(), digest(OUR_SEED, it.to_kernel), "what the kernel has");
    assert_eq!(hex(ours.hash), digest(KERNEL_SEED, it.to_us), "what we have");
    let endpoint = host.endpoint(id).unwrap();
    assert_eq!(host.counters().malformed, 0);
    Outcome {
        counters: *endpoint.counters(),
        timestamps: endpoint.settings().timestamps,
        maximum_segment: endpoint.settings().maximum_segment,
    }
}
