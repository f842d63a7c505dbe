//! UDP: datagrams without any answer (RFC 768), from a source that sends at a
//! constant rate, always or in on-off periods, or live frames, to a sink that counts them.

use windtunnel_engine::{Duration, InterarrivalJitter, Random, Rate, Time};
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::udp::{Datagram, HEADER};
use windtunnel_packets::{Body, Dscp, Ecn, Packet, Route};

use crate::video::{FrameSchedule, FrameSink, LiveSettings, Player};
use crate::{Completed, DelayPercentiles, Delays, OnOffPeriods};

/// How a source sends.
#[derive(Clone, Debug)]
pub struct UdpSettings {
    /// The version of IP below.
    pub ip: IpVersion,
    /// The class of its packets.
    pub dscp: Dscp,
    /// The most bytes that a datagram carries.
    pub payload: u16,
    /// What it sends.
    pub workload: UdpWorkload,
}

/// What a source sends.
#[derive(Clone, Debug)]
pub enum UdpWorkload {
    /// Full datagrams at a constant rate.
    Rate {
        /// The rate of what they carry, without headers, while it sends.
        rate: Rate,
        /// When it sends; always, if there are none.
        on_off: Option<OnOffPeriods>,
        /// Whether datagrams become as small as the path needs (path MTU discovery, RFC 8085,
        /// section 3.2).
        discovers_mtu: bool,
    },
    /// Live frames, each when it is made.
    Frames(LiveSettings),
}

impl UdpSettings {
    /// Full datagrams at a constant rate, all the time.
    #[must_use]
    pub fn of_rate(ip: IpVersion, rate: Rate, payload: u16) -> Self {
        let workload = UdpWorkload::Rate { rate, on_off: None, discovers_mtu: false };
        Self { ip, dscp: Dscp::DEFAULT, payload, workload }
    }
}

/// A source of datagrams.
#[derive(Clone, Debug)]
pub struct UdpSource {
    flow: u32,
    ip: IpVersion,
    dscp: Dscp,
    schedule: Schedule,
    sequence: u64,
    next: Time,
}

/// What a source sends next, and when.
#[derive(Clone, Debug)]
enum Schedule {
    Rate(RateSchedule),
    Frames(FrameSchedule),
}

/// Datagrams at a constant rate.
///
/// While it sends, datagram `k` of a period (from 0), or since datagrams became smaller, leaves
/// `8 k payload / rate` after its beginning, each rounded by itself, so that the rate is exact over
/// any time. A datagram that does not fit into a period is not sent later.
#[derive(Clone, Debug)]
struct RateSchedule {
    rate: Rate,
    payload: u16,
    on_off: Option<OnOffPeriods>,
    discovers_mtu: bool,
    random: Random,
    /// When this period of sending began, how many datagrams it has had, and when
    /// it ends.
    began: Time,
    in_period: u64,
    ends: Time,
}

impl UdpSource {
    /// The source of a flow that sends its first datagram at `start`.
    #[must_use]
    pub fn new(flow: u32, settings: &UdpSettings, start: Time, random: Random) -> Self {
        let &UdpSettings { ip, dscp, payload, .. } = settings;
        let schedule = match &settings.workload {
            &UdpWorkload::Rate { rate, on_off, discovers_mtu } => {
                let schedule = RateSchedule::new(rate, payload, on_off, start, random);
                Schedule::Rate(RateSchedule { discovers_mtu, ..schedule })
            }
            UdpWorkload::Frames(it) => {
                Schedule::Frames(FrameSchedule::new(it.clone(), payload, start))
            }
        };
        Self { flow, ip, dscp, schedule, sequence: 0, next: start }
    }

    /// When the next datagram leaves.
    #[inline]
    #[must_use]
    pub fn next_wake(&self) -> Time {
        self.next
    }

    /// Begins now, and no datagram was due before: at a rate, the first one leaves now.
    pub fn begin(&mut self, now: Time) {
        self.next = now;
        if let Schedule::Rate(schedule) = &mut self.schedule {
            schedule.begin(now);
        }
    }

    /// Datagrams sent so far.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.sequence
    }

    /// Frames of which a datagram was sent.
    #[must_use]
    pub fn frames_begun(&self) -> u64 {
        match &self.schedule {
            Schedule::Rate(_) => 0,
            Schedule::Frames(it) => it.begun(),
        }
    }

    /// A datagram of that length was dropped because it had this many bytes more than a link
    /// carries. Those that follow are as much smaller, if the source discovers the path's MTU;
    /// frames are not cut anew.
    pub fn shrink(&mut self, length: u16, excess: u16) {
        let Schedule::Rate(schedule) = &mut self.schedule else { return };
        let fits = length.saturating_sub(excess);
        if schedule.discovers_mtu && (1..schedule.payload).contains(&fits) {
            schedule.payload = fits;
            // The next datagram leaves when its data are made.
            (schedule.began, schedule.in_period) = (self.next, 0);
        }
    }

    /// The datagram that leaves at [`UdpSource::next_wake`].
    #[inline]
    pub fn send(&mut self, now: Time) -> Packet {
        let (length, next) = match &mut self.schedule {
            Schedule::Rate(it) => (it.payload, it.advance()),
            Schedule::Frames(it) => it.send(),
        };
        let (flow, dscp, sequence) = (self.flow, self.dscp, self.sequence);
        let datagram = Datagram { flow, length, dscp, sequence, sent: now, path: 0, content: None };
        self.sequence += 1;
        self.next = next;
        Packet {
            body: Body::Datagram(datagram),
            ecn: Ecn::NotCapable,
            network_size: self.ip.header() + HEADER + length,
            hops: 0,
            route: Route::default(),
        }
    }
}

impl RateSchedule {
    fn new(
        rate: Rate,
        payload: u16,
        on_off: Option<OnOffPeriods>,
        start: Time,
        random: Random,
    ) -> Self {
        let mut schedule = Self {
            rate,
            payload,
            on_off,
            discovers_mtu: false,
            random,
            began: start,
            in_period: 0,
            ends: Time::NEVER,
        };
        schedule.begin(start);
        schedule
    }

    /// A datagram leaves; returns when the next one does.
    #[inline]
    fn advance(&mut self) -> Time {
        self.in_period += 1;
        let next = self.began + self.time_of(self.in_period);
        if next < self.ends {
            return next;
        }
        let periods = self.on_off.expect("only periods end");
        let start = self.ends + periods.off.draw(&mut self.random);
        self.begin(start);
        start
    }

    fn begin(&mut self, start: Time) {
        (self.began, self.in_period) = (start, 0);
        if let Some(periods) = self.on_off {
            self.ends = start + periods.on.draw(&mut self.random);
        }
    }

    /// How long `datagrams` take at the source's rate.
    fn time_of(&self, datagrams: u64) -> Duration {
        const PICOSECONDS_A_BYTE: u128 = 8_000_000_000_000;
        let bytes = u128::from(datagrams) * u128::from(self.payload);
        let rate = u128::from(self.rate.bits_per_second());
        let picoseconds = (bytes * PICOSECONDS_A_BYTE + rate / 2) / rate;
        Duration::from_picos(u64::try_from(picoseconds).unwrap_or(u64::MAX))
    }
}

/// What a sink counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SinkCounters {
    /// Distinct datagrams received, up to how far the sink remembers.
    pub datagrams: u64,
    /// What they carried, in bytes.
    pub bytes: u64,
    /// Datagrams received that had been received before, or came later than 64
    /// others that were sent after them.
    pub duplicates: u64,
    /// Distinct datagrams received after one that was sent later (RFC 4737, section 3.3).
    pub reordered: u64,
    /// Datagrams whose numbers are missing before the highest received: one that comes late is
    /// no longer among them, and what was lost after the last one is not yet.
    pub lost: u64,
    /// Datagrams received with a congestion mark.
    pub marks: u64,
    /// The jitter of distinct datagrams.
    pub jitter: InterarrivalJitter,
    /// From sending to receiving: the sum over all datagrams.
    pub delay_sum: Duration,
    /// The least of those delays; none before the first datagram.
    pub delay_minimum: Option<Duration>,
    /// The greatest of them.
    pub delay_maximum: Duration,
}

/// A sink that counts datagrams, and puts frames together.
#[derive(Clone, Debug, Default)]
pub struct UdpSink {
    counters: SinkCounters,
    /// From sending to receiving, of distinct datagrams.
    delays: Delays,
    frames: Option<Box<FrameSink>>,
    /// The number after the highest received.
    next: u64,
    /// Of the 64 numbers before that, which were received; the lowest bit is the
    /// highest number.
    seen: u64,
}

impl UdpSink {
    /// The sink of a flow that sends its first datagram at `start`.
    #[must_use]
    pub fn new(settings: &UdpSettings, start: Time) -> Self {
        let frames = match &settings.workload {
            UdpWorkload::Rate { .. } => None,
            UdpWorkload::Frames(it) => {
                Some(Box::new(FrameSink::new(it.clone(), settings.payload, start)))
            }
        };
        Self { frames, ..Self::default() }
    }

    /// What it plays; none if it receives no frames.
    #[must_use]
    pub fn player(&self) -> Option<&dyn Player> {
        self.frames.as_deref().map(|it| it as &dyn Player)
    }

    /// Takes in a datagram; returns the frame that is whole with it.
    #[inline]
    pub fn receive(&mut self, now: Time, datagram: &Datagram, ecn: Ecn) -> Option<Completed> {
        let counters = &mut self.counters;
        counters.marks += u64::from(ecn == Ecn::Congestion);
        if datagram.sequence >= self.next {
            let ahead = u32::try_from(datagram.sequence - self.next + 1).unwrap_or(u32::MAX);
            self.seen = self.seen.checked_shl(ahead).unwrap_or(0) | 1;
            counters.lost += datagram.sequence - self.next;
            self.next = datagram.sequence + 1;
        } else {
            let behind = u32::try_from(self.next - 1 - datagram.sequence).unwrap_or(u32::MAX);
            let bit = 1_u64.checked_shl(behind).unwrap_or(0);
            if bit == 0 || self.seen & bit != 0 {
                counters.duplicates += 1;
                return None;
            }
            self.seen |= bit;
            counters.reordered += 1;
            counters.lost -= 1;
        }
        let delay = now.since(datagram.sent);
        counters.jitter.add(delay);
        self.delays.add(delay);
        counters.datagrams += 1;
        counters.bytes += u64::from(datagram.length);
        counters.delay_sum += delay;
        counters.delay_minimum = Some(counters.delay_minimum.map_or(delay, |it| it.min(delay)));
        counters.delay_maximum = counters.delay_maximum.max(delay);
        self.frames.as_mut()?.receive(now, datagram.sequence)
    }

    /// Percentiles of the time from sending to receiving; none before the first datagram.
    #[must_use]
    pub fn delay_percentiles(&self) -> Option<DelayPercentiles> {
        self.delays.percentiles()
    }

    /// What was counted so far.
    #[must_use]
    pub fn counters(&self) -> &SinkCounters {
        &self.counters
    }
}

#[cfg(test)]
mod tests {
    use crate::Period;
    use windtunnel_engine::Streams;

    use super::*;

    fn source(rate: u64, on_off: Option<OnOffPeriods>) -> UdpSource {
        let rate = Rate::from_bits_per_second(rate).unwrap();
        let workload = UdpWorkload::Rate { rate, on_off, discovers_mtu: true };
        let settings =
            UdpSettings { ip: IpVersion::V4, dscp: Dscp::DEFAULT, payload: 1000, workload };
        UdpSource::new(7, &settings, Time::ZERO, Streams::new(1, 0).stream("source"))
    }

    /// How many datagrams leave before `end`.
    fn sent_before(source: &mut UdpSource, end: Time) -> u64 {
        while source.next_wake() < end {
            let _ = source.send(source.next_wake());
        }
        source.sent()
    }

    #[test]
    fn a_constant_rate_does_not_drift() {
        // 3 Gbps: an interval of 2666.67 ns.
        let mut source = source(3_000_000_000, None);
        let sent = sent_before(&mut source, Time::ZERO + Duration::from_secs(8));
        assert_eq!(sent, 3_000_000);
    }

    #[test]
    fn smaller_datagrams_have_the_same_rate() {
        // 2 Gbps of 1,000 bytes for a millisecond, and of 300 for the rest, 1.2 us each.
        let mut source = source(2_000_000_000, None);
        let first = sent_before(&mut source, Time::ZERO + Duration::from_millis(1));
        source.shrink(1000, 700);
        // What was under way before is too large as well.
        source.shrink(1000, 700);
        let all = sent_before(&mut source, Time::ZERO + Duration::from_secs(1));
        assert_eq!((first, all - first), (250, 999_000 / 4 * 1000 / 300));
    }

    #[test]
    fn fixed_periods_send_their_share() {
        let periods = OnOffPeriods {
            on: Period::Fixed(Duration::from_millis(10)),
            off: Period::Fixed(Duration::from_millis(30)),
        };
        // One datagram a millisecond: ten in each period.
        let mut source = source(8_000_000, Some(periods));
        assert_eq!(sent_before(&mut source, Time::ZERO + Duration::from_secs(4)), 1000);
    }

    #[test]
    fn a_datagram_counts_once_in_whatever_order_it_comes() {
        let mut sink = UdpSink::default();
        for sequence in [0, 2, 1, 2, 1, 70, 5, 70] {
            let datagram = Datagram {
                flow: 0,
                length: 100,
                sequence,
                sent: Time::ZERO,
                dscp: Dscp::DEFAULT,
                path: 0,
                content: None,
            };
            sink.receive(Time::ZERO, &datagram, Ecn::NotCapable);
        }
        // 5 comes more than 64 after its turn.
        assert_eq!((sink.counters().datagrams, sink.counters().duplicates), (4, 4));
        assert_eq!((sink.counters().bytes, sink.counters().reordered), (400, 1));
    }

    /// What a sink counts of datagrams that are sent and received at these times, in ms.
    fn received(datagrams: &[(u64, u64, u64)]) -> SinkCounters {
        let mut sink = UdpSink::default();
        let at = |ms| Time::ZERO + Duration::from_millis(ms);
        for &(sequence, sent, received) in datagrams {
            let datagram = Datagram {
                flow: 0,
                length: 100,
                sequence,
                sent: at(sent),
                dscp: Dscp::DEFAULT,
                path: 0,
                content: None,
            };
            sink.receive(at(received), &datagram, Ecn::NotCapable);
        }
        *sink.counters()
    }

    #[test]
    fn gaps_are_losses_until_what_is_missing_comes_late() {
        assert_eq!(received(&[(0, 0, 1), (1, 1, 2)]).lost, 0);
        assert_eq!(received(&[(3, 3, 4)]).lost, 3);
        assert_eq!(received(&[(0, 0, 1), (4, 4, 5), (2, 2, 6), (2, 2, 7)]).lost, 2);
    }

    #[test]
    fn numbers_up_to_the_highest_are_received_or_lost() {
        let datagrams: Vec<_> = [5, 2, 2, 90, 3, 80, 91, 7].map(|it| (it, it, 100)).to_vec();
        let counters = received(&datagrams);
        assert_eq!(counters.datagrams + counters.lost, 92);
    }
}
