//! The engine: virtual time, the event queue, the packet store, random streams
//! and the control of a running simulation. It knows nothing of networks.

mod control;
mod events;
mod hash;
mod jitter;
mod prefetch;
mod random;
mod store;
mod time;

pub use control::{Control, Limits, Stop};
pub use events::EventQueue;
pub use hash::{hash, hash_pair, hash_twice};
pub use jitter::InterarrivalJitter;
pub use prefetch::prefetch;
pub use random::{Random, Streams};
pub use store::{Handle, Store};
pub use time::{Duration, Rate, Time, Work};
