//! Links that send as a trace in a file says.

pub(crate) mod lines;
mod rows;
mod table;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windtunnel_engine::{Duration, Rate};
use windtunnel_reading::error::{Mistake, suggestion};
use windtunnel_reading::files::Files;
use windtunnel_reading::located::{Each, Located};
use windtunnel_reading::timers::MOST_SAMPLES;
use windtunnel_reading::units::Quantity;

use crate::keys::Keys;
use crate::pace::Pace;
use crate::{Opportunities, RateTrace, RateTraces};
use table::{Column, Columns};

/// A link that sends as a trace in a file says.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceKeys {
    /// How fast it sends, from a file; another file for each direction, or one for
    /// both.
    trace: Each<Trace>,
}

/// A file that says when or how fast a link sends. Where `time` and `rate` name columns, it is a
/// table with a head, such as a published measurement: its rows are separated by commas, semicolons
/// or tabs, and other columns are not read.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Trace {
    /// The file; its name is relative to the scenario file.
    file: Located<String>,
    /// What its lines are.
    kind: Lines,
    /// The column of the time: numbers, or dates and times such as `2024-05-31T12:00:00.5`. It counts
    /// from the first row that has a rate, and does not decrease; of rows of one time the last
    /// counts. Default: the file has no head.
    time: Option<Located<String>>,
    /// The unit of a time that is a number; default: s.
    time_unit: Option<Located<String>>,
    /// The column of the rate. Where a cell is empty, or says `-`, `NA`, `NaN` or `null`, the value
    /// before holds. Required beside `time`.
    rate: Option<Located<String>>,
    /// The unit of the rate; default: Mbps.
    rate_unit: Option<Located<String>>,
    /// The column of the one-way delay, which takes the place of the link's `delay` from the first
    /// value on; routing goes by the link's own. Default: the delay does not change.
    one_way_delay: Option<Located<String>>,
    /// The column of the round-trip time, of which half is the delay. Not with `one_way_delay`.
    round_trip_time: Option<Located<String>>,
    /// The unit of that; default: ms.
    delay_unit: Option<Located<String>>,
    /// Whether it begins again at its last line's time. Otherwise nothing is sent after
    /// the last opportunity, and the last rate stays.
    #[serde(default = "yes")]
    repeat: bool,
}

/// What a unit is worth in the base unit of its quantity.
fn worth<T: Quantity>(unit: Option<&Located<String>>, default: &str) -> Result<f64, Mistake> {
    let name = unit.map_or(default, |it| &it.value);
    if let Some((_, worth)) = T::UNITS.iter().find(|(it, _)| *it == name) {
        return Ok(*worth);
    }
    let units: Vec<&str> = T::UNITS.iter().map(|it| it.0).collect();
    let mistake = Mistake::new(format!("`{name}` is not a valid unit for {}", T::NAME));
    Err(mistake.at(unit.and_then(|it| it.span.clone())).help(suggestion(name, &units)))
}

fn yes() -> bool {
    true
}

/// What a trace's lines are. Empty lines and lines that begin with `#` are skipped.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "TraceKind")]
enum Lines {
    /// Each is an opportunity for 1500 bytes of packets: the milliseconds since the
    /// trace began, as mahimahi writes them. An opportunity that is not used is lost.
    Opportunities,
    /// Each is a time in seconds, with white space or a comma and the rate in Mbit/s
    /// from then on, 0 where nothing is sent; the first time is 0. Or each is a row of a table
    /// whose columns are named.
    Rates,
}

/// What a trace says of one direction: its mean or greatest rate, and when or how fast
/// it sends.
type Direction = (Rate, Option<Arc<Opportunities>>, Option<Arc<RateTrace>>);

impl Keys for TraceKeys {
    fn pace(&self, files: &mut Files<'_>, duration: Duration) -> Result<Pace, Mistake> {
        let [there, back] = &self.trace.0;
        let (rate, opportunities, trace) = there.read(files, duration)?;
        let (rate_back, opportunities_back, trace_back) = back.read(files, duration)?;
        Ok(Pace {
            opportunities: [opportunities, opportunities_back],
            channel: Some(Arc::new(RateTraces([trace, trace_back]))),
            ..Pace::of([rate, rate_back])
        })
    }
}

impl Trace {
    fn read(&self, files: &mut Files<'_>, duration: Duration) -> Result<Direction, Mistake> {
        match self.kind {
            Lines::Opportunities => {
                self.check_has_no_columns("they require kind = \"rates\"")?;
                let read = |text: &str| lines::opportunities(text, self.repeat).map(Arc::new);
                let trace = files.read_once(&self.file, self.repeat, read)?;
                let mean = trace.mean_rate().expect("a trace that is read sends something");
                Ok((mean, Some(trace), None))
            }
            Lines::Rates => {
                let trace = self.rates(files)?;
                self.check_steps(&trace, duration)?;
                let greatest = trace.rows.iter().filter_map(|(_, rate)| *rate).max();
                let greatest = greatest.expect("a trace that is read sends something");
                Ok((greatest, None, Some(trace)))
            }
        }
    }

    /// The trace of rates that its file has.
    fn rates(&self, files: &mut Files<'_>) -> Result<Arc<RateTrace>, Mistake> {
        let Some(columns) = self.columns(files)? else {
            let read = |text: &str| lines::rates(text, self.repeat).map(Arc::new);
            return files.read_once(&self.file, self.repeat, read);
        };
        let how = (format!("{columns:?}"), self.repeat);
        let read = |text: &str| {
            let table::Read { trace, notes } = table::rates(text, &columns, self.repeat)?;
            Ok((Arc::new(trace), Arc::<[String]>::from(notes)))
        };
        let (trace, notes) = files.read_once(&self.file, how, read)?;
        notes.iter().for_each(|it| files.note(format!("{}: {it}", self.file.value)));
        Ok(trace)
    }

    /// The columns of its table, if it is one.
    fn columns(&self, files: &mut Files<'_>) -> Result<Option<Columns>, Mistake> {
        let (Some(time), Some(rate)) = (&self.time, &self.rate) else {
            let help = "write both `time` and `rate`, or none of its columns";
            return self.check_has_no_columns(help).map(|()| None);
        };
        let known = files.read(&self.file, |text| Ok(table::names(text)))?;
        let column = |name, unit| self.column(&known, name, unit);
        let delay = self.delay()?.map(|(name, share)| {
            let unit = worth::<Duration>(self.delay_unit.as_ref(), "ms")?;
            column(name, unit * share)
        });
        Ok(Some(Columns {
            time: column(time, worth::<Duration>(self.time_unit.as_ref(), "s")?)?,
            rate: column(rate, worth::<Rate>(self.rate_unit.as_ref(), "Mbps")?)?,
            delay: delay.transpose()?,
        }))
    }

    /// The column of the delay, and what of it is one way.
    fn delay(&self) -> Result<Option<(&Located<String>, f64)>, Mistake> {
        match (&self.one_way_delay, &self.round_trip_time) {
            (Some(_), Some(it)) => Err(it
                .mistake("`round_trip_time` and `one_way_delay` cannot both be set")
                .help("write one of them")),
            (one_way, round_trip) => {
                Ok(one_way.as_ref().map(|it| (it, 1.0)).or(round_trip.as_ref().map(|it| (it, 0.5))))
            }
        }
    }

    /// A column that its table has.
    fn column(
        &self,
        known: &[String],
        name: &Located<String>,
        worth: f64,
    ) -> Result<Column, Mistake> {
        let names: Vec<&str> = known.iter().map(String::as_str).collect();
        name.checked(
            |it| names.contains(&it.as_str()),
            || format!("{} has no column `{}`", self.file.value, name.value),
            &suggestion(&name.value, &names),
        )?;
        Ok(Column { name: name.value.clone(), worth })
    }

    /// Refuses what is said of columns of a table.
    fn check_has_no_columns(&self, help: &str) -> Result<(), Mistake> {
        let keys = [
            ("time", &self.time),
            ("time_unit", &self.time_unit),
            ("rate", &self.rate),
            ("rate_unit", &self.rate_unit),
            ("one_way_delay", &self.one_way_delay),
            ("round_trip_time", &self.round_trip_time),
            ("delay_unit", &self.delay_unit),
        ];
        match keys.into_iter().find_map(|(key, it)| Some((key, it.as_ref()?))) {
            Some((key, it)) => {
                Err(it.mistake(format!("`{key}` requires a table with a header row")).help(help))
            }
            None => Ok(()),
        }
    }

    /// Checks that the rate changes no more often than can be simulated.
    fn check_steps(&self, trace: &RateTrace, duration: Duration) -> Result<(), Mistake> {
        let turns = trace.repeat.map_or(1, |it| duration.as_picos() / it.as_picos() + 1);
        self.file.checked(
            |_| {
                let rows = trace.rows.len() + trace.delays.len();
                turns.saturating_mul(rows as u64) <= MOST_SAMPLES
            },
            || format!("{}: the rate changes more than ten million times", self.file.value),
            "use a trace with longer steps",
        )
    }
}
