//! Orbit mean-elements messages in JSON and CSV, whose keywords are those of CCSDS 502.0-B-3,
//! tables 4-1 to 4-3. Catalogue numbers can have any number of digits.

use csv::{ErrorKind, Position, ReaderBuilder, Trim};
use serde_json::Value;
use sgp4::Elements;

use super::{ElementSet, ElementsError, ElementsPosition};

/// A keyword that each message has.
const KEYWORD: &str = "MEAN_MOTION";

/// Reads an array of messages, or a single one.
pub(super) fn from_json(text: &str) -> Result<Vec<ElementSet>, ElementsError> {
    let value: Value = serde_json::from_str(text).map_err(|error| ElementsError {
        place: ElementsPosition::Line(error.line()),
        why: without_place(&error),
    })?;
    let messages = if let Value::Array(them) = value { them } else { vec![value] };
    let sets = messages.into_iter().zip(1..).map(|(message, number)| {
        set(message).map_err(|why| ElementsError { place: ElementsPosition::Record(number), why })
    });
    sets.collect()
}

/// The satellite of a message, or what is wrong with that.
fn set(message: Value) -> Result<ElementSet, String> {
    let elements: Elements = serde_path_to_error::deserialize(message).map_err(|error| {
        let keyword = error.path().iter().next().map(|it| format!("{it}: ")).unwrap_or_default();
        format!("{keyword}{}", error.inner())
    })?;
    ElementSet::new(elements)
}

/// What `serde_json` says, without the place that is given beside it.
fn without_place(error: &serde_json::Error) -> String {
    error.to_string().split(" at line ").next().unwrap_or_default().to_owned()
}

/// Whether the first line of a text has the keywords of messages, as CSV has.
pub(super) fn is_csv(text: &str) -> bool {
    let header = text.trim_start().lines().next().unwrap_or_default();
    header.split(',').any(|it| it.trim().trim_matches('"') == KEYWORD)
}

/// Reads messages under a line with their keywords.
pub(super) fn from_csv(text: &str) -> Result<Vec<ElementSet>, ElementsError> {
    let mut reader = ReaderBuilder::new().trim(Trim::All).from_reader(text.as_bytes());
    let keywords = reader.headers().map_err(|it| wrong(&it))?.clone();
    let sets = reader.into_records().map(|row| {
        let row = row.map_err(|it| wrong(&it))?;
        // All values are texts, as in Space-Track's messages in JSON.
        let pairs = keywords.iter().zip(&row).filter(|it| !it.1.is_empty());
        let message = pairs.map(|(keyword, it)| (keyword.to_owned(), it.into())).collect();
        let place = line(row.position());
        set(Value::Object(message)).map_err(|why| ElementsError { place, why })
    });
    sets.collect()
}

fn line(position: Option<&Position>) -> ElementsPosition {
    ElementsPosition::Line(position.map_or(1, |it| it.line() as usize))
}

/// What is wrong with a line of values.
fn wrong(error: &csv::Error) -> ElementsError {
    let why = match error.kind() {
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("it has {len} values, and the first line {expected_len} keywords")
        }
        _ => error.to_string(),
    };
    ElementsError { place: line(error.position()), why }
}
