//! When an end of a WireGuard tunnel may send, and when it begins a handshake.
//!
//! Donenfeld, "WireGuard: Next Generation Kernel Network Tunnel", NDSS 2017, sections 5.4
//! and 6.

use windtunnel_engine::{Duration, Time};

/// After this time the end that began a session begins another one, when it sends.
pub(super) const REKEY_AFTER: Duration = Duration::from_secs(120);
/// After this time nothing is sent in a session.
pub(super) const REJECT_AFTER: Duration = Duration::from_secs(180);
/// So long an end waits for the answer to a handshake before it begins again.
pub(super) const RETRY_AFTER: Duration = Duration::from_secs(5);

/// A session in which an end may send.
#[derive(Clone, Copy, Debug)]
struct Agreed {
    since: Time,
    /// Whether this end began it.
    is_own: bool,
}

/// What an end knows of its sessions.
#[derive(Clone, Debug, Default)]
pub(super) struct Session {
    agreed: Option<Agreed>,
    /// When it began a handshake, if that has no answer.
    initiated: Option<Time>,
    /// When it answered one, if nothing has arrived since.
    responded: Option<Time>,
}

impl Session {
    /// Whether there is a session that is not too old.
    pub(super) fn may_send(&self, now: Time) -> bool {
        self.agreed.is_some_and(|it| now < it.since + REJECT_AFTER)
    }

    /// Whether an end that sends at `now` is to begin a handshake.
    pub(super) fn needs_handshake(&self, now: Time) -> bool {
        let is_fresh =
            |it: Agreed| now < it.since + if it.is_own { REKEY_AFTER } else { REJECT_AFTER };
        self.initiated.is_none() && !self.agreed.is_some_and(is_fresh)
    }

    /// The end begins a handshake.
    pub(super) fn initiate(&mut self, now: Time) {
        self.initiated = Some(now);
    }

    /// When it begins again, if there is no answer before.
    pub(super) fn retries_at(&self) -> Time {
        self.initiated.map_or(Time::NEVER, |it| it + RETRY_AFTER)
    }

    /// It answers a handshake.
    pub(super) fn respond(&mut self, now: Time) {
        self.responded = Some(now);
    }

    /// An answer arrives; returns whether there is a session by it.
    pub(super) fn complete(&mut self, now: Time) -> bool {
        let is_asked = self.initiated.take().is_some();
        if is_asked {
            self.agreed = Some(Agreed { since: now, is_own: true });
        }
        is_asked
    }

    /// Something arrives in a session; returns whether it is the first thing after an answer.
    pub(super) fn confirm(&mut self) -> bool {
        let Some(since) = self.responded.take() else { return false };
        // Both ends may have begun at once: then each keeps its own.
        if self.agreed.is_none_or(|it| it.since < since) {
            self.agreed = Some(Agreed { since, is_own: false });
            self.initiated = None;
        }
        true
    }
}
