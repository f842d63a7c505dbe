//! Which series are recorded, and how often.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use windtunnel_engine::Duration;
use windtunnel_world::{FlowPlan, LinkPlan, Plan, RecordingPlan, SeriesPlan, SkyPlan};

use crate::network::nodes::Names;
use crate::network::stages::{Loaded, Network};
use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::reader::SHORT;
use crate::reading::units::{Measured, written};

/// The interval where none is written, and neither of the following asks for another.
const USUAL: Duration = Duration::from_millis(100);

/// Rows of a series in a run; with more, an interval that is not written is longer.
const MOST_ROWS: u64 = 2_000_000;

/// Samples of each thing in a run; with fewer, an interval that is not written is shorter.
const LEAST_SAMPLES: u64 = 300;

/// Rows that a series has at most in a run where its interval is shorter for that.
const MOST_ROWS_OF_SHORT: u64 = 200_000;

/// Samples of each thing in a run.
const MOST_SAMPLES: u64 = 1_000_000;

/// Which time series are recorded, and how often.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Recording {
    /// How often samples are taken; default: every 100 ms, less often where the series of a
    /// kind would have more than 2,000,000 rows in a run, and more often in a run of less than
    /// 30 s: at least 300 times, as far as that gives no more than 200,000 rows.
    interval: Option<Located<Measured<Duration>>>,
    /// Series of flows and consumers; default: of all.
    #[serde(default)]
    flows: Recorded<Series>,
    /// Series of both directions of links; default: of all.
    #[serde(default)]
    links: Recorded<Series>,
    /// Series of links with a channel; default: of all.
    #[serde(default)]
    channels: Recorded<Sampled>,
    /// Series of the paths of flows, where there are satellites; default: of all.
    #[serde(default)]
    routes: Recorded<Sampled>,
    /// Series of the players of video; default: of all.
    #[serde(default)]
    playback: Recorded<Sampled>,
    /// Series of the forwarders of nodes, of NDN and CCNx packets: how full their PITs and content
    /// stores are. Default: none.
    #[serde(default = "off")]
    nodes: Recorded<Series>,
}

fn off() -> Recorded<Series> {
    Recorded::Off
}

impl Default for Recording {
    fn default() -> Self {
        Self {
            interval: None,
            flows: Recorded::default(),
            links: Recorded::default(),
            channels: Recorded::default(),
            routes: Recorded::default(),
            playback: Recorded::default(),
            nodes: off(),
        }
    }
}

/// A kind of series: `false` if it is not recorded.
#[derive(Clone, Debug)]
enum Recorded<T> {
    Off,
    On(T),
}

/// How series are recorded.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Series {
    /// How often samples are taken; default: that of all series.
    interval: Option<Located<Measured<Duration>>>,
    /// The names of those that are recorded; default: all.
    only: Option<Located<Vec<Located<String>>>>,
}

/// How often series of a kind are recorded.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Sampled {
    /// How often samples are taken; default: that of all series.
    interval: Option<Located<Measured<Duration>>>,
}

impl Recording {
    /// What is recorded.
    pub(crate) fn plan(&self, loaded: &Loaded) -> Result<RecordingPlan, Mistake> {
        let (routed, flows) = (&loaded.carried.routed, &loaded.flows);
        let network @ Network { links, sky, duration, .. } = &routed.network;
        if let Some(interval) = &self.interval {
            check(interval, *duration)?;
        }
        let consumers = routed.content.consumers.iter().map(|it| it.name.as_str());
        let flow_names = consumers.chain(flows.iter().map(|it| it.name.as_str()));
        let flow_names = Names::among("flow", flow_names);
        let channels = 2 * with_channel(links);
        let routes = with_routes(sky.as_ref(), flows);
        Ok(RecordingPlan {
            flows: self.series(&self.flows, &flow_names, 1, *duration)?,
            links: self.series(&self.links, &network.link_names(), 2, *duration)?,
            channels: self.sampled(&self.channels, channels, *duration)?,
            routes: self.sampled(&self.routes, routes, *duration)?,
            playback: self.sampled(&self.playback, with_playback(flows), *duration)?,
            nodes: self.series(&self.nodes, &network.node_names(), 1, *duration)?,
        })
    }

    /// `rows` are those of each thing at one time.
    fn series(
        &self,
        recorded: &Recorded<Series>,
        names: &Names<'_>,
        rows: usize,
        duration: Duration,
    ) -> Result<Option<SeriesPlan>, Mistake> {
        let Recorded::On(series) = recorded else { return Ok(None) };
        let only = series.only.as_ref().map(|it| places(it, names)).transpose()?;
        let count = only.as_ref().map_or(names.count(), Vec::len);
        let interval = self.interval(series.interval.as_ref(), rows * count, duration)?;
        Ok(Some(SeriesPlan { interval, only }))
    }

    fn sampled(
        &self,
        recorded: &Recorded<Sampled>,
        rows: usize,
        duration: Duration,
    ) -> Result<Option<Duration>, Mistake> {
        let Recorded::On(series) = recorded else { return Ok(None) };
        let interval = self.interval(series.interval.as_ref(), rows, duration)?;
        Ok(Some(interval).filter(|_| rows > 0))
    }

    /// The interval of a kind that has this many rows at one time.
    fn interval(
        &self,
        own: Option<&Located<Measured<Duration>>>,
        rows: usize,
        duration: Duration,
    ) -> Result<Duration, Mistake> {
        match (own, &self.interval) {
            (Some(own), _) => check(own, duration).map(|()| own.value.0),
            (None, Some(all)) => Ok(all.value.0),
            (None, None) => Ok(usual(rows, duration)),
        }
    }

    /// For each kind whose interval is not written and longer than usual, what to tell the
    /// user.
    pub(crate) fn notes(&self, plan: &Plan) -> Vec<String> {
        let of = |series: &Option<SeriesPlan>, count| {
            let series = series.as_ref()?;
            Some((series.interval, series.only.as_ref().map_or(count, Vec::len)))
        };
        let RecordingPlan { flows, links, channels, routes, playback, nodes } = &plan.recording;
        let kinds = [
            ("flows", of(flows, plan.consumers.len() + plan.flows.len())),
            ("links", of(links, plan.links.len())),
            ("channels", channels.map(|it| (it, with_channel(&plan.links)))),
            ("routes", routes.map(|it| (it, with_routes(plan.sky.as_ref(), &plan.flows)))),
            ("playback", playback.map(|it| (it, with_playback(&plan.flows)))),
            ("nodes", of(nodes, plan.nodes.len())),
        ];
        let own = [
            self.flows.interval(),
            self.links.interval(),
            self.channels.interval(),
            self.routes.interval(),
            self.playback.interval(),
            self.nodes.interval(),
        ];
        let kinds = kinds.into_iter().zip(own).filter(|(_, own)| !own && self.interval.is_none());
        let notes = kinds.filter_map(|((kind, series), _)| {
            let (interval, count) = series.filter(|it| it.0 > USUAL)?;
            Some(note(kind, interval, count, plan.duration))
        });
        notes.collect()
    }
}

fn note(kind: &str, interval: Duration, count: usize, duration: Duration) -> String {
    format!(
        "series of {kind} are recorded every {} instead of {}: {count} {kind} for {}; set \
         `recording.{kind}.interval` to choose",
        written(&interval),
        written(&USUAL),
        written(&duration)
    )
}

/// How many links have a channel.
fn with_channel(links: &[LinkPlan]) -> usize {
    links.iter().filter(|it| it.channel.is_some()).count()
}

/// How many flows have paths that may change as satellites move.
fn with_routes(sky: Option<&SkyPlan>, flows: &[FlowPlan]) -> usize {
    sky.map_or(0, |_| flows.len())
}

/// How many flows have a player with a buffer.
fn with_playback(flows: &[FlowPlan]) -> usize {
    let has_playback =
        |it: &&FlowPlan| it.transport.workload().is_some_and(|it| it.behaviour().playback);
    flows.iter().filter(has_playback).count()
}

/// The interval of a series with this many rows at one time.
fn usual(rows: usize, duration: Duration) -> Duration {
    let rows = |interval: Duration| samples(duration, interval) * rows as u64;
    let mut interval = USUAL;
    for it in longer().take_while(|it| *it <= duration) {
        if rows(interval) <= MOST_ROWS {
            break;
        }
        interval = it;
    }
    for it in shorter().take_while(|it| rows(*it) <= MOST_ROWS_OF_SHORT) {
        if samples(duration, interval) >= LEAST_SAMPLES {
            break;
        }
        interval = it;
    }
    interval
}

/// 100 ms, 200 ms, 500 ms, 1 s and so on.
fn longer() -> impl Iterator<Item = Duration> {
    factors().map_while(|it| USUAL.as_picos().checked_mul(it)).map(Duration::from_picos)
}

/// 100 ms, 50 ms, 20 ms, 10 ms and so on.
fn shorter() -> impl Iterator<Item = Duration> {
    factors().map(|it| USUAL.as_picos() / it).take_while(|it| *it > 0).map(Duration::from_picos)
}

/// 1, 2, 5, 10, 20 and so on.
fn factors() -> impl Iterator<Item = u64> {
    (0..=18).map(|it| 10_u64.pow(it)).flat_map(|power| [1, 2, 5].map(|it| it * power))
}

/// Whole intervals.
fn samples(duration: Duration, interval: Duration) -> u64 {
    duration.as_picos() / interval.as_picos()
}

fn check(interval: &Located<Measured<Duration>>, duration: Duration) -> Result<(), Mistake> {
    let length = interval.value.0;
    if length == Duration::ZERO {
        let message = "the interval must be greater than zero";
        return Err(interval.mistake(message).help("write one such as \"100 ms\""));
    }
    if samples(duration, length) > MOST_SAMPLES {
        let message = format!("more than a million samples, one every {}", written(&length));
        return Err(interval.mistake(message).help("write a longer interval, such as \"10 s\""));
    }
    if length > duration {
        let message = format!("the interval is longer than the duration, {}", written(&duration));
        return Err(interval
            .mistake(message)
            .help("write a shorter one: nothing would be recorded"));
    }
    Ok(())
}

/// The places of those that are recorded.
fn places(only: &Located<Vec<Located<String>>>, names: &Names<'_>) -> Result<Vec<usize>, Mistake> {
    if only.value.is_empty() {
        return Err(only.mistake("`only` is empty").help("write false to record none"));
    }
    let places: Result<Vec<usize>, Mistake> = only.value.iter().map(|it| names.index(it)).collect();
    let mut places = places?;
    places.sort_unstable();
    places.dedup();
    Ok(places)
}

impl Recorded<Series> {
    /// Whether it has an interval of its own.
    fn interval(&self) -> bool {
        matches!(self, Self::On(Series { interval: Some(_), .. }))
    }
}

impl Recorded<Sampled> {
    /// Whether it has an interval of its own.
    fn interval(&self) -> bool {
        matches!(self, Self::On(Sampled { interval: Some(_) }))
    }
}

impl<T: Default> Default for Recorded<T> {
    fn default() -> Self {
        Self::On(T::default())
    }
}

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for Recorded<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FlagOrTable<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de> + Default> Visitor<'de> for FlagOrTable<T> {
            type Value = Recorded<T>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("true, false, or a table")
            }
            fn visit_bool<E: Error>(self, is_on: bool) -> Result<Recorded<T>, E> {
                Ok(if is_on { Recorded::default() } else { Recorded::Off })
            }
            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                table: D,
            ) -> Result<Recorded<T>, D::Error> {
                T::deserialize(table).map(Recorded::On)
            }
        }
        deserializer.deserialize_newtype_struct(SHORT, FlagOrTable(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for Recorded<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("recorded {}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [{ "type": "boolean" }, table] })
    }
}
