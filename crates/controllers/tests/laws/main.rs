//! The laws that the controllers obey, each test named after its law.
//!
//! `drive`, `path` and `samples` play the network; `every_controller` and `slow_start` hold for whatever is
//! registered, `careful_resume` for whatever can resume, `coupled` for those that link the increases of subflows; the other modules are one
//! controller each.

mod agile_sd;
mod aimd;
mod balia;
mod bbr1;
mod bbr3;
mod bbr3_states;
mod bic;
mod c_mpbbr;
mod careful_resume;
mod cltcp;
mod compound;
mod copa;
mod coupled;
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
mod lia;
mod linux_hystart;
mod olia;
mod path;
mod pcon_bic;
mod prague;
mod reno;
mod samples;
mod scalable;
mod sce;
mod search;
mod slow_start;
mod tahoe;
mod tcp_fit;
mod vegas;
mod veno;
mod westwood;
mod wvegas;
mod yeah;
