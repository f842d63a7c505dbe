//! How soon an Interest for a pending name is sent again.
//!
//! Source: the behaviour of NFD's exponential retransmission suppression, kept
//! for each pending Interest: within 10 ms of the last sending it is suppressed;
//! each sending after that doubles the time, up to 250 ms. Another consumer's
//! Interest counts as a retransmission too.
//!
//! In CCNx a node does not decide when: what its neighbour sends again, it sends again.

use windtunnel_engine::Duration;

use super::decision::{InterestArrival, Repetition};
use crate::ndn::pit::PitEntry;

const INITIAL: Duration = Duration::from_millis(10);
const MAXIMUM: Duration = Duration::from_millis(250);

/// What an arriving Interest is to the pending entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The first, or the first after all answers failed.
    New,
    /// A retransmission whose time has come.
    Due,
    /// A retransmission that comes too soon.
    Early,
}

/// Judges an arriving Interest; a due one doubles the time for the next.
pub(super) fn judge(arrival: &InterestArrival<'_>, pending: &mut PitEntry) -> Kind {
    let now = arrival.now;
    let Some(last_sent) = pending.last_sent().filter(|_| pending.awaits_answer(now)) else {
        return Kind::New;
    };
    match arrival.repetition {
        Repetition::Forwarded => return Kind::New,
        Repetition::Aggregated => return Kind::Early,
        Repetition::OtherFace | Repetition::SameFace => {}
    }
    let suppressed = pending.suppression.max(INITIAL);
    if now.since(last_sent) < suppressed {
        return Kind::Early;
    }
    pending.suppression = (suppressed * 2).min(MAXIMUM);
    Kind::Due
}
