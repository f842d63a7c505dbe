//! Jitter, as RTP counts it.

use crate::time::Duration;

/// The interarrival jitter (RFC 3550, section 6.4.1): of how much longer or shorter than the one
/// before each packet was under way, a mean that forgets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InterarrivalJitter {
    transit: Option<Duration>,
    mean: Duration,
}

impl InterarrivalJitter {
    /// A packet arrives that was so long under way.
    #[inline]
    pub fn add(&mut self, transit: Duration) {
        if let Some(last) = self.transit.replace(transit) {
            let difference = transit.max(last) - transit.min(last);
            self.mean = self.mean - sixteenth(self.mean) + sixteenth(difference);
        }
    }

    /// The mean.
    #[must_use]
    pub fn mean(&self) -> Duration {
        self.mean
    }
}

#[inline]
fn sixteenth(duration: Duration) -> Duration {
    Duration::from_picos(duration.as_picos() / 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(transits: &[u64]) -> Duration {
        let mut jitter = InterarrivalJitter::default();
        transits.iter().for_each(|it| jitter.add(Duration::from_millis(*it)));
        jitter.mean()
    }

    #[test]
    fn packets_that_are_equally_long_under_way_have_none() {
        assert_eq!(of(&[]), Duration::ZERO);
        assert_eq!(of(&[9, 9, 9]), Duration::ZERO);
    }

    /// J(i) = J(i-1) + (|D(i-1,i)| - J(i-1))/16: 16 ms more, and 16 ms less again.
    #[test]
    fn it_is_the_equation_of_rfc_3550() {
        assert_eq!(of(&[1, 17]), Duration::from_millis(1));
        assert_eq!(of(&[1, 17, 1]), Duration::from_nanos(1_937_500));
    }
}
