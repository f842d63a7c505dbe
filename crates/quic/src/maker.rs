//! Makes ends by the state machines of quinn or of noq: this file, as that of the ends, is a part of
//! both modules.

use std::sync::Arc;
use std::time::Duration;

use windtunnel_stack::{MakeStack, Path, Place, Role, StreamStack};

use super::api::{self, HAS_MULTIPATH, TransportConfig};
use super::controller::{Controller, NAME};
use super::end::{End, Setting};
use super::{configuration, earlier};
use crate::implementation::{Implementation, Options};
use crate::secrets::Secrets;
use crate::sessions::Sessions;

/// What its search for the path's MTU ends at by default.
const LARGEST_DATAGRAM: u16 = 1452;

/// What there is to choose.
pub const IMPLEMENTATION: Implementation = Implementation {
    name: NAME,
    controllers: &Controller::OWN,
    has_multipath: HAS_MULTIPATH,
    with_own: |name, options| Some(Arc::new(Maker::new(Controller::own(name)?).with(options))),
    with: |factory, options| {
        Arc::new(Maker::new(Controller::Windtunnel(Box::new(factory))).with(options))
    },
};

/// Makes ends with one controller.
#[derive(Clone, Debug)]
pub struct Maker {
    controller: Controller,
    options: Options,
    /// Of all its servers.
    sessions: Arc<Sessions>,
}

impl Maker {
    /// With this controller.
    #[must_use]
    pub fn new(controller: Controller) -> Self {
        Self { controller, options: Options::default(), sessions: Arc::default() }
    }

    /// With these options.
    #[must_use]
    pub fn with(self, options: Options) -> Self {
        Self { options, ..self }
    }
}

impl MakeStack for Maker {
    fn name(&self) -> &'static str {
        NAME
    }

    fn largest_datagram(&self) -> u16 {
        LARGEST_DATAGRAM
    }

    /// RFC 9000, section 14: every path carries that.
    fn first_datagram(&self) -> u16 {
        1200
    }

    fn is_deterministic(&self) -> bool {
        self.controller.is_deterministic()
    }

    fn has_datagrams(&self) -> bool {
        true
    }

    fn make(&self, now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
        let mut transport = TransportConfig::default();
        // A connection lasts as long as its flow.
        transport.max_idle_timeout(None);
        transport.congestion_controller_factory(self.controller.factory());
        // In place of all in turn, in the order in which they are written.
        transport.send_fairness(!self.options.priorities);
        if self.options.multipath {
            api::set_paths(&mut transport, 1 + place.further.len());
        }
        let (transport, sessions) = (Arc::new(transport), Arc::clone(&self.sessions));
        begin(&Setting { transport, sessions, options: self.options }, now, place)
    }
}

/// An end that begins now.
fn begin(setting: &Setting, now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
    if place.role == Role::Server {
        return Ok(Box::new(End::new(setting, now, &place)?));
    }
    let secrets: Arc<Secrets> = Arc::default();
    let config = configuration::client(Arc::clone(&setting.transport), Arc::clone(&secrets))?;
    if setting.options.zero_rtt {
        let mut client = End::client(setting, config.clone(), Arc::default(), now, &place)?;
        let mut server = End::new(setting, now, &Place { role: Role::Server, ..place.clone() })?;
        let path = Path { own: place.own, peer: place.peer };
        earlier::connect(&mut client, &mut server, path)?;
        secrets.clear();
    }
    Ok(Box::new(End::client(setting, config, secrets, now, &place)?))
}
