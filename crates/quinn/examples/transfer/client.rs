//! The client. It is the same code over quinn and over noq, its fork, whose types have the same names.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use windtunnel_quinn::WindtunnelFactory;

use super::path_of;
use super::stack::crypto::rustls::QuicClientConfig;
use super::stack::{ClientConfig, Connection, Endpoint, SendStream, TransportConfig, VarInt};
use crate::{Amount, Fault, MOST_ON_THE_WAY, NAME, print, trusting};

/// Nothing is sent to a server that does not answer for so long.
const PATIENCE: Duration = Duration::from_secs(10);
const SAMPLED_EVERY: Duration = Duration::from_millis(10);
static PIECE: [u8; 1 << 16] = [0; 1 << 16];

pub(crate) async fn send(
    to: SocketAddr,
    factory: Arc<WindtunnelFactory>,
    amount: Amount,
) -> Result<(), Fault> {
    let controller = factory.settings().description().name;
    let mut transport = TransportConfig::default();
    transport.congestion_controller_factory(factory).send_window(MOST_ON_THE_WAY.into());
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
    let path = path_of(&connection);
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

/// The stack's smoothed round trip, sampled.
#[derive(Default)]
struct RoundTrips {
    sum: Duration,
    samples: u32,
    minimum: Option<Duration>,
}

impl RoundTrips {
    async fn sample(&mut self, connection: &Connection) {
        loop {
            let rtt = path_of(connection).rtt;
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
