//! A case on a simulated network: what a flow reaches there.

use serde::{Deserialize, Serialize};
use windtunnel_engine::Duration;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_reading::units::Measured;

use crate::bound::Bound;
use crate::quantity::{FlowQuantity, Quantity};
use crate::verdict::Failure;

/// A scenario with a flow, `flow`, that the controller is set for, and what it must reach.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// The text of the scenario.
    pub scenario: String,
    /// What must hold.
    #[serde(skip_serializing)]
    pub expect: Vec<Located<Interval>>,
}

/// What must hold of the flow between two times.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// Where the interval begins.
    pub from: Measured<Duration>,
    /// Where it ends.
    pub to: Measured<Duration>,
    /// The content received, in bit/s.
    pub goodput: Option<Bound>,
    /// The share of the packets on its path that were lost or dropped.
    pub loss: Option<Bound>,
    /// The mean window, in segments.
    pub cwnd: Option<Bound>,
    /// The mean smoothed round trip, in seconds.
    pub rtt: Option<Bound>,
}

/// A number that is to be measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measurement {
    /// What of the flow.
    pub quantity: FlowQuantity,
    /// From when, in seconds.
    pub from_s: f64,
    /// Until when, in seconds.
    pub to_s: f64,
}

impl Network {
    /// What is to be measured, in the order of the file.
    #[must_use]
    pub fn measurements(&self) -> Vec<Measurement> {
        self.bounds().map(|it| it.0).collect()
    }

    /// Whether what was measured is as expected, in the order of [`Self::measurements`].
    ///
    /// # Errors
    /// The first number that is not.
    pub(crate) fn check(&self, measured: &[Option<f64>]) -> Result<(), Failure> {
        assert_eq!(measured.len(), self.bounds().count(), "one number for each measurement");
        let mut wrong = self.bounds().zip(measured);
        let wrong = wrong.find(|((_, bound), it)| !it.is_some_and(|it| bound.holds(it)));
        let Some(((Measurement { quantity, from_s, to_s }, bound), measured)) = wrong else {
            return Ok(());
        };
        Err(Failure {
            step: None,
            from_s: Some(from_s),
            time_s: to_s,
            quantity: Some(Quantity::Flow(quantity)),
            expected: bound.to_string(),
            measured: *measured,
        })
    }

    fn bounds(&self) -> impl Iterator<Item = (Measurement, &Bound)> {
        self.expect.iter().flat_map(|it| it.value.bounds())
    }

    /// Each interval has a length, and something that must hold in it.
    pub(crate) fn check_intervals(&self) -> Result<(), Mistake> {
        self.expect.iter().try_for_each(|interval| {
            interval.checked(
                |it| it.from.0 < it.to.0,
                || "`from` must be less than `to`".to_owned(),
                "write the times from which and until which it must hold",
            )?;
            interval.checked(
                |it| it.bounds().next().is_some(),
                || "nothing is expected in this interval".to_owned(),
                "write `goodput`, `loss`, `cwnd` or `rtt`",
            )
        })
    }
}

impl Interval {
    fn bounds(&self) -> impl Iterator<Item = (Measurement, &Bound)> {
        let (from_s, to_s) = (self.from.0.as_seconds(), self.to.0.as_seconds());
        let all = [
            (FlowQuantity::Goodput, &self.goodput),
            (FlowQuantity::Loss, &self.loss),
            (FlowQuantity::Cwnd, &self.cwnd),
            (FlowQuantity::Rtt, &self.rtt),
        ];
        all.into_iter().filter_map(move |(quantity, bound)| {
            Some((Measurement { quantity, from_s, to_s }, bound.as_ref()?))
        })
    }
}
