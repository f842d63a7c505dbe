//! The rate adaptation of one direction.

use std::fmt::Debug;

use dyn_clone::DynClone;
use windtunnel_engine::Duration;

use crate::fixed_wireless::mcs::Mcs;

/// A rate adaptation of one direction.
pub trait RateAdaptation: Debug + DynClone + Send {
    /// Whether the direction has had packets to send since it was asked last; said before it is
    /// asked, and until then it has.
    fn on_traffic(&mut self, _has: bool) {}

    /// The scheme from now on, at a SNR in dB.
    fn choose(&mut self, snr: f64) -> &'static Mcs;

    /// After which time it must be asked again also where the SNR does not change; none if it
    /// need not.
    fn period(&self) -> Option<Duration> {
        None
    }

    /// By how many dB the transmitted power is below the greatest from now on.
    fn power_reduction(&self) -> f64 {
        0.0
    }
}

dyn_clone::clone_trait_object!(RateAdaptation);
