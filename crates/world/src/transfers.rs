//! Finished transfers, and the least time that each could have taken.

use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_transports::tcp::TcpSettings;

use crate::plan::Plan;
use crate::port_id::PortId;

/// A file, an answer or a frame that was received to its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transfer {
    /// The flow's place in the plan.
    pub flow: u32,
    /// How many of the flow's transfers were finished before.
    pub number: u64,
    /// Its bytes.
    pub bytes: u64,
    /// When it began: its connection was opened, its request was written, or it was.
    pub start: Time,
    /// How long it took, until its last byte was received in order.
    pub completion: Duration,
    /// The least that it could have taken: see `Ideal`.
    pub ideal: Duration,
}

/// The bytes of IP and TCP headers in a packet with data.
#[must_use]
pub fn headers(settings: &TcpSettings) -> u32 {
    u32::from(settings.headers())
}

/// A flow's path in one direction.
#[derive(Clone, Debug)]
struct Path {
    /// The sum of the propagation delays.
    delay: Duration,
    /// Each link's rate, and what its framing adds to a packet.
    links: Box<[(Rate, u32)]>,
}

impl Path {
    fn new(plan: &Plan, ports: &[PortId]) -> Self {
        let directions = || ports.iter().map(|it| plan.direction(*it));
        Self {
            delay: directions().fold(Duration::ZERO, |sum, it| sum + it.delay),
            links: directions().map(|it| (it.rate, it.overhead)).collect(),
        }
    }

    /// The least time for `bytes` of data, with `headers` in each packet: the
    /// propagation, and for the link that makes it longest the time of the first
    /// packet up to there, of all packets on it, and of the last packet from there.
    fn least(&self, bytes: u64, maximum_segment: u64, headers: u32) -> Duration {
        let packets = bytes.div_ceil(maximum_segment).max(1);
        let last = (bytes - (packets - 1) * maximum_segment) as u32 + headers;
        let full = maximum_segment as u32 + headers;
        let first = if packets == 1 { last } else { full };
        let mut before = Duration::ZERO;
        let time =
            |&(rate, overhead): &(Rate, u32), size: u32| rate.transmission_time(size + overhead);
        let mut behind = self.links.iter().fold(Duration::ZERO, |sum, it| sum + time(it, last));
        let mut longest = Duration::ZERO;
        for link in &self.links {
            behind = behind - time(link, last);
            let all = time(link, full) * (packets - 1) + time(link, last);
            longest = longest.max(before + all + behind);
            before += time(link, first);
        }
        self.delay + longest
    }
}

/// The least time that a flow's transfers can take, were they alone: on a path, or on the
/// first of several that carry data together.
///
/// A file of `s` bytes takes at least a round trip of packets without data (the
/// handshake), and then `Σ delay + Σ_{before i} first/C + 8 (s + headers)/C_i +
/// Σ_{behind i} last/C`, where link `i` is the one that makes this longest
/// (usually the narrowest), and the two sums are what storing and forwarding the
/// first and the last packet costs on the other links. An answer takes at least
/// that, with the time of its request, in place of the handshake's round trip
/// unless it is the connection's first. What is sent when it is there takes at least that
/// without a request.
#[derive(Clone, Debug)]
pub(crate) struct Ideal {
    there: Path,
    back: Path,
    maximum_segment: u64,
    headers: u32,
}

impl Ideal {
    /// For the flow between two nodes that are joined.
    pub(crate) fn new(
        plan: &Plan,
        there: &[PortId],
        back: &[PortId],
        settings: &TcpSettings,
    ) -> Self {
        Self {
            there: Path::new(plan, there),
            back: Path::new(plan, back),
            maximum_segment: u64::from(settings.maximum_segment),
            headers: headers(settings),
        }
    }

    /// A round trip of packets without data.
    fn handshake(&self) -> Duration {
        self.one_way(&self.there, 0) + self.one_way(&self.back, 0)
    }

    fn one_way(&self, path: &Path, bytes: u64) -> Duration {
        path.least(bytes, self.maximum_segment, self.headers)
    }

    /// For a file over a new connection.
    pub(crate) fn file(&self, bytes: u64) -> Duration {
        self.handshake() + self.one_way(&self.there, bytes)
    }

    /// For an answer and its request.
    pub(crate) fn exchange(&self, request: u64, response: u64, first: bool) -> Duration {
        let handshake = if first { self.handshake() } else { Duration::ZERO };
        handshake + self.one_way(&self.back, request) + self.one_way(&self.there, response)
    }

    /// For what is sent when it is there.
    pub(crate) fn message(&self, bytes: u64, first: bool) -> Duration {
        if first { self.file(bytes) } else { self.one_way(&self.there, bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(rates: &[u64]) -> Path {
        let rate = |it: &u64| Rate::from_bits_per_second(it * 1_000_000).unwrap();
        let links = rates.iter().map(|it| (rate(it), 0)).collect();
        Path { delay: Duration::from_millis(10), links }
    }

    #[test]
    fn one_packet_is_stored_and_forwarded_on_every_link() {
        // 1000 bytes: 8 ms at 1 Mbps, 4 ms at 2 Mbps.
        let least = path(&[1, 2, 1]).least(960, 1448, 40);
        assert_eq!(least, Duration::from_millis(10 + 8 + 4 + 8));
    }

    #[test]
    fn many_packets_wait_for_the_narrowest_link() {
        // Ten packets of 1000 bytes, the last of 540: 40 ms on the wide links.
        let least = path(&[2, 1, 2]).least(9 * 960 + 500, 960, 40);
        let micros = 10_000 + 4_000 + (9 * 8_000 + 4_320) + 2_160;
        assert_eq!(least, Duration::from_micros(micros));
    }
}
