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
    /// Which of the flow's transfers it is: see [`Completed`](windtunnel_applications::Completed).
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

/// The least time that a flow's transfers can take, were they alone.
///
/// A file of `s` bytes takes at least a round trip of packets without data (the
/// handshake), and then `Σ delay + Σ_{before i} first/C + 8 (s + headers)/C_i +
/// Σ_{behind i} last/C`, where link `i` is the one that makes this longest
/// (usually the narrowest), and the two sums are what storing and forwarding the
/// first and the last packet costs on the other links. An answer takes at least
/// that, with the time of its request, in place of the handshake's round trip
/// unless it is the connection's first. What is sent when it is there takes at least that
/// without a request.
///
/// Over several paths, each carries data from when its first byte can be there, at the rate of
/// its narrowest link; requests and the handshake take the quickest.
#[derive(Clone, Debug)]
pub(crate) struct Ideal {
    /// Of each path, there and back.
    paths: Box<[[Path; 2]]>,
    maximum_segment: u64,
    headers: u32,
}

impl Ideal {
    /// For the flow between two nodes that these paths join, there and back.
    pub(crate) fn new(
        plan: &Plan,
        paths: impl Iterator<Item = [Vec<PortId>; 2]>,
        settings: &TcpSettings,
    ) -> Self {
        Self {
            paths: paths.map(|it| it.map(|it| Path::new(plan, &it))).collect(),
            maximum_segment: u64::from(settings.maximum_segment),
            headers: headers(settings),
        }
    }

    /// A round trip of packets without data.
    fn handshake(&self) -> Duration {
        self.quickest(0, 0) + self.quickest(1, 0)
    }

    /// All on the path on which it takes least; there or back.
    fn quickest(&self, direction: usize, bytes: u64) -> Duration {
        let each = self.paths.iter().map(|it| self.one_way(&it[direction], bytes));
        each.min().unwrap_or(Duration::ZERO)
    }

    fn one_way(&self, path: &Path, bytes: u64) -> Duration {
        path.least(bytes, self.maximum_segment, self.headers)
    }

    /// The data of the flow, on all paths together.
    fn data(&self, bytes: u64) -> Duration {
        let alone = self.quickest(0, bytes);
        if self.paths.len() < 2 {
            return alone;
        }
        let full = self.maximum_segment + u64::from(self.headers);
        let share = self.maximum_segment as f64 / full as f64;
        let start_and_rate = |[there, _]: &[Path; 2]| {
            let narrowest = there.links.iter().map(|it| it.0.bits_per_second()).min();
            let rate = narrowest.unwrap_or(u64::MAX) as f64 / 8.0 * share;
            (self.one_way(there, 1).as_seconds(), rate)
        };
        let mut paths: Vec<(f64, f64)> = self.paths.iter().map(start_and_rate).collect();
        paths.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Those that have begun by then carry all.
        let (mut rates, mut before, mut least) = (0.0, 0.0, f64::INFINITY);
        for (start, rate) in paths {
            rates += rate;
            before += rate * start;
            least = least.min((bytes as f64 + before) / rates);
        }
        Duration::from_seconds(least).unwrap_or(alone).min(alone)
    }

    /// For a file over a new connection.
    pub(crate) fn file(&self, bytes: u64) -> Duration {
        self.handshake() + self.data(bytes)
    }

    /// For an answer and its request.
    pub(crate) fn exchange(&self, request: u64, response: u64, first: bool) -> Duration {
        let handshake = if first { self.handshake() } else { Duration::ZERO };
        handshake + self.quickest(1, request) + self.data(response)
    }

    /// For what is sent when it is there.
    pub(crate) fn message(&self, bytes: u64, first: bool) -> Duration {
        if first { self.file(bytes) } else { self.data(bytes) }
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

    /// Two paths of 1 Mbps and 10 ms: twice as fast as one, except for the first packet.
    #[test]
    fn several_paths_carry_data_together() {
        let paths = vec![[path(&[1]), path(&[1])], [path(&[1]), path(&[1])]].into();
        let both = Ideal { paths, maximum_segment: 960, headers: 40 };
        let one = Ideal { paths: both.paths[..1].into(), ..both.clone() };
        let [one, both] = [one, both].map(|it| it.data(960_000).as_seconds());
        assert!((one - 8.010).abs() < 1e-9, "{one}");
        assert!(both > 4.0 && both < 4.03, "{both}");
    }

    #[test]
    fn many_packets_wait_for_the_narrowest_link() {
        // Ten packets of 1000 bytes, the last of 540: 40 ms on the wide links.
        let least = path(&[2, 1, 2]).least(9 * 960 + 500, 960, 40);
        let micros = 10_000 + 4_000 + (9 * 8_000 + 4_320) + 2_160;
        assert_eq!(least, Duration::from_micros(micros));
    }
}
