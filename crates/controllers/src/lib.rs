//! Congestion controllers: pure state machines that any transport can drive.
//!
//! A controller receives what every transport can report ([`Acknowledgement`],
//! [`Congestion`]) and sets a window. It knows no packets, no sockets,
//! no clock and no randomness. TCP, NDN and QUIC drive the same type.
//!
//! **Units.** Windows, acknowledged data and data in flight are counted in
//! *segments* (fractions allowed), as the papers do; the transport converts to
//! its bytes or Interests in one place. Times are integer nanoseconds.
//!
//! **To add one:** write a file with a `DESCRIPTION` and an implementation of
//! [`Controller`], and add its `mod` here and one line to `registry.rs`. The command
//! line, the schema, the documents and the tests all read the registry. An
//! [`External`] controller is not registered: the reader of a scenario gets its [`Maker`].
#![no_std]

extern crate alloc;

mod agile_sd;
mod aimd;
mod balia;
mod base_delay;
mod bbr;
mod bbr1;
mod bbr3;
mod bic;
mod c_mpbbr;
mod classic_ecn;
mod cltcp;
mod compound;
mod controller;
mod copa;
mod cubic;
mod d_tcp;
mod dctcp;
mod dctcp_sce;
mod delays;
mod description;
mod ec_elastic;
mod elastic;
mod external;
mod fast;
mod fixed;
mod h_tcp;
mod highspeed;
mod hystart;
mod illinois;
mod ledbat;
mod ledbat_plus_plus;
mod lia;
mod linux_hystart;
mod new_reno;
mod olia;
mod pcon_bic;
mod prague;
mod registry;
mod reno;
mod reno_sce;
mod scalable;
mod settings;
mod siblings;
mod signals;
mod tahoe;
mod tcp_fit;
mod vegas;
mod veno;
mod virtual_flows;
mod westwood;
mod window;
mod windowed;
mod wvegas;
mod yeah;

pub use controller::Controller;
pub use description::{Description, Kind, Need, Parameter};
pub use external::{External, Failed, Maker};
pub use registry::*;
pub use settings::{SettingError, Settings, Value};
pub use signals::{
    Acknowledgement, Congestion, Delivery, Nanoseconds, PathEstimate, RadioReport, Sibling, Signal,
    Start, TransmissionStart, seconds,
};
pub use window::Window;
