//! A packet on a link.

use windtunnel_engine::{Handle, Time};
use windtunnel_links::{Fate, Outcome};

/// A packet that is, or will be, on the link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transit {
    pub(super) packet: Handle,
    /// [`Time::NEVER`] while the link is down, and after the end of its trace.
    pub(super) starts: Time,
    /// If it starts never: until when its waiting has been counted. Never, if its transmission
    /// has begun and is interrupted.
    pub(super) arrives: Time,
    /// Bytes on the wire, framing included.
    pub(super) size: u32,
    /// The physical layer's attempts to get it across, and whether it begins a
    /// transmission there.
    pub(super) attempts: u32,
    pub(super) begins: bool,
    pub(super) fate: Fate,
}

impl Transit {
    /// One that uses the link once, from `starts` on, and arrives at a known time.
    #[inline]
    pub(super) fn once(
        packet: Handle,
        size: u32,
        [starts, arrives]: [Time; 2],
        fate: Fate,
    ) -> Self {
        Self { packet, starts, arrives, size, attempts: 1, begins: true, fate }
    }

    /// The bytes on the wire, each attempt counted.
    pub(super) fn bytes(&self) -> u64 {
        u64::from(self.size) * u64::from(self.attempts)
    }

    /// How the physical layer gets it across.
    pub(super) fn outcome(&self) -> Outcome {
        Outcome { attempts: self.attempts, begins: self.begins, lost: self.fate == Fate::Lost }
    }

    /// Whether it has left by `now`, and is at the other end.
    #[inline]
    pub(super) fn has_arrived(&self, now: Time) -> bool {
        (self.starts <= now) & (self.arrives <= now)
    }

    /// Whether its transmission has begun, and goes on when the link sends again.
    pub(super) fn is_interrupted(&self) -> bool {
        self.starts != Time::NEVER && self.arrives == Time::NEVER
    }

    /// Until when its waiting has been counted.
    #[inline]
    pub(super) fn counted(&self) -> Time {
        if self.starts == Time::NEVER { self.arrives } else { self.starts }
    }
}
