//! No rate adaptation.

use super::RateAdaptation;
use crate::fixed_wireless::Mcs;

/// Always the same scheme.
#[derive(Clone, Debug)]
pub(super) struct Fixed(pub(super) &'static Mcs);

impl RateAdaptation for Fixed {
    fn choose(&mut self, _snr: f64) -> &'static Mcs {
        self.0
    }
}
