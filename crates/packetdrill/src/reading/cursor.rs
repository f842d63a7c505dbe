//! A place in a text, and what is read from there.

use std::ops::Range;

use windtunnel_reading::error::Mistake;

/// A place in a text without comments.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The bytes before it.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// What is behind it.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Skips blanks, but not to the next line.
    pub(super) fn skip_spaces(&mut self) {
        let rest = self.rest().trim_start_matches(|it: char| it.is_whitespace() && it != '\n');
        self.at = self.text.len() - rest.len();
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest().is_empty()
    }

    pub(super) fn starts_with(&self, sign: &str) -> bool {
        self.rest().starts_with(sign)
    }

    pub(super) fn starts_with_digit(&self) -> bool {
        self.rest().starts_with(|it: char| it.is_ascii_digit())
    }

    /// Goes behind that sign, if it is here.
    pub(super) fn eat(&mut self, sign: &str) -> bool {
        let is_here = self.starts_with(sign);
        if is_here {
            self.at += sign.len();
        }
        is_here
    }

    /// Goes behind blanks and that sign.
    pub(super) fn expect(&mut self, sign: &str, what: &str) -> Result<(), Mistake> {
        let before = *self;
        self.skip_blanks();
        if self.eat(sign) { Ok(()) } else { Err(before.expected_behind(what)) }
    }

    /// Goes behind the characters for which that holds.
    pub(super) fn take_while(&mut self, holds: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|it| !holds(it)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// A name: letters, digits and `_`; empty if none is here.
    pub(super) fn name(&mut self) -> &'a str {
        self.take_while(|it| it.is_ascii_alphanumeric() || it == '_')
    }

    /// Goes behind a name, if it is just that.
    pub(super) fn eat_name(&mut self, name: &str) -> bool {
        let mut behind = *self;
        let is_here = behind.name() == name;
        if is_here {
            *self = behind;
        }
        is_here
    }

    /// What is up to a sign, behind which it goes.
    pub(super) fn up_to(&mut self, sign: &str) -> Option<&'a str> {
        let (before, _) = self.rest().split_once(sign)?;
        self.at += before.len() + sign.len();
        Some(before)
    }

    /// Goes to the end of the line, and returns what was before.
    pub(super) fn line(&mut self) -> &'a str {
        self.take_while(|it| it != '\n')
    }

    /// Behind blanks, a whole number, decimal or with `0x`.
    pub(super) fn number<T: TryFrom<u64>>(&mut self, what: &str) -> Result<T, Mistake> {
        let before = *self;
        self.skip_blanks();
        let start = self.at;
        let hexadecimal = self.starts_with("0x");
        let digits = self.take_while(|it| it.is_ascii_alphanumeric());
        let read = match digits.strip_prefix("0x") {
            Some(it) if hexadecimal => u64::from_str_radix(it, 16),
            _ => digits.parse::<u64>(),
        };
        if digits.is_empty() {
            return Err(before.expected_behind(what));
        }
        let read = read.map_err(|_| {
            let mistake = self.mistake(start, format!("`{}` is not {what}", short(digits)));
            let is_name = digits.starts_with(|it: char| it.is_ascii_alphabetic());
            if is_name {
                mistake.help("no names are defined here: write the number")
            } else {
                mistake
            }
        })?;
        T::try_from(read)
            .map_err(|_| self.mistake(start, format!("{} is too large for {what}", short(digits))))
    }

    /// What is behind spaces is not what is expected.
    fn expected_behind(mut self, what: &str) -> Mistake {
        self.skip_spaces();
        self.expected(what)
    }

    /// What is here is not what is expected.
    pub(super) fn expected(&self, what: &str) -> Mistake {
        let word = self.rest().split_whitespace().next().unwrap_or_default();
        let is_here = self.rest().starts_with(|it: char| !it.is_whitespace());
        let word = if is_here { word } else { "" };
        let message = match word {
            "" if self.rest().trim().is_empty() => {
                format!("the script ends here, where {what} is expected")
            }
            "" => format!("the line ends here, where {what} is expected"),
            _ => format!("expected {what}, not `{}`", short(word)),
        };
        Mistake::new(message).at(self.at..self.at + word.len().max(1))
    }

    /// A mistake from a place up to here.
    pub(super) fn mistake(&self, start: usize, message: impl Into<String>) -> Mistake {
        Mistake::new(message).at(self.range(start))
    }

    fn range(&self, start: usize) -> Range<usize> {
        start..self.at.max(start + 1)
    }
}

/// A word of a script, as far as it is read at a glance.
pub(super) fn short(word: &str) -> String {
    windtunnel_reading::lines::shown(word)
}
