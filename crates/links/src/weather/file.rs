//! Files of the weather.

use windtunnel_engine::Duration;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::lines::lines;

use super::kinds::Kind;
use crate::Course;
use crate::trace::lines::{check_count, check_time, number, pair};

/// Reads a file of the weather: on each line a time in seconds, and what it is like then.
pub(super) fn course(text: &str, kind: &Kind) -> Result<Course, Mistake> {
    let mut rows: Vec<(Duration, f64)> = Vec::new();
    for line in lines(text) {
        let (time, value) = pair(&line, kind.name, kind.unit)?;
        check_time(&line, time, rows.last().map(|it| it.0))?;
        check_count(&line, rows.len())?;
        let what = format!("{} in {}", kind.name, kind.unit);
        let value = number(&line, value, &what, kind.range.clone())?;
        rows.push((time, value * kind.worth));
    }
    if rows.is_empty() {
        return Err(Mistake::new("the trace is empty").help(format!(
            "write a time in seconds and a {} in {} on each line",
            kind.name, kind.unit
        )));
    }
    Ok(Course::new(rows))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::kinds::VISIBILITY;
    use super::*;

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "([0-9#., \t\r\n-]|\\PC){0,60}") {
            let _ = course(&text, &VISIBILITY);
        }
    }
}
