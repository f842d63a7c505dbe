//! Random loss.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize};
use windtunnel_engine::{Duration, Time};
use windtunnel_links::{self as links, Victims};
use windtunnel_world::{DirectionPlan, FlowPlan, LinkPlan, keys_of_flow};

use crate::network::nodes::Names;
use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::reader::SHORT;
use crate::reading::schema::without_tag;
use crate::reading::timers::above_zero;
use crate::reading::units::{Measured, Share, parse};

/// Random loss. A probability alone is that of independent losses.
#[derive(Clone, Debug)]
pub(crate) struct Loss(Kind);

/// A kind of random loss.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "Loss", tag = "kind")]
enum Kind {
    /// Each packet is lost independently of all others.
    Independent(Independent),
    /// A Gilbert–Elliott channel, which starts in its good state. Its state changes from packet
    /// to packet: while none is sent, it stays as it is.
    GilbertElliott(GilbertElliott),
    /// A Gilbert–Elliott channel in continuous time, which starts in its good state. Each state
    /// lasts exponentially long, whether packets are sent or not.
    ContinuousGilbertElliott(ContinuousGilbertElliott),
    /// Exactly the packets of certain numbers, in order to see what a protocol does about them.
    Listed(Listed),
}

/// Each packet is lost independently of all others.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Independent {
    /// The probability of loss.
    probability: Measured<Share>,
    /// How many are lost one after the other at the most. Default: no limit.
    most_in_a_row: Option<Located<u32>>,
    /// Which packets can be lost.
    #[serde(default)]
    of: Of,
}

/// A Gilbert–Elliott channel, which starts in its good state. Its state changes from packet to
/// packet: while none is sent, it stays as it is.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GilbertElliott {
    /// The probability of loss in the good state.
    in_good_state: Measured<Share>,
    /// The probability of loss in the bad state.
    in_bad_state: Measured<Share>,
    /// The probability of a change from good to bad, for each packet.
    to_bad_state: Measured<Share>,
    /// The probability of a change from bad to good, for each packet.
    to_good_state: Measured<Share>,
    /// Which packets can be lost.
    #[serde(default)]
    of: Of,
}

/// A Gilbert–Elliott channel in continuous time, which starts in its good state. Each state
/// lasts exponentially long, whether packets are sent or not.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ContinuousGilbertElliott {
    /// The probability of loss in the good state.
    in_good_state: Measured<Share>,
    /// The probability of loss in the bad state.
    in_bad_state: Measured<Share>,
    /// How long the good state lasts in the mean.
    good_state_lasts: Located<Measured<Duration>>,
    /// How long the bad state lasts in the mean.
    bad_state_lasts: Located<Measured<Duration>>,
    /// Which packets can be lost.
    #[serde(default)]
    of: Of,
}

/// Exactly the packets of certain numbers.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Listed {
    /// The numbers, rising: the first packet that the link sends in that direction, from when this
    /// holds, has number 1.
    packets: Located<Vec<u64>>,
    /// The flow whose packets alone are counted and lost, of both directions: of one over TCP the
    /// first packet of the data's direction is the one that opens the connection. Default: any
    /// packet is.
    flow: Option<Located<String>>,
    /// Which packets can be lost; only they are counted. Not with `flow`.
    #[serde(default)]
    of: Of,
}

impl Independent {
    fn plan(&self) -> Result<links::Loss, Mistake> {
        let probability = self.probability.0.0;
        let Some(it) = &self.most_in_a_row else { return Ok(links::Loss::Bernoulli(probability)) };
        it.checked(
            |it| *it > 0,
            || "`most_in_a_row` must be greater than zero".to_owned(),
            "write one such as most_in_a_row = 3, or remove it",
        )?;
        Ok(links::Loss::LimitedRuns { probability, most: it.value, row: 0 })
    }
}

impl Listed {
    fn plan(&self) -> Result<links::Loss, Mistake> {
        let numbers = numbers(&self.packets)?;
        if let Some(flow) = &self.flow {
            flow.checked(
                |_| matches!(self.of, Of::All),
                || "`flow` and `of` cannot both be set".to_owned(),
                "remove one of them",
            )?;
        }
        Ok(links::Loss::Listed { numbers, sent: 0, behind: 0 })
    }
}

/// The numbers of packets.
pub(super) fn numbers(packets: &Located<Vec<u64>>) -> Result<Arc<[u64]>, Mistake> {
    let rise = packets.value.windows(2).all(|it| it[0] < it[1]);
    packets.checked(
        |it| rise && it.first().is_some_and(|it| *it > 0),
        || "`packets` must be increasing numbers, from 1".to_owned(),
        "write some such as packets = [17, 18, 40]",
    )?;
    Ok(packets.value.as_slice().into())
}

/// Which packets can be lost at random.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "LossOf")]
enum Of {
    /// All packets.
    #[default]
    All,
    /// Those that are not ECN-capable, such as a bridge selects.
    Selected,
}

impl Loss {
    /// Whether a packet is lost.
    pub(crate) fn plan(&self) -> Result<links::Loss, Mistake> {
        Ok(match &self.0 {
            Kind::Independent(it) if it.probability.0.0 == 0.0 => links::Loss::None,
            Kind::Independent(it) => it.plan()?,
            Kind::GilbertElliott(it) => links::Loss::GilbertElliott {
                to_bad: it.to_bad_state.0.0,
                to_good: it.to_good_state.0.0,
                in_good: it.in_good_state.0.0,
                in_bad: it.in_bad_state.0.0,
                bad: false,
            },
            Kind::Listed(it) => it.plan()?,
            Kind::ContinuousGilbertElliott(it) => links::Loss::ContinuousGilbertElliott {
                good_lasts: above_zero(&it.good_state_lasts, "good_state_lasts")?,
                bad_lasts: above_zero(&it.bad_state_lasts, "bad_state_lasts")?,
                in_good: it.in_good_state.0.0,
                in_bad: it.in_bad_state.0.0,
                bad: false,
                last: Time::ZERO,
            },
        })
    }

    /// Which packets can be lost.
    pub(crate) fn victims(&self, flows: &Flows<'_>) -> Result<Victims, Mistake> {
        if let Kind::Listed(Listed { flow: Some(flow), .. }) = &self.0 {
            let keys = keys_of_flow(flows.plans, flows.names.index(flow)?);
            return Ok(Victims::Flow(Arc::new(keys)));
        }
        let (Kind::Independent(Independent { of, .. })
        | Kind::GilbertElliott(GilbertElliott { of, .. })
        | Kind::ContinuousGilbertElliott(ContinuousGilbertElliott { of, .. })
        | Kind::Listed(Listed { of, .. })) = &self.0;
        Ok(match of {
            Of::All => Victims::All,
            Of::Selected => Victims::NotCapable,
        })
    }
}

/// The flows of a scenario, and the plans of all flows, of which its own are the first.
pub(crate) struct Flows<'a> {
    /// Their names.
    pub(crate) names: &'a Names<'a>,
    /// The plans.
    pub(crate) plans: &'a [FlowPlan],
}

/// What to tell the user where bursts of loss follow packets.
pub(crate) fn note(links: &[LinkPlan]) -> Option<String> {
    let has_bursts = |it: &&LinkPlan| {
        let is_by_packet =
            |it: &DirectionPlan| matches!(it.loss, links::Loss::GilbertElliott { .. });
        it.directions.iter().any(is_by_packet)
    };
    let mut links = links.iter().filter(has_bursts);
    let first = &links.next()?.name;
    let others = match links.count() {
        0 => String::new(),
        others => format!(" and of {others} more"),
    };
    Some(format!(
        "the `gilbert-elliott` loss of link `{first}`{others} changes its state from packet to \
         packet: while a sender is silent, a bad state does not end; \
         `continuous-gilbert-elliott` changes it with time"
    ))
}

impl<'de> Deserialize<'de> for Loss {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ProbabilityOrTable;
        impl<'de> Visitor<'de> for ProbabilityOrTable {
            type Value = Loss;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a probability such as \"1 %\", or a table")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Loss, E> {
                let probability = Measured(parse(text).map_err(E::custom)?);
                let (most_in_a_row, of) = (None, Of::All);
                Ok(Loss(Kind::Independent(Independent { probability, most_in_a_row, of })))
            }
            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                table: D,
            ) -> Result<Loss, D::Error> {
                Kind::deserialize(table).map(Loss)
            }
        }
        deserializer.deserialize_newtype_struct(SHORT, ProbabilityOrTable)
    }
}

impl JsonSchema for Loss {
    fn schema_name() -> Cow<'static, str> {
        "Loss".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut kinds = Kind::json_schema(generator);
        let kinds = kinds.remove("oneOf").and_then(|it| it.as_array().cloned());
        let mut kinds = kinds.unwrap_or_default();
        without_tag(&mut kinds);
        kinds.insert(0, generator.subschema_for::<Measured<Share>>().to_value());
        json_schema!({
            "description": "Random loss. A probability alone is that of independent losses.",
            "anyOf": kinds,
        })
    }
}
