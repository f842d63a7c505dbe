//! Random loss on a link: the packet uses the link and does not arrive.

use std::ops::Range;
use std::sync::Arc;

use windtunnel_engine::{Duration, Random, Time};
use windtunnel_packets::{FlowKey, Packet};

/// Which packets have the keys of a flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowKeys {
    /// Those of connections, or datagrams, that it always has.
    pub single: Vec<FlowKey>,
    /// Connections that it opens again and again: of each of these ranges one number in this many.
    pub repeated: Vec<(Range<u32>, usize)>,
}

impl FlowKeys {
    /// Whether it has that key.
    #[must_use]
    pub fn include(&self, key: FlowKey) -> bool {
        let is_repeated = |(range, step): &(Range<u32>, usize)| {
            let number = key.connection().filter(|it| range.contains(it));
            number.is_some_and(|it| ((it - range.start) as usize).is_multiple_of(*step))
        };
        self.single.contains(&key) || self.repeated.iter().any(is_repeated)
    }
}

/// Which packets can be lost at random. The others pass, and leave the state of the link as it
/// is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Victims {
    /// All.
    #[default]
    All,
    /// Those that are not ECN-capable, such as an edge of a bridge selects.
    NotCapable,
    /// Those of a flow.
    Flow(Arc<FlowKeys>),
}

impl Victims {
    /// Whether such a packet is among them.
    #[inline]
    #[must_use]
    pub fn include(&self, packet: &Packet) -> bool {
        match self {
            Self::All => true,
            Self::NotCapable => !packet.ecn.is_capable(),
            Self::Flow(keys) => keys.include(packet.flow_key()),
        }
    }
}

/// How often a link loses packets.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Loss {
    /// None.
    #[default]
    None,
    /// Each with this probability, independently.
    Bernoulli(f64),
    /// Each with this probability, but never more than so many one after the other.
    LimitedRuns {
        /// The probability.
        probability: f64,
        /// How many are lost in a row at the most.
        most: u32,
        /// How many were.
        row: u32,
    },
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
    /// The same, but the state changes with time, whether packets are sent or not: it lasts
    /// exponentially long.
    ContinuousGilbertElliott {
        /// How long the good state lasts in the mean; above zero.
        good_lasts: Duration,
        /// How long the bad state lasts in the mean; above zero.
        bad_lasts: Duration,
        /// Loss in the good state.
        in_good: f64,
        /// Loss in the bad state.
        in_bad: f64,
        /// Whether the link was in the bad state at `last`.
        bad: bool,
        /// When the packet before was sent.
        last: Time,
    },
    /// Those of certain numbers, and no others.
    Listed {
        /// The numbers, rising; the first packet that is sent has number 1.
        numbers: Arc<[u64]>,
        /// How many packets were sent.
        sent: u64,
        /// How many of the numbers are behind.
        behind: usize,
    },
}

/// The probability that a link in continuous time is in the bad state, so long after it was
/// in it or not.
fn bad_after(bad: bool, elapsed: Duration, good_lasts: Duration, bad_lasts: Duration) -> f64 {
    let (good, bad_lasts) = (good_lasts.as_seconds(), bad_lasts.as_seconds());
    let share = bad_lasts / (good + bad_lasts);
    let kept = (-elapsed.as_seconds() * (1.0 / good + 1.0 / bad_lasts)).exp();
    share + (f64::from(u8::from(bad)) - share) * kept
}

impl Loss {
    /// The same, from `now` on.
    #[must_use]
    pub fn starting(mut self, now: Time) -> Self {
        if let Self::ContinuousGilbertElliott { last, .. } = &mut self {
            *last = now;
        }
        self
    }

    /// Whether the next packet is lost, which is sent at `now`.
    #[inline]
    pub fn strikes(&mut self, now: Time, random: &mut Random) -> bool {
        match self {
            Self::None => false,
            Self::Bernoulli(probability) => random.happens(*probability),
            Self::LimitedRuns { probability, most, row } => {
                let strikes = *row < *most && random.happens(*probability);
                *row = if strikes { *row + 1 } else { 0 };
                strikes
            }
            Self::Listed { numbers, sent, behind } => {
                *sent += 1;
                let strikes = numbers.get(*behind) == Some(sent);
                *behind += usize::from(strikes);
                strikes
            }
            Self::GilbertElliott { to_bad, to_good, in_good, in_bad, bad } => {
                let lost = random.happens(if *bad { *in_bad } else { *in_good });
                if random.happens(if *bad { *to_good } else { *to_bad }) {
                    *bad = !*bad;
                }
                lost
            }
            Self::ContinuousGilbertElliott {
                good_lasts,
                bad_lasts,
                in_good,
                in_bad,
                bad,
                last,
            } => {
                let elapsed = now.since(*last);
                *last = (*last).max(now);
                *bad = random.happens(bad_after(*bad, elapsed, *good_lasts, *bad_lasts));
                random.happens(if *bad { *in_bad } else { *in_good })
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
        let lost = (0..packets).filter(|_| loss.strikes(Time::ZERO, &mut random)).count();
        lost as f64 / f64::from(packets)
    }

    #[test]
    fn bernoulli_loses_its_share() {
        let (share, packets) = (0.01, 1_000_000);
        let error = (share * (1.0 - share) / f64::from(packets)).sqrt();
        assert!((lost_of(Loss::Bernoulli(share), packets) - share).abs() < 4.0 * error);
    }

    /// With all but the limit certain, one of every four arrives; and else the share of a renewal:
    /// runs of lost packets of lengths up to three, each followed by one that arrives.
    #[test]
    fn no_more_are_lost_in_a_row_than_the_limit() {
        let limited = |probability| Loss::LimitedRuns { probability, most: 3, row: 0 };
        assert_eq!(lost_of(limited(1.0), 1000), 0.75);
        let mean_run: f64 = (1..=3).map(|it| 0.6_f64.powi(it)).sum();
        let measured = lost_of(limited(0.6), 1_000_000);
        let expected = mean_run / (mean_run + 1.0);
        assert!((measured / expected - 1.0).abs() < 0.005, "{measured} of {expected}");
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

    #[test]
    fn exactly_the_listed_packets_are_lost() {
        let mut loss = Loss::Listed { numbers: [1, 4, 5, 9].into(), sent: 0, behind: 0 };
        let mut random = Streams::new(3, 0).stream("loss");
        let untouched = random.clone().bits();
        let lost = (1..=12).filter(|_| loss.strikes(Time::ZERO, &mut random));
        assert_eq!(lost.collect::<Vec<_>>(), [1, 4, 5, 9]);
        assert_eq!(random.bits(), untouched, "nothing is drawn");
    }

    /// A link in continuous time that loses all in its bad state and none in its good one, which
    /// last this many milliseconds: the good one, and the bad one.
    fn all_in_bad_state(milliseconds: [u64; 2], bad: bool, last: Time) -> Loss {
        let [good_lasts, bad_lasts] = milliseconds.map(Duration::from_millis);
        let (in_good, in_bad) = (0.0, 1.0);
        Loss::ContinuousGilbertElliott { good_lasts, bad_lasts, in_good, in_bad, bad, last }
    }

    /// Whether packets are lost that are sent so far apart, on a link that loses all in its
    /// bad state, of 50 ms, and none in its good one, of 200 ms.
    fn lost_in_time(spacing: Duration, packets: u64) -> Vec<bool> {
        let mut loss = all_in_bad_state([200, 50], false, Time::ZERO);
        let mut random = Streams::new(3, 0).stream("loss");
        let times = (1..=packets).map(|it| Time::ZERO + spacing * it);
        times.map(|time| loss.strikes(time, &mut random)).collect()
    }

    fn share(lost: impl Iterator<Item = bool>) -> (f64, f64) {
        let (count, lost) = lost
            .fold((0.0, 0.0), |(count, lost), it| (count + 1.0, lost + f64::from(u8::from(it))));
        (lost / count, count)
    }

    /// The share of time in the bad state is 50 of 250 ms, however often packets look; and
    /// what one packet met says of the next, so much later, `e^(-t/40 ms)` of the rest.
    #[test]
    fn in_continuous_time_the_state_lasts_whether_packets_are_sent_or_not() {
        for milliseconds in [1, 10, 40, 200, 1_000] {
            let lost = lost_in_time(Duration::from_millis(milliseconds), 400_000);
            let kept = (-(milliseconds as f64) / 40.0).exp();
            // Neighbours depend on each other: this many are as good as one.
            let alike = (1.0 + kept) / (1.0 - kept);
            let (all, count) = share(lost.iter().copied());
            let error = (0.2 * 0.8 * alike / count).sqrt();
            assert!((all - 0.2).abs() < 4.0 * error, "{all} at {milliseconds} ms");
            let after_lost = lost.windows(2).filter(|it| it[0]).map(|it| it[1]);
            let (again, count) = share(after_lost);
            let expected = 0.2 + 0.8 * kept;
            let error = (expected * (1.0 - expected) / count).sqrt();
            assert!((again - expected).abs() < 4.0 * error, "{again} at {milliseconds} ms");
        }
    }

    #[test]
    fn a_packet_that_is_sent_earlier_than_the_one_before_meets_the_same_state() {
        let mut loss = all_in_bad_state([1, 1], true, Time::ZERO + Duration::from_secs(1));
        let mut random = Streams::new(3, 0).stream("loss");
        assert!((0..100).all(|_| loss.strikes(Time::ZERO, &mut random)));
    }
}
