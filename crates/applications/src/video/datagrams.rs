//! Live frames in datagrams: the bytes of a frame leave at its date, in as few datagrams as hold
//! them, and it has come when all of those have, in whatever order.

use windtunnel_engine::Time;

use super::live::made_before;
use super::{LiveSettings, Playback, Player, PlayerTotals};
use crate::{Before, Completed};

/// What a source sends next.
#[derive(Clone, Debug)]
pub(crate) struct FrameSchedule {
    settings: LiveSettings,
    payload: u16,
    start: Time,
    /// The frame, and the bytes of the stream that were sent.
    frame: usize,
    sent: u64,
}

impl FrameSchedule {
    pub(crate) fn new(settings: LiveSettings, payload: u16, start: Time) -> Self {
        Self { settings, payload, start, frame: 0, sent: 0 }
    }

    /// The frames of which a datagram has left.
    pub(crate) fn begun(&self) -> u64 {
        let frames = &self.settings.frames;
        let before = if self.frame == 0 { 0 } else { frames.end(self.frame - 1) };
        self.frame as u64 + u64::from(self.sent > before)
    }

    /// The bytes of the datagram that leaves now, and when the next one does.
    pub(crate) fn send(&mut self) -> (u16, Time) {
        let frames = &self.settings.frames;
        let left = frames.end(self.frame) - self.sent;
        let length = left.min(u64::from(self.payload));
        self.sent += length;
        self.frame += usize::from(length == left);
        let next = match self.frame < frames.count() {
            true => self.start + frames.duration(self.frame),
            false => Time::NEVER,
        };
        (length as u16, next)
    }
}

/// Puts frames together.
#[derive(Clone, Debug)]
pub(crate) struct FrameSink {
    settings: LiveSettings,
    start: Time,
    /// For each frame the first datagram after it, and how many of its own are missing.
    ends: Box<[u64]>,
    missing: Box<[u32]>,
    /// Frames that came after their deadline.
    late: u64,
}

impl FrameSink {
    pub(crate) fn new(settings: LiveSettings, payload: u16, start: Time) -> Self {
        let frames = &settings.frames;
        let size = |frame| frames.end(frame) - if frame == 0 { 0 } else { frames.end(frame - 1) };
        let datagrams = |frame| size(frame).div_ceil(u64::from(payload));
        let missing: Box<[u32]> = (0..frames.count()).map(|it| datagrams(it) as u32).collect();
        let ends = missing.iter().scan(0, |sum, it| {
            *sum += u64::from(*it);
            Some(*sum)
        });
        Self { ends: ends.collect(), missing, settings, start, late: 0 }
    }

    /// A datagram has come for the first time; returns its frame if that is whole now.
    pub(crate) fn receive(&mut self, now: Time, datagram: u64) -> Option<Completed> {
        let frame = self.ends.partition_point(|end| *end <= datagram);
        let missing = self.missing.get_mut(frame).filter(|it| **it > 0)?;
        *missing -= 1;
        if *missing > 0 {
            return None;
        }
        let frames = &self.settings.frames;
        let start = self.start + frames.duration(frame);
        self.late += u64::from(now.since(start) > self.settings.deadline);
        let before = if frame == 0 { 0 } else { frames.end(frame - 1) };
        let bytes = frames.end(frame) - before;
        let number = frame as u64;
        Some(Completed { number, bytes, start, before: Before::Nothing })
    }
}

impl Player for FrameSink {
    fn totals(&self, now: Time) -> PlayerTotals {
        let LiveSettings { frames, deadline } = &self.settings;
        let made = made_before(frames, self.start, now);
        let is_late = |frame: &usize| {
            self.missing[*frame] > 0 && self.start + frames.duration(*frame) + *deadline < now
        };
        PlayerTotals {
            frames: Some(made as u64),
            late: Some(self.late + (0..made).filter(is_late).count() as u64),
            ..PlayerTotals::default()
        }
    }

    fn playback(&self, _now: Time) -> Option<Playback> {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use windtunnel_engine::Duration;

    use super::*;
    use crate::video::{Frames, Picture};

    #[test]
    fn frames_leave_at_their_dates_and_are_whole_in_any_order() {
        let frames = Frames::of_sizes(&[2500, 1000, 1], 1.0, 10.0, &[Picture::I]);
        let deadline = Duration::from_millis(50);
        let settings = LiveSettings { frames: Arc::new(frames), deadline };
        let mut schedule = FrameSchedule::new(settings.clone(), 1000, Time::ZERO);
        let at = |milliseconds| Time::ZERO + Duration::from_millis(milliseconds);
        let sent: Vec<_> = (0..5).map(|_| (schedule.begun(), schedule.send())).collect();
        let (begun, sent): (Vec<_>, Vec<_>) = sent.into_iter().unzip();
        assert_eq!((begun, schedule.begun()), (vec![0, 1, 1, 1, 2], 3));
        let expected = [(1000, 0), (1000, 0), (500, 100), (1000, 200)];
        assert_eq!(sent[..4], expected.map(|(length, next)| (length, at(next))));
        assert_eq!(sent[4], (1, Time::NEVER));
        let mut sink = FrameSink::new(settings, 1000, Time::ZERO);
        assert_eq!(sink.receive(at(10), 2), None);
        // The second frame comes before the first is whole.
        let second = sink.receive(at(130), 3).unwrap();
        assert_eq!((second.bytes, second.start), (1000, at(100)));
        assert_eq!(sink.receive(at(131), 0), None);
        assert_eq!(sink.receive(at(132), 1).map(|it| it.bytes), Some(2500));
        // The first is late, the third has never come.
        assert_eq!(sink.totals(at(240)).late, Some(1));
        assert_eq!(sink.totals(at(260)).late, Some(2));
        assert_eq!(sink.totals(at(260)).frames, Some(3));
        assert_eq!(sink.receive(at(300), 99), None);
    }
}
