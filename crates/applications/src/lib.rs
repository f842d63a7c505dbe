//! Applications: what runs on the byte streams between the hosts of a flow. They do no
//! input or output of their own: each call takes the time and a [`Host`], through which
//! streams are opened, written and closed. What carries a stream (a TCP connection, or
//! several of them) is the host's business.
//!
//! A flow has an application at each of its hosts: one at the sender of its data, one at
//! the receiver, and one at each proxy between them. [`Workload::applications`] makes
//! those of the workloads that are built in; [`Maker`] makes others.
//!
//! [`sessions`] and [`udp`] stand beside them: they have messages instead of streams.

mod application;
mod arrivals;
mod bulk;
mod delays;
mod file;
mod messages;
mod on_off;
mod period;
mod relay;
mod requests;
pub mod sessions;
mod sizes;
pub mod udp;
pub mod video;
mod workload;

pub use application::{Application, Before, Completed, Host, Maker, Setting, Stream};
pub use delays::{DelayPercentiles, Delays};
pub use period::{OnOffPeriods, Period};
pub use relay::Relay;
pub use sizes::Sizes;
pub use workload::Workload;
