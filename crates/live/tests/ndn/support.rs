//! Programs on threads of their own, with a folder that goes away with them.

use std::fs;
use std::net::{SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use windtunnel_live::ndn::{
    ForwardReport, Forwarding, GetReport, GetSettings, NdnError, PutReport, PutSettings, Putting,
    SignatureAlgorithm, Signer, Verifier, get,
};
use windtunnel_scenario::{FaceAddress, read_forwarder};

/// A program that ends when it is dropped.
pub(crate) struct Program<T> {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<T>>,
}

impl<T: Send + 'static> Program<T> {
    fn start(run: impl FnOnce(&dyn Fn() -> bool) -> T + Send + 'static) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stops = Arc::clone(&stop);
        let thread = std::thread::spawn(move || run(&|| !stops.load(Ordering::Relaxed)));
        Self { stop, thread: Some(thread) }
    }

    /// Ends it; what it counted.
    pub(crate) fn end(mut self) -> T {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().expect("it runs").join().expect("it did not panic")
    }
}

impl<T> Drop for Program<T> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A folder of a test.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ndn-wire-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder can be made");
        Self(path)
    }

    /// A file of so many bytes that do not repeat.
    pub(crate) fn file(&self, size: usize) -> PathBuf {
        let path = self.0.join("file");
        fs::write(&path, bytes(size)).expect("it can be written");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Bytes that do not repeat.
pub(crate) fn bytes(size: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    };
    (0..size).map(|_| next()).collect()
}

/// A forwarder as a file has it, that listens at free ports.
pub(crate) fn forward(text: &str) -> (Program<ForwardReport>, Vec<FaceAddress>) {
    forward_at(0, text)
}

/// A forwarder that listens at a UDP port.
pub(crate) fn forward_at(port: u16, text: &str) -> (Program<ForwardReport>, Vec<FaceAddress>) {
    let listen = format!("listen = [\"udp://127.0.0.1:{port}\", \"tcp://127.0.0.1:0\"]\n");
    let plan = read_forwarder("test", &format!("{listen}{text}")).expect("the file is right");
    let mut forwarding = Forwarding::open(&plan, Vec::new()).expect("it can listen");
    let addresses = forwarding.addresses().to_vec();
    let program = Program::start(move |goes_on| {
        forwarding.run(goes_on).expect("it runs to its end");
        forwarding.report()
    });
    (program, addresses)
}

/// A producer of a file below `/example`.
pub(crate) fn put(file: PathBuf, connect: FaceAddress, signer: Signer) -> Program<PutReport> {
    let prefix = "/example".parse().expect("it is a name");
    let connect = Some(connect);
    let settings = PutSettings { prefix, file, segment_size: 1300, signer, connect, bind: None };
    serve(Putting::open(settings).expect("the forwarder takes the prefix"))
}

/// A producer at work.
pub(crate) fn serve(mut putting: Putting) -> Program<PutReport> {
    Program::start(move |goes_on| {
        putting.run(goes_on).expect("it runs to its end");
        putting.report()
    })
}

/// A relay of UDP to `server`, for one client, that drops each so manieth datagram in both
/// directions.
pub(crate) fn lossy(server: SocketAddr, each: u64) -> (Program<()>, SocketAddr) {
    relay(server, move |count, _| count % each != 0)
}

/// A relay of UDP to `server`, for one client, that changes the last byte of each so manieth
/// datagram in both directions if it is Data: a part of its signature.
pub(crate) fn forging(server: SocketAddr, each: u64) -> (Program<()>, SocketAddr) {
    relay(server, move |count, datagram| {
        if count % each == 0 && datagram.first() == Some(&6) {
            datagram[datagram.len() - 1] ^= 1;
        }
        true
    })
}

/// A relay of UDP to `server`, for one client. `pass` is given the number of each datagram from
/// 1 on, may change it, and says whether it is sent on.
fn relay(
    server: SocketAddr,
    pass: impl Fn(u64, &mut [u8]) -> bool + Send + 'static,
) -> (Program<()>, SocketAddr) {
    let [outside, inside] = [(); 2].map(|()| {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        socket.set_nonblocking(true).expect("it can be");
        socket
    });
    let address = outside.local_addr().expect("it is bound");
    inside.connect(server).expect("it can be");
    let program = Program::start(move |goes_on| {
        let (mut client, mut count) = (None, 0);
        let mut buffer = [0; 65536];
        while goes_on() {
            let mut is_idle = true;
            if let Ok((size, from)) = outside.recv_from(&mut buffer) {
                (client, count, is_idle) = (Some(from), count + 1, false);
                if pass(count, &mut buffer[..size]) {
                    let _ = inside.send(&buffer[..size]);
                }
            }
            if let (Ok(size), Some(client)) = (inside.recv(&mut buffer), client) {
                (count, is_idle) = (count + 1, false);
                if pass(count, &mut buffer[..size]) {
                    let _ = outside.send_to(&buffer[..size], client);
                }
            }
            if is_idle {
                std::thread::sleep(Duration::from_micros(200));
            }
        }
    });
    (program, address)
}

pub(crate) fn digest() -> Signer {
    Signer::new(SignatureAlgorithm::Digest, None).expect("it needs no key")
}

/// Fetches `/example`, within half a minute.
pub(crate) fn fetch(
    connect: FaceAddress,
    out: PathBuf,
    controller: &str,
    verifier: Verifier,
) -> Result<GetReport, NdnError> {
    let name = "/example".parse().expect("it is a name");
    let controller = controller.to_owned();
    let settings = GetSettings { name, connect, bind: None, out, controller, verifier };
    let until = Instant::now() + Duration::from_secs(30);
    get(&settings, || Instant::now() < until)
}
