//! What is read of a player.

use windtunnel_engine::{Duration, Time};

/// What a player has counted; what a kind of player does not have is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayerTotals {
    /// From the request to the first frame played; none before.
    pub startup: Option<Duration>,
    /// How often nothing was left to play.
    pub underflows: Option<u64>,
    /// How long it waited then.
    pub stalled: Option<Duration>,
    /// The media played.
    pub played: Option<Duration>,
    /// Frames of which the date has passed: of being shown, or of live ones of being made.
    pub frames: Option<u64>,
    /// Of them, those that were not shown: late themselves, or without a frame that they refer to.
    pub discarded: Option<u64>,
    /// Live frames that came later than their deadline, or not by then.
    pub late: Option<u64>,
    /// Segments received.
    pub segments: Option<u64>,
    /// The mean bitrate of the segments played, in bits per second.
    pub quality: Option<f64>,
    /// Changes of level from one segment played to the next.
    pub switches: Option<u64>,
    /// The quality of experience of a segment, on average: see [`super::Experience`].
    pub experience: Option<f64>,
}

/// A player at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playback {
    /// The media received and not played.
    pub buffer: Duration,
    /// The bitrate of the segment that is played, in bits per second; none of a player without
    /// levels, and before the first segment.
    pub quality: Option<f64>,
    /// Whether it plays.
    pub is_playing: bool,
}

/// A segment that was received.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Its level, from 0.
    pub level: usize,
    /// The level's bitrate, in bits per second.
    pub bitrate: f64,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was requested.
    pub requested: Time,
    /// From the request to its last byte.
    pub download: Duration,
    /// The media in the buffer with it.
    pub buffer: Duration,
    /// How long the player had been waiting for it with nothing to play.
    pub stalled: Duration,
}

/// A player, as it is read from outside.
pub trait Player {
    /// What it has counted by `now`.
    fn totals(&self, now: Time) -> PlayerTotals;

    /// How it stands at `now`; none if it has no buffer.
    fn playback(&self, now: Time) -> Option<Playback>;

    /// The segments received, in order; none where there are no segments.
    fn segments(&self) -> &[Segment] {
        &[]
    }
}
