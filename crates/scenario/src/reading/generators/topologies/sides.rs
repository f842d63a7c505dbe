//! Networks with senders on one side and receivers on the other.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;

use super::drawing::Drawing;
use super::limits::within;
use super::regular::row;
use crate::network::links::Link;
use crate::network::nodes::Node;
use crate::reading::error::Mistake;
use crate::reading::generators::entries::MOST;
use crate::reading::located::{Each, Located};
use crate::reading::reader;
use crate::reading::units::{Measured, written};
use crate::study::defaults::Part;

/// Senders and receivers on the two sides of a bottleneck.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Dumbbell {
    /// How many senders, and as many receivers: at least 1.
    pairs: Located<u32>,
    /// The round-trip times of propagation between the first sender and the first receiver and so
    /// on, in turn: the links of the two hosts have what the bottleneck leaves of it, in equal
    /// parts. Default: those links have a delay of their own.
    round_trips: Option<Located<Vec<Located<Measured<Duration>>>>>,
    /// What its hosts have, in place of `node`.
    #[serde(default, rename = "host")]
    _host: Part<Node>,
    /// What the links of its hosts have, in place of `link`.
    #[serde(default, rename = "access")]
    _access: Part<Link>,
}

/// Routers in a row, and hosts at each.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ParkingLot {
    /// How many links are in the row: at least 1.
    hops: Located<u32>,
    /// What its hosts have, in place of `node`.
    #[serde(default, rename = "host")]
    _host: Part<Node>,
    /// What the links of its hosts have, in place of `link`.
    #[serde(default, rename = "access")]
    _access: Part<Link>,
}

impl Dumbbell {
    pub(super) fn draw(&self, drawing: &mut Drawing) -> Result<(), Mistake> {
        let pairs = within(&self.pairs, 1, MOST / 2)?;
        let delays = self.access_delays(drawing)?;
        let delay = |it: usize| (!delays.is_empty()).then(|| delays[(it - 1) % delays.len()]);
        let [left, right] = ["left", "right"].map(|it| drawing.node(it));
        drawing.link("bottleneck", [&left, &right]);
        for it in 1..=pairs {
            drawing.host_with(format!("sender-{it}"), &left, delay(it));
            drawing.host_with(format!("receiver-{it}"), &right, delay(it));
        }
        Ok(())
    }

    /// The delays of the hosts' links that give the round trips.
    fn access_delays(&self, drawing: &Drawing) -> Result<Vec<Duration>, Mistake> {
        let Some(round_trips) = &self.round_trips else { return Ok(Vec::new()) };
        round_trips.checked(
            |it| !it.is_empty(),
            || "`round_trips` is empty".to_owned(),
            "write some, such as [\"20 ms\", \"40 ms\"], or remove `round_trips`",
        )?;
        if let Some(delay) = drawing.access_delay() {
            return Err(Mistake::new("`delay` of `access` and `round_trips` cannot both be set")
                .at(delay.span.clone())
                .help("remove one of them"));
        }
        let bottleneck = drawing.delay().ok_or_else(|| {
            round_trips
                .mistake("`round_trips` requires the delay of the bottleneck")
                .help("write it in `link`, such as link = { delay = \"5 ms\" }")
        })?;
        let there_and_back: Each<Measured<Duration>> = reader::read(bottleneck.clone())?;
        let bottleneck = there_and_back.0.map(|it| it.0.as_picos()).iter().sum();
        round_trips.value.iter().map(|it| left_of(it, bottleneck)).collect()
    }
}

/// What a bottleneck leaves of a round trip to each of the four links that hosts cross in it.
fn left_of(round_trip: &Located<Measured<Duration>>, bottleneck: u64) -> Result<Duration, Mistake> {
    let whole = round_trip.value.0;
    let left = whole.as_picos().checked_sub(bottleneck).ok_or_else(|| {
        let bottleneck = written(&Duration::from_picos(bottleneck));
        let message = format!(
            "{} is shorter than the round trip of the bottleneck alone, {bottleneck}",
            written(&whole)
        );
        round_trip.mistake(message).help("write a longer round trip, or a shorter `delay`")
    })?;
    Ok(Duration::from_picos(left / 4))
}

impl ParkingLot {
    pub(super) fn draw(&self, drawing: &mut Drawing) -> Result<(), Mistake> {
        let hops = within(&self.hops, 1, MOST / 3 - 1)?;
        let routers = row(drawing, "router", hops + 1);
        drawing.host("sender", &routers[0]);
        drawing.host("receiver", &routers[hops]);
        for it in 1..=hops {
            drawing.host(format!("sender-{it}"), &routers[it - 1]);
            drawing.host(format!("receiver-{it}"), &routers[it]);
        }
        Ok(())
    }
}
