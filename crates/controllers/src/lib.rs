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
//! [`Controller`], and add its `mod` and its line in the list below. The command
//! line, the schema, the documents and the tests all read the list. An
//! [`External`] controller is not registered: the reader of a scenario gets its [`Maker`].
#![no_std]

extern crate alloc;

/// All controllers of this crate, for a macro that makes something of them: each is its module, its
/// type there, and the number of its colour and shape in pictures. One that is larger than the others is
/// boxed, so that these do not take its room.
macro_rules! controllers {
    ($make:ident) => {
        $make! {
            agile_sd::AgileSd = 0,
            aimd::Aimd = 1,
            balia::Balia = 33,
            bbr1::Bbr1 = 2 boxed,
            bbr3::Bbr3 = 3 boxed,
            bic::Bic = 4,
            c_mpbbr::CMpbbr = 34 boxed,
            cltcp::Cltcp = 5,
            compound::Compound = 6,
            copa::Copa = 7 boxed,
            cubic::Cubic = 8,
            d_tcp::DTcp = 9 boxed,
            dctcp::Dctcp = 10,
            dctcp_sce::DctcpSce = 11,
            ec_elastic::EcElastic = 12,
            elastic::Elastic = 13,
            fast::Fast = 14,
            fixed::Fixed = 15,
            h_tcp::HTcp = 16,
            highspeed::Highspeed = 17,
            illinois::Illinois = 18,
            ledbat::Ledbat = 19 boxed,
            ledbat_plus_plus::LedbatPlusPlus = 20 boxed,
            lia::Lia = 35,
            new_reno::NewReno = 21,
            olia::Olia = 36,
            pcon_bic::PconBic = 22,
            prague::Prague = 23,
            reno::Reno = 24,
            reno_sce::RenoSce = 25,
            scalable::Scalable = 26,
            tahoe::Tahoe = 27,
            tcp_fit::TcpFit = 28,
            vegas::Vegas = 29,
            veno::Veno = 30,
            westwood::Westwood = 31,
            wvegas::WVegas = 37,
            yeah::Yeah = 32,
        }
    };
}

mod agile_sd;
mod aimd;
mod balia;
mod base_delay;
mod bbr;
mod bbr1;
mod bbr3;
mod bic;
mod c_mpbbr;
mod careful_resume;
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
mod linux_cubic;
mod linux_hystart;
mod new_reno;
mod olia;
mod pcon_bic;
mod prague;
mod registry;
mod reno;
mod reno_sce;
mod scalable;
mod search;
mod settings;
mod siblings;
mod signals;
mod tahoe;
mod tcp_fit;
mod vegas;
mod veno;
mod virtual_flows;
mod westwood;
mod whole_segments;
mod window;
mod windowed;
mod wvegas;
mod yeah;

pub use careful_resume::{CarefulResume, SavedPath};
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
