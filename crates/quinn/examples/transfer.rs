//! Sends data over QUIC with one of Windtunnel's controllers, and prints what was measured.
//!
//! ```console
//! $ cargo run --release -p windtunnel-quinn --example transfer -- --server 4433
//! $ cargo run --release -p windtunnel-quinn --example transfer -- \
//!     --connect 127.0.0.1:4433 --controller copa --set delta=0.1 --seconds 10
//! ```
//!
//! The server listens on the loopback interface unless it is given an address, and makes a
//! certificate for itself. The client measures a path and no more: it does not check who the
//! server is.

use std::error::Error;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lexopt::prelude::*;
use quinn::crypto::rustls::QuicClientConfig;
use quinn::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use quinn::rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use quinn::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use quinn::rustls::{self, DigitallySignedStruct, SignatureScheme};
use quinn::{
    ClientConfig, Connection, Endpoint, SendStream, ServerConfig, TransportConfig, VarInt,
};
use serde_json::json;
use windtunnel_controllers::Value as Setting;
use windtunnel_quinn::WindtunnelFactory;

const USAGE: &str = "\
Usage: transfer --server [ADDRESS:]PORT
       transfer --connect ADDRESS:PORT [--controller NAME] [--set KEY=VALUE]…
                (--bytes N | --seconds S)

  --server      receive; without an address, on the loopback interface
  --connect     send to this server
  --controller  which of Windtunnel's controllers sends (default: cubic)
  --set         one of its parameters, such as delta=0.1
  --bytes       send this many bytes
  --seconds     send for so long
";
/// What either end may have on its way: 1 Gbps for 200 ms.
const MOST_ON_THE_WAY: u32 = 25_000_000;
const NAME: &str = "windtunnel";
/// Nothing is sent to a server that does not answer for so long.
const PATIENCE: Duration = Duration::from_secs(10);
const SAMPLED_EVERY: Duration = Duration::from_millis(10);
static PIECE: [u8; 1 << 16] = [0; 1 << 16];

type Fault = Box<dyn Error + Send + Sync>;

/// What the command line asks for.
enum Task {
    Serve(SocketAddr),
    Send { to: SocketAddr, factory: Arc<WindtunnelFactory>, amount: Amount },
    Help,
}

/// How much is sent.
#[derive(Clone, Copy)]
enum Amount {
    Bytes(u64),
    Time(Duration),
}

fn main() -> ExitCode {
    let task = match read_arguments() {
        Ok(task) => task,
        Err(error) => {
            eprintln!("transfer: {error}; see --help");
            return ExitCode::from(2);
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let done = runtime.map_err(Fault::from).and_then(|runtime| match task {
        Task::Serve(address) => runtime.block_on(serve(address)),
        Task::Send { to, factory, amount } => runtime.block_on(send(to, factory, amount)),
        Task::Help => {
            print!("{USAGE}");
            Ok(())
        }
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("transfer: {error}");
            ExitCode::FAILURE
        }
    }
}

fn read_arguments() -> Result<Task, Fault> {
    let (mut server, mut to, mut amount) = (None, None, None);
    let (mut controller, mut settings) = ("cubic".to_owned(), Vec::new());
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("server") => server = Some(listening(&arguments.value()?.string()?)?),
            Long("connect") => to = Some(arguments.value()?.parse()?),
            Long("controller") => controller = arguments.value()?.string()?,
            Long("set") => settings.push(arguments.value()?.string()?),
            Long("bytes") => amount = Some(Amount::Bytes(arguments.value()?.parse()?)),
            Long("seconds") => {
                let time = Duration::try_from_secs_f64(arguments.value()?.parse()?)?;
                amount = Some(Amount::Time(time));
            }
            Long("help") | Short('h') => return Ok(Task::Help),
            _ => return Err(argument.unexpected().into()),
        }
    }
    let factory = Arc::new(made(&controller, &settings)?);
    match (server, to, amount) {
        (Some(address), None, None) => Ok(Task::Serve(address)),
        (None, Some(to), Some(amount)) => Ok(Task::Send { to, factory, amount }),
        (None, Some(_), None) => Err("say how much to send: --bytes or --seconds".into()),
        _ => Err("give either --server, or --connect with --bytes or --seconds".into()),
    }
}

/// An address with a port; a port alone is one of the loopback interface.
fn listening(text: &str) -> Result<SocketAddr, Fault> {
    let loopback = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let address = text.parse().or_else(|error| text.parse().map(loopback).map_err(|_| error));
    Ok(address.map_err(|_| format!("`{text}` is neither a port nor an address with a port"))?)
}

fn made(controller: &str, settings: &[String]) -> Result<WindtunnelFactory, Fault> {
    let mut parameters = Vec::new();
    for setting in settings {
        let pair = setting.split_once('=');
        let (key, value) = pair.ok_or_else(|| format!("`{setting}` is not KEY=VALUE"))?;
        let value = match (value, value.parse()) {
            ("true" | "false", _) => Setting::Flag(value == "true"),
            (_, Ok(number)) => Setting::Number(number),
            (_, Err(_)) => Setting::Choice(value),
        };
        parameters.push((key, value));
    }
    Ok(WindtunnelFactory::named(controller, &parameters)?)
}

// -- The server -----------------------------------------------------------------

async fn serve(address: SocketAddr) -> Result<(), Fault> {
    let certified = rcgen::generate_simple_self_signed([NAME.to_owned()])?;
    let key = PrivatePkcs8KeyDer::from(certified.signing_key.serialize_der());
    let chain = vec![certified.cert.der().clone()];
    let mut config = ServerConfig::with_single_cert(chain, key.into())?;
    config.transport_config(Arc::new(transport()));
    let endpoint = Endpoint::server(config, address)?;
    print(&json!({ "listening": endpoint.local_addr()?.to_string() }))?;
    while let Some(incoming) = endpoint.accept().await {
        tokio::spawn(async move {
            let received = async { receive(&incoming.await?).await };
            if let Err(error) = received.await {
                eprintln!("transfer: {error}");
            }
        });
    }
    Ok(())
}

/// Takes what comes on one stream, and answers with how many bytes that were in how many
/// nanoseconds after the first.
async fn receive(connection: &Connection) -> Result<(), Fault> {
    let (mut answer, mut stream) = connection.accept_bi().await?;
    let (mut bytes, mut first, mut last) = (0, None, Instant::now());
    // The end, or that the client sends no more.
    while let Ok(Some(chunk)) = stream.read_chunk(usize::MAX, true).await {
        last = Instant::now();
        first.get_or_insert(last);
        bytes += chunk.bytes.len() as u64;
    }
    let took = last.duration_since(first.unwrap_or(last));
    answer.write_all(&bytes.to_be_bytes()).await?;
    answer.write_all(&u64::try_from(took.as_nanos())?.to_be_bytes()).await?;
    answer.finish()?;
    connection.closed().await;
    Ok(())
}

// -- The client -----------------------------------------------------------------

async fn send(
    to: SocketAddr,
    factory: Arc<WindtunnelFactory>,
    amount: Amount,
) -> Result<(), Fault> {
    let controller = factory.settings().description().name;
    let mut transport = transport();
    transport.congestion_controller_factory(factory);
    let mut config = ClientConfig::new(Arc::new(QuicClientConfig::try_from(trusting()?)?));
    config.transport_config(Arc::new(transport));
    let from = match to.ip() {
        ip if ip.is_loopback() => ip,
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let endpoint = Endpoint::client((from, 0).into())?;
    let connecting = endpoint.connect_with(config, to, NAME)?;
    let connection = tokio::time::timeout(PATIENCE, connecting)
        .await
        .map_err(|_| format!("{to} does not answer"))??;
    let (mut stream, mut answer) = connection.open_bi().await?;
    let mut counted = [0; 16];
    let sending = async {
        write(&mut stream, amount).await?;
        Ok::<_, Fault>(answer.read_exact(&mut counted).await?)
    };
    let mut round_trips = RoundTrips::default();
    tokio::select! {
        sent = sending => sent?,
        () = round_trips.sample(&connection) => {}
    }
    let path = connection.stats().path;
    connection.close(VarInt::from_u32(0), &[]);
    endpoint.wait_idle().await;
    let number =
        |at: usize| counted[at..at + 8].iter().fold(0, |it, byte| it << 8 | u64::from(*byte));
    let (bytes, seconds) = (number(0), number(8) as f64 * 1e-9);
    print(&json!({
        "controller": controller,
        "bytes": bytes,
        "seconds": seconds,
        "goodput_bps": if seconds > 0.0 { 8.0 * bytes as f64 / seconds } else { 0.0 },
        "sent_packets": path.sent_packets,
        "lost_packets": path.lost_packets,
        "congestion_events": path.congestion_events,
        "rtt_mean_s": round_trips.mean(),
        "rtt_minimum_s": round_trips.minimum.map(|it| it.as_secs_f64()),
        "mtu_bytes": path.current_mtu,
    }))
}

async fn write(stream: &mut SendStream, amount: Amount) -> Result<(), Fault> {
    match amount {
        Amount::Bytes(mut left) => {
            while left > 0 {
                let length = left.min(PIECE.len() as u64);
                stream.write_all(&PIECE[..length as usize]).await?;
                left -= length;
            }
            stream.finish()?;
        }
        Amount::Time(time) => {
            let writing = async { while stream.write_all(&PIECE).await.is_ok() {} };
            let _ = tokio::time::timeout(time, writing).await;
            stream.reset(VarInt::from_u32(0))?;
        }
    }
    Ok(())
}

/// quinn's smoothed round trip, sampled.
#[derive(Default)]
struct RoundTrips {
    sum: Duration,
    samples: u32,
    minimum: Option<Duration>,
}

impl RoundTrips {
    async fn sample(&mut self, connection: &Connection) {
        loop {
            let rtt = connection.rtt();
            self.sum += rtt;
            self.samples += 1;
            self.minimum = Some(self.minimum.map_or(rtt, |it| it.min(rtt)));
            tokio::time::sleep(SAMPLED_EVERY).await;
        }
    }

    fn mean(&self) -> Option<f64> {
        (self.samples > 0).then(|| self.sum.as_secs_f64() / f64::from(self.samples))
    }
}

/// Flow control that leaves it to the controller how much is on its way.
fn transport() -> TransportConfig {
    let mut transport = TransportConfig::default();
    let most = VarInt::from_u32(MOST_ON_THE_WAY);
    transport.stream_receive_window(most).receive_window(most).send_window(MOST_ON_THE_WAY.into());
    transport
}

/// TLS that takes any server for the right one.
fn trusting() -> Result<rustls::ClientConfig, Fault> {
    let provider = Arc::new(ring::default_provider());
    let anyone = Arc::new(Anyone(Arc::clone(&provider)));
    Ok(rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(anyone)
        .with_no_client_auth())
}

#[derive(Debug)]
struct Anyone(Arc<CryptoProvider>);

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

fn print(line: &serde_json::Value) -> Result<(), Fault> {
    let mut output = std::io::stdout().lock();
    writeln!(output, "{line}")?;
    Ok(output.flush()?)
}
