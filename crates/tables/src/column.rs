//! What a column of a table is.

/// In which direction a measure becomes better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// The higher.
    More,
    /// The lower.
    Less,
}

/// A column: what the documentation, reports and pictures say of it. Its values are beside it,
/// where the table is made.
///
/// Its unit is at the end of its name (`_s`, `_bps`), and its title is the words of its name,
/// unless it has others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds, in whole sentences.
    pub definition: &'static str,
    /// Its title, if that is not the words of its name.
    pub title: Option<&'static str>,
    /// Its unit, if its name does not end with it; empty for a number that counts nothing.
    pub unit: Option<&'static str>,
    /// When it is better, if it is a measure of which that can be said.
    pub better: Option<Better>,
}

/// A column of that name, with what it holds in whole sentences.
#[must_use]
pub const fn column(name: &'static str, definition: &'static str) -> Column {
    Column { name, definition, title: None, unit: None, better: None }
}

impl Column {
    /// With another title than the words of its name.
    #[must_use]
    pub const fn title(self, title: &'static str) -> Self {
        Self { title: Some(title), ..self }
    }

    /// With a unit with which its name does not end; empty for a number that counts nothing.
    #[must_use]
    pub const fn unit(self, unit: &'static str) -> Self {
        Self { unit: Some(unit), ..self }
    }

    /// A measure of which more is better.
    #[must_use]
    pub const fn more_is_better(self) -> Self {
        Self { better: Some(Better::More), ..self }
    }

    /// A measure of which less is better.
    #[must_use]
    pub const fn less_is_better(self) -> Self {
        Self { better: Some(Better::Less), ..self }
    }
}
