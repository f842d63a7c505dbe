//! Named Data Networking over UDP and TCP, with real Data: the simulator's forwarder, consumer
//! and link service, between sockets.
//!
//! Inside, a name is the number of a prefix and a segment below it
//! ([`windtunnel_packets::ndn::Name`]); real names are translated at the border, where the bytes of
//! the Data in the content store are kept too.

mod authorization;
mod border;
mod cache;
mod discovery;
mod faces;
mod forward;
mod get;
mod link;
mod management;
mod names;
mod object;
mod objects;
mod put;
mod signing;
mod socket;
mod status;
mod waiting;

use std::fmt;
use std::io;

use windtunnel_engine::Duration;
use windtunnel_scenario::ScenarioError;

pub use faces::FaceCounters;
pub use forward::{ForwardReport, Forwarding};
pub use get::{GetReport, GetSettings, get};
pub use put::{PutReport, PutSettings, Putting};
pub use signing::{KeyError, SignatureAlgorithm, Signer, Verifier};

/// How often whoever started a command is asked whether it goes on.
const BETWEEN_QUESTIONS: Duration = Duration::from_millis(100);

/// Why a command of NDN did not end well.
#[derive(Debug)]
pub enum NdnError {
    /// The operating system refused something.
    System {
        /// What was tried.
        what: String,
        /// Why it was refused.
        error: io::Error,
    },
    /// A setting is wrong.
    Mistake(ScenarioError),
    /// Something else, in words.
    Failed(String),
    /// It was interrupted.
    Interrupted,
}

impl NdnError {
    /// The operating system refused `what`.
    fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::System { what: what.into(), error }
    }
}

impl fmt::Display for NdnError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System { what, error } => write!(formatter, "{what}: {error}"),
            Self::Mistake(error) => write!(formatter, "{error}"),
            Self::Failed(what) => formatter.write_str(what),
            Self::Interrupted => formatter.write_str("interrupted"),
        }
    }
}

impl std::error::Error for NdnError {}
