//! What every transport can report to a controller, and its units.

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
    /// The transport's smoothed round-trip time, once there is a sample: at the connection's
    /// beginning that of the handshake.
    pub smoothed_rtt: Option<Nanoseconds>,
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

impl Default for Start {
    /// TCP's: 10 segments (RFC 6928), and one after a timeout with a minimum of two (RFC 5681).
    fn default() -> Self {
        Self {
            initial_window: 10.0,
            minimum_window: 2.0,
            restart_window: 1.0,
            initial_ssthresh: f64::INFINITY,
        }
    }
}
