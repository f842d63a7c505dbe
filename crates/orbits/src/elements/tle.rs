//! Two-line element sets, each with a line before it that has its name or without.

use sgp4::Elements;

use super::{ElementSet, ElementsError, ElementsPosition};

/// The characters of a line of elements, and the most of a name.
const LENGTH: usize = 69;
const MOST_OF_NAME: usize = 24;

/// A line that is not empty, and its number.
type Line<'a> = (&'a str, usize);

/// Reads element sets. Before the first, there may be other lines.
pub(super) fn read(text: &str) -> Result<Vec<ElementSet>, ElementsError> {
    let mut sets = Vec::new();
    let mut name: Option<Line<'_>> = None;
    let lines = text.lines().map(str::trim_end).zip(1..);
    let mut lines = lines.filter(|(line, _)| !line.trim().is_empty());
    while let Some(line) = lines.next() {
        if !is_line(line.0, '1') {
            if is_line(line.0, '2') {
                let damaged = name.filter(|it| is_damaged(*it)).map(not_followed);
                let alone = || wrong(line, "there is no line 1 before it".into());
                return Err(damaged.unwrap_or_else(alone));
            }
            let before = name.replace(line);
            if let Some(it) = before.filter(|it| !sets.is_empty() || is_damaged(*it)) {
                return Err(not_followed(it));
            }
            continue;
        }
        check(line)?;
        let Some(second) = lines.next() else {
            return Err(wrong(line, "no line 2 follows it".into()));
        };
        if !is_line(second.0, '2') {
            let why = if is_damaged(second) { length(second) } else { "it is not line 2".into() };
            return Err(wrong(second, why));
        }
        check(second)?;
        sets.push(set(name.take().map(|it| it.0), line, second)?);
    }
    name.map_or(Ok(sets), |it| Err(not_followed(it)))
}

/// A name may begin with a digit too: a line of elements has its length.
fn is_line(line: &str, number: char) -> bool {
    line.len() == LENGTH && line.starts_with(number) && line[1..].starts_with(' ')
}

/// Whether it is too long for a name, and begins as a line of elements.
fn is_damaged((line, _): Line<'_>) -> bool {
    (line.starts_with("1 ") || line.starts_with("2 ")) && line.chars().count() > MOST_OF_NAME
}

/// A line that would be a name if line 1 followed it.
fn not_followed(line: Line<'_>) -> ElementsError {
    wrong(line, if is_damaged(line) { length(line) } else { "no line 1 follows it".into() })
}

fn length((line, _): Line<'_>) -> String {
    format!("it has {} characters, not {LENGTH}", line.chars().count())
}

fn wrong((_, number): Line<'_>, why: String) -> ElementsError {
    ElementsError { place: ElementsPosition::Line(number), why }
}

/// The sum of the digits of the first 68 columns, a minus sign counted as 1, ends in the
/// digit of the last.
fn check(line: Line<'_>) -> Result<(), ElementsError> {
    let text = line.0;
    if !text.is_ascii() {
        return Err(wrong(line, "it has characters outside ASCII".into()));
    }
    let digit = |it: char| it.to_digit(10).unwrap_or(u32::from(it == '-'));
    let (digits, last) = text.split_at(LENGTH - 1);
    let sum = digits.chars().map(digit).sum::<u32>() % 10;
    match last.parse::<u32>() {
        Ok(checksum) if checksum == sum => Ok(()),
        _ => Err(wrong(line, format!("its checksum is {last}, but must be {sum}"))),
    }
}

fn set(name: Option<&str>, first: Line<'_>, second: Line<'_>) -> Result<ElementSet, ElementsError> {
    let [one, two] = [first, second].map(|it| it.0.as_bytes());
    let elements = Elements::from_tle(name.map(|it| it.trim().to_owned()), one, two)
        .map_err(|it| wrong(first, it.to_string()))?;
    ElementSet::new(elements).map_err(|why| wrong(first, why))
}
