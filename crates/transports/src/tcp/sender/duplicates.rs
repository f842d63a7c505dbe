//! What is known of the network without SACK: each duplicate acknowledgement means that a segment
//! has left it (RFC 5681, section 3.2; RFC 9937: DeliveredData; in Linux, `tcp_add_reno_sack`).

use super::Sender;
use super::state::{Delivered, Phase};
use crate::tcp::scoreboard::State;

impl Sender {
    /// Takes in what an acknowledgement says that advances, repeats the one before, or reports
    /// a duplicate.
    #[inline]
    pub(super) fn count_duplicates(
        &mut self,
        before: u64,
        advanced: bool,
        repeats: bool,
        delivered: &mut Delivered,
    ) {
        if self.settings.recovery.uses_sack() {
            if delivered.duplicate {
                self.rack.duplicate(self.board.unacknowledged(), self.next);
            }
        } else if repeats {
            self.count_duplicate(delivered);
        } else if advanced {
            self.count_advance(before, delivered);
        }
    }

    /// A duplicate acknowledgement: a segment in flight has arrived, and not the first. After a
    /// timeout nothing of the old flight is considered in flight.
    fn count_duplicate(&mut self, delivered: &mut Delivered) {
        let Some((_, first)) = self.board.first() else { return };
        let first_in_flight = match first.state {
            State::InFlight => self.board.counted(first.length),
            State::Lost | State::Delivered => 0,
        };
        let others = (self.board.in_flight() - first_in_flight).div_ceil(self.segment()) as u32;
        if self.duplicates >= others {
            self.duplicates = others;
            return;
        }
        self.duplicates += 1;
        // What comes then may answer what was sent twice.
        if matches!(self.phase, Phase::Loss(_)) {
            return;
        }
        let bytes = self.segment().min(self.behind_first().saturating_sub(self.counted));
        self.counted += bytes;
        delivered.bytes += bytes;
        delivered.segments += u64::from(bytes > 0);
    }

    /// More than what is before `before` is acknowledged. What duplicates have counted of it is
    /// not delivered again; the gap that they were about, or that was repaired, is filled now.
    fn count_advance(&mut self, before: u64, delivered: &mut Delivered) {
        let segment = self.segment();
        let repairs = self.duplicates > 0 || delivered.repeated;
        let gap = if repairs && !self.board.is_empty() { segment } else { 0 };
        let covered = (self.board.unacknowledged() - before) / segment;
        let partial = matches!(self.phase, Phase::Recovery(_));
        let left = if partial { covered.saturating_sub(1) } else { u64::MAX };
        self.duplicates = self.duplicates.saturating_sub(u32::try_from(left).unwrap_or(u32::MAX));
        let known = self.counted.min(delivered.bytes.saturating_sub(gap));
        delivered.bytes -= known;
        delivered.segments -= known / segment;
        self.counted -= known;
    }

    /// The bytes that were sent behind the first segment that is not acknowledged.
    fn behind_first(&self) -> u64 {
        let first = self.board.first().map_or(0, |(_, it)| u64::from(it.length));
        (self.next - self.board.unacknowledged()).saturating_sub(first)
    }
}
