//! Sessions that are served by one satellite after the other, and whose state is paged
//! between them (Fongen, "Transfer of Session State Between Satellites in a Space
//! Information Network", sections V and VI).
//!
//! A *stage* is the service by one satellite. The *page table* travels with the session
//! at every handover; the *page frames* stay, and a [`PagingPolicy`] says which pages
//! move, and when. [`Session`] decides, and does no input or output: it emits
//! [`PageTransfer`]s, and whoever carries them reports their arrival.
//!
//! `crates/world/src/sessions` says when pages move and how they get across.

mod ahead;
mod counters;
mod handover;
mod holdings;
mod idle;
mod page_table;
mod policy;
mod separate;
mod session;
mod transfer;
mod view;
mod zipf;

pub use counters::SessionCounters;
pub use holdings::Held;
pub use page_table::{PageFrame, PageLocation, Site};
pub use policy::{PagingPolicy, ProactivePages};
pub use session::{Access, Session, SessionSettings};
pub use transfer::{PageTransfer, Purpose};
pub use view::{PageView, Paging, PagingMaker, PagingView};
pub use zipf::{PagePopularity, expected_distinct};
