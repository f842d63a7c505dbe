//! Lines of files that are tables of words.

use std::ops::Range;

use crate::error::Mistake;

/// A line that says something, and its place in the text.
pub struct Line<'a> {
    /// Its text, without what is blank at its ends.
    pub text: &'a str,
    /// Where in the file that is.
    pub span: Range<usize>,
}

impl Line<'_> {
    /// What is wrong with it.
    pub fn mistake(&self, message: impl Into<String>) -> Mistake {
        Mistake::new(message).at(self.span.clone())
    }
}

/// The lines that are not empty and no comments.
pub fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
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
pub fn words<'a>(line: &Line<'a>) -> impl Iterator<Item = &'a str> {
    let words = line.text.split(|it: char| it == ',' || it.is_whitespace());
    words.filter(|it| !it.is_empty())
}

/// A word of a file, as far as it is read at a glance.
#[must_use]
pub fn shown(word: &str) -> String {
    word.chars().take(40).flat_map(char::escape_debug).collect()
}
