//! How connections are configured.

use std::error::Error;

use boring::ssl::{SslContext, SslContextBuilder, SslMethod, SslSignatureAlgorithm};
use quiche::{Config, Connection, ConnectionId, PROTOCOL_VERSION};
use windtunnel_stack::{Place, Role};

use crate::controller::Controller;
use crate::identity;
use crate::secrets::Secrets;

/// The data of the largest datagram, as in quiche's own programs: it searches for no larger one by
/// default.
pub(crate) const LARGEST_DATAGRAM: u16 = 1350;
/// As long as those that quiche makes itself.
const CONNECTION_ID_LENGTH: usize = 16;
/// What may be on its way and unread, which quiche has no default for, as in its own programs: of a
/// connection, of a stream, and how many streams.
const CONNECTION_WINDOW: u64 = 10_000_000;
const STREAM_WINDOW: u64 = 1_000_000;
const STREAMS: u64 = 100;

/// A connection that has not begun. Its client logs secrets.
pub(crate) fn connection(
    place: &Place,
    controller: Controller,
    secrets: &Secrets,
) -> Result<Connection, Box<dyn Error>> {
    let connects = place.role == Role::Client;
    let tls = if connects { client()? } else { server()? };
    let mut config = Config::with_boring_ssl_ctx_builder(PROTOCOL_VERSION, tls)?;
    config.verify_peer(connects);
    config.log_keys();
    config.set_max_send_udp_payload_size(LARGEST_DATAGRAM.into());
    config.set_initial_max_data(CONNECTION_WINDOW);
    config.set_initial_max_stream_data_bidi_local(STREAM_WINDOW);
    config.set_initial_max_stream_data_bidi_remote(STREAM_WINDOW);
    config.set_initial_max_streams_bidi(STREAMS);
    controller.choose(&mut config);

    let mut id = [0; CONNECTION_ID_LENGTH];
    boring::rand::rand_bytes(&mut id)?;
    let id = ConnectionId::from_ref(&id);
    if !connects {
        return Ok(quiche::accept(&id, None, place.own, place.peer, &mut config)?);
    }
    let name = Some(identity::NAME);
    let mut connection = quiche::connect(name, &id, place.own, place.peer, &mut config)?;
    connection.set_keylog(Box::new(secrets.clone()));
    Ok(connection)
}

fn server() -> Result<SslContextBuilder, Box<dyn Error>> {
    let mut tls = SslContext::builder(SslMethod::tls())?;
    tls.set_certificate(&*identity::certificate()?)?;
    tls.set_private_key(&*identity::key()?)?;
    Ok(tls)
}

fn client() -> Result<SslContextBuilder, Box<dyn Error>> {
    let mut tls = SslContext::builder(SslMethod::tls())?;
    tls.cert_store_mut().add_cert(&identity::certificate()?)?;
    // BoringSSL offers all but this one by default.
    tls.set_verify_algorithm_prefs(&[SslSignatureAlgorithm::ED25519])?;
    Ok(tls)
}
