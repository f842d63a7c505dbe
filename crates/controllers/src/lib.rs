//! Congestion controllers: pure state machines that any transport can drive.
//!
//! A controller sees what every transport can tell it ([`Acknowledgement`],
//! [`Congestion`]) and answers with a window. It knows no packets, no sockets,
//! no clock and no randomness. TCP, NDN and QUIC drive the same type.
//!
//! **Units.** Windows, acknowledged data and data in flight are counted in
//! *segments* (fractions allowed), as the papers do; the transport converts to
//! its bytes or Interests in one place. Times are integer nanoseconds.
//!
//! **To add one:** write a file with a `DESCRIPTION` and an implementation of
//! [`Controller`], and add one line to the `registry!` below. The command line,
//! the schema, the documents and the tests all read the registry.
#![no_std]

mod description;
mod window;

pub use description::{Description, Kind, Parameter, SettingError, Settings, Value};
pub use window::Window;

/// Integer nanoseconds: since the start of the connection for an instant,
/// elapsed for a duration.
pub type Nanoseconds = u64;

/// Nanoseconds as seconds, for equations that want seconds.
#[inline]
#[must_use]
pub fn seconds(time: Nanoseconds) -> f64 {
    time as f64 * 1e-9
}

/// New data was acknowledged, without a sign of congestion.
#[derive(Clone, Copy, Debug)]
pub struct Acknowledgement {
    /// When it arrived.
    pub now: Nanoseconds,
    /// Newly acknowledged data, in segments.
    pub acknowledged: f64,
    /// The round trip it measured; `None` where it cannot be told (a
    /// retransmitted segment: Karn's rule).
    pub rtt: Option<Nanoseconds>,
    /// The transport's smoothed round trip, once there is a sample.
    pub smoothed_rtt: Option<Nanoseconds>,
    /// Data in flight after this acknowledgement, in segments.
    pub in_flight: f64,
}

/// What told of congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// A segment is held to be lost; the connection goes on.
    Loss,
    /// A router marked a packet (ECN, NDN's CongestionMark).
    Mark,
    /// A router refused a packet for congestion (NDN's negative acknowledgement).
    Nack,
    /// Nothing came back within the retransmission timeout: start again.
    Timeout,
}

/// Congestion was signalled. The transport has already decided that this
/// signal counts (for example, the first one of a round trip).
#[derive(Clone, Copy, Debug)]
pub struct Congestion {
    /// When it was noticed.
    pub now: Nanoseconds,
    /// What told of it.
    pub signal: Signal,
    /// Data in flight at that moment, in segments.
    pub in_flight: f64,
}

/// A congestion controller.
pub trait Controller {
    /// Takes in newly acknowledged data.
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement);

    /// Takes in a congestion signal.
    fn on_congestion(&mut self, congestion: &Congestion);

    /// The window with its threshold.
    fn window(&self) -> &Window;

    /// How much may be in flight, in segments; finite, and never less than the
    /// [`Start::minimum_window`].
    #[inline]
    fn cwnd(&self) -> f64 {
        self.window().cwnd()
    }

    /// The slow-start threshold in segments; infinite until the first
    /// congestion signal.
    #[inline]
    fn ssthresh(&self) -> f64 {
        self.window().ssthresh()
    }
}

/// Where a connection begins; the transport decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// The first window, in segments.
    pub initial_window: f64,
    /// The window never falls below this, in segments.
    pub minimum_window: f64,
}

/// Makes [`AnyController`], an enum over all controllers: static dispatch in
/// the hot loop, and one list for everybody who must name them.
macro_rules! registry {
    ($($module:ident :: $type:ident),+ $(,)?) => {
        $(mod $module; pub use $module::$type;)+

        /// Any registered controller.
        #[derive(Clone, Debug)]
        #[allow(missing_docs, reason = "each variant is documented where its type is")]
        pub enum AnyController { $($type($type)),+ }

        /// Every registered controller's description.
        pub const DESCRIPTIONS: &[&Description] = &[$(&$module::DESCRIPTION),+];

        impl AnyController {
            /// Builds the controller that `settings` describe.
            #[must_use]
            pub fn new(start: Start, settings: &Settings) -> Self {
                let name = settings.description().name;
                $(if name == $module::DESCRIPTION.name {
                    return Self::$type($type::new(start, settings));
                })+
                unreachable!("settings are made from a registered description")
            }
        }

        impl Controller for AnyController {
            #[inline]
            fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
                match self { $(Self::$type(it) => it.on_acknowledgement(acknowledgement)),+ }
            }
            #[inline]
            fn on_congestion(&mut self, congestion: &Congestion) {
                match self { $(Self::$type(it) => it.on_congestion(congestion)),+ }
            }
            #[inline]
            fn window(&self) -> &Window {
                match self { $(Self::$type(it) => it.window()),+ }
            }
        }
    };
}

registry! {
    agile_sd::AgileSd,
    aimd::Aimd,
    bic::Bic,
    cubic::Cubic,
    ec_elastic::EcElastic,
    elastic::Elastic,
    fixed::Fixed,
    pcon_bic::PconBic,
    scalable::Scalable,
}
