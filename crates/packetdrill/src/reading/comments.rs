//! Comments, and parts for other systems: blanks take their place, so that all else stays where
//! it is.

use std::ops::Range;

use windtunnel_reading::error::Mistake;

/// The name of the parts that count, of those between `#ifdef NAME` and `#endif`: of what
/// follows the specifications, and not a system.
const COUNTED: &str = "STANDARD";

/// Where the text is, of these pairs of signs: what is between is left as it is.
const QUOTES: [(&str, &str, &str); 3] = [
    ("`", "`", "the command that begins here has no end: write ` behind it"),
    ("%{", "}%", "the code that begins here has no end: write }% behind it"),
    ("\"", "\"", "the text that begins here has no end: write \" behind it"),
];

/// The text with blanks for all comments.
pub(super) fn without(text: &str) -> Result<String, Mistake> {
    let mut blanked = text.as_bytes().to_vec();
    let mut at = 0;
    let mut counts = true;
    let mut begins_line = true;
    while at < text.len() {
        let rest = &text[at..];
        let first = rest.chars().next().unwrap_or(' ');
        let length = if at == 0 && first == '\u{feff}' {
            // Some editors begin a text with a byte order mark.
            blank(&mut blanked, 0..first.len_utf8());
            first.len_utf8()
        } else if begins_line && rest.starts_with('#') {
            let line = line_of(rest);
            counts = counted_after(line, counts);
            blank(&mut blanked, at..at + line.len());
            line.len()
        } else if !counts {
            let line = line_of(rest);
            blank(&mut blanked, at..at + line.len());
            line.len().max(first.len_utf8())
        } else if rest.starts_with("//") {
            let line = line_of(rest);
            blank(&mut blanked, at..at + line.len());
            line.len()
        } else if rest.starts_with("/*") {
            let end = rest.find("*/").ok_or_else(|| {
                Mistake::new("the comment that begins here has no end: write */ behind it")
                    .at(at..at + 2)
            })?;
            blank(&mut blanked, at..at + end + 2);
            end + 2
        } else {
            quoted(rest, at)?.unwrap_or(first.len_utf8())
        };
        begins_line =
            first == '\n' || (begins_line && (first.is_whitespace() || first == '\u{feff}'));
        at += length.max(1);
    }
    Ok(String::from_utf8(blanked).unwrap_or_default())
}

/// The length of what stands between quotes here, if it does.
fn quoted(rest: &str, at: usize) -> Result<Option<usize>, Mistake> {
    let Some((open, close, endless)) = QUOTES.iter().find(|it| rest.starts_with(it.0)) else {
        return Ok(None);
    };
    match rest[open.len()..].find(close) {
        Some(end) => Ok(Some(open.len() + end + close.len())),
        None => Err(Mistake::new(*endless).at(at..at + open.len())),
    }
}

fn line_of(rest: &str) -> &str {
    rest.split('\n').next().unwrap_or_default()
}

/// Whether what follows that line counts.
fn counted_after(line: &str, counts: bool) -> bool {
    let mut words = line.trim_start_matches('#').split_whitespace();
    match words.next() {
        Some("ifdef") => words.next() == Some(COUNTED),
        Some("else") => !counts,
        Some("endif") => true,
        _ => counts,
    }
}

fn blank(text: &mut [u8], range: Range<usize>) {
    text[range].iter_mut().filter(|it| **it != b'\n').for_each(|it| *it = b' ');
}
