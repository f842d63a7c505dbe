//! Segments that are too large for the path (RFC 8201, section 4; RFC 1191, section 6.5).

use std::sync::Arc;

use super::Sender;
use super::state::{ForwardRecovery, Phase, Undo};
use crate::tcp::sequence::FIRST;
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
        self.board.clear();
        self.count_segments();
        self.sent_before = self.sent_before.max(self.next);
        self.next = self.board.unacknowledged();
        self.fin_end = self.fin_end.filter(|it| *it <= self.next);
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
}
