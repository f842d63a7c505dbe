//! Random loss on a link: the packet uses the link and does not arrive.

use windtunnel_engine::Random;
use windtunnel_packets::Ecn;

/// Which packets can be lost at random.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Victims {
    /// All.
    #[default]
    All,
    /// Those that are not ECN-capable, such as an edge of a bridge selects. The
    /// others pass, and leave the state of the link as it is.
    NotCapable,
}

impl Victims {
    /// Whether such a packet is among them.
    #[inline]
    #[must_use]
    pub fn include(self, ecn: Ecn) -> bool {
        self == Self::All || !ecn.is_capable()
    }
}

/// How often a link loses packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// None.
    None,
    /// Each with this probability, independently.
    Bernoulli(f64),
    /// In bursts: the link is in a good or a bad state, each with its own
    /// probability of loss, and changes between packets (Gilbert 1960,
    /// Elliott 1963).
    GilbertElliott {
        /// From good to bad, for each packet.
        to_bad: f64,
        /// From bad to good, for each packet.
        to_good: f64,
        /// Loss in the good state.
        in_good: f64,
        /// Loss in the bad state.
        in_bad: f64,
        /// Whether the link is in the bad state now.
        bad: bool,
    },
}

impl Loss {
    /// Whether the next packet is lost.
    #[inline]
    pub fn strikes(&mut self, random: &mut Random) -> bool {
        match self {
            Self::None => false,
            Self::Bernoulli(probability) => random.happens(*probability),
            Self::GilbertElliott { to_bad, to_good, in_good, in_bad, bad } => {
                let lost = random.happens(if *bad { *in_bad } else { *in_good });
                if random.happens(if *bad { *to_good } else { *to_bad }) {
                    *bad = !*bad;
                }
                lost
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use windtunnel_engine::Streams;

    use super::*;

    fn lost_of(mut loss: Loss, packets: u32) -> f64 {
        let mut random = Streams::new(3, 0).stream("loss");
        let lost = (0..packets).filter(|_| loss.strikes(&mut random)).count();
        lost as f64 / f64::from(packets)
    }

    #[test]
    fn bernoulli_loses_its_share() {
        let (share, packets) = (0.01, 1_000_000);
        let error = (share * (1.0 - share) / f64::from(packets)).sqrt();
        assert!((lost_of(Loss::Bernoulli(share), packets) - share).abs() < 4.0 * error);
    }

    #[test]
    fn gilbert_elliott_loses_by_the_time_spent_in_each_state() {
        let (to_bad, to_good, in_good, in_bad) = (0.01, 0.2, 0.001, 0.5);
        let share_bad = to_bad / (to_bad + to_good);
        let expected = share_bad * in_bad + (1.0 - share_bad) * in_good;
        let loss = Loss::GilbertElliott { to_bad, to_good, in_good, in_bad, bad: false };
        let measured = lost_of(loss, 1_000_000);
        assert!((measured / expected - 1.0).abs() < 0.03, "{measured} of {expected}");
    }
}
