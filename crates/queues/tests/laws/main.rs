//! The queue disciplines: what they drop and mark, and when; their order, and
//! their limits.

mod cake;
mod codel;
mod descriptions;
mod drive;
mod drr;
mod dual_pi2;
mod ec_elastic;
mod ecn;
mod every_queue;
mod fifo;
mod fq_codel;
mod keys;
mod link_service;
mod pcon;
mod pie;
mod policer;
mod red;
mod sce;
mod shaper;
mod strict_priority;
