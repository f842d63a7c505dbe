//! Traces as tables with a head, such as published measurements: a CSV file of which columns are
//! named.

use std::ops::Range;

use chrono::{DateTime, NaiveDateTime};
use csv::{ReaderBuilder, StringRecord, Trim};
use windtunnel_engine::{Duration, Rate};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::lines::{Line, shown};

use super::rows::{MOST_MBPS, check_count, whole};
use crate::RateTrace;

/// What stands in a cell where nothing was measured, in any case.
const MISSING: [&str; 6] = ["", "-", "na", "n/a", "nan", "null"];
/// Date times beside those of RFC 3339: those of ISO 8601 without an offset, and those of the 5G
/// measurements of Raca et al. (MMSys 2020).
const DATE_TIMES: [&str; 3] = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y.%m.%d_%H.%M.%S"];
/// The greatest time in a table, in its unit: a whole number is exact up to there.
const GREATEST: f64 = 9e15;

/// Which columns are read, and in which units.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub(crate) struct Columns {
    pub(crate) time: Column,
    pub(crate) rate: Column,
    pub(crate) delay: Option<Column>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// What its unit is worth: in seconds, or in bits per second.
    pub(crate) worth: f64,
}

/// A trace, and what was missing.
pub(crate) struct Read {
    pub(crate) trace: RateTrace,
    pub(crate) notes: Vec<String>,
}

/// The names of the columns of a table.
pub(crate) fn names(text: &str) -> Vec<String> {
    let head = Table::new(text).reader.headers().cloned().unwrap_or_default();
    head.iter().map(str::to_owned).collect()
}

/// Reads a trace. Its time counts from the first row with a rate; of rows of one time the last
/// counts, and where nothing was measured the value before it holds.
pub(crate) fn rates(text: &str, columns: &Columns, repeat: bool) -> Result<Read, Mistake> {
    let mut rows = Rows::default();
    let mut table = Table::new(text);
    let places = table.places(columns)?;
    let mut record = StringRecord::new();
    while table.read(&mut record)? {
        let line = table.line(&record);
        check_count(&line, rows.count)?;
        let [time, rate, delay] = places.map(|it| it.map(|it| record.get(it).unwrap_or("")));
        let rate =
            rate.and_then(measured).map(|it| rate_of(&line, it, &columns.rate)).transpose()?;
        let delay = match (delay.and_then(measured), &columns.delay) {
            (Some(it), Some(column)) => Some(delay_of(&line, it, column)?),
            _ => None,
        };
        rows.take(&line, Instant::read(&line, time.unwrap_or(""), &columns.time)?, rate, delay)?;
    }
    let notes = rows.notes(columns);
    let trace = whole(rows.rates, rows.delays, repeat.then_some(rows.now))?;
    Ok(Read { trace, notes })
}

/// A table that is read row by row.
struct Table<'a> {
    text: &'a str,
    /// What comes before its text: a byte order mark.
    skipped: usize,
    reader: csv::Reader<&'a [u8]>,
}

impl<'a> Table<'a> {
    fn new(text: &'a str) -> Self {
        let own = text.trim_start_matches('\u{feff}');
        let reader = ReaderBuilder::new()
            .delimiter(delimiter(own))
            .comment(Some(b'#'))
            .flexible(true)
            .trim(Trim::All)
            .from_reader(own.as_bytes());
        Self { text: own, skipped: text.len() - own.len(), reader }
    }

    /// Where the columns are that are read.
    fn places(&mut self, columns: &Columns) -> Result<[Option<usize>; 3], Mistake> {
        let head = self.reader.headers().map_err(|it| Mistake::new(it.to_string()))?;
        let place = |column: &Column| head.iter().position(|it| it == column.name);
        Ok([place(&columns.time), place(&columns.rate), columns.delay.as_ref().and_then(place)])
    }

    /// Reads the next row, if there is one.
    fn read(&mut self, record: &mut StringRecord) -> Result<bool, Mistake> {
        self.reader.read_record(record).map_err(|it| Mistake::new(it.to_string()))
    }

    /// The line of a row.
    fn line(&self, record: &StringRecord) -> Line<'a> {
        let start = record.position().map_or(0, |it| it.byte() as usize).min(self.text.len());
        let rest = self.text.get(start..).unwrap_or("");
        // Empty lines and comments before it belong to the row.
        let lines = rest.split_inclusive('\n');
        let before = lines.take_while(|it| it.trim().is_empty() || it.starts_with('#'));
        let start = start + before.map(str::len).sum::<usize>();
        let text = self.text.get(start..).and_then(|it| it.lines().next()).unwrap_or("").trim_end();
        let from = self.skipped + start;
        let span: Range<usize> = from..from + text.len().max(1);
        Line { text, span }
    }
}

/// What is between the cells: what the head has most of.
fn delimiter(text: &str) -> u8 {
    let is_head = |it: &&str| !it.trim().is_empty() && !it.starts_with('#');
    let head = text.lines().find(is_head).unwrap_or("");
    let count = |it: &u8| head.bytes().filter(|byte| byte == it).count();
    // Of those with the same number, the comma.
    *b"\t;,".iter().max_by_key(|it| count(it)).unwrap_or(&b',')
}

/// What was measured, if anything was.
fn measured(cell: &str) -> Option<&str> {
    let is_missing = MISSING.iter().any(|it| it.eq_ignore_ascii_case(cell));
    (!is_missing).then_some(cell)
}

/// A time as it stands in a table.
#[derive(Clone, Copy, Debug)]
enum Instant {
    /// In units of this many seconds.
    Number(f64, f64),
    Date(NaiveDateTime),
}

impl Instant {
    fn read(line: &Line<'_>, cell: &str, column: &Column) -> Result<Self, Mistake> {
        let number = cell.parse().ok().filter(|it: &f64| it.abs() <= GREATEST);
        let date = || DateTime::parse_from_rfc3339(cell).ok().map(|it| it.naive_utc());
        let other =
            || DATE_TIMES.iter().find_map(|it| NaiveDateTime::parse_from_str(cell, it).ok());
        let read = number.map(|it| Self::Number(it, column.worth));
        read.or_else(|| date().or_else(other).map(Self::Date)).ok_or_else(|| {
            line.mistake(format!("`{}` is \"{}\", which is not a time", column.name, shown(cell)))
                .help("write a number, or a date and time such as 2024-05-31T12:00:00.5")
        })
    }

    /// How much later it is than another one; none if it is earlier, or of another kind.
    fn since(self, earlier: Self) -> Option<Duration> {
        match (self, earlier) {
            (Self::Number(now, worth), Self::Number(before, _)) => {
                Duration::from_seconds((now - before) * worth)
            }
            (Self::Date(now), Self::Date(before)) => {
                let nanoseconds = (now - before).num_nanoseconds()?;
                u64::try_from(nanoseconds).ok().map(Duration::from_nanos)
            }
            _ => None,
        }
    }
}

fn rate_of(line: &Line<'_>, cell: &str, column: &Column) -> Result<Option<Rate>, Mistake> {
    let most = MOST_MBPS * 1e6 / column.worth;
    let rate = number(line, cell, column, most)?;
    Ok(Rate::from_bits_per_second((rate * column.worth).round() as u64))
}

fn delay_of(line: &Line<'_>, cell: &str, column: &Column) -> Result<Duration, Mistake> {
    const MOST_SECONDS: f64 = 3600.0;
    let most = MOST_SECONDS / column.worth;
    let delay = number(line, cell, column, most)?;
    Ok(Duration::from_seconds(delay * column.worth).unwrap_or(Duration::ZERO))
}

fn number(line: &Line<'_>, cell: &str, column: &Column, most: f64) -> Result<f64, Mistake> {
    cell.parse().ok().filter(|it| (0.0..=most).contains(it)).ok_or_else(|| {
        let message = format!("`{}` is \"{}\"", column.name, shown(cell));
        let help = format!("write a number from 0 to {most}, or \"-\" where nothing was measured");
        line.mistake(message).help(help)
    })
}

/// What was read so far.
#[derive(Default)]
struct Rows {
    count: usize,
    /// The time of the first row with a rate, and the last time since then.
    first: Option<Instant>,
    now: Duration,
    rates: Vec<(Duration, Option<Rate>)>,
    delays: Vec<(Duration, Duration)>,
    without_rate: usize,
    without_delay: usize,
}

impl Rows {
    fn take(
        &mut self,
        line: &Line<'_>,
        time: Instant,
        rate: Option<Option<Rate>>,
        delay: Option<Duration>,
    ) -> Result<(), Mistake> {
        self.count += 1;
        self.without_rate += usize::from(rate.is_none());
        self.without_delay += usize::from(delay.is_none());
        if rate.is_none() && self.first.is_none() {
            return Ok(());
        }
        let first = *self.first.get_or_insert(time);
        let now = time.since(first).filter(|it| *it >= self.now).ok_or_else(|| {
            line.mistake("its time is not after that of the row before, or of another kind")
                .help("the times of a trace must not decrease")
        })?;
        self.now = now;
        rate.into_iter().for_each(|it| put(&mut self.rates, now, it));
        delay.into_iter().for_each(|it| put(&mut self.delays, now, it));
        Ok(())
    }

    /// What to tell the user where nothing was measured.
    fn notes(&self, columns: &Columns) -> Vec<String> {
        let without_delay = columns.delay.as_ref().map(|it| (it, self.without_delay));
        let missing = [Some((&columns.rate, self.without_rate)), without_delay];
        let missing = missing.into_iter().flatten().filter(|it| it.1 > 0);
        let note = |(column, count): (&Column, usize)| {
            let (name, all) = (&column.name, self.count);
            format!("{count} of {all} rows have no `{name}`: the value before holds")
        };
        missing.map(note).collect()
    }
}

/// Puts a value at the end; of two at one time the second counts.
fn put<T>(values: &mut Vec<(Duration, T)>, now: Duration, value: T) {
    match values.last_mut().filter(|it| it.0 == now) {
        Some(last) => last.1 = value,
        None => values.push((now, value)),
    }
}

#[cfg(test)]
mod tests;
