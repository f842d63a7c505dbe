//! What physical links do, apart from the network that they are in: each call takes the
//! time, or a packet's size, and says what becomes of it.
//!
//! A [`Channel`] says how fast a link sends in the course of time: a mobile radio
//! ([`radio`]), two dishes ([`fixed_wireless`]), a beam of light ([`optical`]), a trace of rates
//! ([`RateTraces`]). A [`PhysicalLayer`] says how single packets get across: in how many attempts, for how long, and whether they are lost
//! ([`Air`]). A link can also have opportunities to send instead of a rate
//! ([`Opportunities`]), and lose, duplicate and delay packets ([`Impairments`]).

mod air;
pub mod atmosphere;
mod budget;
mod channel;
mod course;
pub mod fixed_wireless;
mod impairment;
mod jitter;
mod load_delay;
mod loss;
mod normal;
mod opportunities;
pub mod optical;
mod physical_layer;
pub mod radio;
mod rate_trace;
mod reordering;

pub use air::{Air, AirPlan};
pub use budget::{BudgetResult, BudgetTerm, LinkBudget};
pub use channel::{
    Channel, ChannelMaker, ChannelSetting, ChannelState, PowerSample, RadioSample, Reception,
    ReportPlan,
};
pub use course::Course;
pub use impairment::{Fate, Impairment, Impairments, Straggler};
pub use jitter::{Jitter, JitterDistribution, Shape};
pub use load_delay::LoadDelay;
pub use loss::{FlowKeys, Loss, Victims};
pub use opportunities::{Cursor, OPPORTUNITY, Opportunities};
pub use physical_layer::{Frame, Outcome, PhysicalLayer, PhysicalLayerMaker, Slot};
pub use rate_trace::{RateTrace, RateTraces};
pub use reordering::Reordering;
