//! Network layers and functions inside the network, as state machines without input
//! or output of their own: each call takes the time and what arrived, and says what
//! to send and when to wake.

pub mod bridge;
mod error_budget;
pub mod function;
pub mod layer;
mod list;
pub mod ndn;
pub mod region;
pub mod scion;
pub mod tunnel;

pub use error_budget::ErrorBudget;
