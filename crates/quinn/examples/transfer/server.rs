//! The server, which is quinn.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use quinn::rustls::pki_types::PrivatePkcs8KeyDer;
use quinn::{Connection, Endpoint, ServerConfig, TransportConfig, VarInt};
use serde_json::json;

use crate::{Fault, MOST_ON_THE_WAY, NAME, print};

pub(crate) async fn serve(address: SocketAddr) -> Result<(), Fault> {
    let certified = rcgen::generate_simple_self_signed([NAME.to_owned()])?;
    let key = PrivatePkcs8KeyDer::from(certified.signing_key.serialize_der());
    let chain = vec![certified.cert.der().clone()];
    let mut config = ServerConfig::with_single_cert(chain, key.into())?;
    let mut transport = TransportConfig::default();
    let most = VarInt::from_u32(MOST_ON_THE_WAY);
    transport.stream_receive_window(most).receive_window(most);
    config.transport_config(Arc::new(transport));
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
