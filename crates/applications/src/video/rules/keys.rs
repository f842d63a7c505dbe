//! The rules that choose the levels of segments.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use windtunnel_reading::error::{Mistake, suggestion};
use windtunnel_reading::located::{Located, number};
use windtunnel_reading::reader::{self, SHORT};
use windtunnel_reading::schema::short_forms;
use windtunnel_reading::tree::{Node, Value};

use super::{
    BolaESettings, BolaSettings, Client, MpcSettings, Oscillation, RuleMaker, RuleSettings,
    ThroughputSettings, Utility,
};

/// The greatest horizon of model predictive control: with ten levels, 10 million sequences.
const MOST_HORIZON: u16 = 7;

/// The names of the rules that are built in.
pub const RULES: [&str; 5] = ["throughput", "bola", "bola-e", "mpc", "robust-mpc"];

/// What chooses the level of each segment: a rule that is built in, or the name of one that is
/// written outside.
#[derive(Clone, Debug)]
pub(crate) enum AnyRule {
    BuiltIn(Rule),
    Named(String),
}

impl AnyRule {
    pub(crate) fn plan(
        rule: &Located<Self>,
        makers: &[Arc<dyn RuleMaker>],
    ) -> Result<RuleSettings, Mistake> {
        let name = match &rule.value {
            Self::BuiltIn(it) => return it.plan(),
            Self::Named(it) => it.as_str(),
        };
        if let Some(maker) = makers.iter().find(|it| it.name() == name) {
            return Ok(RuleSettings::External(Arc::clone(maker)));
        }
        let known: Vec<&str> = makers.iter().map(|it| it.name()).chain(RULES).collect();
        Err(rule.mistake(format!("there is no rule `{name}`")).help(suggestion(name, &known)))
    }
}

impl<'de> Deserialize<'de> for AnyRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrTable;
        impl<'de> Visitor<'de> for NameOrTable {
            type Value = AnyRule;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the name of a rule, or a table with it as `kind`")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<AnyRule, E> {
                if !RULES.contains(&name) {
                    return Ok(AnyRule::Named(name.to_owned()));
                }
                let node = Node { span: 0..0, value: Value::Text(name.to_owned()) };
                reader::read(node)
                    .map(AnyRule::BuiltIn)
                    .map_err(|it: Mistake| E::custom(it.message))
            }
            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                table: D,
            ) -> Result<AnyRule, D::Error> {
                Rule::deserialize(table).map(AnyRule::BuiltIn)
            }
        }
        deserializer.deserialize_newtype_struct(SHORT, NameOrTable)
    }
}

impl JsonSchema for AnyRule {
    fn schema_name() -> Cow<'static, str> {
        Rule::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut rule = Rule::json_schema(generator);
        rule.insert(
            "description".into(),
            "What chooses the level of each segment: one of these rules, or the name of one \
             written in Python."
                .into(),
        );
        if let Some(kinds) = rule.get_mut("anyOf").and_then(|it| it.as_array_mut()) {
            kinds.push(serde_json::json!({ "type": "string" }));
        }
        rule
    }
}

/// What chooses the level of each segment.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "Rule", tag = "kind", transform = short_forms)]
pub(crate) enum Rule {
    /// The highest level below a share of the throughput, which is the lower of two averages
    /// with half-lives of 8 s and 3 s (dash.js), and for which the buffer suffices.
    Throughput(Throughput),
    /// BOLA: from the buffer alone (Spiteri, Urgaonkar and Sitaraman, INFOCOM 2016).
    Bola(Bola),
    /// BOLA-E: as `bola`, with a virtual part of the buffer, for which it begins at the level of
    /// the throughput (Spiteri, Sitaraman and Sparacio, MMSys 2018).
    BolaE(BolaE),
    /// Model predictive control: the best of all sequences of levels for the next segments, at
    /// the harmonic mean of the last five throughputs (Yin et al., SIGCOMM 2015).
    Mpc(Mpc),
    /// The same, with the mean divided by one more than the greatest relative error of the last
    /// five.
    RobustMpc(Mpc),
}

/// The throughput rule.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ThroughputRule")]
pub(crate) struct Throughput {
    /// The share of the throughput that is used, from 0 to 1.
    #[serde(default = "usual_safety")]
    safety: Located<f64>,
    /// The client whose rule is used.
    #[serde(default)]
    client: Client,
}

fn usual_safety() -> Located<f64> {
    0.9.into()
}

/// BOLA.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "BolaRule")]
pub(crate) struct Bola {
    /// How much a full buffer is preferred to a high level: `gamma p` of the paper.
    #[serde(default = "usual_gamma_p")]
    gamma_p: Located<f64>,
    /// What happens when it would rise to a level that the throughput does not sustain.
    #[serde(default)]
    oscillation: Oscillation,
}

fn usual_gamma_p() -> Located<f64> {
    5.0.into()
}

/// BOLA-E.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "BolaERule")]
pub(crate) struct BolaE {
    /// The utility of the lowest level in its scores.
    #[serde(default)]
    utility: Utility,
}

/// Model predictive control.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MpcRule")]
pub(crate) struct Mpc {
    /// How many segments it looks ahead, from 1 to 7. The time that it takes is the number of
    /// levels to this power.
    #[serde(default = "number::<5>")]
    horizon: Located<u16>,
}

impl Rule {
    pub(super) fn plan(&self) -> Result<RuleSettings, Mistake> {
        match self {
            Self::Throughput(it) => it.plan().map(RuleSettings::Throughput),
            Self::Bola(it) => it.plan().map(RuleSettings::Bola),
            Self::BolaE(it) => Ok(RuleSettings::BolaE(BolaESettings { utility: it.utility })),
            Self::Mpc(it) => it.plan(false).map(RuleSettings::Mpc),
            Self::RobustMpc(it) => it.plan(true).map(RuleSettings::Mpc),
        }
    }
}

impl Throughput {
    fn plan(&self) -> Result<ThroughputSettings, Mistake> {
        self.safety.checked(
            |it| *it > 0.0 && *it <= 1.0,
            || "`safety` must be greater than 0 and at most 1".to_owned(),
            "write one such as safety = 0.9",
        )?;
        Ok(ThroughputSettings { safety: self.safety.value, client: self.client })
    }
}

impl Bola {
    fn plan(&self) -> Result<BolaSettings, Mistake> {
        self.gamma_p.checked(
            |it| *it > 0.0 && *it <= 1e6,
            || "`gamma_p` must be greater than zero".to_owned(),
            "write one such as gamma_p = 5.0",
        )?;
        Ok(BolaSettings { gamma_p: self.gamma_p.value, oscillation: self.oscillation })
    }
}

impl Mpc {
    fn plan(&self, robust: bool) -> Result<MpcSettings, Mistake> {
        self.horizon.checked(
            |it| (1..=MOST_HORIZON).contains(it),
            || format!("`horizon` must be between 1 and {MOST_HORIZON} segments"),
            "write one such as horizon = 5",
        )?;
        Ok(MpcSettings { horizon: usize::from(self.horizon.value), robust })
    }
}
