//! The player of one file: when it plays, and what it does when a frame is late.
//!
//! Let `B(t)` be the media received in order and not played. It plays once `B >= θ`. If the file
//! comes at a constant goodput `G` below its rate `V`, then with `r = G/V` the first underflow is
//! `θ / (r (1 - r))` after the request.

use std::sync::Arc;

use windtunnel_engine::{Duration, Time};

use super::{Frames, Picture, Playback, PlayerTotals};

/// What a player does when a frame is late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LateFramePolicy {
    /// It pauses: an underflow. It goes on once `B >= θ`, which has grown by the time that the
    /// frame was late, as VLC enlarges its `pts_delay`.
    Rebuffer,
    /// The clock goes on: a frame whose last byte comes later than this after its date is
    /// discarded, with all that refer to it. VLC's display discards those 20 ms late.
    Discard(Duration),
    /// It discards such frames, and pauses where the next one is later than `θ`, the media that
    /// it wants to be ahead by: what was due until then is discarded as well.
    DiscardThenRebuffer(Duration),
}

impl LateFramePolicy {
    /// How late a frame may be shown, where late ones are discarded.
    fn tolerance(self) -> Option<Duration> {
        match self {
            Self::Rebuffer => None,
            Self::Discard(tolerance) | Self::DiscardThenRebuffer(tolerance) => Some(tolerance),
        }
    }
}

/// How a file is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayoutSettings {
    /// The media `θ` with which it begins; `network-caching` of VLC, where that is 1 s.
    pub threshold: Duration,
    /// What `θ` does not exceed as it grows; VLC's is 5 s above the first.
    pub maximum_threshold: Duration,
    /// What it does when a frame is late.
    pub reading: LateFramePolicy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It waits to begin.
    Starting,
    /// It plays: the date of frame `from` was `since`.
    Playing { since: Time, from: usize },
    /// Frame `next` had not come at its date.
    Stalled { since: Time, next: usize, has_come: bool },
}

/// A player of one file, requested at a given time.
#[derive(Clone, Debug)]
pub struct Playout {
    frames: Arc<Frames>,
    settings: PlayoutSettings,
    threshold: Duration,
    requested: Time,
    state: State,
    /// The frames received from the first on without a gap.
    ready: usize,
    /// The frames received, in the order of the stream.
    decoded: usize,
    /// Whether the last two frames were lost that others refer to, the latest one first.
    lost: [bool; 2],
    startup: Option<Duration>,
    underflows: u64,
    stalled: Duration,
    discarded: u64,
    stopped: Time,
}

impl Playout {
    /// Of frames that are requested at `requested`.
    #[must_use]
    pub fn new(frames: Arc<Frames>, settings: PlayoutSettings, requested: Time) -> Self {
        Self {
            frames,
            settings,
            threshold: settings.threshold,
            requested,
            state: State::Starting,
            ready: 0,
            decoded: 0,
            lost: [false; 2],
            startup: None,
            underflows: 0,
            stalled: Duration::ZERO,
            discarded: 0,
            stopped: Time::NEVER,
        }
    }

    /// The bytes that must have come in all before anything changes; none after the last frame.
    #[must_use]
    pub fn awaits(&self) -> Option<u64> {
        let frame = self.frames.in_stream(self.decoded)?;
        Some(self.frames.end(frame))
    }

    /// When [`Playout::wake`] must be called.
    #[must_use]
    pub fn next_wake(&self) -> Time {
        self.pauses_at().and_then(|it| self.date(it)).unwrap_or(Time::NEVER)
    }

    /// The frame at whose date it pauses, unless the first that is missing comes before.
    fn pauses_at(&self) -> Option<usize> {
        let (count, ready) = (self.frames.count(), self.ready);
        let frame = match self.settings.reading {
            LateFramePolicy::Rebuffer => ready,
            LateFramePolicy::Discard(_) => count,
            LateFramePolicy::DiscardThenRebuffer(_) => {
                let latest = self.frames.duration(ready) + self.threshold;
                (ready..count).find(|it| self.frames.duration(*it) >= latest).unwrap_or(count)
            }
        };
        (ready < count && frame < count).then_some(frame)
    }

    /// When a frame is due, while it plays.
    fn date(&self, frame: usize) -> Option<Time> {
        let State::Playing { since, from } = self.state else { return None };
        Some(since + (self.frames.duration(frame) - self.frames.duration(from)))
    }

    /// So many bytes of the file were received in all.
    pub fn receive(&mut self, now: Time, bytes: u64) {
        while self.awaits().is_some_and(|it| it <= bytes) {
            self.decode(now);
        }
        let count = self.frames.count();
        while self.ready < count && self.frames.end(self.ready) <= bytes {
            self.ready += 1;
        }
        self.go_on(now);
    }

    /// The next frame of the stream has come.
    fn decode(&mut self, now: Time) {
        let frame = self.frames.in_stream(self.decoded).expect("there is one more");
        self.decoded += 1;
        let Some(tolerance) = self.settings.reading.tolerance() else { return };
        let is_late = self.is_late(now, frame, tolerance);
        let [latest, before] = self.lost;
        let is_lost = is_late
            || match self.frames.picture(frame) {
                Picture::I => false,
                Picture::P => latest,
                Picture::B => latest || before,
            };
        if self.frames.picture(frame) != Picture::B {
            self.lost = [is_lost, latest];
        }
        self.discarded += u64::from(is_lost);
    }

    /// Whether it is too late to show a frame: its date is over, or the player paused after it.
    fn is_late(&self, now: Time, frame: usize, tolerance: Duration) -> bool {
        match self.state {
            State::Starting => false,
            State::Stalled { next, .. } => frame < next,
            State::Playing { .. } => self.date(frame).is_some_and(|it| it + tolerance < now),
        }
    }

    /// Plays if there is enough to play.
    fn go_on(&mut self, now: Time) {
        let next = match &mut self.state {
            State::Playing { .. } => return,
            State::Starting => 0,
            State::Stalled { since, next, has_come } => {
                if !*has_come && self.ready > *next {
                    *has_come = true;
                    let threshold = self.threshold + now.since(*since);
                    self.threshold = threshold.min(self.settings.maximum_threshold);
                }
                *next
            }
        };
        let buffered = self.frames.duration(self.ready) - self.frames.duration(next);
        if buffered < self.threshold && self.ready < self.frames.count() {
            return;
        }
        match self.state {
            State::Stalled { since, .. } => self.stalled += now.since(since),
            _ => self.startup = Some(now.since(self.requested)),
        }
        self.state = State::Playing { since: now, from: next };
    }

    /// The date of the first frame that is missing.
    pub fn wake(&mut self, now: Time) {
        let due = self.pauses_at().filter(|it| self.date(*it).is_some_and(|date| date <= now));
        if let Some(next) = due {
            self.underflows += 1;
            self.state = State::Stalled { since: now, next, has_come: false };
        }
    }

    /// It is left: nothing is counted from now on.
    pub fn stop(&mut self, now: Time) {
        self.stopped = self.stopped.min(now);
    }

    /// The media played by `now`.
    fn played(&self, now: Time) -> Duration {
        match self.state {
            State::Starting => Duration::ZERO,
            State::Stalled { next, .. } => self.frames.duration(next),
            State::Playing { since, from } => {
                let played = self.frames.duration(from) + now.min(self.stopped).since(since);
                played.min(self.frames.duration(self.frames.count()))
            }
        }
    }

    /// What it has counted by `now`.
    #[must_use]
    pub fn totals(&self, now: Time) -> PlayerTotals {
        let now = now.min(self.stopped);
        let waiting = match self.state {
            State::Stalled { since, .. } => now.since(since),
            _ => Duration::ZERO,
        };
        let played = self.played(now);
        let begun = |frame: &usize| self.frames.duration(*frame) < played;
        PlayerTotals {
            startup: self.startup,
            underflows: Some(self.underflows),
            stalled: Some(self.stalled + waiting),
            played: Some(played),
            frames: Some((0..self.frames.count()).take_while(begun).count() as u64),
            discarded: Some(self.discarded + self.missing(now)),
            ..PlayerTotals::default()
        }
    }

    /// Frames that have not come and are too late to be shown.
    fn missing(&self, now: Time) -> u64 {
        let Some(tolerance) = self.settings.reading.tolerance() else { return 0 };
        let rest = (self.decoded..).map_while(|it| self.frames.in_stream(it));
        rest.filter(|it| self.is_late(now, *it, tolerance)).count() as u64
    }

    /// How it stands at `now`.
    #[must_use]
    pub fn playback(&self, now: Time) -> Playback {
        let received = self.frames.duration(self.ready);
        let played = self.played(now);
        let total = self.frames.duration(self.frames.count());
        Playback {
            buffer: received - played.min(received),
            quality: None,
            is_playing: matches!(self.state, State::Playing { .. })
                && played < total
                && now < self.stopped,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use windtunnel_engine::Rate;

    use super::*;

    const GROUP: [Picture; 12] = {
        use Picture::{B, I, P};
        [I, B, B, P, B, B, P, B, B, P, B, B]
    };
    const VIDEO: u64 = 5_240_000;
    const REBUFFER: PlayoutSettings = PlayoutSettings {
        threshold: Duration::from_secs(1),
        maximum_threshold: Duration::from_secs(6),
        reading: LateFramePolicy::Rebuffer,
    };
    const DISCARD: PlayoutSettings = PlayoutSettings {
        reading: LateFramePolicy::Discard(Duration::from_millis(20)),
        ..REBUFFER
    };
    const BOTH: PlayoutSettings = PlayoutSettings {
        reading: LateFramePolicy::DiscardThenRebuffer(Duration::from_millis(20)),
        ..REBUFFER
    };

    fn frames(group: &[Picture], per_second: f64, seconds: f64) -> Arc<Frames> {
        let rate = Rate::from_bits_per_second(VIDEO).unwrap();
        Arc::new(Frames::of_rate(rate, per_second, group, (seconds * per_second) as usize))
    }

    fn at(seconds: f64) -> Time {
        Time::ZERO + Duration::from_seconds(seconds).unwrap()
    }

    /// Plays what comes as `received` says, in bytes at each millisecond, and calls `each` with
    /// the player then.
    fn play(
        mut playout: Playout,
        milliseconds: u64,
        received: impl Fn(u64) -> u64,
        mut each: impl FnMut(Time, &Playout),
    ) -> Playout {
        for millisecond in 1..=milliseconds {
            let now = Time::ZERO + Duration::from_millis(millisecond);
            while playout.next_wake() <= now {
                playout.wake(playout.next_wake());
            }
            playout.receive(now, received(millisecond));
            each(now, &playout);
        }
        playout
    }

    fn at_goodput(bps: u64) -> impl Fn(u64) -> u64 {
        move |millisecond| bps * millisecond / 8000
    }

    /// When the first underflow happens.
    fn first_underflow(goodput: u64) -> Option<f64> {
        // Frames of one size: the equation knows no groups.
        let playout = Playout::new(frames(&[Picture::I], 30.0, 180.0), REBUFFER, Time::ZERO);
        let mut first = None;
        play(playout, 200_000, at_goodput(goodput), |now, it| {
            if it.underflows == 1 {
                first.get_or_insert(now.as_seconds());
            }
        });
        first
    }

    #[test]
    fn the_first_underflow_is_when_the_equation_says() {
        for goodput in [2_000_000, 4_000_000, 4_680_000, 5_000_000] {
            let share = goodput as f64 / VIDEO as f64;
            let expected = 1.0 / (share * (1.0 - share));
            let first = first_underflow(goodput).expect("it comes too slowly");
            // A frame's media is there only when its last byte is: within 1/(1-r) frames.
            let frame = 1.0 / 30.0 / (1.0 - share) + 0.01;
            assert!((first - expected).abs() < frame, "{goodput}: {first} against {expected}");
        }
        assert!((first_underflow(4_680_000).unwrap() - 10.5).abs() < 0.4);
        for goodput in [VIDEO, 6_000_000] {
            assert_eq!(first_underflow(goodput), None);
        }
    }

    #[test]
    fn the_threshold_grows_by_what_a_frame_was_late_up_to_its_limit() {
        // Nothing comes from second 3 to second 5; two seconds are in the buffer then.
        let goodput = at_goodput(VIDEO);
        let received = |it: u64| goodput(it.min(3000) + it.saturating_sub(5000));
        let playout = Playout::new(frames(&[Picture::I], 25.0, 60.0), REBUFFER, Time::ZERO);
        let playout = play(playout, 20_000, received, |_, _| {});
        let totals = playout.totals(at(20.0));
        assert_eq!((totals.underflows, totals.startup), (Some(1), Some(Duration::from_secs(1))));
        // It is empty at 4 s, the frame comes at 5.04 s: θ is 2.04 s then, and it waits until
        // that has come, 2.04 s after 5 s.
        let stalled = totals.stalled.unwrap().as_seconds();
        assert!((stalled - 3.04).abs() < 0.002, "{stalled}");
        let played = totals.played.unwrap().as_seconds();
        assert!((played + stalled + 1.0 - 20.0).abs() < 1e-9, "{played}");
    }

    #[test]
    fn a_lost_reference_costs_the_rest_of_its_group() {
        // All comes in time but one frame, which is late by a second; what follows is in time.
        let late = |frame: usize| {
            let frames = frames(&GROUP, 10.0, 60.0);
            let mut playout = Playout::new(Arc::clone(&frames), DISCARD, Time::ZERO);
            let begin = frames.end(10);
            playout.receive(at(0.0), begin);
            for place in 0..frames.count() {
                let next = frames.in_stream(place).unwrap();
                if frames.end(next) > begin {
                    let delay = if next == frame { 1.0 } else { -0.5 };
                    playout.receive(at(next as f64 / 10.0 + delay), frames.end(next));
                }
            }
            playout.discarded
        };
        // The last B of a group; a P with the two B before it and what follows in its group, and
        // the two B that precede the next I; an I with its whole group and the two B before it.
        assert_eq!((late(50), late(57), late(60)), (1, 5, 14));
    }

    #[test]
    fn what_is_discarded_and_what_is_stalled_are_two_readings_of_one_lateness() {
        let goodput = at_goodput(4_680_000);
        let read = |settings| {
            let playout = Playout::new(frames(&GROUP, 30.0, 60.0), settings, Time::ZERO);
            play(playout, 100_000, &goodput, |_, _| {}).totals(at(100.0))
        };
        let (pausing, discarding) = (read(REBUFFER), read(DISCARD));
        assert!(pausing.underflows.unwrap() > 1 && pausing.discarded == Some(0));
        assert!(discarding.underflows == Some(0) && discarding.discarded.unwrap() > 1000);
        assert_eq!(discarding.stalled, Some(Duration::ZERO));
    }

    /// Nothing comes for some time, when a second of the video is there: it pauses where that is
    /// longer than two seconds, one for what is there and one for what it wants to be ahead by.
    #[test]
    fn one_player_discards_what_is_a_little_late_and_pauses_for_what_is_later() {
        let goodput = at_goodput(VIDEO);
        let silence = |milliseconds: u64| {
            let received =
                |it: u64| goodput(it.min(3_000) + it.saturating_sub(3_000 + milliseconds));
            let playout = Playout::new(frames(&[Picture::I], 25.0, 30.0), BOTH, Time::ZERO);
            play(playout, 20_000, received, |_, _| {}).totals(at(20.0))
        };
        let counted = |it: PlayerTotals| (it.underflows, it.discarded.unwrap() > 0);
        assert_eq!(counted(silence(900)), (Some(0), false));
        assert_eq!(counted(silence(1_900)), (Some(0), true));
        let paused = silence(3_000);
        // The frames of a second are skipped, and then it is as far ahead as it was.
        assert_eq!((paused.underflows, paused.discarded), (Some(1), Some(25)));
    }

    proptest! {
        #[test]
        fn time_is_played_or_stalled_from_the_start_on(
            goodputs in prop::collection::vec(0_u64..8_000_000, 1..20),
            settings in prop::sample::select(vec![REBUFFER, DISCARD, BOTH]),
        ) {
            let end = 1000 * goodputs.len() as u64;
            let sums: Vec<u64> = goodputs
                .iter()
                .flat_map(|it| std::iter::repeat_n(it / 8000, 1000))
                .scan(0, |sum, it| { *sum += it; Some(*sum) })
                .collect();
            let frames = frames(&GROUP, 30.0, 5.0);
            let playout = Playout::new(Arc::clone(&frames), settings, Time::ZERO);
            let mut last = Duration::ZERO;
            let mut is_monotone = true;
            let playout = play(playout, end, |it| sums[it as usize - 1], |now, it| {
                let played = it.played(now);
                is_monotone &= played >= last;
                last = played;
            });
            prop_assert!(is_monotone);
            let now = Time::ZERO + Duration::from_millis(end);
            let totals = playout.totals(now);
            let (played, stalled) = (totals.played.unwrap(), totals.stalled.unwrap());
            if let Some(startup) = totals.startup {
                let whole = frames.duration(frames.count());
                let all = startup + played + stalled;
                prop_assert!(all == now.since(Time::ZERO) || played == whole);
            } else {
                prop_assert_eq!(played, Duration::ZERO);
            }
            prop_assert!(totals.discarded <= Some(frames.count() as u64));
            prop_assert!(playout.threshold <= settings.maximum_threshold);
        }
    }
}
