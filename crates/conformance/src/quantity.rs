//! What can be expected.

use serde::Serialize;

/// What can be expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Quantity {
    /// Of a controller alone.
    Controller(ControllerQuantity),
    /// Of a flow over a network.
    Flow(FlowQuantity),
}

/// What can be expected of a controller alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ControllerQuantity {
    /// The window.
    Cwnd,
    /// The slow-start threshold.
    Ssthresh,
    /// The pacing rate.
    PacingRate,
    /// The pacing rate over what the path delivers.
    PacingGain,
    /// By how much a step changed the window.
    Growth,
    /// The window over that before the step.
    Ratio,
    /// The mean window of a step's round trips.
    MeanCwnd,
    /// The round trips of a step.
    Rounds,
}

/// What can be expected of a flow over a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowQuantity {
    /// The content received, in bit/s.
    Goodput,
    /// The share of the packets on its path that were lost or dropped.
    Loss,
    /// The mean window.
    Cwnd,
    /// The mean smoothed round trip, in seconds.
    Rtt,
}
