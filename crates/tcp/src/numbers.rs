//! Numbers as they are on the wire. A connection's own begin with 0, its clock with that of the
//! program; on the wire both begin where nobody can guess (RFC 9293, section 3.4.1; RFC 6528; RFC
//! 7323, section 7.1).

use std::hash::{Hash, Hasher};
use std::net::SocketAddr;

use siphasher::sip::SipHasher13;
use windtunnel_engine::Time;
use windtunnel_packets::tcp::{Flags, Segment};

/// What the first numbers of connections are made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Secret(pub(crate) [u64; 2]);

impl Secret {
    /// A number for those two ends that nobody knows who does not know the secret.
    pub(crate) fn number(self, purpose: u8, ends: [SocketAddr; 2]) -> u64 {
        let mut hasher = SipHasher13::new_with_keys(self.0[0], self.0[1]);
        (purpose, ends).hash(&mut hasher);
        hasher.finish()
    }
}

/// The purposes of numbers.
const SEQUENCE: u8 = 0;
const CLOCK: u8 = 1;

/// What the numbers of a connection begin with on the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    /// The number of the own SYN, and that of the peer's.
    pub(crate) own: u32,
    pub(crate) peer: u32,
    /// What is added to the clock.
    clock: u32,
}

impl Numbers {
    /// Of a connection that is opened now between these ends.
    pub(crate) fn new(now: Time, secret: Secret, ends: [SocketAddr; 2]) -> Self {
        // One every four microseconds (RFC 6528, section 3).
        let ticks = (now.as_nanos() / 4_000) as u32;
        Self {
            own: (secret.number(SEQUENCE, ends) as u32).wrapping_add(ticks),
            peer: 0,
            clock: secret.number(CLOCK, ends) as u32,
        }
    }

    /// A segment of the peer's with the connection's numbers.
    pub(crate) fn inside(&self, segment: &Segment) -> Segment {
        let mut segment = *segment;
        segment.renumber(self.peer.wrapping_neg(), self.own.wrapping_neg());
        if segment.flags.has(Flags::TIMESTAMPS) {
            segment.echo = segment.echo.wrapping_sub(self.clock);
        }
        segment
    }

    /// One of the connection's with the numbers of the wire.
    pub(crate) fn outside(&self, segment: &Segment) -> Segment {
        let mut segment = *segment;
        segment.renumber(self.own, self.peer);
        if segment.flags.has(Flags::TIMESTAMPS) {
            segment.timestamp = segment.timestamp.wrapping_add(self.clock);
        }
        segment
    }
}
