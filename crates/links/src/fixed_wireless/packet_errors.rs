//! How likely the packets of one end are wrong.

use super::mcs::SnrThresholds;
use crate::channel::Reception;

/// The probabilities of one end's packets. Most packets are as long as the one before, and come
/// with the same scheme and SNR: what was computed last is kept, since its powers took an eighth of
/// the time of a simulation.
#[derive(Clone, Copy, Debug)]
pub(super) struct PacketErrors {
    thresholds: SnrThresholds,
    last: Option<(Reception, u32, f64)>,
}

impl PacketErrors {
    pub(super) fn new(thresholds: SnrThresholds) -> Self {
        Self { thresholds, last: None }
    }

    /// That of a packet of this many bytes, as `Mcs::error`.
    pub(super) fn of(&mut self, reception: Reception, bytes: u32) -> f64 {
        if let Some((of, length, error)) = self.last
            && (of, length) == (reception, bytes)
        {
            return error;
        }
        let Reception { snr, scheme } = reception;
        let error = scheme.error(self.thresholds, snr, bytes);
        self.last = Some((reception, bytes, error));
        error
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixed_wireless::mcs::SCHEMES;

    proptest! {
        /// Few values, so that a packet is often like the one before in all but one of them.
        #[test]
        fn every_packet_has_the_error_of_its_own_reception(
            packets in prop::collection::vec((0..2_usize, 0..2_u32, 0..2_u32), 1..50),
        ) {
            let mut errors = PacketErrors::new(SnrThresholds::Planner);
            for (scheme, snr, bytes) in packets {
                let (scheme, snr) = (&SCHEMES[7 + scheme], 9.0 + f64::from(snr));
                let bytes = 64 + 1484 * bytes;
                let found = errors.of(Reception { snr, scheme }, bytes);
                prop_assert_eq!(found, scheme.error(SnrThresholds::Planner, snr, bytes));
            }
        }
    }
}
