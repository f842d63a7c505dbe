//! The scenario file, as users write it.
//!
//! Every key of nodes, links, producers, consumers and flows may also stand under
//! `[defaults]`, for all that do not say otherwise. Units are part of the
//! values; keys that are not known are refused.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use toml::Spanned;
use windtunnel_controllers::{DESCRIPTIONS, Kind, Value};
use windtunnel_engine::{Duration, Rate};
use windtunnel_queues::QueueLimit;

use crate::units::{Bytes, Frequency, Measured, PacketCount, Segments, Share};

/// Things under names, in the file's order.
pub(crate) type Named<T> = IndexMap<Spanned<String>, T>;

/// A value with its place in the file.
#[derive(Clone, Debug)]
pub(crate) struct Located<T> {
    pub(crate) value: T,
    pub(crate) span: Range<usize>,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Located<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<T>::deserialize(deserializer)?;
        Ok(Self { span: spanned.span(), value: spanned.into_inner() })
    }
}

impl<T: JsonSchema> JsonSchema for Located<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// One value for both directions of a link, or two: from the first node to the
/// second, and back.
#[derive(Clone, Debug)]
pub(crate) struct Each<T>(pub(crate) [T; 2]);

impl<'de, T: Deserialize<'de> + Clone> Deserialize<'de> for Each<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrTwo<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de> + Clone> Visitor<'de> for OneOrTwo<T> {
            type Value = Each<T>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("one value for both directions, or an array of two")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                let value = T::deserialize(serde::de::value::StrDeserializer::new(text))?;
                Ok(Each([value.clone(), value]))
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
                let value = T::deserialize(serde::de::value::I64Deserializer::new(number))?;
                Ok(Each([value.clone(), value]))
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
                let value = T::deserialize(serde::de::value::F64Deserializer::new(number))?;
                Ok(Each([value.clone(), value]))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                let value = T::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Each([value.clone(), value]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, values: A) -> Result<Self::Value, A::Error> {
                let values = Vec::<T>::deserialize(SeqAccessDeserializer::new(values))?;
                let count = values.len();
                values.try_into().map(Each).map_err(|_| {
                    A::Error::custom(format!("{count} values for two directions; write one or two"))
                })
            }
        }
        deserializer.deserialize_any(OneOrTwo(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for Each<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("each {}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({
            "anyOf": [one, { "type": "array", "items": one, "minItems": 2, "maxItems": 2 }]
        })
    }
}

/// A scenario: a network, what runs on it, for how long, and what is compared.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    /// What the scenario is, in one line; nothing unless stated.
    pub(crate) title: Option<String>,
    /// How much time is simulated.
    pub(crate) duration: Located<Measured<Duration>>,
    /// How often the time series are sampled; 100 ms unless stated.
    pub(crate) interval: Option<Located<Measured<Duration>>>,
    /// The seed of all random streams; 1 unless stated.
    #[serde(default = "one")]
    pub(crate) seed: u64,
    /// How often each case is run, each time with other random streams; 1
    /// unless stated.
    pub(crate) runs: Option<Located<u32>>,
    /// The most real time that one run may take; without a limit unless stated.
    pub(crate) real_time_limit: Option<Measured<Duration>>,
    /// What holds for all nodes, links, producers, consumers and flows that do not
    /// say otherwise.
    #[serde(default)]
    pub(crate) defaults: Defaults,
    /// Controllers with their parameters, by a name of the file's own that
    /// consumers and flows may use.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, Controller>")]
    pub(crate) controllers: Named<Controller>,
    /// The nodes, by name.
    #[schemars(with = "IndexMap<String, Node>")]
    pub(crate) nodes: Named<Node>,
    /// The links between them, by name.
    #[schemars(with = "IndexMap<String, Link>")]
    pub(crate) links: Named<Link>,
    /// Who serves Data, by name.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, Producer>")]
    pub(crate) producers: Named<Producer>,
    /// Who asks for it, by name: each is a flow.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, Consumer>")]
    pub(crate) consumers: Named<Consumer>,
    /// Who sends to whom over TCP or UDP, by name.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, Flow>")]
    pub(crate) flows: Named<Flow>,
    /// Which nodes work together as the edges of a bridge, by name.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, Bridge>")]
    pub(crate) bridges: Named<Bridge>,
    /// How Interests find producers, and IP packets their destination.
    #[serde(default)]
    pub(crate) routing: Routing,
    /// What is compared: for each axis its cases, and for each case the values
    /// it sets, by their path in this file. All combinations of cases are run.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, IndexMap<String, IndexMap<String, serde_json::Value>>>")]
    pub(crate) compare: Named<Named<Named<toml::Value>>>,
}

fn one() -> u64 {
    1
}

/// What holds where nothing else is said.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Defaults {
    /// For nodes.
    #[serde(default)]
    pub(crate) node: Node,
    /// For links.
    #[serde(default)]
    pub(crate) link: Link,
    /// For producers.
    #[serde(default)]
    pub(crate) producer: Producer,
    /// For consumers.
    #[serde(default)]
    pub(crate) consumer: Consumer,
    /// For flows over TCP and UDP.
    #[serde(default)]
    pub(crate) flow: Flow,
}

/// Declares a table whose keys may all be left out, and how it is filled up
/// from another one.
macro_rules! table {
    ($(#[$outer:meta])* $name:ident { $($(#[$inner:meta])* $field:ident: $type:ty,)+ }) => {
        $(#[$outer])*
        #[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            $($(#[$inner])* pub(crate) $field: Option<$type>,)+
        }

        impl $name {
            /// This table, with what it leaves out taken from `defaults`.
            pub(crate) fn or(&self, defaults: &Self) -> Self {
                Self { $($field: self.$field.clone().or_else(|| defaults.$field.clone()),)+ }
            }
        }
    };
}

table! {
    /// A node: a forwarder with its tables.
    Node {
        /// The content store; none unless stated.
        content_store: ContentStore,
        /// How it chooses among next hops; `best-route` unless stated.
        strategy: StrategyName,
        /// What becomes of a congestion mark on an Interest; `return` unless
        /// stated.
        interest_marks: InterestMarks,
    }
}

/// Data kept to answer later Interests.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContentStore {
    /// How many Data packets it holds; with 0 it is off.
    pub(crate) capacity: Measured<PacketCount>,
    /// Which Data makes room; `lru` unless stated.
    #[serde(default)]
    pub(crate) policy: Policy,
    /// Whether Data cached with a congestion mark is sent with it again, as NFD
    /// does; no unless stated.
    #[serde(default)]
    pub(crate) keep_marks: bool,
}

/// Which Data makes room.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Policy {
    /// The least recently used.
    #[default]
    Lru,
    /// The first that came in.
    Fifo,
}

/// How a node chooses among next hops.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StrategyName {
    /// The one of the lowest cost; retransmissions try the others.
    BestRoute,
    /// All at once.
    Multicast,
    /// By weights that congestion marks move.
    Pcon,
}

/// What becomes of a congestion mark on an Interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum InterestMarks {
    /// Its Data returns it, as in PCON.
    Return,
    /// Nothing, as in NFD.
    Ignore,
}

table! {
    /// A duplex link. A value that may differ by direction is one for both, or
    /// an array of two: from the first node to the second, and back.
    Link {
        /// The two nodes that it joins; to be stated.
        nodes: Located<Ends>,
        /// How fast it sends; this, or `radio`, or `trace`.
        rate: Each<Measured<Rate>>,
        /// How fast it sends, by a radio.
        radio: Located<Radio>,
        /// How fast it sends, from a file; another file for each direction, or one for
        /// both.
        trace: Located<Each<Trace>>,
        /// How long a bit takes to the other end; to be stated.
        delay: Each<Measured<Duration>>,
        /// What it loses at random; nothing unless stated.
        loss: Each<Loss>,
        /// The probability that it delivers a packet twice; none unless stated.
        duplication: Each<Measured<Share>>,
        /// Which packets it delivers late, so that others overtake them; none unless
        /// stated.
        reordering: Each<Reordering>,
        /// What happens to it in the course of time; nothing unless stated.
        changes: Vec<Change>,
        /// The queue before it; drop-tail of 100 packets unless stated.
        queue: Each<Queue>,
        /// What its own framing adds to each packet; nothing unless stated.
        overhead: Located<Measured<Bytes>>,
    }
}

mod bridge;
mod flow;
mod radio;

pub(crate) use bridge::{
    Bridge, Clones, Duplicates, Keep, Marks, Order, OrderKind, Probes, Resend, Unmatched,
};

pub(crate) use radio::{
    Blockage, Efficiency, EfficiencyKind, LineOfSight, MapFile, Obstructed, Place, Radio, Report,
    Rlc, RlcKind, Trace, TraceKind,
};

pub(crate) use flow::{
    Ecn, Flow, FlowWorkload, FlowWorkloadKind, Ip, Periods, Protocol, Reading, Recovery,
    SizesOfFiles, Split,
};

/// The two nodes that a link joins.
#[derive(Clone, Debug)]
pub(crate) struct Ends(pub(crate) [Located<String>; 2]);

impl<'de> Deserialize<'de> for Ends {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = Vec::<Located<String>>::deserialize(deserializer)?;
        let count = names.len();
        names.try_into().map(Self).map_err(|_| {
            D::Error::custom(format!("a link joins two nodes, not {count}; write [\"a\", \"b\"]"))
        })
    }
}

impl JsonSchema for Ends {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "ends".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        <[String; 2]>::json_schema(generator)
    }
}

/// Random loss. With `probability` alone each packet is lost independently;
/// the other keys make it a Gilbert–Elliott channel, which starts in its good
/// state.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Loss {
    /// The probability of loss; for a Gilbert–Elliott channel, in the good state.
    pub(crate) probability: Measured<Share>,
    /// Which packets can be lost; `all` unless stated.
    #[serde(default)]
    pub(crate) of: LossOf,
    /// The probability of loss in the bad state.
    pub(crate) in_bad_state: Option<Located<Measured<Share>>>,
    /// The probability to change from good to bad, for each packet.
    pub(crate) to_bad_state: Option<Located<Measured<Share>>>,
    /// The probability to change from bad to good, for each packet.
    pub(crate) to_good_state: Option<Located<Measured<Share>>>,
}

/// Which packets can be lost at random.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LossOf {
    /// All.
    #[default]
    All,
    /// Those that are not ECN-capable, such as a bridge selects.
    Selected,
}

/// Which packets a link delivers late.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reordering {
    /// The probability that a packet is late.
    pub(crate) probability: Measured<Share>,
    /// By how much; what is sent within that time overtakes it.
    pub(crate) lateness: Located<Measured<Duration>>,
}

/// What happens to a link at some time: another rate, or another state. Each is
/// one value for both directions, or an array of two.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Change {
    /// When.
    pub(crate) at: Located<Measured<Duration>>,
    /// How fast it sends from then on; the packet under transmission keeps its own.
    pub(crate) rate: Option<Each<Measured<Rate>>>,
    /// Whether it goes down, which loses what is on it and lets what is queued wait,
    /// or comes back.
    pub(crate) state: Option<Each<State>>,
}

/// Whether a link carries packets.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum State {
    /// It does.
    Up,
    /// It does not.
    Down,
}

/// A queue. Each kind has its own keys beside `limit`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Queue {
    /// Which discipline.
    pub(crate) kind: QueueKind,
    /// How much may wait; 100 packets unless stated, for `fq-codel` 10,240 and for
    /// `dualpi2` 10,000.
    pub(crate) limit: Option<Measured<QueueLimit>>,
    /// `red`, `codel`, `fq-codel`, `pie`, `sce`: whether to drop, or to mark what is
    /// ECN-capable; mark for `fq-codel` and `sce`, drop for the others unless stated.
    pub(crate) action: Option<Located<QueueAction>>,
    /// `codel`, `fq-codel`, `sce`, `pcon`: the sojourn time to stay below; 5 ms unless
    /// stated. `pie`, `dualpi2`: the queueing delay to hold; 15 ms unless stated.
    pub(crate) target: Option<Located<Measured<Duration>>>,
    /// `codel`, `fq-codel`, `sce`, `pcon`, `link-service`: the time to react after;
    /// 100 ms unless stated.
    pub(crate) interval: Option<Located<Measured<Duration>>>,
    /// `codel`, `fq-codel`: the sojourn time beyond which every ECN-capable packet is
    /// marked; none unless stated.
    pub(crate) ce_threshold: Option<Located<Measured<Duration>>>,
    /// `link-service`: how much may wait before it marks; 65,536 octets unless
    /// stated.
    pub(crate) threshold: Option<Located<Measured<Bytes>>>,
    /// `red`: the average queue from which packets are dropped or marked; 5 packets
    /// unless stated.
    pub(crate) minimum_threshold: Option<Located<Measured<QueueLimit>>>,
    /// `red`: the average queue at which `max_probability` is reached; three times
    /// the minimum threshold unless stated.
    pub(crate) maximum_threshold: Option<Located<Measured<QueueLimit>>>,
    /// `red`: the weight of one arrival in the average; 0.002 unless stated.
    pub(crate) weight: Option<Located<f64>>,
    /// `red`: the probability at the maximum threshold; 10 % unless stated.
    pub(crate) max_probability: Option<Located<Measured<Share>>>,
    /// `red`: whether the probability rises gently beyond the maximum threshold; yes
    /// unless stated.
    pub(crate) gentle: Option<Located<bool>>,
    /// `red`: whether `max_probability` adapts, to hold the average midway; no unless
    /// stated.
    pub(crate) adaptive: Option<Located<bool>>,
    /// `fq-codel`: how many queues flows are hashed to; 1024 unless stated.
    pub(crate) flows: Option<Located<u16>>,
    /// `fq-codel`: the octets that a queue may send in one turn; 1514 unless stated.
    pub(crate) quantum: Option<Located<Measured<Bytes>>>,
    /// `pie`, `dualpi2`: how often the probability moves; 15 ms for `pie` and 16 ms
    /// for `dualpi2` unless stated.
    pub(crate) update: Option<Located<Measured<Duration>>>,
    /// `pie`, `dualpi2`: how much the probability moves by the excess of the delay;
    /// 0.125 Hz for `pie` and 0.16 Hz for `dualpi2` unless stated.
    pub(crate) alpha: Option<Located<Measured<Frequency>>>,
    /// `pie`, `dualpi2`: how much it moves by the growth of the delay; 1.25 Hz for
    /// `pie` and 3.2 Hz for `dualpi2` unless stated.
    pub(crate) beta: Option<Located<Measured<Frequency>>>,
    /// `pie`: how long a burst passes untouched; 150 ms unless stated.
    pub(crate) burst: Option<Located<Measured<Duration>>>,
    /// `dualpi2`: the coupling factor between the two queues; 2 unless stated.
    pub(crate) coupling: Option<Located<f64>>,
    /// `dualpi2`: what the classic queue gets of the link while packets wait in both;
    /// 10 % unless stated.
    pub(crate) classic_share: Option<Located<Measured<Share>>>,
    /// `dualpi2`: the sojourn time in the low-latency queue beyond which every packet
    /// is marked; 1 ms unless stated.
    pub(crate) step: Option<Located<Measured<Duration>>>,
    /// `dualpi2`, in place of a step, and `sce`: the sojourn time from which some
    /// packets are marked; 0.8 ms, and for `sce` a quarter of the target, unless
    /// stated.
    pub(crate) ramp_start: Option<Located<Measured<Duration>>>,
    /// `dualpi2`, in place of a step, and `sce`: the sojourn time from which all are;
    /// 1.2 ms, and for `sce` half the target, unless stated.
    pub(crate) ramp_end: Option<Located<Measured<Duration>>>,
}

/// A queue discipline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum QueueKind {
    /// First in, first out; drops what finds no room.
    DropTail,
    /// Drop-tail with the marking of NFD's link service.
    LinkService,
    /// Random early detection.
    Red,
    /// Controlled delay (RFC 8289).
    Codel,
    /// A queue for each flow, with controlled delay (RFC 8290).
    FqCodel,
    /// Proportional integral controller enhanced (RFC 8033).
    Pie,
    /// Two coupled queues, for L4S and for all others (RFC 9332).
    Dualpi2,
    /// Controlled delay that tells of some congestion first, by ECT(1).
    Sce,
    /// The marking queue of PCON.
    Pcon,
}

/// What a discipline does to a packet that it chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum QueueAction {
    /// Drops it.
    Drop,
    /// Marks it if it is ECN-capable, and drops it otherwise.
    Mark,
}

table! {
    /// A producer: answers every Interest below its prefix.
    Producer {
        /// The node that it is on; to be stated.
        node: Located<String>,
        /// The prefix that it serves, such as `/video`; to be stated.
        prefix: Located<String>,
        /// The content of each Data packet; 1024 octets unless stated.
        payload: Located<Measured<Bytes>>,
        /// How long Data counts as fresh; the Data does not say unless stated.
        freshness: Measured<Duration>,
        /// How long it takes to answer; no time unless stated.
        response_delay: Measured<Duration>,
        /// What signs the Data; `digest-sha256` unless stated.
        signature: Signature,
    }
}

/// What signs Data; here it only decides the size.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Signature {
    /// 32 octets.
    DigestSha256,
    /// None: 0 octets.
    Null,
    /// 32 octets.
    HmacSha256,
    /// 64 octets.
    Ed25519,
    /// 71 octets.
    EcdsaP256,
    /// 256 octets.
    Rsa2048,
}

table! {
    /// A consumer: a flow of Interests and the Data they bring.
    Consumer {
        /// The node that it is on; to be stated.
        node: Located<String>,
        /// The prefix of what it asks for; to be stated.
        prefix: Located<String>,
        /// What drives its window: a name (one under `[controllers]`, or else a
        /// controller's own), or a table with the latter as `kind` and parameters;
        /// to be stated.
        controller: Controller,
        /// The window at the start; 2 segments unless stated.
        initial_window: Measured<Segments>,
        /// The least window; the initial one unless stated.
        minimum_window: Located<Measured<Segments>>,
        /// What it asks for; a stream without end unless stated.
        workload: Workload,
        /// When it starts; at once unless stated.
        start: Measured<Duration>,
        /// It starts at a random moment within so much time from `start`, another
        /// one in each run; exactly then unless stated.
        start_within: Measured<Duration>,
        /// When it asks for nothing more; at the end unless stated.
        stop: Located<Measured<Duration>>,
        /// How long its Interests stay pending; 4 s unless stated.
        interest_lifetime: Located<Measured<Duration>>,
        /// How many hops its Interests may take; without a limit unless stated.
        hop_limit: u8,
        /// Whether cached Data past its freshness will not do; no unless stated.
        must_be_fresh: bool,
        /// What a fraction of a segment in the window allows; nothing unless stated.
        window_fraction: WindowFraction,
        /// What marked Data leads to; a decrease once a round trip unless stated.
        on_mark: Reaction,
        /// What timeouts lead to; a decrease once a round trip unless stated.
        on_timeout: Reaction,
        /// What congestion NACKs lead to; a decrease once a round trip unless
        /// stated.
        on_nack: Reaction,
        /// After a decrease, the share of the Interests in flight that must be
        /// asked for anew before the next one counts as another round trip's;
        /// none unless stated, 50 % in ndnSIM.
        recovery_margin: Measured<Share>,
        /// What a timeout means to the controller; a loss unless stated.
        timeout_meaning: TimeoutMeaning,
        /// When a timeout doubles the timeout; once a round trip unless stated.
        backoff: Backoff,
        /// The timeout before the first round trip is measured; 1 s unless stated.
        initial_timeout: Located<Measured<Duration>>,
        /// The least timeout; 200 ms unless stated.
        minimum_timeout: Measured<Duration>,
        /// The greatest timeout; 60 s unless stated.
        maximum_timeout: Located<Measured<Duration>>,
        /// How often the timeout may have been doubled; without a limit unless
        /// stated.
        most_doublings: u8,
        /// How much one round trip moves the smoothed one; the usual gains per round
        /// trip unless stated.
        rtt_gain: RttGain,
        /// How often timeouts are looked for; at the very moment unless stated.
        timeout_check: Measured<Duration>,
    }
}

/// What a fraction of a segment in the window allows.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WindowFraction {
    /// Nothing: what is in flight never exceeds the window.
    Waits,
    /// One more Interest, as in ndnSIM.
    Sends,
}

/// What a congestion signal leads to.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Reaction {
    /// A decrease each.
    Every,
    /// One decrease a round trip.
    OncePerRoundTrip,
    /// Nothing; marked Data counts like any other.
    Ignore,
}

/// What a timeout means to the controller.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TimeoutMeaning {
    /// A loss: the ordinary decrease.
    Loss,
    /// Start again from the initial window.
    Restart,
}

/// How much one measured round trip moves the smoothed one.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RttGain {
    /// The gains of RFC 6298, shared among the samples of a round trip, as in
    /// ndn-cxx.
    PerRoundTrip,
    /// The gains of RFC 6298 for each sample, as in ndnSIM.
    PerSample,
}

/// When a timeout doubles the timeout.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Backoff {
    /// Once for all Interests that were sent before it was doubled last.
    OncePerRoundTrip,
    /// Once for all Interests found timed out at the same moment.
    EachEvent,
    /// For each Interest, as in ndnSIM.
    EachInterest,
}

/// What a consumer asks for. Each kind has its own keys.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Workload {
    /// Which kind.
    pub(crate) kind: Located<WorkloadKind>,
    /// `file`: its size; the last segment counts as a full one.
    pub(crate) size: Option<Located<Measured<Bytes>>>,
    /// `catalogue`: how many objects of one segment there are.
    pub(crate) objects: Option<Located<u64>>,
    /// `catalogue`: the exponent of Zipf's law; 0.8 unless stated, 0 for equal
    /// popularity.
    pub(crate) exponent: Option<Located<f64>>,
}

/// The kind of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WorkloadKind {
    /// Segments 0, 1, 2 … without end.
    Stream,
    /// The segments of one file, once.
    File,
    /// Objects by popularity, without end.
    Catalogue,
}

/// A controller and its parameters.
#[derive(Clone, Debug)]
pub(crate) struct Controller {
    pub(crate) kind: Located<String>,
    pub(crate) parameters: Vec<(Located<String>, Located<Setting>)>,
}

/// A parameter's value.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "a parameter is a number, a word, or true or false")]
pub(crate) enum Setting {
    Flag(bool),
    Number(f64),
    Choice(String),
}

impl Setting {
    pub(crate) fn value(&self) -> Value<'_> {
        match self {
            Self::Flag(it) => Value::Flag(*it),
            Self::Number(it) => Value::Number(*it),
            Self::Choice(it) => Value::Choice(it),
        }
    }
}

impl<'de> Deserialize<'de> for Controller {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrTable;
        impl<'de> Visitor<'de> for NameOrTable {
            type Value = (Option<String>, Named<Spanned<Setting>>);
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a controller's name, or a table with it as `kind`")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
                Ok((Some(name.to_owned()), Named::new()))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                Ok((None, Named::deserialize(MapAccessDeserializer::new(map))?))
            }
        }
        struct Whole((Option<String>, Named<Spanned<Setting>>));
        impl<'de> Deserialize<'de> for Whole {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(NameOrTable).map(Self)
            }
        }
        let whole = Spanned::<Whole>::deserialize(deserializer)?;
        let span = whole.span();
        let Whole((name, mut table)) = whole.into_inner();
        let kind = match name {
            Some(value) => Located { value, span },
            None => match table.shift_remove("kind").map(|it| (it.span(), it.into_inner())) {
                Some((span, Setting::Choice(value))) => Located { value, span },
                _ => {
                    return Err(D::Error::custom(
                        "a controller's table has no `kind`; write one such as \
                         { kind = \"cubic\", beta = 0.7 }",
                    ));
                }
            },
        };
        let located = |key: Spanned<String>| Located { span: key.span(), value: key.into_inner() };
        let parameters = table
            .into_iter()
            .map(|(key, it)| (located(key), Located { span: it.span(), value: it.into_inner() }))
            .collect();
        Ok(Self { kind, parameters })
    }
}

impl JsonSchema for Controller {
    fn schema_name() -> Cow<'static, str> {
        "Controller".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = DESCRIPTIONS.iter().map(|it| it.name).collect();
        let tables = DESCRIPTIONS.iter().map(|description| {
            let mut properties = serde_json::Map::new();
            properties.insert("kind".into(), serde_json::json!({ "const": description.name }));
            for parameter in description.parameters {
                let schema = match parameter.kind {
                    Kind::Number { default, minimum, maximum } => serde_json::json!({
                        "type": "number", "default": default,
                        "minimum": minimum, "maximum": maximum,
                    }),
                    Kind::Flag { default, .. } => {
                        serde_json::json!({ "type": "boolean", "default": default })
                    }
                    Kind::Choice(options) => serde_json::json!({
                        "oneOf": options.iter().map(|(name, meaning)| {
                            serde_json::json!({ "const": name, "description": meaning })
                        }).collect::<Vec<_>>(),
                        "default": options[0].0,
                    }),
                };
                let mut schema = schema;
                schema["description"] = parameter.meaning.into();
                properties.insert(parameter.name.into(), schema);
            }
            serde_json::json!({
                "type": "object",
                "title": description.title,
                "description": description.source,
                "properties": properties,
                "required": ["kind"],
                "additionalProperties": false,
            })
        });
        let own_name =
            serde_json::json!({ "type": "string", "description": "a name under `controllers`" });
        let any_of: Vec<serde_json::Value> =
            [serde_json::json!({ "enum": names }), own_name].into_iter().chain(tables).collect();
        json_schema!({
            "description": "A congestion controller: its name, or a table with it as `kind`.",
            "anyOf": any_of,
        })
    }
}

/// How Interests find producers, and IP packets their destination by the shortest
/// path.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Routing {
    /// What a path's length is measured by; delay unless stated.
    #[serde(default)]
    pub(crate) metric: Metric,
    /// Which paths become next hops; the shortest to each producer unless stated.
    #[serde(default)]
    pub(crate) paths: Paths,
    /// Routes that replace the computed ones of that node and prefix.
    #[serde(default)]
    pub(crate) routes: Vec<Route>,
}

/// What a path's length is measured by.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Metric {
    /// Propagation delay.
    #[default]
    Delay,
    /// Links.
    Hops,
}

/// Which paths become next hops.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Paths {
    /// The shortest to each producer.
    #[default]
    Shortest,
    /// The shortest to each producer through each neighbour.
    All,
}

/// A route that the file gives.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Route {
    /// The node where it applies.
    pub(crate) node: Located<String>,
    /// The prefix that it leads to.
    pub(crate) prefix: Located<String>,
    /// The link that it takes.
    pub(crate) link: Located<String>,
    /// The lower, the better; 0 unless stated.
    #[serde(default)]
    pub(crate) cost: u64,
}

/// The JSON Schema of scenario files, for editors and for the documents.
#[must_use]
pub fn schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(Scenario).to_value();
    schema["title"] = "Windtunnel scenario".into();
    schema
}
