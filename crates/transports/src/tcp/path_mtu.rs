//! How large a segment may be on a path: packetization layer path MTU discovery (RFC 4821; RFC
//! 8899), as a state machine without a network.
//!
//! Sizes are bytes of data in a segment. Where timeouts follow each other the size is lowered to
//! one that nearly all paths carry; from there it is raised by probes, segments that are larger:
//! the largest size first, then the middle between what is carried and what is not. A lost probe
//! means that its size is not carried (RFC 4821, section 7.6.2), and nothing else.

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ip::IpVersion;

use super::settings::TcpSettings;

/// The least bytes of data that a segment is cut to because a link carries no larger one: as
/// Linux's `tcp_min_snd_mss`.
pub(super) const LEAST_SEGMENT: u16 = 48;

/// A size is given up with this timeout of the same first byte, after three retransmissions, and a
/// smaller one with each further: R1 of RFC 9293, section 3.8.3, as in Linux (`tcp_retries1`).
const TIMEOUTS: u8 = 4;
/// The search is over when what is carried and what is not are this close, in bytes: as Linux's
/// `tcp_probe_threshold`.
const CLOSE: u16 = 8;
/// When the largest size is tried again after a search: PMTU_RAISE_TIMER of RFC 8899, section
/// 5.1.1.
const RAISE: Duration = Duration::from_secs(600);

/// The packet that nearly all paths carry, in bytes: BASE_PLPMTU of RFC 8899, section 5.1.2, and
/// over IPv6 what all links carry (RFC 8200, section 5).
fn base(version: IpVersion) -> u16 {
    match version {
        IpVersion::V4 => 1200,
        IpVersion::V6 => 1280,
    }
}

/// A probe in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct MtuProbe {
    /// The place of its first part on the scoreboard, where it has two, as it goes again.
    pub(super) number: u32,
    /// Its first byte.
    pub(super) start: u64,
    /// Its bytes of data.
    pub(super) length: u16,
}

/// What is known of a path.
#[derive(Clone, Debug)]
pub(super) struct PathMtu {
    /// The largest that both ends take.
    most: u16,
    /// What is sent, and the smallest that is known not to arrive; one more than `most`, if none.
    carried: u16,
    too_large: u16,
    probe: Option<MtuProbe>,
    /// When the largest size is tried again, once the search is over.
    raise_at: Time,
    /// Timeouts of the same segment.
    timeouts: u8,
    /// What `carried` has become, until that is taken.
    news: Option<u16>,
}

impl PathMtu {
    /// A path of which nothing is known; both ends take segments of that size.
    pub(super) fn new(most: u16) -> Self {
        Self {
            most,
            carried: most,
            too_large: most + 1,
            probe: None,
            raise_at: Time::ZERO,
            timeouts: 0,
            news: None,
        }
    }

    /// The size of segments from now on, if it has changed.
    pub(super) fn take_news(&mut self) -> Option<u16> {
        self.news.take()
    }

    /// A router says that the path carries no more.
    pub(super) fn limit(&mut self, now: Time, size: u16) {
        (self.carried, self.too_large) = (size, size + 1);
        self.raise_at = now + RAISE;
    }

    /// A segment with `length` bytes of data timed out, for the first time or again.
    pub(super) fn time_out(&mut self, is_first: bool, length: u16, settings: &TcpSettings) {
        self.timeouts = if is_first { 1 } else { self.timeouts.saturating_add(1) };
        let Some(smaller) = self.smaller(settings).filter(|it| *it < length) else { return };
        if self.timeouts >= TIMEOUTS {
            (self.carried, self.news) = (smaller, Some(smaller));
        }
    }

    /// The next smaller size to fall back to: over IPv4 half of the one before at last.
    fn smaller(&self, settings: &TcpSettings) -> Option<u16> {
        let (base, headers) = (base(settings.ip), settings.headers());
        let packet = self.carried + headers;
        match settings.ip {
            _ if packet > base => Some(base - headers),
            IpVersion::V4 => Some((packet / 2).saturating_sub(headers)),
            IpVersion::V6 => None,
        }
        .filter(|it| *it >= LEAST_SEGMENT)
    }

    // -- Probes -------------------------------------------------------------

    /// The size that is to be tried next, if any: not more than two segments.
    pub(super) fn next(&mut self, now: Time) -> Option<u16> {
        if self.carried >= self.most || self.probe.is_some() {
            return None;
        }
        if self.is_found() {
            if now < self.raise_at {
                return None;
            }
            self.too_large = self.most + 1;
        }
        let untried = self.too_large > self.most;
        let size = if untried { self.most } else { self.carried.midpoint(self.too_large) };
        Some(size.min(self.carried.saturating_mul(2)))
    }

    fn is_found(&self) -> bool {
        self.too_large - self.carried <= CLOSE
    }

    pub(super) fn probe(&self) -> Option<&MtuProbe> {
        self.probe.as_ref()
    }

    pub(super) fn send(&mut self, probe: MtuProbe) {
        self.probe = Some(probe);
    }

    /// The probe has arrived.
    pub(super) fn carry(&mut self, now: Time) {
        if let Some(probe) = self.probe.take() {
            (self.carried, self.news) = (probe.length, Some(probe.length));
            self.raise_at = now + RAISE;
        }
    }

    /// The probe was lost.
    pub(super) fn fail(&mut self, now: Time) {
        if let Some(probe) = self.probe.take() {
            self.too_large = probe.length;
            self.raise_at = now + RAISE;
        }
    }

    /// What was in flight is sent anew: what becomes of the probe is not known.
    pub(super) fn forget_probe(&mut self) {
        self.probe = None;
    }
}
