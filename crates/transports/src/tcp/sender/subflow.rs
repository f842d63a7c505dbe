//! What a sender does as a subflow of a multipath connection: it keeps records apart, and says
//! how it fares.

use windtunnel_controllers::{Controller, Sibling};
use windtunnel_engine::{Duration, Time};

use super::Sender;
use super::state::Phase;
use crate::tcp::accounting::{Accounting, WindowUnit};
use crate::tcp::sender_state::{SenderState, Subflow};

/// The least window that a penalty leaves, in segments, and the least threshold.
const LEAST_WINDOW: f64 = 1.0;
const LEAST_THRESHOLD: f64 = 2.0;

impl Sender {
    /// It sends a subflow's data.
    pub(in crate::tcp) fn become_subflow(&mut self, accounting: Accounting) {
        self.subflow = Some(Box::new(Subflow::new(accounting)));
        self.count_segments();
    }

    /// What a segment counts for at least: where packets are counted, as much as a full one.
    pub(super) fn count_segments(&mut self) {
        let unit = self.subflow.as_ref().map_or(WindowUnit::Bytes, |it| it.accounting.unit);
        self.board.count_at_least(match unit {
            WindowUnit::Bytes => 0,
            WindowUnit::Packets => self.settings.maximum_segment,
        });
    }

    /// `bytes` more are to be sent, of which no segment has others too.
    pub(in crate::tcp) fn write_record(&mut self, now: Time, bytes: u64) {
        self.write(now, bytes);
        let end = self.writes.limit();
        if let Some(subflow) = &mut self.subflow {
            subflow.ends.push_back(end);
        }
    }

    /// `bytes` more are to be sent, in the record before them if not all of that was sent.
    pub(in crate::tcp) fn continue_record(&mut self, now: Time, bytes: u64) {
        let next = self.next;
        let record = self.subflow.as_mut().and_then(|it| it.ends.back_mut());
        let Some(record) = record.filter(|it| **it > next) else {
            self.write_record(now, bytes);
            return;
        };
        *record += bytes;
        self.write(now, bytes);
    }

    /// Whether what it was given can only wait behind what found the host's queue full at this
    /// moment.
    #[inline]
    pub(in crate::tcp) fn takes_place_behind(&mut self, now: Time) -> bool {
        let waits = self.waits_since == now;
        while waits && self.write_on() {}
        waits
    }

    /// Whether its connection has more data than it was given.
    pub(in crate::tcp) fn tell_of_more(&mut self, more_waits: bool) {
        if let Some(subflow) = &mut self.subflow {
            subflow.more_waits = more_waits;
        }
    }

    /// Whether it would have been given more data if its window had room.
    pub(super) fn lacks_window(&self) -> bool {
        let more_waits = self.subflow.as_ref().is_some_and(|it| it.more_waits);
        more_waits && self.window_left() < self.segment()
    }

    /// The bytes written so far.
    pub(in crate::tcp) fn written(&self) -> u64 {
        self.writes.limit() - super::FIRST
    }

    /// How it fares; its rates only where they are wanted.
    #[inline]
    pub(in crate::tcp) fn state(&self, with_rates: bool) -> SenderState {
        let segment = f64::from(self.settings.maximum_segment);
        let estimate = if with_rates { self.controller.estimate() } else { None };
        let rate = if with_rates { self.rate() } else { None };
        SenderState {
            cwnd: self.controller.cwnd(),
            ssthresh: self.controller.ssthresh(),
            in_flight: self.segments(self.in_flight()),
            queued: self.segments(self.writes.limit().saturating_sub(self.next)),
            smoothed_rtt: self.estimator.smoothed(),
            rtt_variation: self.estimator.variation(),
            least_rtt: self.rack.least_rtt(),
            timeout: self.estimator.timeout(),
            recovering: matches!(self.phase, Phase::Recovery(_) | Phase::Loss(_)),
            timed_out: matches!(self.phase, Phase::Loss(_)),
            rate: rate.map(|it| it / segment),
            delivery_rate: self.subflow.as_ref().and_then(|it| it.rate),
            estimate: estimate.map(|it| (it.bandwidth, Duration::from_nanos(it.round_trip))),
        }
    }

    /// What coupled controllers know of it.
    pub(in crate::tcp) fn sibling(&self) -> Sibling {
        let delivered = self.account.delivered();
        let between =
            self.subflow.as_ref().map_or(delivered, |it| it.between.max(delivered - it.lost_at));
        Sibling {
            cwnd: self.controller.cwnd(),
            ssthresh: self.controller.ssthresh(),
            smoothed_rtt: self.estimator.smoothed().map(Duration::as_nanos),
            recovering: matches!(self.phase, Phase::Recovery(_) | Phase::Loss(_)),
            between_losses: self.segments(between),
            estimate: self.controller.estimate(),
            delivery_rate: self.subflow.as_ref().and_then(|it| it.rate),
        }
    }

    /// Whether data is in flight, or waits to be sent.
    pub(in crate::tcp) fn is_sending(&self) -> bool {
        self.in_flight() > 0 || self.writes.limit() > self.next
    }

    /// The others do that.
    pub(in crate::tcp) fn on_siblings(&mut self, others: &[Sibling]) {
        let own = self.sibling();
        self.controller.on_siblings(&own, others);
        self.waits_since = Time::NEVER;
    }

    /// Halves the window, because what it holds keeps the other subflows waiting; the threshold
    /// as well, where the window has reached it.
    pub(in crate::tcp) fn penalise(&mut self) {
        if self.phase != Phase::Open {
            return;
        }
        let (cwnd, ssthresh) = (self.controller.cwnd(), self.controller.ssthresh());
        let halved =
            if cwnd >= ssthresh { (ssthresh / 2.0).max(LEAST_THRESHOLD) } else { ssthresh };
        self.controller.lower_window((cwnd / 2.0).max(LEAST_WINDOW), halved);
        self.waits_since = Time::NEVER;
    }
}
