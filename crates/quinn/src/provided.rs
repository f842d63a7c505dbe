//! What quinn provides of what controllers need.

use windtunnel_controllers::Need;

/// Why a need is not met over quinn; `None` if it is.
#[must_use]
pub fn refusal(need: Need) -> Option<&'static str> {
    match need {
        // By the window: see the crate's documentation.
        Need::Pacing | Need::DeliveryRate => None,
        // A connection of quinn has one path, on which nothing is coupled.
        Need::Siblings => None,
        Need::MarksCounted => {
            Some("quinn reports that packets were marked, but not how many packets were marked")
        }
        Need::ScalableMarking => Some("quinn sends packets as ECT(0), not as ECT(1)"),
        Need::SomeCongestion => Some("QUIC has no echo of the milder mark (SCE)"),
        Need::OneWayDelay => Some("QUIC's packets have no timestamps"),
        Need::Sinr => Some("no radio reports to a QUIC sender"),
    }
}
