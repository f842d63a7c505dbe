//! The policies that choose the paths of flows.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use windtunnel_engine::Duration;
use windtunnel_networks::scion::policies::{
    BanditSettings, LowestRttSettings, PolicyMaker, PolicySettings, Turn,
};

use crate::reading::error::{Mistake, suggestion};
use crate::reading::located::Located;
use crate::reading::reader::{self, SHORT};
use crate::reading::schema::short_forms;
use crate::reading::timers::{above_zero, zero};
use crate::reading::tree::{Node, Value};
use crate::reading::units::{Measured, Share, milliseconds};

/// The names of the policies that are built in.
pub(crate) const POLICIES: [&str; 9] = [
    "first",
    "lowest-latency",
    "widest",
    "lowest-rtt",
    "round-robin",
    "epsilon-greedy",
    "ucb1",
    "exp3",
    "disjoint",
];

/// What chooses the path of each packet: a policy that is built in, or the name of one that is
/// written outside.
#[derive(Clone, Debug)]
pub(super) enum AnyPolicy {
    BuiltIn(Box<Policy>),
    Named(String),
}

impl AnyPolicy {
    /// Its settings, if it is built in or one of these makers' policies.
    pub(super) fn plan(
        policy: &Located<Self>,
        makers: &[Arc<dyn PolicyMaker>],
    ) -> Result<PolicySettings, Mistake> {
        let name = match &policy.value {
            Self::BuiltIn(it) => return it.plan(),
            Self::Named(it) => it.as_str(),
        };
        if let Some(maker) = makers.iter().find(|it| it.name() == name) {
            return Ok(PolicySettings::External(Arc::clone(maker)));
        }
        let known: Vec<&str> = makers.iter().map(|it| it.name()).chain(POLICIES).collect();
        let mistake = policy.mistake(format!("there is no path policy `{name}`"));
        Err(mistake.help(suggestion(name, &known)))
    }
}

impl<'de> Deserialize<'de> for AnyPolicy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrTable;
        impl<'de> Visitor<'de> for NameOrTable {
            type Value = AnyPolicy;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the name of a path policy, or a table with it as `kind`")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<AnyPolicy, E> {
                if !POLICIES.contains(&name) {
                    return Ok(AnyPolicy::Named(name.to_owned()));
                }
                let node = Node { span: 0..0, value: Value::Text(name.to_owned()) };
                reader::read(node)
                    .map(AnyPolicy::BuiltIn)
                    .map_err(|it: Mistake| E::custom(it.message))
            }
            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                table: D,
            ) -> Result<AnyPolicy, D::Error> {
                Box::deserialize(table).map(AnyPolicy::BuiltIn)
            }
        }
        deserializer.deserialize_newtype_struct(SHORT, NameOrTable)
    }
}

impl JsonSchema for AnyPolicy {
    fn schema_name() -> Cow<'static, str> {
        Policy::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut policy = Policy::json_schema(generator);
        policy.insert(
            "description".into(),
            "What chooses the path of each packet: one of these policies, or the name of one \
             written in Python."
                .into(),
        );
        if let Some(kinds) = policy.get_mut("anyOf").and_then(|it| it.as_array_mut()) {
            kinds.push(serde_json::json!({ "type": "string" }));
        }
        policy
    }
}

/// What chooses the path of each packet of a flow.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "PathPolicy", tag = "kind", transform = short_forms)]
pub(super) enum Policy {
    /// The path through the fewest autonomous systems.
    First,
    /// The path with the lowest latency that beacons announced.
    LowestLatency,
    /// The path with the greatest bandwidth that beacons announced.
    Widest,
    /// The path with the lowest round trip of probes, which are sent on all paths.
    LowestRtt(LowestRtt),
    /// Each path in turn.
    RoundRobin(RoundRobin),
    /// The path with the lowest mean round trip so far, and sometimes a random one (Sutton and
    /// Barto, section 2.2). Only the path in use is probed, and each probe is a round.
    EpsilonGreedy(ExploringBandit),
    /// UCB1: the path whose mean round trip is lowest when it is taken for as low as it may well
    /// be (Auer, Cesa-Bianchi and Fischer 2002). Only the path in use is probed, and each probe
    /// is a round.
    Ucb1(Bandit),
    /// EXP3: paths are drawn by weights that grow exponentially with what they gained (Auer,
    /// Cesa-Bianchi, Freund and Schapire 2002). Only the path in use is probed, and each probe is
    /// a round.
    Exp3(ExploringBandit),
    /// For Multipath TCP: each subflow has a path that shares as few interfaces as possible with
    /// those of the others.
    Disjoint,
}

/// The policy of the lowest round trip.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "LowestRttPolicy")]
pub(super) struct LowestRtt {
    /// How often all paths are probed; each time that all probes have returned it is considered
    /// whether to switch.
    #[serde(default = "milliseconds::<1000>")]
    probe_interval: Located<Measured<Duration>>,
    /// By which share of the current path's round trip another one's must be shorter.
    #[serde(default = "usual_hysteresis")]
    hysteresis: Measured<Share>,
    /// The probability with which the flow switches each time that it has a reason to.
    #[serde(default = "certain")]
    probability: Located<Measured<Share>>,
    /// How long after a switch there is no other.
    #[serde(default = "zero")]
    hold: Located<Measured<Duration>>,
    /// Whether round trips are smoothed (RFC 6298); otherwise that of the last probe counts.
    #[serde(default = "yes")]
    smoothed: bool,
}

fn usual_hysteresis() -> Measured<Share> {
    Measured(Share(0.1))
}

fn certain() -> Located<Measured<Share>> {
    Measured(Share(1.0)).into()
}

fn yes() -> bool {
    true
}

/// The policy of taking turns.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RoundRobinPolicy")]
pub(super) struct RoundRobin {
    /// How many packets each path carries in its turn; default: 1.
    packets: Option<Located<u32>>,
    /// How long a turn lasts, instead of a number of packets.
    time: Option<Located<Measured<Duration>>>,
}

/// What the bandits have alike.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "BanditPolicy")]
pub(super) struct Bandit {
    /// How often the path in use is probed.
    #[serde(default = "milliseconds::<1000>")]
    probe_interval: Located<Measured<Duration>>,
    /// The round trip that counts as a loss of 1, as longer ones and lost probes do; shorter ones
    /// count in proportion.
    #[serde(default = "milliseconds::<1000>")]
    worst_rtt: Located<Measured<Duration>>,
}

/// A bandit that also draws paths at random.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ExploringBanditPolicy")]
pub(super) struct ExploringBandit {
    /// How often the path in use is probed.
    #[serde(default = "milliseconds::<1000>")]
    probe_interval: Located<Measured<Duration>>,
    /// The round trip that counts as a loss of 1, as longer ones and lost probes do; shorter ones
    /// count in proportion.
    #[serde(default = "milliseconds::<1000>")]
    worst_rtt: Located<Measured<Duration>>,
    /// The share of rounds in which any path is drawn: ε, or γ of EXP3, which is its rate of
    /// learning too and must be greater than zero.
    #[serde(default = "usual_exploration")]
    exploration: Located<Measured<Share>>,
}

fn usual_exploration() -> Located<Measured<Share>> {
    Measured(Share(0.1)).into()
}

impl Policy {
    fn plan(&self) -> Result<PolicySettings, Mistake> {
        Ok(match self {
            Self::First => PolicySettings::First,
            Self::LowestLatency => PolicySettings::LowestLatency,
            Self::Widest => PolicySettings::Widest,
            Self::LowestRtt(it) => PolicySettings::LowestRtt(it.plan()?),
            Self::RoundRobin(it) => PolicySettings::RoundRobin(it.plan()?),
            Self::EpsilonGreedy(it) => {
                let settings = bandit(&it.probe_interval, &it.worst_rtt)?;
                PolicySettings::EpsilonGreedy(settings, it.exploration.value.0.0)
            }
            Self::Ucb1(it) => PolicySettings::Ucb1(bandit(&it.probe_interval, &it.worst_rtt)?),
            Self::Exp3(it) => {
                let settings = bandit(&it.probe_interval, &it.worst_rtt)?;
                PolicySettings::Exp3(settings, share_above_zero(&it.exploration, "exploration")?)
            }
            Self::Disjoint => PolicySettings::Disjoint,
        })
    }
}

impl LowestRtt {
    fn plan(&self) -> Result<LowestRttSettings, Mistake> {
        Ok(LowestRttSettings {
            probe_interval: above_zero(&self.probe_interval, "probe_interval")?,
            hysteresis: self.hysteresis.0.0,
            probability: share_above_zero(&self.probability, "probability")?,
            hold: self.hold.value.0,
            is_smoothed: self.smoothed,
        })
    }
}

impl RoundRobin {
    fn plan(&self) -> Result<Turn, Mistake> {
        match (&self.packets, &self.time) {
            (Some(packets), Some(_)) => {
                let mistake = packets.mistake("`packets` and `time` cannot both be set");
                Err(mistake.help("remove one of them"))
            }
            (None, None) => Ok(Turn::Packets(1)),
            (None, Some(time)) => Ok(Turn::Time(above_zero(time, "time")?)),
            (Some(packets), None) => {
                packets.checked(
                    |it| *it > 0,
                    || "`packets` must be greater than zero".to_owned(),
                    "write one such as packets = 1",
                )?;
                Ok(Turn::Packets(packets.value))
            }
        }
    }
}

fn bandit(
    probe_interval: &Located<Measured<Duration>>,
    worst_rtt: &Located<Measured<Duration>>,
) -> Result<BanditSettings, Mistake> {
    Ok(BanditSettings {
        probe_interval: above_zero(probe_interval, "probe_interval")?,
        worst_rtt: above_zero(worst_rtt, "worst_rtt")?,
    })
}

fn share_above_zero(share: &Located<Measured<Share>>, key: &str) -> Result<f64, Mistake> {
    share.checked(
        |it| it.0.0 > 0.0,
        || format!("`{key}` must be greater than zero"),
        &format!("write one such as {key} = \"10 %\""),
    )?;
    Ok(share.value.0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::tree;

    #[derive(Deserialize)]
    struct Flow {
        path_policy: Located<AnyPolicy>,
    }

    fn read(text: &str) -> Result<PolicySettings, Mistake> {
        let flow: Flow = reader::read(tree::parse(&format!("path_policy = {text}"))?)?;
        AnyPolicy::plan(&flow.path_policy, &[])
    }

    #[test]
    fn each_policy_can_be_named_alone_and_is_called_so() {
        for name in POLICIES {
            let settings = read(&format!("\"{name}\"")).expect(name);
            assert_eq!(settings.name(), name);
            let settings = read(&format!("{{ kind = \"{name}\" }}")).expect(name);
            assert_eq!(settings.name(), name);
        }
    }

    #[test]
    fn a_table_sets_what_it_names_and_nothing_else() {
        let settings = read(
            r#"{ kind = "lowest-rtt", probe_interval = "200 ms", probability = "25 %",
                 smoothed = false }"#,
        );
        let Ok(PolicySettings::LowestRtt(it)) = settings else { panic!("{settings:?}") };
        let expected = LowestRttSettings {
            probe_interval: Duration::from_millis(200),
            hysteresis: 0.1,
            probability: 0.25,
            hold: Duration::ZERO,
            is_smoothed: false,
        };
        assert_eq!(it, expected);
        let settings = read(r#"{ kind = "round-robin", time = "2 s" }"#);
        assert!(matches!(
            settings,
            Ok(PolicySettings::RoundRobin(Turn::Time(it))) if it == Duration::from_secs(2)
        ));
    }

    #[test]
    fn mistakes_say_what_would_be_right() {
        for (text, message, help) in [
            ("\"widset\"", "there is no path policy `widset`", "widest"),
            (r#"{ kind = "widset" }"#, "widset", "widest"),
            ("7", "`7` is not the name of a path policy, or a table with it as `kind`", ""),
            (
                r#"{ kind = "lowest-rtt", probe_interval = "0 s" }"#,
                "`probe_interval` must be greater than zero",
                "probe_interval = \"200 ms\"",
            ),
            (
                r#"{ kind = "lowest-rtt", probability = "0 %" }"#,
                "`probability` must be greater than zero",
                "probability = \"10 %\"",
            ),
            (
                r#"{ kind = "exp3", exploration = "0 %" }"#,
                "`exploration` must be greater than zero",
                "exploration = \"10 %\"",
            ),
            (
                r#"{ kind = "round-robin", packets = 0 }"#,
                "`packets` must be greater than zero",
                "packets = 1",
            ),
            (
                r#"{ kind = "round-robin", packets = 2, time = "1 s" }"#,
                "`packets` and `time` cannot both be set",
                "remove one of them",
            ),
            (r#"{ kind = "widest", time = "1 s" }"#, "time", ""),
            (r#"{ kind = "lowest-rtt", hysteresis = "120 %" }"#, "120 %", ""),
        ] {
            let mistake = read(text).expect_err(text);
            assert!(mistake.message.contains(message), "{text}: {}", mistake.message);
            let given = mistake.help.unwrap_or_default();
            assert!(given.contains(help), "{text}: {given}");
        }
    }
}
