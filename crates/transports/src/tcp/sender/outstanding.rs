//! What is known of the segments that are not acknowledged in order.

use windtunnel_packets::Ecn;

use super::super::outstanding::{CongestionState, Outstanding};
use super::super::scoreboard;
use super::Sender;
use super::state::Phase;

impl Sender {
    /// The segments that are not acknowledged in order: it takes as long as there are segments.
    pub(in crate::tcp) fn outstanding(&self) -> Outstanding {
        let (mut lost, mut resent) = (0, 0);
        for sent in self.board.numbers().map(|it| self.board.at(it)) {
            match sent.state {
                scoreboard::State::Lost => lost += 1,
                scoreboard::State::InFlight if sent.retransmissions > 0 => resent += 1,
                scoreboard::State::InFlight | scoreboard::State::Delivered => {}
            }
        }
        // A probe repairs what is not considered lost.
        let probes = u64::from(self.probe.is_some_and(|it| it.is_to_be_answered)).min(resent);
        let mut found = Outstanding {
            segments: u64::from(self.board.len()),
            delivered: u64::from(self.board.delivered().max(self.duplicates)),
            lost: lost + resent - probes,
            resent,
            state: CongestionState::Open,
        };
        found.state = match self.phase {
            Phase::Open if found.delivered + found.lost + resent > 0 => CongestionState::Disorder,
            Phase::Open => CongestionState::Open,
            Phase::Reducing(_) => CongestionState::Reducing,
            Phase::Recovery(_) => CongestionState::Recovery,
            Phase::Loss(_) => CongestionState::Loss,
        };
        found
    }

    /// How many packets came marked, says the receiver by accurate ECN.
    pub(in crate::tcp) fn delivered_marked(&self) -> u32 {
        self.marks.delivered()
    }

    /// How many bytes came with each ECN field, says the receiver by accurate ECN.
    pub(in crate::tcp) fn delivered_bytes(&self) -> [(Ecn, u32); 3] {
        self.marks.delivered_bytes()
    }

    /// Behind how many segments others may come late.
    pub(in crate::tcp) fn reordering(&self) -> u64 {
        self.rack.distance(self.segment())
    }
}
