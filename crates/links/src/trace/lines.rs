//! Traces: when, or how fast, a link sends.

use std::ops::RangeInclusive;

use windtunnel_engine::{Duration, Rate};
use windtunnel_reading::error::{Mistake, list};
use windtunnel_reading::lines::{Line, lines, shown, words};

pub(crate) use super::rows::check_count;
use super::rows::{MOST_MBPS, whole};
use super::table;
use crate::{Opportunities, RateTrace};

/// The latest time of a delivery trace, in milliseconds: 208 days.
const LATEST_MS: u64 = 18_000_000_000;

/// Reads a delivery trace: on each line the milliseconds since it began, as mahimahi
/// writes them. It repeats at its last time, so that a single line `1` is one
/// opportunity a millisecond.
pub(crate) fn opportunities(text: &str, repeat: bool) -> Result<Opportunities, Mistake> {
    let mut times = Vec::new();
    let mut last = 0;
    for line in lines(text) {
        let time = line.text.parse().ok().filter(|it| *it <= LATEST_MS).ok_or_else(|| {
            line.mistake(format!("\"{}\" is not a time in milliseconds", shown(line.text)))
                .help("write a whole number of milliseconds on each line, up to 18000000000")
        })?;
        if time < last {
            return Err(line
                .mistake(format!("{time} ms follows {last} ms"))
                .help("the times of a trace must not decrease"));
        }
        check_count(&line, times.len())?;
        last = time;
        times.push(Duration::from_millis(time));
    }
    if times.is_empty() {
        return Err(Mistake::new("the trace is empty")
            .help("write the milliseconds of each opportunity on a line of its own"));
    }
    if last == 0 {
        return Err(
            Mistake::new("the trace has no length").help("its last time must be greater than 0 ms")
        );
    }
    let trace = Opportunities { times, repeat: repeat.then(|| Duration::from_millis(last)) };
    match trace.mean_rate() {
        Some(_) => Ok(trace),
        None => Err(Mistake::new("the trace sends less than one bit per second on average")),
    }
}

/// Reads a trace of rates: on each line a time in seconds, and the rate in Mbit/s from
/// then on. It repeats at its last time.
pub(crate) fn rates(text: &str, repeat: bool) -> Result<RateTrace, Mistake> {
    if let Some(line) = lines(text).next().filter(is_head) {
        let columns = table::names(text);
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        return Err(line.mistake("the first line names columns").help(format!(
            "name those of the time and the rate with `time` and `rate` of the trace: there are {}",
            list(&columns)
        )));
    }
    let mut rows: Vec<(Duration, Option<Rate>)> = Vec::new();
    for line in lines(text) {
        let row = rate(&line)?;
        check_time(&line, row.0, rows.last().map(|it| it.0))?;
        check_count(&line, rows.len())?;
        rows.push(row);
    }
    let end = rows.last().map_or(Duration::ZERO, |it| it.0);
    whole(rows, Vec::new(), repeat.then_some(end))
}

/// Whether it is the head of a table: several words, none of which is a number.
fn is_head(line: &Line<'_>) -> bool {
    let words: Vec<&str> = words(line).collect();
    words.len() > 1 && words.iter().all(|it| it.parse::<f64>().is_err())
}

/// Checks that times begin at zero and rise.
pub(crate) fn check_time(
    line: &Line<'_>,
    time: Duration,
    last: Option<Duration>,
) -> Result<(), Mistake> {
    match last {
        None if time != Duration::ZERO => Err(line
            .mistake(format!("the trace begins at {time}"))
            .help("its first time must be 0")),
        Some(last) if time <= last => Err(line
            .mistake(format!("{time} follows {last}"))
            .help("the times of a trace must increase")),
        _ => Ok(()),
    }
}

/// The time and the rate of a line.
fn rate(line: &Line<'_>) -> Result<(Duration, Option<Rate>), Mistake> {
    let (from, rate) = pair(line, "rate", "Mbit/s")?;
    let mbps = number(line, rate, "rate in Mbit/s", 0.0..=MOST_MBPS)?;
    Ok((from, Rate::from_bits_per_second((mbps * 1e6).round() as u64)))
}

/// The time of a line, and its other word, which is called `what` and has that unit.
pub(crate) fn pair<'a>(
    line: &Line<'a>,
    what: &str,
    unit: &str,
) -> Result<(Duration, &'a str), Mistake> {
    let words: Vec<&str> = words(line).collect();
    let [time, other] = words[..] else {
        let message = format!("\"{}\" is not a time and {what}", shown(line.text));
        return Err(line.mistake(message).help(format!("write two numbers: seconds and {unit}")));
    };
    let from = time.parse().ok().filter(|it| *it >= 0.0).and_then(Duration::from_seconds);
    let from = from.ok_or_else(|| {
        line.mistake(format!("\"{}\" is not a time in seconds", shown(time)))
            .help("write a number from 0 to 18000000 (208 days)")
    })?;
    Ok((from, other))
}

/// A number of a line, which is called `what`, within a range.
pub(crate) fn number(
    line: &Line<'_>,
    word: &str,
    what: &str,
    range: RangeInclusive<f64>,
) -> Result<f64, Mistake> {
    word.parse().ok().filter(|it| range.contains(it)).ok_or_else(|| {
        line.mistake(format!("\"{}\" is not a {what}", shown(word))).help(format!(
            "write a number from {} to {}",
            range.start(),
            range.end()
        ))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbers(trace: &Opportunities) -> Vec<u64> {
        trace.times.iter().map(|it| it.as_nanos() / 1_000_000).collect()
    }

    #[test]
    fn a_single_line_of_1_is_an_opportunity_each_millisecond() {
        let trace = opportunities("1\n", true).unwrap();
        assert_eq!(trace.repeat, Some(Duration::from_millis(1)));
        assert_eq!(trace.mean_rate().unwrap().bits_per_second(), 12_000_000);
    }

    #[test]
    fn a_head_is_answered_with_the_keys_that_name_its_columns() {
        let mistake = rates("Time,DL_kbps\n0,10\n", true).unwrap_err();
        assert_eq!(mistake.message, "the first line names columns");
        let help = mistake.help.unwrap();
        assert!(help.contains("`time` and `rate`") && help.contains("DL_kbps"), "{help}");
    }

    #[test]
    fn a_trace_of_rates_ends_at_its_last_row() {
        let text = "# seconds, Mbit/s\n0, 10\n\n1.5\t0\n  2.5 7.25\r\n";
        let rate = Rate::from_bits_per_second;
        let at = Duration::from_millis;
        let rows = vec![(at(0), rate(10_000_000)), (at(1500), None)];
        assert_eq!(
            rates(text, true).unwrap(),
            RateTrace { rows, delays: Vec::new(), repeat: Some(at(2500)) }
        );
        let once = rates(text, false).unwrap();
        assert_eq!(once.rows.last(), Some(&(at(2500), rate(7_250_000))));
        assert_eq!(once.repeat, None);
    }

    proptest! {
        #[test]
        fn no_text_makes_the_readers_panic(
            text in "([0-9#., \t\r\n-]|\\PC){0,60}",
            repeat: bool,
        ) {
            let _ = opportunities(&text, repeat);
            let _ = rates(&text, repeat);
        }

        #[test]
        fn the_times_of_a_trace_are_read_as_they_are_written(
            mut times in prop::collection::vec(0..1_000_000_u64, 1..50),
        ) {
            times.sort_unstable();
            let text: String = times.iter().map(|it| format!("{it}\n")).collect();
            match opportunities(&text, true) {
                Ok(trace) => prop_assert_eq!(numbers(&trace), times),
                Err(_) => prop_assert_eq!(times.last(), Some(&0)),
            }
        }

        #[test]
        fn the_rates_of_a_trace_are_read_as_they_are_written(
            // Up to 1000 s: later, a number of seconds is no exact one of picoseconds.
            rows in prop::collection::vec((1_u64..20_000, 1_u64..1_000_000_000), 2..50),
        ) {
            let mut now = 0;
            let mut text = String::new();
            let mut expected = Vec::new();
            for (step, kbps) in rows {
                let line = format!("{} {}\n", now as f64 / 1e3, kbps as f64 / 1e3);
                text.push_str(&line);
                let rate = Rate::from_bits_per_second(kbps * 1000);
                expected.push((Duration::from_millis(now), rate));
                now += step;
            }
            prop_assert_eq!(rates(&text, false).unwrap().rows, expected);
        }
    }
}
