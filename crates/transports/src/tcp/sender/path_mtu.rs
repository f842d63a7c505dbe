//! Segments that are too large for the path (RFC 8201, section 4; RFC 1191, section 6.5), and
//! probes for larger ones (RFC 4821, section 7).

use std::sync::Arc;

use windtunnel_engine::Time;

use super::Sender;
use super::state::{ForwardRecovery, Phase, Transmission, Undo};
use crate::tcp::counters::EndpointCounters;
use crate::tcp::path_mtu::{MtuProbe, PathMtu};
use crate::tcp::rack::DUPLICATE_THRESHOLD;
use crate::tcp::scoreboard::State;
use crate::tcp::sequence::{FIRST, extend};
use crate::tcp::settings::TcpSettings;

impl Sender {
    /// The path carries segments of at most this many bytes of data, which is less than before:
    /// all that is not acknowledged in order is sent again in such segments. That nothing larger
    /// arrives is no congestion, and the window stays. Of a subflow, no segment has data of two of
    /// these records, which are given by the bytes behind them, counted from its beginning.
    pub(in crate::tcp) fn shrink(
        &mut self,
        settings: &Arc<TcpSettings>,
        records: impl Iterator<Item = u64>,
    ) {
        self.settings = Arc::clone(settings);
        if let Some(subflow) = &mut self.subflow {
            subflow.keep_apart(records.map(|it| it + FIRST));
        }
        if let Some(path) = &mut self.path_mtu {
            path.forget_probe();
        }
        self.board.clear();
        self.count_segments();
        self.sent_before = self.sent_before.max(self.next);
        self.next = self.board.unacknowledged();
        self.phase = self.path_changed.map_or(Phase::Open, Phase::Recovery);
        self.reduction = None;
        self.forward = ForwardRecovery::Off;
        self.undo = Undo::default();
        self.probe = None;
        self.duplicates = 0;
        self.counted = 0;
        self.examined = self.board.next();
        self.limited_end = self.next;
    }

    /// The path carries larger segments than before. The window stays in segments, as when they
    /// became smaller.
    pub(in crate::tcp) fn grow(&mut self, settings: &Arc<TcpSettings>) {
        self.settings = Arc::clone(settings);
    }

    // -- Discovery ----------------------------------------------------------

    /// From now on it finds out by itself how large segments may be.
    pub(in crate::tcp) fn discover_path_mtu(&mut self) {
        self.path_mtu = Some(Box::new(PathMtu::new(self.settings.maximum_segment)));
    }

    /// The size of segments that it has found, if that is another than before.
    #[inline]
    pub(in crate::tcp) fn found_segment(&mut self) -> Option<u16> {
        self.path_mtu.as_mut()?.take_news()
    }

    /// A router says of a segment with that number that the path carries no more data in one;
    /// whether that segment is in flight (RFC 5927, section 4.1).
    pub(in crate::tcp) fn limit_segment(&mut self, now: Time, sequence: u32, size: u16) -> bool {
        let sent = self.board.unacknowledged()..self.next;
        let is_in_flight = sent.contains(&extend(sent.start, sequence));
        if let Some(path) = self.path_mtu.as_mut().filter(|_| is_in_flight) {
            path.limit(now, size);
        }
        is_in_flight
    }

    /// The first segment timed out, again unless it `is_first`.
    pub(super) fn note_timeout(&mut self, now: Time, is_first: bool) {
        let length = self.board.first().map_or(0, |(_, it)| it.length);
        if let Some(path) = &mut self.path_mtu {
            path.fail(now);
            path.time_out(is_first, length, &self.settings);
        }
    }

    /// Sends a probe, if one is due and its loss would show itself: enough follows it, and
    /// nothing is being repaired. It exceeds the window by less than a segment.
    pub(super) fn probe_path(
        &mut self,
        now: Time,
        counters: &mut EndpointCounters,
        emit: &mut impl FnMut(Transmission),
    ) {
        let Some(length) = self.path_mtu.as_mut().and_then(|it| it.next(now)) else { return };
        let segment = self.settings.maximum_segment;
        let behind = u64::from(DUPLICATE_THRESHOLD + 1) * self.segment();
        let needed = u64::from(length) + behind;
        let has_data = self.writes.waiting(self.next) >= needed && self.room() >= needed;
        if !has_data || !self.may_probe(now, needed) {
            return;
        }
        let (number, start) = (self.board.next(), self.next);
        let mut parts = [None; 2];
        for (part, length) in parts.iter_mut().zip([segment, length - segment]) {
            self.send(now, length, self.board.counted(length), counters, &mut |it| {
                *part = Some(it)
            });
        }
        // They go in one packet.
        counters.segments -= 1;
        if let [Some(first), Some(second)] = parts {
            emit(Transmission { length, push: second.push, ..first });
        }
        if let Some(path) = &mut self.path_mtu {
            path.send(MtuProbe { number, start, length });
        }
        if let Some(rate) = self.pacing_rate() {
            self.pacer.spend(now, u32::from(length), rate);
        }
    }

    /// Whether a probe may go, with as much as this in all.
    fn may_probe(&mut self, now: Time, needed: u64) -> bool {
        self.phase == Phase::Open
            && self.forward == ForwardRecovery::Off
            && self.board.delivered() == 0
            && self.board.lowest_lost().is_none()
            && self.window() >= needed
            && self.in_flight() + self.segment() <= self.window()
            && (self.pacing_rate().is_none() || self.pacer.allows(now))
    }

    /// Whether the probe in flight has arrived, after something was acknowledged.
    pub(super) fn judge_path_probe(&mut self, now: Time) {
        let Some(path) = &mut self.path_mtu else { return };
        let Some(probe) = path.probe() else { return };
        let is_acknowledged = self.board.unacknowledged() > probe.start;
        if is_acknowledged || self.board.at(probe.number).state == State::Delivered {
            path.carry(now);
        }
    }

    /// The bytes of a probe among those that were just found to be lost: no sign of congestion
    /// (RFC 4821, section 7.5).
    pub(super) fn lost_of_path_probe(&mut self, now: Time) -> u64 {
        let Some(path) = &mut self.path_mtu else { return 0 };
        let Some(&MtuProbe { number, length, .. }) = path.probe() else { return 0 };
        if self.board.at(number).state != State::Lost {
            return 0;
        }
        path.fail(now);
        length.into()
    }
}
