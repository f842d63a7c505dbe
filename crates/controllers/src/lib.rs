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
//! [`Controller`], and add its `mod` and one line to the `registry!` below. The command
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
mod reno;
mod reno_sce;
mod scalable;
mod siblings;
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

pub use description::{Description, Kind, Need, Parameter, SettingError, Settings, Value};
pub use external::{External, Failed, Maker};
pub use window::Window;

/// Integer nanoseconds: since the start of the connection for an instant,
/// elapsed for a duration.
pub type Nanoseconds = u64;

/// Nanoseconds as seconds, for equations in seconds.
#[inline]
#[must_use]
pub fn seconds(time: Nanoseconds) -> f64 {
    time as f64 * 1e-9
}

/// Data was acknowledged.
///
/// A transport reports every acknowledgement, also during loss recovery. Then
/// [`acknowledged`](Self::acknowledged) is zero, so that a controller whose growth
/// depends on it alone does not grow.
#[derive(Clone, Copy, Debug, Default)]
pub struct Acknowledgement {
    /// When it arrived.
    pub now: Nanoseconds,
    /// Newly acknowledged data that may open the window, in segments: zero
    /// during loss recovery, while the transport reduces the data in flight
    /// after a mark, and while the window does not limit the sender.
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
    /// Data newly considered lost, in segments.
    pub lost: f64,
    /// The round-trip time it measured; `None` if it is ambiguous (a
    /// retransmitted segment: Karn's algorithm).
    pub rtt: Option<Nanoseconds>,
    /// The transport's smoothed round-trip time, once there is a sample.
    pub smoothed_rtt: Option<Nanoseconds>,
    /// The delay from sender to receiver, as the difference of the two clocks; only
    /// changes of it are meaningful (RFC 6817, section 3.2).
    pub one_way_delay: Option<Nanoseconds>,
    /// Data in flight after this acknowledgement, in segments.
    pub in_flight: f64,
    /// When pacing lets the next packet leave; up to `now` if it may at once, or packets are
    /// not paced.
    pub next_departure: Nanoseconds,
    /// The delivery rate; `None` if no data was newly delivered.
    pub delivery: Option<Delivery>,
    /// Whether a round trip ended: data was acknowledged that was sent after
    /// the last one ended.
    pub round_ended: bool,
    /// Whether the transport is in loss recovery.
    pub recovering: bool,
    /// Whether the window, and not the application or the receiver, limited
    /// the sender in the last round trip.
    pub window_limited: bool,
    /// The latest report of the radio that the data passes: an optional cross-layer
    /// signal. Many acknowledgements carry the same report;
    /// `None` before the first, and without a radio.
    pub radio: Option<RadioReport>,
}

/// A radio's report of its channel to the sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RadioReport {
    /// When the sender received it: distinguishes one report from the next.
    pub received: Nanoseconds,
    /// The signal-to-interference-plus-noise ratio, in decibels; finite.
    pub sinr: f64,
    /// The channel's bandwidth, as the segments per second that it carries for
    /// each bit per second and hertz; finite.
    pub bandwidth: f64,
}

/// A delivery rate sample (draft-ietf-ccwg-bbr, section 4.1: delivery rate
/// estimation), from the most recently sent of the newly delivered segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delivery {
    /// Delivered data divided by the time it took, in segments per second; `None` if
    /// that time was shorter than the minimum round trip, which is not meaningful.
    pub rate: Option<f64>,
    /// All data delivered on the connection until now, in segments.
    pub total: f64,
    /// The same when the segment was sent: [`total`](Self::total) minus this was
    /// delivered in the meantime.
    pub total_at_send: f64,
    /// Data in flight just after the segment was sent, in segments.
    pub in_flight_at_send: f64,
    /// Data considered lost since the segment was sent, in segments.
    pub lost_since_send: f64,
    /// Whether the application had nothing to send when the segment was sent: the
    /// rate is then only a lower bound.
    pub application_limited: bool,
}

/// A congestion signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// A segment is considered lost; the connection continues.
    Loss,
    /// A router marked a packet (ECN, NDN's CongestionMark).
    Mark,
    /// A router rejected a packet because of congestion (NDN's negative acknowledgement).
    Nack,
    /// Nothing arrived within the retransmission timeout: restart.
    Timeout,
}

/// Congestion was signalled. The transport has already decided that this
/// signal counts (for example, the first one of a round trip).
#[derive(Clone, Copy, Debug)]
pub struct Congestion {
    /// When it was detected.
    pub now: Nanoseconds,
    /// The signal.
    pub signal: Signal,
    /// Data in flight at that time, in segments.
    pub in_flight: f64,
}

/// Data is about to be sent while none is in flight: at the connection's beginning, and
/// when sending begins again after idleness.
#[derive(Clone, Copy, Debug)]
pub struct TransmissionStart {
    /// When.
    pub now: Nanoseconds,
    /// Whether the application had nothing to send before.
    pub application_limited: bool,
}

/// What controllers estimate of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathEstimate {
    /// The bottleneck's bandwidth (BtlBw), in segments per second.
    pub bandwidth: f64,
    /// The round trip without queues (RTprop).
    pub round_trip: Nanoseconds,
}

/// What a coupled controller knows of a subflow of its connection: its own, or a sibling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sibling {
    /// Its window, in segments.
    pub cwnd: f64,
    /// Its slow-start threshold, in segments; [`Start::initial_ssthresh`] until the first
    /// congestion signal.
    pub ssthresh: f64,
    /// Its smoothed round-trip time, once there is a sample.
    pub smoothed_rtt: Option<Nanoseconds>,
    /// Whether it is in loss recovery.
    pub recovering: bool,
    /// Segments delivered since its last loss or between the two losses before, whichever
    /// is more (OLIA's `l`).
    pub between_losses: f64,
    /// What its controller estimates of its path.
    pub estimate: Option<PathEstimate>,
    /// Segments per second that were delivered in the last round trip; none before.
    pub delivery_rate: Option<f64>,
}

/// A congestion controller.
pub trait Controller {
    /// Processes an acknowledgement.
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement);

    /// Processes a congestion signal.
    fn on_congestion(&mut self, congestion: &Congestion);

    /// The loss that was signalled last is repaired, or the window after a mark
    /// has passed: the connection is open again.
    fn on_recovered(&mut self, _now: Nanoseconds) {}

    /// What the subflows of its multipath connection do: this one, and the others, which are
    /// none once the last of them is closed. Reported before each acknowledgement and congestion
    /// signal to controllers that declare [`Need::Siblings`]; never to a flow that always had
    /// one path.
    #[inline]
    fn on_siblings(&mut self, _own: &Sibling, _others: &[Sibling]) {}

    /// Sending begins, or begins again: time that passed before it says nothing about the
    /// path.
    #[inline]
    fn on_transmission_start(&mut self, _start: &TransmissionStart) {}

    /// The last congestion signal was spurious. Restores what the response to it changed
    /// from `before`, the controller as it was then; what was measured since stays. Unless
    /// a controller says otherwise, that is the window and its threshold, which become no
    /// smaller (RFC 4015, section 3, as in Linux).
    fn on_spurious(&mut self, before: &Self)
    where
        Self: Sized,
    {
        self.window_mut().restore(before.window());
    }

    /// The transport lowers the window to what it finds is still justified, in segments,
    /// and sets the threshold: after idleness (RFC 5681, section 4.1; RFC 7661).
    fn lower_window(&mut self, cwnd: f64, ssthresh: f64) {
        self.window_mut().lower(cwnd, ssthresh);
    }

    /// How fast to send, in segments per second; `None` leaves it to the
    /// transport.
    #[inline]
    fn pacing_rate(&self) -> Option<f64> {
        None
    }

    /// What it estimates of its path, once it does.
    #[inline]
    fn estimate(&self) -> Option<PathEstimate> {
        None
    }

    /// Whether it asks that its subflow be closed, because the other subflows of the
    /// connection do better without it.
    #[inline]
    fn abandons(&self) -> bool {
        false
    }

    /// The window with its threshold.
    fn window(&self) -> &Window;

    /// The same, to be changed.
    fn window_mut(&mut self) -> &mut Window;

    /// How much may be in flight, in segments; finite, and never less than the
    /// lesser of [`Start::minimum_window`] and [`Start::restart_window`].
    #[inline]
    fn cwnd(&self) -> f64 {
        self.window().cwnd()
    }

    /// The slow-start threshold in segments: [`Start::initial_ssthresh`] until the first
    /// congestion signal, or infinite for a controller without one.
    #[inline]
    fn ssthresh(&self) -> f64 {
        self.window().ssthresh()
    }
}

/// The initial conditions of a connection, set by the transport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// The initial window, in segments.
    pub initial_window: f64,
    /// The minimum window after a decrease, in segments.
    pub minimum_window: f64,
    /// The window after a retransmission timeout, in segments; it may be below
    /// the minimum (RFC 5681: one segment with a minimum of two).
    pub restart_window: f64,
    /// Where the first slow start ends, in segments; infinite if nothing limits it, as RFC 5681,
    /// section 3.1, recommends ("arbitrarily high").
    pub initial_ssthresh: f64,
}

/// Makes [`AnyController`], an enum over all controllers: static dispatch in
/// the hot loop, and one list for all uses of their names.
macro_rules! registry {
    ($($module:ident :: $type:ident),+ $(,)?) => {
        $(pub use $module::$type;)+

        /// Any registered controller, or an external one.
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

            /// The description of the controller.
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
            fn on_transmission_start(&mut self, start: &TransmissionStart) {
                match self {
                    $(Self::$type(it) => it.on_transmission_start(start),)+
                    Self::External(it) => it.on_transmission_start(start),
                }
            }
            #[inline]
            fn on_siblings(&mut self, own: &Sibling, others: &[Sibling]) {
                match self {
                    $(Self::$type(it) => it.on_siblings(own, others),)+
                    Self::External(it) => it.on_siblings(own, others),
                }
            }
            fn on_spurious(&mut self, before: &Self) {
                match (self, before) {
                    $((Self::$type(it), Self::$type(before)) => it.on_spurious(before),)+
                    (Self::External(it), Self::External(before)) => it.undo(before.as_ref()),
                    _ => unreachable!("a connection keeps its controller"),
                }
            }
            fn lower_window(&mut self, cwnd: f64, ssthresh: f64) {
                match self {
                    $(Self::$type(it) => it.lower_window(cwnd, ssthresh),)+
                    Self::External(it) => it.lower_window(cwnd, ssthresh),
                }
            }
            #[inline]
            fn pacing_rate(&self) -> Option<f64> {
                match self {
                    $(Self::$type(it) => it.pacing_rate(),)+
                    Self::External(it) => it.pacing_rate(),
                }
            }
            fn estimate(&self) -> Option<PathEstimate> {
                match self {
                    $(Self::$type(it) => it.estimate(),)+
                    Self::External(it) => it.estimate(),
                }
            }
            #[inline]
            fn abandons(&self) -> bool {
                match self {
                    $(Self::$type(it) => it.abandons(),)+
                    Self::External(it) => it.abandons(),
                }
            }
            #[inline]
            fn window(&self) -> &Window {
                match self {
                    $(Self::$type(it) => it.window(),)+
                    Self::External(it) => it.window(),
                }
            }
            #[inline]
            fn window_mut(&mut self) -> &mut Window {
                match self {
                    $(Self::$type(it) => it.window_mut(),)+
                    Self::External(it) => it.window_mut(),
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
    // Behind the others, which keep their places: colours in pictures follow these.
    balia::Balia,
    c_mpbbr::CMpbbr,
    lia::Lia,
    olia::Olia,
    wvegas::WVegas,
}
