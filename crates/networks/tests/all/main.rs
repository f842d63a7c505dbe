//! Files of tests as one program, which is linked once.

mod common;

mod layer;
mod ndn_content_store;
mod ndn_fib;
mod ndn_forwarder;
mod ndn_link_service;
mod ndn_pit;
mod ndn_strategies;
mod tunnel;
mod wireguard;
