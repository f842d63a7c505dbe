//! What linked increases keep of the other subflows of a connection: sums and maxima over
//! those with a measured round trip.

use crate::{Nanoseconds, Sibling, seconds};

/// The other subflows, and the round trip of this one. Windows `w` are in segments, times `T`
/// in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Others {
    /// This subflow's smoothed round trip.
    pub(crate) rtt: f64,
    /// The sum and the maximum of their rates `w / T`.
    pub(crate) rates: f64,
    pub(crate) greatest_rate: f64,
    /// The maximum of their `w / T^2`.
    pub(crate) greatest_increase: f64,
}

impl Others {
    /// None while this subflow or every other one has no measured round trip.
    pub(crate) fn new(own: &Sibling, others: &[Sibling]) -> Option<Self> {
        let mut all =
            Self { rtt: round_trip(own)?, rates: 0.0, greatest_rate: 0.0, greatest_increase: 0.0 };
        for other in others {
            if let Some(rtt) = round_trip(other) {
                let rate = other.cwnd / rtt;
                all.rates += rate;
                all.greatest_rate = all.greatest_rate.max(rate);
                all.greatest_increase = all.greatest_increase.max(rate / rtt);
            }
        }
        (all.rates > 0.0).then_some(all)
    }
}

/// The smoothed round trip of a subflow in seconds; zero, from a clock that is too coarse, is
/// none.
pub(crate) fn round_trip(subflow: &Sibling) -> Option<f64> {
    let measured = |it: &Nanoseconds| *it > 0;
    subflow.smoothed_rtt.filter(measured).map(seconds)
}
