//! How ends are configured, by the interface of quinn or of noq: this file, as that of the ends, is a
//! part of both modules.

use std::sync::Arc;

use super::api::rustls::crypto::ring::default_provider;
use super::api::rustls::version::TLS13;
use super::api::rustls::{self, RootCertStore};
use super::api::{ClientConfig, QuicClientConfig, QuicServerConfig, ServerConfig, TransportConfig};
use crate::identity;
use crate::secrets::Secrets;
use crate::sessions::{OneDate, Sessions};

/// A server that keeps sessions there, to be resumed with 0-RTT.
pub(super) fn server(
    transport: Arc<TransportConfig>,
    sessions: Arc<Sessions>,
) -> Result<ServerConfig, String> {
    let provider = Arc::new(default_provider());
    let mut tls = rustls::ServerConfig::builder_with_details(provider, Arc::new(OneDate))
        .with_protocol_versions(&[&TLS13])
        .and_then(|it| {
            let chain = vec![identity::certificate()];
            it.with_no_client_auth().with_single_cert(chain, identity::key())
        })
        .map_err(|it| it.to_string())?;
    tls.max_early_data_size = u32::MAX;
    tls.session_storage = sessions;
    let tls = QuicServerConfig::try_from(tls).map_err(|it| it.to_string())?;
    let mut server = ServerConfig::with_crypto(Arc::new(tls));
    server.transport_config(transport);
    Ok(server)
}

/// A client that resumes what it did before, and tells its secrets.
pub(super) fn client(
    transport: Arc<TransportConfig>,
    secrets: Arc<Secrets>,
) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    roots.add(identity::certificate()).map_err(|it| it.to_string())?;
    let provider = Arc::new(default_provider());
    let mut tls = rustls::ClientConfig::builder_with_details(provider, Arc::new(OneDate))
        .with_protocol_versions(&[&TLS13])
        .map_err(|it| it.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    tls.enable_early_data = true;
    tls.key_log = secrets;
    let tls = QuicClientConfig::try_from(tls).map_err(|it| it.to_string())?;
    let mut client = ClientConfig::new(Arc::new(tls));
    client.transport_config(transport);
    Ok(client)
}
