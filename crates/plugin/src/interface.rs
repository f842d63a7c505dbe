//! The C interface between a library and what loads it.
//!
//! Times are nanoseconds, windows and data segments, as in [`windtunnel_controllers`]; a time
//! that is not known is [`UNKNOWN`], a number that is not known NaN.

use std::ffi::c_void;
use std::slice;

use windtunnel_controllers as controllers;
use windtunnel_controllers::{Delivery, Need, RadioReport, Signal};

/// The version of the interface. A library of another one is not loaded.
pub const VERSION: u32 = 2;

/// The name of the symbol of an [`Interface`] in a library.
pub const SYMBOL: &str = "WINDTUNNEL_CONTROLLER";

/// A time that is not known.
pub const UNKNOWN: u64 = u64::MAX;

/// What a library exports.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Interface {
    /// [`VERSION`]: first, so that any later version can read it.
    pub version: u32,
    /// The controller's needs: a bit for each place in [`Need::ALL`].
    pub needs: u32,
    /// The controller's name in scenarios.
    pub name: Text,
    /// Makes a controller for a new connection.
    pub make: unsafe extern "C" fn(*const Start) -> Made,
    /// Makes an independent copy.
    pub copy: unsafe extern "C" fn(*const c_void) -> Made,
    /// Frees a controller, which is not used any more.
    pub free: unsafe extern "C" fn(*mut c_void),
    /// `Controller::on_acknowledgement`.
    pub on_acknowledgement: unsafe extern "C" fn(*mut c_void, *const Acknowledgement) -> Answer,
    /// `Controller::on_congestion`.
    pub on_congestion: unsafe extern "C" fn(*mut c_void, *const Congestion) -> Answer,
    /// `Controller::on_recovered`.
    pub on_recovered: unsafe extern "C" fn(*mut c_void, u64) -> Answer,
    /// `Controller::on_transmission_start`: when, whether the application had nothing to send, and
    /// the smoothed round trip.
    pub on_transmission_start: unsafe extern "C" fn(*mut c_void, u64, bool, u64) -> Answer,
    /// `Controller::on_spurious`, with the copy of before.
    pub on_spurious: unsafe extern "C" fn(*mut c_void, *const c_void) -> Answer,
    /// `Controller::lower_window`.
    pub lower_window: unsafe extern "C" fn(*mut c_void, f64, f64) -> Answer,
}

// SAFETY: it is never written to, and its pointers are to functions and to a constant text.
unsafe impl Sync for Interface {}
// SAFETY: as above.
unsafe impl Send for Interface {}

/// Text in UTF-8 that somebody else owns.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Text {
    bytes: *const u8,
    length: usize,
}

impl Text {
    /// A text, or a part of one, that lives as long as it is read.
    #[must_use]
    pub const fn of(text: &str) -> Self {
        Self { bytes: text.as_ptr(), length: text.len() }
    }

    /// A copy of the text; what is not UTF-8 in it is replaced.
    ///
    /// # Safety
    /// What it was made of still lives.
    #[must_use]
    pub unsafe fn read(self) -> String {
        // SAFETY: the caller's promise.
        let bytes = unsafe { slice::from_raw_parts(self.bytes, self.length) };
        String::from_utf8_lossy(bytes).into_owned()
    }
}

/// A controller that was made, and what it answers at first.
#[repr(C)]
#[derive(Debug)]
pub struct Made {
    /// The controller, to be freed; also one that failed, which keeps the reason.
    pub object: *mut c_void,
    /// Its answer.
    pub answer: Answer,
}

/// What a controller answers after each call.
#[repr(C)]
#[derive(Debug)]
pub struct Answer {
    /// The window.
    pub cwnd: f64,
    /// The threshold.
    pub ssthresh: f64,
    /// The pacing rate, in segments per second; NaN: the transport decides.
    pub pacing_rate: f64,
    /// Why the controller failed, until its next call; empty if it did not.
    pub failure: Text,
}

/// `controllers::Start`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Start {
    initial_window: f64,
    minimum_window: f64,
    restart_window: f64,
    initial_ssthresh: f64,
}

impl From<controllers::Start> for Start {
    fn from(it: controllers::Start) -> Self {
        Self {
            initial_window: it.initial_window,
            minimum_window: it.minimum_window,
            restart_window: it.restart_window,
            initial_ssthresh: it.initial_ssthresh,
        }
    }
}

impl From<Start> for controllers::Start {
    fn from(it: Start) -> Self {
        Self {
            initial_window: it.initial_window,
            minimum_window: it.minimum_window,
            restart_window: it.restart_window,
            initial_ssthresh: it.initial_ssthresh,
        }
    }
}

/// `controllers::Congestion`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Congestion {
    now: u64,
    /// 0: loss, 1: mark, 2: nack, 3: timeout.
    signal: u32,
    in_flight: f64,
}

const SIGNALS: [Signal; 4] = [Signal::Loss, Signal::Mark, Signal::Nack, Signal::Timeout];

impl From<&controllers::Congestion> for Congestion {
    fn from(it: &controllers::Congestion) -> Self {
        let signal = SIGNALS.iter().position(|signal| *signal == it.signal);
        let signal = signal.expect("all signals are listed") as u32;
        Self { now: it.now, signal, in_flight: it.in_flight }
    }
}

impl From<&Congestion> for controllers::Congestion {
    fn from(it: &Congestion) -> Self {
        let signal = SIGNALS[it.signal as usize];
        Self { now: it.now, signal, in_flight: it.in_flight }
    }
}

/// `controllers::Acknowledgement`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Acknowledgement {
    now: u64,
    acknowledged: f64,
    delivered: f64,
    marked: f64,
    some_congestion: f64,
    lost: f64,
    rtt: u64,
    smoothed_rtt: u64,
    one_way_delay: u64,
    in_flight: f64,
    next_departure: u64,
    has_delivery: bool,
    delivery_rate: f64,
    delivery_total: f64,
    delivery_total_at_send: f64,
    delivery_in_flight_at_send: f64,
    delivery_lost_since_send: f64,
    delivery_application_limited: bool,
    round_ended: bool,
    recovering: bool,
    window_limited: bool,
    radio_received: u64,
    radio_sinr: f64,
    radio_bandwidth: f64,
}

impl From<&controllers::Acknowledgement> for Acknowledgement {
    fn from(it: &controllers::Acknowledgement) -> Self {
        let delivery = it.delivery.unwrap_or(NO_DELIVERY);
        let radio = it.radio.unwrap_or(NO_RADIO);
        Self {
            now: it.now,
            acknowledged: it.acknowledged,
            delivered: it.delivered,
            marked: it.marked,
            some_congestion: it.some_congestion,
            lost: it.lost,
            rtt: it.rtt.unwrap_or(UNKNOWN),
            smoothed_rtt: it.smoothed_rtt.unwrap_or(UNKNOWN),
            one_way_delay: it.one_way_delay.unwrap_or(UNKNOWN),
            in_flight: it.in_flight,
            next_departure: it.next_departure,
            has_delivery: it.delivery.is_some(),
            delivery_rate: delivery.rate.unwrap_or(f64::NAN),
            delivery_total: delivery.total,
            delivery_total_at_send: delivery.total_at_send,
            delivery_in_flight_at_send: delivery.in_flight_at_send,
            delivery_lost_since_send: delivery.lost_since_send,
            delivery_application_limited: delivery.application_limited,
            round_ended: it.round_ended,
            recovering: it.recovering,
            window_limited: it.window_limited,
            radio_received: radio.received,
            radio_sinr: radio.sinr,
            radio_bandwidth: radio.bandwidth,
        }
    }
}

impl From<&Acknowledgement> for controllers::Acknowledgement {
    fn from(it: &Acknowledgement) -> Self {
        let delivery = Delivery {
            rate: (!it.delivery_rate.is_nan()).then_some(it.delivery_rate),
            total: it.delivery_total,
            total_at_send: it.delivery_total_at_send,
            in_flight_at_send: it.delivery_in_flight_at_send,
            lost_since_send: it.delivery_lost_since_send,
            application_limited: it.delivery_application_limited,
        };
        let radio = RadioReport {
            received: it.radio_received,
            sinr: it.radio_sinr,
            bandwidth: it.radio_bandwidth,
        };
        Self {
            now: it.now,
            acknowledged: it.acknowledged,
            delivered: it.delivered,
            marked: it.marked,
            some_congestion: it.some_congestion,
            lost: it.lost,
            rtt: known(it.rtt),
            smoothed_rtt: known(it.smoothed_rtt),
            one_way_delay: known(it.one_way_delay),
            in_flight: it.in_flight,
            next_departure: it.next_departure,
            delivery: it.has_delivery.then_some(delivery),
            round_ended: it.round_ended,
            recovering: it.recovering,
            window_limited: it.window_limited,
            radio: known(it.radio_received).map(|_| radio),
        }
    }
}

const NO_DELIVERY: Delivery = Delivery {
    rate: None,
    total: 0.0,
    total_at_send: 0.0,
    in_flight_at_send: 0.0,
    lost_since_send: 0.0,
    application_limited: false,
};

const NO_RADIO: RadioReport = RadioReport { received: UNKNOWN, sinr: 0.0, bandwidth: 0.0 };

pub(crate) fn known(time: u64) -> Option<u64> {
    (time != UNKNOWN).then_some(time)
}

/// The bits of needs.
#[must_use]
pub const fn bits(needs: &[Need]) -> u32 {
    let (mut bits, mut at) = (0, 0);
    while at < needs.len() {
        let mut place = 0;
        while place < Need::ALL.len() {
            if Need::ALL[place] as u32 == needs[at] as u32 {
                bits |= 1 << place;
            }
            place += 1;
        }
        at += 1;
    }
    bits
}

/// The needs of bits.
#[must_use]
pub fn needs(bits: u32) -> Vec<Need> {
    let has = |place: &usize| bits >> place & 1 == 1;
    (0..Need::ALL.len()).filter(has).map(|place| Need::ALL[place]).collect()
}
