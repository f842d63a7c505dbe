//! How endpoints are configured.

use std::error::Error;
use std::time::Duration;

use s2n_quic::provider::congestion_controller;
use s2n_quic::provider::limits::Limits;
use s2n_quic::{Client, Server};

use crate::endpoint::Io;
use crate::observer::Observer;
use crate::random::Seeded;
use crate::tls::Tls;

/// Longer than any run.
const LONG: Duration = Duration::from_secs(1 << 32);

/// What an endpoint is made with.
pub(crate) struct Providers<C> {
    pub(crate) controller: C,
    pub(crate) io: Io,
    pub(crate) observer: Observer,
    pub(crate) random: Seeded,
    pub(crate) tls: Tls,
}

impl<C: congestion_controller::Provider> Providers<C> {
    /// An endpoint that connects.
    pub(crate) fn client(self) -> Result<Client, Box<dyn Error>> {
        let Self { controller, io, observer, random, tls } = self;
        let client = Client::builder()
            .with_congestion_controller(controller)?
            .with_event(observer)?
            .with_io(io)?
            .with_limits(limits()?)?
            .with_random(random)?
            .with_tls(tls)?;
        Ok(client.start()?)
    }

    /// An endpoint that waits for connections.
    pub(crate) fn server(self) -> Result<Server, Box<dyn Error>> {
        let Self { controller, io, observer, random, tls } = self;
        let server = Server::builder()
            .with_congestion_controller(controller)?
            .with_event(observer)?
            .with_io(io)?
            .with_limits(limits()?)?
            .with_random(random)?
            .with_tls(tls)?;
        Ok(server.start()?)
    }
}

/// A connection lasts as long as its flow.
fn limits() -> Result<Limits, Box<dyn Error>> {
    let limits = Limits::new().with_max_idle_timeout(Duration::ZERO)?;
    Ok(limits.with_max_handshake_duration(LONG)?)
}
