//! [noq](https://docs.rs/noq-proto)'s state machines as a stack, with their defaults but for the
//! congestion controller and the idle timeout, of which there is none.
//!
//! A connection sees the same times in every run, since the run began. Keys and connection IDs differ
//! from run to run, but no size does.

mod api;
#[path = "end.rs"]
mod end;

use std::sync::Arc;
use std::time::Duration;

use noq_proto::TransportConfig;
use noq_proto::congestion::{Bbr3Config, ControllerFactory, CubicConfig, NewRenoConfig};
use windtunnel_quinn::WindtunnelFactory;
use windtunnel_stack::{MakeStack, Place, StreamStack};

/// What its search for the path's MTU ends at by default.
const LARGEST_DATAGRAM: u16 = 1452;

/// Noq.
#[derive(Clone, Debug)]
pub struct Noq {
    controller: NoqController,
}

/// What controls its congestion window.
#[derive(Clone, Debug)]
pub enum NoqController {
    /// noq's CUBIC.
    Cubic,
    /// noq's NewReno.
    NewReno,
    /// noq's BBRv3, whose random numbers differ from run to run.
    Bbr3,
    /// One of Windtunnel's.
    Windtunnel(Box<WindtunnelFactory>),
}

impl NoqController {
    /// The names of its own; the first is its default.
    pub const OWN: [&str; 3] = ["cubic", "new-reno", "bbr3"];

    /// Its own controller of that name; none of any other.
    #[must_use]
    pub fn own(name: &str) -> Option<Self> {
        match name {
            "cubic" => Some(Self::Cubic),
            "new-reno" => Some(Self::NewReno),
            "bbr3" => Some(Self::Bbr3),
            _ => None,
        }
    }

    fn factory(&self) -> Arc<dyn ControllerFactory + Send + Sync> {
        match self {
            Self::Cubic => Arc::new(CubicConfig::default()),
            Self::NewReno => Arc::new(NewRenoConfig::default()),
            Self::Bbr3 => Arc::new(Bbr3Config::default()),
            Self::Windtunnel(it) => Arc::new((**it).clone()),
        }
    }
}

impl Noq {
    /// With this controller.
    #[must_use]
    pub fn new(controller: NoqController) -> Self {
        Self { controller }
    }
}

impl MakeStack for Noq {
    fn name(&self) -> &'static str {
        "noq"
    }

    fn largest_datagram(&self) -> u16 {
        LARGEST_DATAGRAM
    }

    /// RFC 9000, section 14: every path carries that.
    fn first_datagram(&self) -> u16 {
        1200
    }

    fn is_deterministic(&self) -> bool {
        // Its generator has a seed that cannot be set.
        !matches!(self.controller, NoqController::Bbr3)
    }

    fn make(&self, now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
        let mut transport = TransportConfig::default();
        // A connection lasts as long as its flow.
        transport.max_idle_timeout(None);
        transport.congestion_controller_factory(self.controller.factory());
        end::make(transport, now, place)
    }
}
