//! The laws of networks whose hosts choose paths: what beacons find, what paths are made of it,
//! what border routers let pass, and how fast hosts go round a failure.

mod classes;
mod forwarding;
mod network;
mod segments;
