//! Consumers: flows of Interests and the Data that they bring.

mod alone;
mod workload;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ndn::{PacketFormat, PrefixId};
use windtunnel_transports::ndn::BlockingRead;
use windtunnel_transports::ndn::consumer::{
    ConsumerSettings, ConsumerTimeout, ConsumerWindow, Reaction,
};
use windtunnel_world::{ConsumerPlan, ProducerPlan};

use crate::network::nodes::Names;
use crate::reading::error::Mistake;
use crate::reading::generators::InTurn;
use crate::reading::located::Located;
use crate::reading::prefixes::Prefixes;
use crate::reading::schema::filled;
use crate::reading::timers::{self, zero};
use crate::reading::units::{Measured, Share, milliseconds};
use crate::traffic::controllers::{Controller, Controllers};
use crate::traffic::needs::{Carrier, check_needs};
pub use alone::{LoneConsumer, lone_consumer};
use workload::Workload;

/// The segment where no producer says how large it is, in bytes.
const SEGMENT: u32 = 1024;

/// A consumer: a flow of Interests and the Data that they bring.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = filled)]
pub(crate) struct Consumer {
    /// The node that it is on.
    node: Located<String>,
    /// The prefix of what it requests; with `ccnx:`, as its producer has it.
    prefix: Located<String>,
    /// What controls its window: a name under `[controllers]`, the name of a
    /// controller, or a table with the latter as `kind` and parameters.
    controller: Controller,
    /// Its window.
    #[serde(default)]
    window: Located<ConsumerWindow>,
    /// What it asks for; default: `stream`.
    #[serde(default)]
    workload: Workload,
    /// When it starts.
    #[serde(default = "zero")]
    start: Located<Measured<Duration>>,
    /// It starts at a random time, different in each run, at most this long after `start`.
    #[serde(default = "zero")]
    start_within: Located<Measured<Duration>>,
    /// When it stops asking; default: at the end of the run.
    stop: Option<Located<Measured<Duration>>>,
    /// How long its Interests stay pending: 1 ms to 1 h.
    #[serde(default = "milliseconds::<4000>")]
    interest_lifetime: Located<Measured<Duration>>,
    /// How many hops its Interests may take; default: no limit, or 255 over CCNx, whose
    /// Interests always have one.
    hop_limit: Option<u8>,
    /// Whether cached Data past its freshness is refused.
    #[serde(default)]
    must_be_fresh: Located<bool>,
    /// How it reacts to marked Data.
    #[serde(default)]
    on_mark: Reaction,
    /// How it reacts to timeouts.
    #[serde(default)]
    on_timeout: Reaction,
    /// How it reacts to congestion NACKs.
    #[serde(default)]
    on_nack: Reaction,
    /// Where the recovery point lies after a decrease: only Data beyond it allows another
    /// one, with `once-per-round-trip`. Default: at the highest segment asked for, as in
    /// ndn-tools. With a share: behind the next segment, by that share of the segments from
    /// the highest received to the next; 50 % in ndnSIM.
    recovery_margin: Option<Measured<Share>>,
    /// When an Interest times out, and what that means.
    #[serde(default)]
    timeout: Located<ConsumerTimeout>,
    /// It does everything in one loop, as Cefore's `cefgetfile`: it reads, waiting for a message,
    /// and looks for what is missing only after that, so that a loss stalls it for 1 s to 2 s.
    /// Out-of-order Data lets no new Interest leave: the window begins with the first segment
    /// that is missing. No timeouts, and no reaction to NACKs. Default: timeouts.
    blocking_read: Option<BlockingRead>,
    /// How many consumers it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts `#` is
    /// the number. Default: it is one consumer.
    #[serde(rename = "count")]
    _count: Option<u32>,
    /// For some keys, the values that the consumers have in turn: the first one has the first value, and
    /// after the last value it is the turn of the first again. Default: all have the same values.
    #[serde(rename = "in_turn")]
    _in_turn: Option<InTurn>,
    /// How much later each of several consumers starts than the one before it; default: they start
    /// together.
    #[serde(rename = "stagger")]
    _stagger: Option<Measured<Duration>>,
}

/// What a consumer is built with.
pub(crate) struct ConsumerContext<'a> {
    pub(crate) nodes: &'a Names<'a>,
    pub(crate) controllers: &'a Controllers<'a>,
    pub(crate) producers: &'a [ProducerPlan],
}

impl Consumer {
    pub(crate) fn plan(
        &self,
        name: &str,
        context: &ConsumerContext<'_>,
        prefixes: &mut Prefixes,
    ) -> Result<ConsumerPlan, Mistake> {
        let controller = context.controllers.settings(&self.controller)?;
        check_needs(context.controllers, &controller, Carrier::Consumer, &self.controller)?;
        let node = context.nodes.index(&self.node)?;
        let prefix = prefixes.insert(&self.prefix)?;
        let closest = closest(context.producers, prefixes, prefix);
        self.check_published(closest, prefixes, prefix)?;
        let segment = closest.map_or(SEGMENT, |it| it.producer.content);
        let settings = self.settings(prefix, prefixes, segment)?;
        Ok(ConsumerPlan { name: name.to_owned(), node, settings, controller })
    }

    fn window(&self) -> Result<ConsumerWindow, Mistake> {
        let ConsumerWindow { initial, minimum, .. } = self.window.value;
        timers::at_most_initial(&self.window, minimum, initial)?;
        Ok(self.window.value)
    }

    /// CCNx has no word for freshness: a node's own clock decides what has expired.
    fn check_format(&self, format: PacketFormat) -> Result<(), Mistake> {
        self.must_be_fresh.checked(
            |it| !it || format == PacketFormat::Ndn,
            || "`must_be_fresh` does not apply to a prefix of CCNx".to_owned(),
            "remove it",
        )
    }

    /// What is published has the names below its own prefix alone.
    fn check_published(
        &self,
        producer: Option<&ProducerPlan>,
        prefixes: &Prefixes,
        prefix: usize,
    ) -> Result<(), Mistake> {
        let published = producer.filter(|it| it.producer.publishing.is_some());
        let Some(other) = published.filter(|it| it.prefix != prefix) else { return Ok(()) };
        let name = prefixes.name(other.prefix);
        Err(self
            .prefix
            .mistake(format!("nothing is published under `{}`", self.prefix.value))
            .help(format!("write the prefix of the producer that publishes, `{name}`")))
    }

    /// A consumer whose reads block has no timeouts.
    fn timeout(&self) -> Result<ConsumerTimeout, Mistake> {
        self.timeout.checked(
            |_| self.timeout.span.is_none() || self.blocking_read.is_none(),
            || "`timeout` cannot be set for a consumer with `blocking_read`".to_owned(),
            "remove `timeout` or `blocking_read`",
        )?;
        Ok(self.timeout.value)
    }

    fn hop_limit(&self, format: PacketFormat) -> Option<u8> {
        match format {
            PacketFormat::Ndn => self.hop_limit,
            PacketFormat::Ccnx => Some(self.hop_limit.unwrap_or(u8::MAX)),
        }
    }

    fn settings(
        &self,
        prefix: usize,
        prefixes: &Prefixes,
        segment: u32,
    ) -> Result<ConsumerSettings, Mistake> {
        let format = prefixes.format(prefix);
        self.check_format(format)?;
        let [start, start_within] = [&self.start, &self.start_within].map(|it| it.value.0);
        let start = Time::ZERO + start;
        Ok(ConsumerSettings {
            prefix: PrefixId::new(prefix, format),
            prefix_size: format.name_size(prefixes.name(prefix)),
            workload: self.workload.plan(segment)?,
            segment_size: segment,
            lifetime_ms: lifetime(&self.interest_lifetime)?,
            hop_limit: self.hop_limit(format),
            must_be_fresh: self.must_be_fresh.value,
            window: self.window()?,
            timeout: self.timeout()?,
            on_mark: self.on_mark,
            on_timeout: self.on_timeout,
            on_nack: self.on_nack,
            recovery_margin: self.recovery_margin.map(|it| it.0.0),
            blocking_read: self.blocking_read,
            start,
            start_within,
            stop: timers::stop(self.stop.as_ref(), start + start_within)?,
        })
    }
}

fn lifetime(lifetime: &Located<Measured<Duration>>) -> Result<u32, Mistake> {
    let milliseconds = lifetime.value.0.as_nanos() / 1_000_000;
    lifetime.checked(
        |_| (1..=3_600_000).contains(&milliseconds),
        || "the lifetime of an Interest must be between 1 ms and 1 h".to_owned(),
        "write one such as \"4 s\"",
    )?;
    Ok(milliseconds as u32)
}

/// The producer that serves a prefix most closely: its payload is the controller's segment.
fn closest<'a>(
    producers: &'a [ProducerPlan],
    prefixes: &Prefixes,
    prefix: usize,
) -> Option<&'a ProducerPlan> {
    let name = |it: &ProducerPlan| prefixes.name(it.prefix);
    let serves = |it: &&ProducerPlan| name(it).is_prefix_of(prefixes.name(prefix));
    let length = |it: &ProducerPlan| name(it).components_size();
    producers
        .iter()
        .filter(serves)
        .reduce(|best, it| if length(it) > length(best) { it } else { best })
}
