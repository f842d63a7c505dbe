//! The region protocol's routers: what they tell each other and when all agree, against closed
//! forms; and what becomes of packets.

mod classes;
mod control_plane;
mod failures;
mod link_state;
mod lookups;
mod network;
