//! Links that send as a trace in a file says.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windtunnel_engine::{Duration, Rate};
use windtunnel_links::{Opportunities, RateTrace, RateTraces};

use crate::error::Mistake;
use crate::files::Files;
use crate::located::{Each, Located};
use crate::pace::Pace;
use crate::radio::MOST_SAMPLES;

/// A link that sends as a trace in a file says.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TraceLink {
    /// How fast it sends, from a file; another file for each direction, or one for
    /// both.
    trace: Each<Trace>,
}

/// A file that says when or how fast a link sends.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Trace {
    /// The file; its name is relative to the scenario file.
    file: Located<String>,
    /// What its lines are.
    kind: Lines,
    /// Whether it begins again at its last line's time. Otherwise nothing is sent after
    /// the last opportunity, and the last rate stays.
    #[serde(default = "yes")]
    repeat: bool,
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
    /// from then on, 0 where nothing is sent. The first time is 0.
    Rates,
}

/// What a trace says of one direction: its mean or greatest rate, and when or how fast
/// it sends.
type Direction = (Rate, Option<Arc<Opportunities>>, Option<Arc<RateTrace>>);

impl TraceLink {
    /// How fast it sends, on a run of that duration.
    pub(super) fn pace(&self, files: &mut Files<'_>, duration: Duration) -> Result<Pace, Mistake> {
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
                let trace = files.opportunities(&self.file, self.repeat)?;
                let mean = trace.mean_rate().expect("a trace that is read sends something");
                Ok((mean, Some(trace), None))
            }
            Lines::Rates => {
                let trace = files.rates(&self.file, self.repeat)?;
                self.check_steps(&trace, duration)?;
                let greatest = trace.rows.iter().filter_map(|(_, rate)| *rate).max();
                let greatest = greatest.expect("a trace that is read sends something");
                Ok((greatest, None, Some(trace)))
            }
        }
    }

    /// Checks that the rate changes no more often than can be simulated.
    fn check_steps(&self, trace: &RateTrace, duration: Duration) -> Result<(), Mistake> {
        let turns = trace.repeat.map_or(1, |it| duration.as_picos() / it.as_picos() + 1);
        self.file.checked(
            |_| turns.saturating_mul(trace.rows.len() as u64) <= MOST_SAMPLES,
            || format!("{}: the rate changes more than ten million times", self.file.value),
            "use a trace with longer steps",
        )
    }
}
