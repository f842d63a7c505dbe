//! [quinn](https://docs.rs/quinn-proto)'s state machines as a stack, with their defaults but for the
//! congestion controller and the idle timeout, of which there is none.
//!
//! A connection sees the same times in every run, since the run began. Keys and connection IDs differ
//! from run to run, but no size does.

mod api;
#[path = "end.rs"]
mod end;

use std::sync::Arc;
use std::time::Duration;

use quinn_proto::TransportConfig;
use quinn_proto::congestion::{BbrConfig, ControllerFactory, CubicConfig, NewRenoConfig};
use windtunnel_quinn::WindtunnelFactory;
use windtunnel_stack::{MakeStack, Place, StreamStack};

/// What its search for the path's MTU ends at by default.
const LARGEST_DATAGRAM: u16 = 1452;

/// Quinn.
#[derive(Clone, Debug)]
pub struct Quinn {
    controller: QuinnController,
}

/// What controls its congestion window.
#[derive(Clone, Debug)]
pub enum QuinnController {
    /// quinn's CUBIC.
    Cubic,
    /// quinn's NewReno.
    NewReno,
    /// quinn's BBR, of the first version.
    Bbr,
    /// One of Windtunnel's.
    Windtunnel(Box<WindtunnelFactory>),
}

impl QuinnController {
    /// The names of its own; the first is its default.
    pub const OWN: [&str; 3] = ["cubic", "new-reno", "bbr"];

    /// Its own controller of that name; none of any other.
    #[must_use]
    pub fn own(name: &str) -> Option<Self> {
        match name {
            "cubic" => Some(Self::Cubic),
            "new-reno" => Some(Self::NewReno),
            "bbr" => Some(Self::Bbr),
            _ => None,
        }
    }

    fn factory(&self) -> Arc<dyn ControllerFactory + Send + Sync> {
        match self {
            Self::Cubic => Arc::new(CubicConfig::default()),
            Self::NewReno => Arc::new(NewRenoConfig::default()),
            Self::Bbr => Arc::new(BbrConfig::default()),
            Self::Windtunnel(it) => Arc::new((**it).clone()),
        }
    }
}

impl Quinn {
    /// With this controller.
    #[must_use]
    pub fn new(controller: QuinnController) -> Self {
        Self { controller }
    }
}

impl MakeStack for Quinn {
    fn name(&self) -> &'static str {
        "quinn"
    }

    fn largest_datagram(&self) -> u16 {
        LARGEST_DATAGRAM
    }

    /// RFC 9000, section 14: every path carries that.
    fn first_datagram(&self) -> u16 {
        1200
    }

    fn make(&self, now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
        let mut transport = TransportConfig::default();
        // A connection lasts as long as its flow.
        transport.max_idle_timeout(None);
        transport.congestion_controller_factory(self.controller.factory());
        end::make(transport, now, place)
    }
}
