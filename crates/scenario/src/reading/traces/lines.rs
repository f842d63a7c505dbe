//! Lines of traces, and what all of them must have.

use std::ops::Range;

use windtunnel_engine::{Duration, Rate};
use windtunnel_links::RateTrace;

use crate::reading::error::Mistake;

/// The most lines of a trace.
pub(super) const MOST_LINES: usize = 10_000_000;

/// The fastest, in Mbit/s.
pub(super) const MOST_MBPS: f64 = 1e9;

/// A line that says something, and its place in the text.
pub(crate) struct Line<'a> {
    pub(crate) text: &'a str,
    pub(super) span: Range<usize>,
}

impl Line<'_> {
    pub(crate) fn mistake(&self, message: impl Into<String>) -> Mistake {
        Mistake::new(message).at(self.span.clone())
    }
}

/// The lines that are not empty and no comments.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    let pieces = text.split('\n').map(move |line| {
        let place = start;
        start += line.len() + 1;
        let begins = line.len() - line.trim_start().len();
        // Some editors begin a text with a byte order mark.
        let text = line.trim_start_matches('\u{feff}').trim();
        Line { text, span: place + begins..place + begins + text.len().max(1) }
    });
    pieces.filter(|it| !it.text.is_empty() && !it.text.starts_with('#'))
}

/// The words of a line, which spaces or commas separate.
pub(crate) fn words<'a>(line: &Line<'a>) -> impl Iterator<Item = &'a str> {
    let words = line.text.split(|it: char| it == ',' || it.is_whitespace());
    words.filter(|it| !it.is_empty())
}

/// A word of a file, as far as it is read at a glance.
pub(crate) fn shown(word: &str) -> String {
    word.chars().take(40).flat_map(char::escape_debug).collect()
}

/// A trace of such rates and delays; where it repeats, what it says at its end is when it begins
/// again.
pub(super) fn whole(
    mut rows: Vec<(Duration, Option<Rate>)>,
    mut delays: Vec<(Duration, Duration)>,
    repeat: Option<Duration>,
) -> Result<RateTrace, Mistake> {
    if let Some(end) = repeat {
        if !rows.is_empty() && end == Duration::ZERO {
            return Err(Mistake::new("the trace has no length")
                .help("write a second row, or repeat = false"));
        }
        rows.retain(|it| it.0 < end);
        delays.retain(|it| it.0 < end);
    }
    if rows.is_empty() {
        return Err(Mistake::new("the trace is empty")
            .help("write a time in seconds and a rate in Mbit/s on each line"));
    }
    if rows.iter().all(|(_, rate)| rate.is_none()) {
        return Err(Mistake::new("the trace never sends anything").help("write a rate above 0"));
    }
    Ok(RateTrace { rows, delays, repeat })
}

pub(super) fn check_count(line: &Line<'_>, count: usize) -> Result<(), Mistake> {
    match count {
        ..MOST_LINES => Ok(()),
        _ => Err(line
            .mistake("more than ten million lines")
            .help("use a shorter trace that repeats")),
    }
}
