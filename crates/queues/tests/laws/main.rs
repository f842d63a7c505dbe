//! The queue disciplines: what they drop and mark, and when; their order, and
//! their limits.

mod codel;
mod drive;
mod dual_pi2;
mod every_queue;
mod fifo;
mod fq_codel;
mod link_service;
mod pcon;
mod pie;
mod red;
mod sce;
