//! Transports as state machines without input or output of their own: each call
//! takes the time and what arrived, and says what to send and when to wake. A
//! simulator and a real socket can both drive them.

pub mod delivery;
pub mod mptcp;
pub mod ndn;
pub mod pacing;
pub mod prr;
pub mod rtt;
pub mod tcp;
