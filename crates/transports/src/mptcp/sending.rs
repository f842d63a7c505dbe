//! What is written goes to the subflows, segment by segment, and again to others where it is
//! late.

use std::collections::VecDeque;

use windtunnel_controllers::{Need, Settings as ControllerSettings};
use windtunnel_engine::{Duration, Time};

use super::scheduler::{SubflowState, View};
use crate::tcp::writes::Writes;
use crate::tcp::{Limit, TcpSettings};

/// What a subflow may hold, sent or not: as much as the memory for this many of its largest windows has
/// room for, more where its controller works from delivery rates, as Linux lets its send buffer grow
/// (`sndbuf_expand` of its controllers). A window counts for at least this many segments.
pub(super) const MOST_WINDOWS: f64 = 2.0;
pub(super) const MOST_WINDOWS_BY_RATES: f64 = 3.0;
pub(super) const LEAST_WINDOW: f64 = 10.0;

/// Data is sent again on a faster subflow if the slower one has a window of so few segments, or
/// a round trip of more than this many of the faster one's (`net/mptcp` of version 0.95).
pub(super) const SMALL_WINDOW: f64 = 4.0;
pub(super) const MUCH_SLOWER: f64 = 4.0;

/// After so long the other end is asked what it has, if nothing is in flight; then twice as long.
pub(super) const PROBE_WITHIN: Duration = Duration::from_secs(1);

/// Data that shall go again, to another subflow than that one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reinjection {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) from: usize,
}

/// The data to be sent.
#[derive(Clone, Debug)]
pub(super) struct Sending {
    /// The first byte that is not acknowledged. A DATA_FIN counts as one.
    pub(super) unacknowledged: u64,
    /// The next byte that goes for the first time.
    pub(super) next: u64,
    pub(super) writes: Writes,
    /// The byte after the last that the receiver has room for.
    pub(super) edge: u64,
    pub(super) reinjections: VecDeque<Reinjection>,
    /// The subflow of the last data that went for the first time.
    pub(super) last: Option<usize>,
    /// Up to that byte, what filled the window was sent again.
    pub(super) repeated: u64,
    /// When a subflow was last penalised.
    pub(super) penalised: Option<Time>,
    /// When the other end is asked what it has, and how long after the last time.
    pub(super) probes_at: Time,
    pub(super) probe_wait: Duration,
}

impl Default for Sending {
    fn default() -> Self {
        Self {
            unacknowledged: 0,
            next: 0,
            writes: Writes::new(0),
            edge: 0,
            reinjections: VecDeque::new(),
            last: None,
            repeated: 0,
            penalised: None,
            probes_at: Time::NEVER,
            probe_wait: PROBE_WITHIN,
        }
    }
}

impl Sending {
    pub(super) fn write(&mut self, bytes: u64) {
        self.writes.add(bytes);
    }

    /// Nothing more will be written. Of data without end, what has been sent is the end.
    pub(super) fn close(&mut self) {
        self.writes.close(self.next);
    }

    pub(super) fn is_closing(&self) -> bool {
        self.writes.is_closing()
    }

    /// Whether anything was written, or it was closed.
    pub(super) fn is_used(&self) -> bool {
        self.writes.limit() > 0 || self.writes.is_closing()
    }

    /// Whether all that was written has been given to subflows.
    pub(super) fn has_given_all(&self) -> bool {
        self.next == self.writes.limit()
    }

    /// The byte after the last, which a DATA_FIN takes.
    pub(super) fn end(&self) -> u64 {
        self.writes.limit()
    }

    /// Whether data up to there is the last.
    pub(super) fn ends_with(&self, end: u64) -> bool {
        self.writes.end_at(end)
    }

    /// Whether everything was acknowledged, the DATA_FIN as well.
    pub(super) fn is_closed(&self) -> bool {
        self.writes.is_closing() && self.unacknowledged > self.writes.limit()
    }

    pub(super) fn unacknowledged_bytes(&self) -> u64 {
        if self.writes.is_without_end() {
            return u64::MAX;
        }
        self.writes.limit().saturating_sub(self.unacknowledged)
    }

    pub(super) fn acknowledged_bytes(&self) -> u64 {
        self.unacknowledged.min(self.writes.limit())
    }

    pub(super) fn probes_at(&self) -> Time {
        self.probes_at
    }

    /// The other end expects that byte next, and has room for this many more.
    pub(super) fn acknowledge(&mut self, acknowledgement: u64, window: u64) {
        let sent = self.next + u64::from(self.writes.end_at(self.next));
        if acknowledgement > sent {
            return;
        }
        self.unacknowledged = self.unacknowledged.max(acknowledgement);
        self.edge = self.edge.max(acknowledgement + window);
    }

    /// The bytes that there is room for, at the receiver and in the send buffer.
    pub(super) fn room(&self, send_buffer: u64) -> u64 {
        self.edge.min(self.unacknowledged.saturating_add(send_buffer)).saturating_sub(self.next)
    }

    /// The bytes that may go, were there room: all that was written and has not gone, unless
    /// Nagle's algorithm holds that back.
    pub(super) fn ready(&self, settings: &TcpSettings) -> u64 {
        let unacknowledged = self.unacknowledged.min(self.next);
        let are_held = self.writes.are_held(unacknowledged, self.next, settings);
        if are_held { 0 } else { self.writes.waiting(self.next) }
    }

    /// What keeps it from giving data to a subflow that has room; none if nothing does.
    pub(super) fn limit(&self, settings: &TcpSettings) -> Option<Limit> {
        let ready = self.ready(settings);
        let has_unacknowledged = self.unacknowledged < self.next;
        if ready == 0 {
            let is_idle = !has_unacknowledged && self.has_given_all();
            return Some(if is_idle { Limit::Idle } else { Limit::Application });
        }
        let length = ready.min(u64::from(settings.maximum_segment));
        let room = self.room(settings.buffers.send);
        let is_blocked = length > room && (room == 0 || has_unacknowledged);
        let buffered = self.unacknowledged.saturating_add(settings.buffers.send);
        let smaller = if self.edge < buffered { Limit::ReceiveWindow } else { Limit::SendBuffer };
        is_blocked.then_some(smaller)
    }

    /// What a scheduler decides on.
    pub(super) fn view<'a>(
        &self,
        now: Time,
        subflows: &'a [SubflowState],
        settings: &TcpSettings,
        excluded: Option<usize>,
    ) -> View<'a> {
        View {
            now,
            subflows,
            excluded,
            unacknowledged: self.unacknowledged.min(self.next),
            next: self.next,
            waiting: self.writes.waiting(self.next),
            window: self.room(settings.buffers.send),
            segment: settings.maximum_segment,
            in_pieces: settings.offload.segmentation,
        }
    }

    /// Forgets what shall go again and was acknowledged meanwhile.
    pub(super) fn forget_acknowledged(&mut self) {
        let unacknowledged = self.unacknowledged;
        while self.reinjections.front().is_some_and(|it| it.end <= unacknowledged) {
            self.reinjections.pop_front();
        }
    }
}

/// How many of its largest windows a subflow with that controller may hold.
pub(super) fn most_windows(controller: &ControllerSettings) -> f64 {
    let by_rates = controller.needs().any(|it| it == Need::DeliveryRate);
    if by_rates { MOST_WINDOWS_BY_RATES } else { MOST_WINDOWS }
}
