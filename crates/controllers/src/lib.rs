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
//! the schema, the documents and the tests all read the registry. One that is
//! [`External`] is in no registry: whoever reads a scenario brings its [`Maker`].
#![no_std]

extern crate alloc;

mod base_delay;
mod bbr;
mod delays;
mod description;
mod external;
mod hystart;
mod virtual_flows;
mod window;
mod windowed;

pub use description::{Description, Kind, Need, Parameter, SettingError, Settings, Value};
pub use external::{External, Failed, Maker};
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

/// Data was acknowledged.
///
/// A transport reports every acknowledgement, also while it repairs a loss;
/// what may open the window then is nothing, so that a controller that only
/// grows by [`acknowledged`](Self::acknowledged) stands still by itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Acknowledgement {
    /// When it arrived.
    pub now: Nanoseconds,
    /// Newly acknowledged data that may open the window, in segments: nothing
    /// while the transport repairs a loss or brings down what is in flight
    /// after a mark, and nothing while the window does not limit the sender.
    pub acknowledged: f64,
    /// Newly delivered data, whatever the transport is doing, in segments:
    /// acknowledged in order, or selectively.
    pub delivered: f64,
    /// How much of the delivered data a router marked (congestion experienced),
    /// in segments.
    pub marked: f64,
    /// How much of the delivered data carried the milder mark (some congestion
    /// experienced), in segments.
    pub some_congestion: f64,
    /// Data newly held to be lost, in segments.
    pub lost: f64,
    /// The round trip it measured; `None` where it cannot be told (a
    /// retransmitted segment: Karn's rule).
    pub rtt: Option<Nanoseconds>,
    /// The transport's smoothed round trip, once there is a sample.
    pub smoothed_rtt: Option<Nanoseconds>,
    /// The delay from sender to receiver, as the two clocks tell it; only
    /// differences of it mean something (RFC 6817, section 3.2).
    pub one_way_delay: Option<Nanoseconds>,
    /// Data in flight after this acknowledgement, in segments.
    pub in_flight: f64,
    /// The rate at which the network delivered; `None` where no data was newly
    /// delivered.
    pub delivery: Option<Delivery>,
    /// Whether a round trip ended: data was acknowledged that was sent after
    /// the last one ended.
    pub round_ended: bool,
    /// Whether the transport is repairing a loss.
    pub recovering: bool,
    /// Whether the window, and not the application or the receiver, limited
    /// what was sent in the last round trip.
    pub window_limited: bool,
    /// What was heard last of the radio that the data goes over: an optional
    /// signal across the layers. Many acknowledgements bring the same report;
    /// `None` before the first, and on a wire.
    pub radio: Option<RadioReport>,
}

/// What a radio tells the sender of its channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RadioReport {
    /// When the sender heard of it: tells one report from the next.
    pub heard: Nanoseconds,
    /// Signal to interference and noise, in decibels; finite.
    pub sinr: f64,
    /// The channel's bandwidth, as the segments per second that it carries for
    /// each bit per second and hertz; finite.
    pub bandwidth: f64,
}

/// A delivery rate sample (draft-ietf-ccwg-bbr, section 4.1: delivery rate
/// estimation), from the most recently sent of the newly delivered segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delivery {
    /// Delivered data over the time it took, in segments per second; `None` if
    /// that time was shorter than the least round trip, which tells nothing.
    pub rate: Option<f64>,
    /// All data delivered on the connection until now, in segments.
    pub total: f64,
    /// The same when the segment was sent: [`total`](Self::total) less this was
    /// delivered in the meantime.
    pub total_at_send: f64,
    /// Data in flight just after the segment was sent, in segments.
    pub in_flight_at_send: f64,
    /// Data held to be lost since the segment was sent, in segments.
    pub lost_since_send: f64,
    /// Whether the application had nothing to send when the segment was sent: the
    /// rate is then no more than a lower bound.
    pub application_limited: bool,
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
    /// Takes in an acknowledgement.
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement);

    /// Takes in a congestion signal.
    fn on_congestion(&mut self, congestion: &Congestion);

    /// The loss that was signalled last is repaired, or the window after a mark
    /// has passed: the connection is open again.
    fn on_recovered(&mut self, _now: Nanoseconds) {}

    /// How fast to send, in segments per second; `None` leaves it to the
    /// transport.
    #[inline]
    fn pacing_rate(&self) -> Option<f64> {
        None
    }

    /// The window with its threshold.
    fn window(&self) -> &Window;

    /// How much may be in flight, in segments; finite, and never less than the
    /// lesser of [`Start::minimum_window`] and [`Start::restart_window`].
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
    /// No decrease leads below this, in segments.
    pub minimum_window: f64,
    /// The window after a retransmission timeout, in segments; it may lie below
    /// the minimum (RFC 5681: one segment beside a minimum of two).
    pub restart_window: f64,
}

/// Makes [`AnyController`], an enum over all controllers: static dispatch in
/// the hot loop, and one list for everybody who must name them.
macro_rules! registry {
    ($($module:ident :: $type:ident),+ $(,)?) => {
        $(mod $module; pub use $module::$type;)+

        /// Any registered controller, or one from outside.
        #[derive(Clone, Debug)]
        #[allow(missing_docs, reason = "each variant is documented where its type is")]
        pub enum AnyController { $($type($type),)+ External(alloc::boxed::Box<dyn External>) }

        /// Every registered controller's description.
        pub const DESCRIPTIONS: &[&Description] = &[$(&$module::DESCRIPTION),+];

        impl AnyController {
            /// Builds the controller that `settings` describe.
            #[must_use]
            pub fn new(start: Start, settings: &Settings) -> Self {
                if let Some(maker) = settings.maker() {
                    return Self::External(maker.make(start));
                }
                let name = settings.description().name;
                $(if name == $module::DESCRIPTION.name {
                    return Self::$type($type::new(start, settings));
                })+
                unreachable!("settings are made from a registered description")
            }

            /// What it is.
            #[inline]
            #[must_use]
            pub fn description(&self) -> &'static Description {
                match self {
                    $(Self::$type(_) => &$module::DESCRIPTION,)+
                    Self::External(it) => it.description(),
                }
            }
        }

        impl Controller for AnyController {
            #[inline]
            fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
                match self {
                    $(Self::$type(it) => it.on_acknowledgement(acknowledgement),)+
                    Self::External(it) => it.on_acknowledgement(acknowledgement),
                }
            }
            #[inline]
            fn on_congestion(&mut self, congestion: &Congestion) {
                match self {
                    $(Self::$type(it) => it.on_congestion(congestion),)+
                    Self::External(it) => it.on_congestion(congestion),
                }
            }
            #[inline]
            fn on_recovered(&mut self, now: Nanoseconds) {
                match self {
                    $(Self::$type(it) => it.on_recovered(now),)+
                    Self::External(it) => it.on_recovered(now),
                }
            }
            #[inline]
            fn pacing_rate(&self) -> Option<f64> {
                match self {
                    $(Self::$type(it) => it.pacing_rate(),)+
                    Self::External(it) => it.pacing_rate(),
                }
            }
            #[inline]
            fn window(&self) -> &Window {
                match self {
                    $(Self::$type(it) => it.window(),)+
                    Self::External(it) => it.window(),
                }
            }
        }
    };
}

registry! {
    agile_sd::AgileSd,
    aimd::Aimd,
    bbr1::Bbr1,
    bbr3::Bbr3,
    bic::Bic,
    cltcp::Cltcp,
    compound::Compound,
    copa::Copa,
    cubic::Cubic,
    d_tcp::DTcp,
    dctcp::Dctcp,
    dctcp_sce::DctcpSce,
    ec_elastic::EcElastic,
    elastic::Elastic,
    fast::Fast,
    fixed::Fixed,
    h_tcp::HTcp,
    highspeed::Highspeed,
    illinois::Illinois,
    ledbat::Ledbat,
    ledbat_plus_plus::LedbatPlusPlus,
    new_reno::NewReno,
    pcon_bic::PconBic,
    prague::Prague,
    reno::Reno,
    reno_sce::RenoSce,
    scalable::Scalable,
    tahoe::Tahoe,
    tcp_fit::TcpFit,
    vegas::Vegas,
    veno::Veno,
    westwood::Westwood,
    yeah::Yeah,
}
