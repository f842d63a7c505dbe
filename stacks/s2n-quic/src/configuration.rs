//! How endpoints are configured.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::CryptoProvider;
use rustls::crypto::aws_lc_rs::{self, cipher_suite};
use rustls::pki_types::UnixTime;
use rustls::time_provider::TimeProvider;
use rustls::version::TLS13;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use s2n_quic::provider::limits::Limits;
use s2n_quic::provider::tls::rustls as tls;
use s2n_quic::provider::congestion_controller;
use s2n_quic::{Client, Server};

use crate::endpoint::Io;
use crate::identity;
use crate::observer::Observer;
use crate::random::Seeded;
use crate::secrets::Secrets;

/// Longer than any run.
const LONG: Duration = Duration::from_secs(1 << 32);
/// What s2n-quic asks for by default.
const PROTOCOL: &[u8] = b"h3";

/// What both kinds of endpoints are made with.
pub(crate) struct Providers<C> {
    pub(crate) controller: C,
    pub(crate) io: Io,
    pub(crate) random: Seeded,
    pub(crate) observer: Observer,
}

impl<C: congestion_controller::Provider> Providers<C> {
    /// An endpoint that connects, and tells its secrets.
    pub(crate) fn client(self, secrets: Arc<Secrets>) -> Result<Client, Box<dyn Error>> {
        let Self { controller, io, random, observer } = self;
        let client = Client::builder()
            .with_tls(tls::Client::from(Arc::new(client_tls(secrets)?)))?
            .with_limits(limits()?)?
            .with_random(random)?
            .with_event(observer)?
            .with_io(io)?
            .with_congestion_controller(controller)?;
        Ok(client.start()?)
    }

    /// An endpoint that waits for connections.
    pub(crate) fn server(self) -> Result<Server, Box<dyn Error>> {
        let Self { controller, io, random, observer } = self;
        let server = Server::builder()
            .with_tls(tls::Server::from(Arc::new(server_tls()?)))?
            .with_limits(limits()?)?
            .with_random(random)?
            .with_event(observer)?
            .with_io(io)?
            .with_congestion_controller(controller)?;
        Ok(server.start()?)
    }
}

/// A connection lasts as long as its flow.
fn limits() -> Result<Limits, Box<dyn Error>> {
    let limits = Limits::new().with_max_idle_timeout(Duration::ZERO)?;
    Ok(limits.with_max_handshake_duration(LONG)?)
}

/// As s2n-quic has it by default: AES-128 comes first.
fn cryptography() -> Arc<CryptoProvider> {
    let cipher_suites = vec![
        cipher_suite::TLS13_AES_128_GCM_SHA256,
        cipher_suite::TLS13_AES_256_GCM_SHA384,
        cipher_suite::TLS13_CHACHA20_POLY1305_SHA256,
    ];
    Arc::new(CryptoProvider { cipher_suites, ..aws_lc_rs::default_provider() })
}

fn server_tls() -> Result<ServerConfig, rustls::Error> {
    let mut server = ServerConfig::builder_with_details(cryptography(), Arc::new(OneDate))
        .with_protocol_versions(&[&TLS13])?
        .with_no_client_auth()
        .with_single_cert(vec![identity::certificate()], identity::key())?;
    server.ignore_client_order = true;
    server.alpn_protocols = vec![PROTOCOL.to_vec()];
    Ok(server)
}

fn client_tls(secrets: Arc<Secrets>) -> Result<ClientConfig, rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.add(identity::certificate())?;
    let mut client = ClientConfig::builder_with_details(cryptography(), Arc::new(OneDate))
        .with_protocol_versions(&[&TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth();
    client.alpn_protocols = vec![PROTOCOL.to_vec()];
    client.key_log = secrets;
    Ok(client)
}

/// The date by which certificates and tickets are judged: always the same, so that nothing depends on
/// when a simulation runs.
#[derive(Clone, Copy, Debug)]
struct OneDate;

impl TimeProvider for OneDate {
    fn current_time(&self) -> Option<UnixTime> {
        // The first of January 2030.
        Some(UnixTime::since_unix_epoch(Duration::from_secs(1_893_456_000)))
    }
}
