//! What is wrong with a scenario, where, and what would be right.

use std::cmp::Reverse;
use std::fmt;
use std::ops::Range;

use indexmap::IndexSet;

/// A position in a text: line and column count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPosition {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
    /// The line's text, or a part of a long line.
    pub text: String,
    /// How many characters of the line are before that part.
    pub skipped: usize,
    /// How many characters are marked.
    pub length: usize,
}

/// A scenario that cannot be run as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// The file, as the user named it.
    pub file: String,
    /// The case of a comparison in which it goes wrong, if only there.
    pub case: Option<String>,
    /// Where in the file.
    pub place: Option<Box<TextPosition>>,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
}

/// A mistake before its place is looked up: where in the text, what is wrong,
/// and what would be right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mistake {
    /// Which bytes of the text it is about.
    pub span: Option<Range<usize>>,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
    /// The key that is missing, if that is the mistake.
    pub missing: Option<&'static str>,
    /// Whether the message names the table in which it is missing.
    pub is_named: bool,
    /// The key that its kind of table has not, if that is the mistake.
    pub unknown: Option<Box<Unknown>>,
}

/// A key that a kind of table does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The key.
    pub key: String,
    /// The kind of its table.
    pub kind: String,
    /// All kinds of such a table.
    pub kinds: &'static [&'static str],
    /// The keys of its own kind.
    pub keys: Vec<&'static str>,
}

impl Mistake {
    /// A mistake of which only that is known.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// The same with its place.
    #[must_use]
    pub fn at(mut self, span: impl Into<Option<Range<usize>>>) -> Self {
        self.span = span.into();
        self
    }

    /// The same with what would be right.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same mistake, with what it is about in front.
    #[must_use]
    pub fn named(mut self, about: &str) -> Self {
        self.message = format!("{about}: {}", self.message);
        self
    }

    /// The same mistake in another file, whose place goes into the message.
    #[must_use]
    pub fn in_file(self, file: &str, text: &str) -> Self {
        let about = match &self.span {
            Some(span) => {
                let place = place(text, span);
                format!("{file}:{}:{}", place.line, place.column)
            }
            None => file.to_owned(),
        };
        self.named(&about)
    }

    /// A key that its kind of table does not have.
    #[must_use]
    pub fn of_unknown(unknown: Unknown) -> Self {
        let mistake = Self::new(format!("unknown key `{}`", unknown.key))
            .help(suggestion(&unknown.key, &unknown.keys));
        Self { unknown: Some(Box::new(unknown)), ..mistake }
    }

    /// Text that is not valid TOML, for a reason that the parser gives with its place.
    #[must_use]
    pub fn not_toml(text: &str, reason: &str, span: Option<Range<usize>>) -> Self {
        match language(text) {
            Some((name, span)) => {
                Self::new(format!("this is {name}, and the file must be TOML")).at(span).help(TOML)
            }
            None => Self::new(reason.trim()).at(span),
        }
    }

    /// The error of a file with this mistake.
    #[must_use]
    pub fn locate(self, file: &str, text: &str, case: Option<String>) -> ScenarioError {
        ScenarioError {
            file: file.to_owned(),
            case,
            place: self.span.map(|span| Box::new(place(text, &span))),
            message: shortened(&self.message),
            help: self.help.as_deref().map(shortened),
        }
    }
}

/// The most characters of a message, and of a line of the file, that are shown.
const MOST_SHOWN: usize = 600;
const MOST_OF_A_LINE: usize = 160;
/// The most names that one question asks about.
const MOST_MEANT: usize = 3;

/// What a user put into a message may be long.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.to_owned(),
    }
}

/// Names, as many as are read at a glance.
#[must_use]
pub fn list(names: &[&str]) -> String {
    const MOST_LISTED: usize = 30;
    let listed: Vec<String> = names.iter().take(MOST_LISTED).map(|it| format!("`{it}`")).collect();
    match names.len().saturating_sub(MOST_LISTED) {
        0 => listed.join(", "),
        more => format!("{} and {more} more", listed.join(", ")),
    }
}

/// What is most like TOML, for who wrote something else.
const TOML: &str = "write keys such as duration = \"10 s\" and tables such as [links.access]; \
    `windtunnel new` prints examples";

/// The other language that a text is in, and the line that shows it: the first that says anything.
fn language(text: &str) -> Option<(&'static str, Range<usize>)> {
    let is_empty = |line: &str| line.trim().is_empty() || line.trim().starts_with('#');
    let line = text.trim_start_matches('\u{feff}').lines().find(|it| !is_empty(it))?;
    let start = line.as_ptr().addr() - text.as_ptr().addr();
    let is_key = |it: &str| it.chars().all(|it| it.is_alphanumeric() || "_-".contains(it));
    let is_pair =
        |(key, value): (&str, &str)| is_key(key) && (value.is_empty() || value.starts_with(' '));
    let name = match line.trim() {
        it if it.starts_with('{') => "JSON",
        it if it == "---" || it.starts_with("- ") => "YAML",
        it if it.split_once(':').is_some_and(is_pair) => "YAML",
        _ => return None,
    };
    Some((name, start..start + line.len()))
}

/// "did you mean …", and the list of what is known.
#[must_use]
pub fn suggestion(wrong: &str, known: &[&str]) -> String {
    let list = list(known);
    match did_you_mean(wrong, known) {
        Some(question) => format!("{question} Known here: {list}"),
        None => format!("known here: {list}"),
    }
}

/// A question after the known names that are most like a wrong one, if any is like it.
#[must_use]
pub fn did_you_mean(wrong: &str, known: &[&str]) -> Option<String> {
    let names: Vec<String> = nearest(wrong, known).iter().map(|it| format!("`{it}`")).collect();
    (!names.is_empty()).then(|| format!("did you mean {}?", names.join(" or ")))
}

/// The known names that may be meant: those with the fewest changes of letters, of these the ones
/// that begin most like it, in their order. Capital letters are like small ones.
fn nearest<'a>(wrong: &str, known: &[&'a str]) -> Vec<&'a str> {
    let wrong = wrong.to_lowercase();
    let near = |it: &&str| wrong.len().abs_diff(it.len()) <= 1 + it.len() / 3;
    let far = known.iter().copied().filter(near).map(|it| (distance(&wrong, it), it));
    let far = far.filter(|((changes, _), it)| *changes <= 1 + it.len() / 3);
    let mut far: Vec<_> = far.collect();
    let least = far.iter().map(|it| it.0).min();
    far.retain(|it| Some(it.0) == least);
    far.into_iter().map(|it| it.1).collect::<IndexSet<_>>().into_iter().take(MOST_MEANT).collect()
}

/// How many changes of letters make a name of a wrong one, then how unlike they begin.
fn distance(wrong: &str, name: &str) -> (usize, Reverse<usize>) {
    let name = name.to_lowercase();
    let alike = wrong.chars().zip(name.chars()).take_while(|(one, other)| one == other).count();
    (strsim::damerau_levenshtein(wrong, &name), Reverse(alike))
}

fn place(text: &str, span: &Range<usize>) -> TextPosition {
    let boundary = |at: usize| (0..=at).rev().find(|it| text.is_char_boundary(*it)).unwrap_or(0);
    let start = boundary(span.start.min(text.len()));
    let end = boundary(span.end.clamp(start, text.len()));
    let line_start = text[..start].rfind('\n').map_or(0, |it| it + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |it| start + it);
    let line = &text[line_start..line_end];
    let before = text[line_start..start].chars().count();
    let is_long = line.chars().nth(MOST_OF_A_LINE).is_some();
    let skipped = if is_long { before.saturating_sub(MOST_OF_A_LINE / 2) } else { 0 };
    // Control characters would move what is below them.
    let shown = line.chars().skip(skipped).take(MOST_OF_A_LINE);
    let shown: String = shown.map(|it| if it.is_control() { ' ' } else { it }).collect();
    let most = shown.trim_end().chars().count().saturating_sub(before - skipped);
    let length = text[start..end.min(line_end).max(start)].chars().count();
    TextPosition {
        line: text[..start].matches('\n').count() + 1,
        column: before + 1,
        text: shown.trim_end().to_owned(),
        skipped,
        length: length.min(most).max(1),
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Mistake {}

impl fmt::Display for ScenarioError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.file)?;
        if let Some(place) = &self.place {
            write!(formatter, ":{}:{}", place.line, place.column)?;
        }
        write!(formatter, ": {}", self.message)?;
        if let Some(case) = &self.case {
            write!(formatter, " (in the case {case})")?;
        }
        if let Some(place) = &self.place {
            let number = place.line.to_string();
            let margin = " ".repeat(number.len());
            let before = " ".repeat(place.column - 1 - place.skipped);
            let under = "^".repeat(place.length);
            write!(
                formatter,
                "\n{margin} |\n{number} | {}\n{margin} | {before}{under}",
                place.text
            )?;
        }
        if let Some(help) = &self.help {
            write!(formatter, "\nhelp: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ScenarioError {}
