//! An endpoint of tquic.

use std::rc::Rc;

use tquic::endpoint::Endpoint;
use tquic::{Config, CongestionControlAlgorithm as Algorithm};
use windtunnel_stack::{Place, Role};

use crate::handler::Handler;
use crate::identity::NAME;
use crate::tls;

/// An endpoint and what it calls, which share what is not made for several threads.
pub(crate) struct Machinery {
    pub(crate) endpoint: Endpoint,
    pub(crate) handler: Handler,
}

// SAFETY: what it has of `Rc` and the like is shared within the endpoint and with the handler only, and
// both are here: they go to another thread together, and it is used by one at a time. tquic keeps
// nothing that depends on the thread, and the endpoint's other callbacks are this crate's.
unsafe impl Send for Machinery {}

impl Machinery {
    /// One that connects, or waits for that.
    pub(crate) fn begun(controller: Algorithm, place: &Place) -> Result<Self, String> {
        let why = |it: tquic::Error| it.to_string();
        let connects = place.role == Role::Client;
        let mut config = Config::new().map_err(why)?;
        config.set_max_handshake_timeout(0);
        config.set_congestion_control_algorithm(controller);
        config.set_tls_config_selector(tls::configured(connects)?);
        let handler = Handler::default();
        let sender = Rc::new(handler.clone());
        let mut endpoint =
            Endpoint::new(Box::new(config), !connects, Box::new(handler.clone()), sender);
        if connects {
            let (own, peer) = (place.own, place.peer);
            endpoint.connect(own, peer, Some(NAME), None, None, None).map_err(why)?;
        }
        Ok(Self { endpoint, handler })
    }
}
