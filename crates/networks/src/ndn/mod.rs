//! Named Data Networking: the forwarder and its tables.

pub mod content_store;
mod face;
pub mod fib;
pub mod forwarder;
pub mod link_service;
mod name_index;
pub mod pit;
pub mod strategy;

pub use face::FaceId;
