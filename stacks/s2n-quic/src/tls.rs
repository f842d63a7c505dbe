//! TLS, by rustls.

use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::CryptoProvider;
use rustls::crypto::aws_lc_rs::{self, cipher_suite};
use rustls::pki_types::UnixTime;
use rustls::time_provider::TimeProvider;
use rustls::version::TLS13;
use rustls::{ClientConfig, Error, RootCertStore, ServerConfig};
use s2n_quic::provider::tls::Provider;
use s2n_quic::provider::tls::rustls::{Client, Server};

use crate::identity;
use crate::protocol::Agreed;
use crate::secrets::Secrets;

/// TLS of an end; of one that connects, its secrets are told.
#[derive(Debug)]
pub(crate) struct Tls(pub(crate) Arc<Secrets>);

impl Provider for Tls {
    type Server = Agreed<Server>;
    type Client = Agreed<Client>;
    type Error = Error;

    fn start_server(self) -> Result<Self::Server, Error> {
        Ok(Agreed(Server::from(Arc::new(server()?))))
    }

    fn start_client(self) -> Result<Self::Client, Error> {
        Ok(Agreed(Client::from(Arc::new(client(self.0)?))))
    }
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

fn server() -> Result<ServerConfig, Error> {
    let mut server = ServerConfig::builder_with_details(cryptography(), Arc::new(OneDate))
        .with_protocol_versions(&[&TLS13])?
        .with_no_client_auth()
        .with_single_cert(vec![identity::certificate()], identity::key())?;
    server.ignore_client_order = true;
    Ok(server)
}

fn client(secrets: Arc<Secrets>) -> Result<ClientConfig, Error> {
    let mut roots = RootCertStore::empty();
    roots.add(identity::certificate())?;
    let mut client = ClientConfig::builder_with_details(cryptography(), Arc::new(OneDate))
        .with_protocol_versions(&[&TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth();
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
