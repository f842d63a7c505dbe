//! When an event is: `0.1`, `+0.1`, `*`, `+0.1~+0.2`, or for a call that blocks `0...0.1`.

use windtunnel_reading::error::Mistake;

use super::cursor::Cursor;
use crate::script::When;

/// The latest time of a script, in nanoseconds: eleven days.
pub(super) const LATEST: i64 = 1_000_000_000_000_000;
const PER_SECOND: i64 = 1_000_000_000;

const TIME: &str = "a time in seconds, such as `0`, `+0.1`, `+0.1~+0.2` or `*`";

/// A time, if one is here.
pub(super) fn when(cursor: &mut Cursor<'_>) -> Result<Option<When>, Mistake> {
    if cursor.eat("*") {
        return Ok(Some(When::Any));
    }
    let Some((is_relative, first)) = seconds(cursor)? else { return Ok(None) };
    let mut all_relative = is_relative;
    let mut last = first;
    cursor.skip_spaces();
    let start = cursor.at();
    if cursor.eat("~") {
        cursor.skip_spaces();
        let (plus, time) = seconds(cursor)?.ok_or_else(|| cursor.expected(TIME))?;
        if time < first {
            return Err(cursor.mistake(start, "the range ends before it begins"));
        }
        all_relative |= plus;
        last = time;
    }
    cursor.skip_spaces();
    let returns = if cursor.eat("...") {
        cursor.skip_spaces();
        Some(seconds(cursor)?.ok_or_else(|| cursor.expected(TIME))?.1)
    } else {
        None
    };
    Ok(Some(When::Between { is_relative: all_relative, first, last, returns }))
}

/// What is said where a time is missing.
pub(super) fn missing(cursor: &Cursor<'_>) -> Mistake {
    cursor.expected(TIME)
}

/// A number of seconds in nanoseconds, and whether a plus sign was before it.
fn seconds(cursor: &mut Cursor<'_>) -> Result<Option<(bool, i64)>, Mistake> {
    let mut behind = *cursor;
    let start = behind.at();
    let has_plus = behind.eat("+");
    behind.skip_spaces();
    let whole = behind.take_while(|it| it.is_ascii_digit());
    let has_fraction = !behind.starts_with("..") && behind.eat(".");
    let fraction =
        if has_fraction { behind.take_while(|it| it.is_ascii_digit()) } else { Default::default() };
    if whole.is_empty() && fraction.is_empty() {
        return Ok(None);
    }
    let digits = format!("{:0<9}", fraction.get(..9).unwrap_or(fraction));
    let nanoseconds = if whole.is_empty() { Ok(0) } else { whole.parse::<i64>() }
        .ok()
        .and_then(|it| it.checked_mul(PER_SECOND))
        .and_then(|it| it.checked_add(digits.parse().ok()?))
        .filter(|it| *it <= LATEST)
        .ok_or_else(|| behind.mistake(start, "the latest time is 1000000 s"))?;
    *cursor = behind;
    Ok(Some((has_plus, nanoseconds)))
}
