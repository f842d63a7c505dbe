//! The buffer of a player of segments: what is in it, and when it was empty.

use windtunnel_engine::{Duration, Time};

/// Plays from the first segment on, waits while it is empty, and goes on with the next segment.
#[derive(Clone, Debug, Default)]
pub struct SegmentBuffer {
    /// The media received.
    received: Duration,
    /// When it would be played to its end if nothing more came; none before the first segment.
    empty: Option<Time>,
    underflows: u64,
    stalled: Duration,
}

impl SegmentBuffer {
    /// A segment of `media` has come; returns how long the player had been waiting for it with
    /// nothing to play, which is nothing before the first.
    pub fn add(&mut self, now: Time, media: Duration) -> Duration {
        self.received += media;
        let empty = self.empty.unwrap_or(now);
        let waited = now.since(empty);
        if waited > Duration::ZERO {
            self.underflows += 1;
            self.stalled += waited;
        }
        self.empty = Some(empty.max(now) + media);
        waited
    }

    /// The media in it.
    #[must_use]
    pub fn level(&self, now: Time) -> Duration {
        self.empty.map_or(Duration::ZERO, |it| it.since(now))
    }

    /// The media played.
    #[must_use]
    pub fn played(&self, now: Time) -> Duration {
        self.received - self.level(now)
    }

    /// When no more than `level` is left in it, if nothing more comes.
    #[must_use]
    pub fn when_down_to(&self, level: Duration) -> Time {
        self.empty.map_or(Time::ZERO, |it| Time::ZERO + (it.since(Time::ZERO + level)))
    }

    /// How often it was empty before all of `media` had been played.
    #[must_use]
    pub fn underflows(&self, now: Time, media: Duration) -> u64 {
        self.underflows + u64::from(self.open_stall(now, media) > Duration::ZERO)
    }

    /// For how long.
    #[must_use]
    pub fn stalled(&self, now: Time, media: Duration) -> Duration {
        self.stalled + self.open_stall(now, media)
    }

    fn open_stall(&self, now: Time, media: Duration) -> Duration {
        match self.empty {
            Some(empty) if self.received < media => now.since(empty),
            _ => Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_not_played_is_stalled_from_the_first_segment_on(
            gaps in prop::collection::vec(0_u64..10_000, 1..50),
            media in 1_u64..5000,
            after in 0_u64..20_000,
        ) {
            let media = Duration::from_millis(media);
            let whole = media * (gaps.len() as u64 + 1);
            let mut buffer = SegmentBuffer::default();
            let mut now = Time::ZERO;
            let mut first = None;
            for gap in &gaps {
                now += Duration::from_millis(*gap);
                buffer.add(now, media);
                first.get_or_insert(now);
                prop_assert!(buffer.level(now) >= media);
            }
            now += Duration::from_millis(after);
            let elapsed = now.since(first.unwrap());
            prop_assert_eq!(buffer.played(now) + buffer.stalled(now, whole), elapsed);
            prop_assert!(buffer.played(now) <= media * gaps.len() as u64);
            let down = buffer.when_down_to(media);
            prop_assert!(buffer.level(down) <= media || down == Time::ZERO);
        }
    }
}
