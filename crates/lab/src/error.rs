//! What is wrong with a scenario, where, and what would be right.

use std::fmt;
use std::ops::Range;

/// A place in a text: line and column count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
    /// The line's text.
    pub text: String,
    /// How many characters are meant.
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
    pub place: Option<Place>,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
}

/// A mistake before its place is looked up: where in the text, what is wrong,
/// and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    pub(crate) span: Option<Range<usize>>,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl Mistake {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { span: None, message: message.into(), help: None }
    }

    pub(crate) fn at(mut self, span: Range<usize>) -> Self {
        self.span = Some(span);
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// From the TOML reader. An unknown key gets the nearest known one.
    pub(crate) fn from_toml(error: &toml::de::Error) -> Self {
        let message = error.message().trim().to_owned();
        let mistake = match Self::unknown_key(&message) {
            Some(mistake) => mistake,
            None => match message.split_once("; ") {
                Some((message, help)) => Self::new(message).help(help),
                None => Self::new(message),
            },
        };
        match error.span() {
            Some(span) => mistake.at(span),
            None => mistake,
        }
    }

    /// Serde says "unknown field `a`, expected one of `b`, `c`".
    fn unknown_key(message: &str) -> Option<Self> {
        let rest = message
            .strip_prefix("unknown field `")
            .or_else(|| message.strip_prefix("unknown variant `"))?;
        let what = if message.starts_with("unknown field") { "key" } else { "value" };
        let (unknown, expected) = rest.split_once('`')?;
        let known: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
        Some(Self::new(format!("unknown {what} `{unknown}`")).help(suggestion(unknown, &known)))
    }

    pub(crate) fn locate(self, file: &str, text: &str, case: Option<String>) -> ScenarioError {
        ScenarioError {
            file: file.to_owned(),
            case,
            place: self.span.map(|span| place(text, &span)),
            message: self.message,
            help: self.help,
        }
    }
}

/// "did you mean …", and the whole list where it is short.
pub(crate) fn suggestion(wrong: &str, known: &[&str]) -> String {
    let nearest = known
        .iter()
        .map(|it| (strsim::damerau_levenshtein(wrong, it), *it))
        .min()
        .filter(|(distance, it)| *distance <= 1 + it.len() / 3);
    let list = known.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
    match nearest {
        Some((_, nearest)) => format!("did you mean `{nearest}`? Known here: {list}"),
        None => format!("known here: {list}"),
    }
}

fn place(text: &str, span: &Range<usize>) -> Place {
    let start = text.floor_char_boundary(span.start.min(text.len()));
    let end = text.floor_char_boundary(span.end.clamp(start, text.len()));
    let line_start = text[..start].rfind('\n').map_or(0, |it| it + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |it| start + it);
    Place {
        line: text[..start].matches('\n').count() + 1,
        column: text[line_start..start].chars().count() + 1,
        text: text[line_start..line_end].to_owned(),
        length: text[start..end.min(line_end).max(start)].chars().count().max(1),
    }
}

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
            let before = " ".repeat(place.column - 1);
            let under = "^".repeat(place.length);
            write!(formatter, "\n{margin} |\n{number} | {}\n{margin} | {before}{under}", place.text)?;
        }
        if let Some(help) = &self.help {
            write!(formatter, "\nhelp: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ScenarioError {}
