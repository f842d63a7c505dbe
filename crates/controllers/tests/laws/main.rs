//! The laws that the controllers obey, each test named after its law.
//!
//! `drive`, `path` and `samples` play the network; `every_controller` holds for whatever is
//! registered; the other modules are one controller each.

mod agile_sd;
mod aimd;
mod bbr1;
mod bbr3;
mod bbr3_states;
mod bic;
mod cltcp;
mod compound;
mod copa;
mod cubic;
mod d_tcp;
mod dctcp;
mod drive;
mod ec_elastic;
mod elastic;
mod every_controller;
mod fast;
mod h_tcp;
mod highspeed;
mod hystart;
mod illinois;
mod ledbat;
mod ledbat_plus_plus;
mod linux_hystart;
mod path;
mod pcon_bic;
mod prague;
mod reno;
mod samples;
mod scalable;
mod sce;
mod tahoe;
mod tcp_fit;
mod vegas;
mod veno;
mod westwood;
mod yeah;
