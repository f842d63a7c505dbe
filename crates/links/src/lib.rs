//! What physical links do, apart from the network that they are in: each call takes the
//! time, or a packet's size, and says what becomes of it.
//!
//! A [`Channel`] says how fast a link sends in the course of time: a mobile radio
//! ([`radio`]), two dishes ([`fixed_wireless`]), a beam of light ([`optical`]), a trace of rates
//! ([`RateTraces`]). A [`PhysicalLayer`] says how single packets get across: in how many attempts, for how long, and whether they are lost
//! ([`Air`]). A link can also have opportunities to send instead of a rate
//! ([`Opportunities`]), and lose, duplicate and delay packets ([`Impairments`]).
//!
//! **To add a kind of link that scenario files can name:** its file or folder, with its keys in
//! scenario files, and its line in the list below. `docs/adding-a-channel.md` does so step by step.

/// All kinds of link, for a macro that makes something of them: each is its key in scenario files,
/// its name and the table with the key, with what the manual says of it.
macro_rules! links {
    ($make:ident) => {
        $make! {
            /// At a rate.
            "rate" = Rate(wire::WireKeys),
            /// By a radio.
            "radio" = Radio(radio::RadioKeys),
            /// By a fixed radio.
            "fixed_wireless" = FixedWireless(fixed_wireless::FixedWirelessKeys),
            /// By a beam of light.
            "optical" = Optical(optical::OpticalKeys),
            /// From a file.
            "trace" = Trace(trace::TraceKeys),
        }
    };
}

mod air;
pub mod atmosphere;
mod budget;
mod channel;
mod course;
pub mod fixed_wireless;
mod impairment;
mod jitter;
mod keys;
mod load_delay;
mod loss;
mod normal;
mod opportunities;
pub mod optical;
mod pace;
mod physical_layer;
pub mod radio;
mod rate_trace;
mod registry;
mod reordering;
mod trace;
mod weather;
mod wire;

pub use air::{Air, AirPlan};
pub use budget::{BudgetResult, BudgetTerm, LinkBudget};
pub use channel::{
    Channel, ChannelMaker, ChannelSetting, ChannelState, PowerSample, RadioSample, Reception,
    ReportPlan,
};
pub use course::Course;
pub use impairment::{Fate, Impairment, Impairments, Straggler};
pub use jitter::{Jitter, JitterDistribution, Shape};
pub use keys::Keys;
pub use load_delay::LoadDelay;
pub use loss::{FlowKeys, Loss, Victims};
pub use opportunities::{Cursor, OPPORTUNITY, Opportunities};
pub use pace::{Duplex, Pace};
pub use physical_layer::{Frame, Outcome, PhysicalLayer, PhysicalLayerMaker, Slot};
pub use rate_trace::{RateTrace, RateTraces};
pub use registry::LinkKeys;
pub use reordering::Reordering;
