//! Files of tests as one program, which is linked once.

#[path = "../common/mod.rs"]
mod common;

mod attachments;
mod bridges;
mod channels;
mod connections;
mod contraction;
mod flows;
mod forks;
mod links;
mod media;
mod ndn;
mod offload;
mod proxies;
mod router_answers;
mod routers;
mod routing;
mod runs;
mod series;
mod sharing;
mod small_queues;
mod threads;
mod tunnels;
