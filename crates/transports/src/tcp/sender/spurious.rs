//! Spurious decreases, and how they are detected and undone: by timestamps
//! (RFC 3522), by what still arrives after a timeout (F-RTO: RFC 5682), and by
//! duplicates reported (RFC 3708).

use windtunnel_controllers::Controller;
use windtunnel_packets::tcp::{Flags, Segment};

use super::Sender;
use super::state::{Delivered, ForwardRecovery, Phase};
use crate::tcp::counters::EndpointCounters;

impl Sender {
    /// Keeps what is restored if the decrease was spurious.
    pub(super) fn remember(&mut self) {
        match &mut self.undo.controller {
            Some(kept) => (**kept).clone_from(&self.controller),
            None => self.undo.controller = Some(Box::new(self.controller.clone())),
        }
        self.undo.possible = true;
        self.undo.from = self.board.unacknowledged();
        self.undo.retransmissions = 0;
        self.undo.first = None;
    }

    /// Whether the last decrease was spurious; then it is undone.
    #[inline]
    pub(super) fn judge_spurious(
        &mut self,
        segment: &Segment,
        advanced: bool,
        repeats: bool,
        delivered: &Delivered,
        counters: &mut EndpointCounters,
    ) {
        if delivered.duplicates_of_resent > 0 && self.undo.retransmissions > 0 {
            let duplicates = delivered.duplicates_of_resent as i64;
            self.undo.retransmissions = (self.undo.retransmissions - duplicates).max(0);
            // Every retransmission arrived beside its original; that may be known only when
            // the repair is over.
            if self.undo.retransmissions == 0 {
                self.take_back(counters);
            }
        }
        let acknowledged = self.board.unacknowledged();
        if let Some((stamp, end)) = self.undo.first
            && acknowledged >= end
        {
            // What was acknowledged had been sent before it was sent again.
            self.undo.first = None;
            let early = (segment.echo.wrapping_sub(stamp) as i32) < 0;
            if segment.flags.has(Flags::TIMESTAMPS) && early {
                self.take_back(counters);
            }
        }
        let news = advanced || repeats || delivered.bytes > 0;
        if news && self.forward != ForwardRecovery::Off {
            self.try_forward(advanced, delivered.originals, counters);
        }
    }

    /// RFC 5682, sections 2.1 and 3.1: what was sent before the timeout still
    /// arrives.
    fn try_forward(&mut self, advanced: bool, originals: bool, counters: &mut EndpointCounters) {
        let sack = self.settings.recovery.uses_sack();
        let trying = matches!(self.forward, ForwardRecovery::Trying(_));
        if (sack && originals) || (!sack && trying && advanced) {
            self.take_back(counters);
        } else if trying || (!sack && !advanced) {
            self.forward = ForwardRecovery::Off;
        } else if advanced {
            self.forward = ForwardRecovery::Trying(2);
        }
    }

    fn take_back(&mut self, counters: &mut EndpointCounters) {
        if !self.undo.possible {
            return;
        }
        if matches!(self.phase, Phase::Open | Phase::Recovery(_)) {
            self.rack.see_reordering();
        }
        if let Some(before) = &self.undo.controller {
            self.controller.on_spurious(before);
        }
        self.undo.possible = false;
        self.undo.first = None;
        self.timed_out = 0;
        self.board.find_again();
        self.phase = self.path_changed.map_or(Phase::Open, Phase::Recovery);
        self.reduction = None;
        self.fast_retransmit = false;
        self.forward = ForwardRecovery::Off;
        counters.decreases_undone += 1;
    }
}
