//! The laws that the controllers obey, each test named after its law.
//!
//! `drive` plays the network; `every_controller` holds for whatever is
//! registered; the other modules are one controller each.

mod agile_sd;
mod aimd;
mod bic;
mod cubic;
mod drive;
mod ec_elastic;
mod elastic;
mod every_controller;
mod pcon_bic;
mod scalable;
