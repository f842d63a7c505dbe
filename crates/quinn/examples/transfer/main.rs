//! Sends data over QUIC with one of Windtunnel's controllers, and prints what was measured.
//!
//! ```console
//! $ cargo run --release -p windtunnel-quinn --example transfer -- --server 4433
//! $ cargo run --release -p windtunnel-quinn --example transfer -- \
//!     --connect 127.0.0.1:4433 --controller copa --set delta=0.1 --seconds 10
//! ```
//!
//! The client is quinn, or noq, which also keeps to the controller's pacing rate (`--stack noq`).
//!
//! The server listens on the loopback interface unless it is given an address, and makes a
//! certificate for itself. The client measures a path and no more: it does not check who the
//! server is.

mod over_noq;
mod over_quinn;
mod server;

use std::error::Error;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use lexopt::prelude::*;
use quinn::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use quinn::rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use quinn::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use quinn::rustls::{self, DigitallySignedStruct, SignatureScheme};
use windtunnel_controllers::Value as Setting;
use windtunnel_quinn::WindtunnelFactory;

const USAGE: &str = "\
Usage: transfer --server [ADDRESS:]PORT
       transfer --connect ADDRESS:PORT [--stack quinn|noq] [--controller NAME]
                [--set KEY=VALUE]… (--bytes N | --seconds S)

  --server      receive; without an address, on the loopback interface
  --connect     send to this server
  --stack       the QUIC that sends (default: quinn)
  --controller  which of Windtunnel's controllers sends (default: cubic)
  --set         one of its parameters, such as delta=0.1
  --bytes       send this many bytes
  --seconds     send for so long
";

/// What either end may have on its way: 1 Gbps for 200 ms. It is left to the controller.
const MOST_ON_THE_WAY: u32 = 25_000_000;
const NAME: &str = "windtunnel";

type Fault = Box<dyn Error + Send + Sync>;

/// What the command line asks for.
enum Task {
    Serve(SocketAddr),
    Send { to: SocketAddr, stack: Stack, factory: Arc<WindtunnelFactory>, amount: Amount },
    Help,
}

/// The QUIC of a client; a server is quinn.
#[derive(Clone, Copy)]
enum Stack {
    Quinn,
    Noq,
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
        Task::Serve(address) => runtime.block_on(server::serve(address)),
        Task::Send { to, stack: Stack::Quinn, factory, amount } => {
            runtime.block_on(over_quinn::client::send(to, factory, amount))
        }
        Task::Send { to, stack: Stack::Noq, factory, amount } => {
            runtime.block_on(over_noq::client::send(to, factory, amount))
        }
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
    let mut stack = Stack::Quinn;
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("server") => server = Some(listening(&arguments.value()?.string()?)?),
            Long("connect") => to = Some(arguments.value()?.parse()?),
            Long("stack") => stack = named(&arguments.value()?.string()?)?,
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
        (None, Some(to), Some(amount)) => Ok(Task::Send { to, stack, factory, amount }),
        (None, Some(_), None) => Err("say how much to send: --bytes or --seconds".into()),
        _ => Err("give either --server, or --connect with --bytes or --seconds".into()),
    }
}

fn named(stack: &str) -> Result<Stack, Fault> {
    match stack {
        "quinn" => Ok(Stack::Quinn),
        "noq" => Ok(Stack::Noq),
        other => Err(format!("`{other}` is neither quinn nor noq").into()),
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
