//! The files that a scenario names: each is read once, whatever the number of links and
//! cases that name it.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use windtunnel_applications::video::Ladder;
use windtunnel_links::radio::Map;
use windtunnel_links::{Course, Opportunities, RateTrace};
use windtunnel_orbits::{ElementSet, read_elements};

use crate::reading::error::Mistake;
use crate::reading::graphs::{self, Graph};
use crate::reading::located::Located;
use crate::reading::maps;
use crate::reading::traces;
use crate::reading::traces::table::{self, Columns};
use crate::reading::video;
use crate::reading::weather::Kind;

/// Why a file that a scenario names cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// What is wrong.
    pub why: String,
    /// What would help.
    pub help: String,
}

/// A trace of rates, with the columns that it is in and whether it repeats.
type TableOfRates = (Columns, bool, Arc<RateTrace>);

/// Gives the text of a file by the name that a scenario has for it.
pub(crate) type TextOf<'a> = &'a mut dyn FnMut(&str) -> Result<String, Unreadable>;

/// The files of a scenario, as far as they were read.
pub(crate) struct Files<'a> {
    text_of: TextOf<'a>,
    texts: IndexMap<String, Arc<str>>,
    maps: HashMap<String, Map>,
    opportunities: HashMap<(String, bool), Arc<Opportunities>>,
    rates: HashMap<(String, bool), Arc<RateTrace>>,
    /// By the file, and by what is read of it.
    tables_of_rates: HashMap<String, Vec<TableOfRates>>,
    notes: IndexSet<String>,
    weather: HashMap<(String, &'static str), Arc<Course>>,
    elements: HashMap<String, Arc<[ElementSet]>>,
    frames: HashMap<String, Arc<[u32]>>,
    ladders: HashMap<String, Arc<Ladder>>,
    graphs: HashMap<(String, Option<String>), Arc<Graph>>,
}

impl<'a> Files<'a> {
    /// None so far.
    pub(crate) fn new(text_of: TextOf<'a>) -> Self {
        Self {
            text_of,
            texts: IndexMap::new(),
            maps: HashMap::new(),
            opportunities: HashMap::new(),
            rates: HashMap::new(),
            tables_of_rates: HashMap::new(),
            notes: IndexSet::new(),
            weather: HashMap::new(),
            elements: HashMap::new(),
            frames: HashMap::new(),
            ladders: HashMap::new(),
            graphs: HashMap::new(),
        }
    }

    /// What was read: each file's name, as the scenario has it, and its text.
    pub(crate) fn into_texts(self) -> Vec<(String, Arc<str>)> {
        self.texts.into_iter().collect()
    }

    /// The map of that name.
    pub(crate) fn map(&mut self, name: &Located<String>) -> Result<Map, Mistake> {
        let text = self.text(name)?;
        let read = || maps::read(&text).map_err(|it| inside(it, name, &text));
        keep(&mut self.maps, name.value.clone(), read)
    }

    /// The delivery trace of that name.
    pub(crate) fn opportunities(
        &mut self,
        name: &Located<String>,
        repeat: bool,
    ) -> Result<Arc<Opportunities>, Mistake> {
        let text = self.text(name)?;
        let read = || traces::opportunities(&text, repeat).map_err(|it| inside(it, name, &text));
        keep(&mut self.opportunities, (name.value.clone(), repeat), || read().map(Arc::new))
    }

    /// The trace of rates of that name.
    pub(crate) fn rates(
        &mut self,
        name: &Located<String>,
        repeat: bool,
    ) -> Result<Arc<RateTrace>, Mistake> {
        let text = self.text(name)?;
        let read = || traces::rates(&text, repeat).map_err(|it| inside(it, name, &text));
        keep(&mut self.rates, (name.value.clone(), repeat), || read().map(Arc::new))
    }

    /// The columns of the table of that name.
    pub(crate) fn columns(&mut self, name: &Located<String>) -> Result<Vec<String>, Mistake> {
        Ok(table::names(&self.text(name)?))
    }

    /// The trace of rates in those columns of the table of that name.
    pub(crate) fn table_of_rates(
        &mut self,
        name: &Located<String>,
        columns: &Columns,
        repeat: bool,
    ) -> Result<Arc<RateTrace>, Mistake> {
        let text = self.text(name)?;
        let known = self.tables_of_rates.entry(name.value.clone()).or_default();
        if let Some((.., trace)) = known.iter().find(|it| it.0 == *columns && it.1 == repeat) {
            return Ok(Arc::clone(trace));
        }
        let read = table::rates(&text, columns, repeat).map_err(|it| inside(it, name, &text))?;
        let trace = Arc::new(read.trace);
        known.push((columns.clone(), repeat, Arc::clone(&trace)));
        self.notes.extend(read.notes.iter().map(|it| format!("{}: {it}", name.value)));
        Ok(trace)
    }

    /// What was found in the files that the user should know.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> {
        self.notes.iter().cloned()
    }

    /// Weather in the course of time, from the file of that name.
    pub(crate) fn weather(
        &mut self,
        name: &Located<String>,
        kind: &Kind,
    ) -> Result<Arc<Course>, Mistake> {
        let text = self.text(name)?;
        let read = || traces::weather(&text, kind).map_err(|it| inside(it, name, &text));
        keep(&mut self.weather, (name.value.clone(), kind.name), || read().map(Arc::new))
    }

    /// The orbital elements of that name.
    pub(crate) fn elements(
        &mut self,
        name: &Located<String>,
    ) -> Result<Arc<[ElementSet]>, Mistake> {
        let text = self.text(name)?;
        let read = || {
            let records = read_elements(&text).map_err(|it| {
                let why = format!("{}, {}: {}", name.value, it.place, it.why);
                name.mistake(why).help(
                    "write two lines of 69 characters for each satellite, or messages (OMM) in \
                     JSON or CSV",
                )
            })?;
            Ok(records.into())
        };
        keep(&mut self.elements, name.value.clone(), read)
    }

    /// The sizes of the frames of a video, in bytes.
    pub(crate) fn frame_sizes(&mut self, name: &Located<String>) -> Result<Arc<[u32]>, Mistake> {
        let text = self.text(name)?;
        let read = || video::frame_sizes(&text).map_err(|it| inside(it, name, &text));
        keep(&mut self.frames, name.value.clone(), || read().map(Arc::from))
    }

    /// The ladder of segments of that name.
    pub(crate) fn ladder(&mut self, name: &Located<String>) -> Result<Arc<Ladder>, Mistake> {
        let text = self.text(name)?;
        let read = || video::ladder(&text).map_err(|it| inside(it, name, &text));
        keep(&mut self.ladders, name.value.clone(), || read().map(Arc::new))
    }

    /// The network of that name, whose edges have their weight under another name.
    pub(crate) fn graph(
        &mut self,
        name: &Located<String>,
        weight: Option<&str>,
    ) -> Result<Arc<Graph>, Mistake> {
        let text = self.text(name)?;
        let read = || graphs::read(&text, weight).map_err(|it| inside(it, name, &text));
        let key = (name.value.clone(), weight.map(str::to_owned));
        keep(&mut self.graphs, key, || read().map(Arc::new))
    }

    /// What is read of the file of that name.
    pub(crate) fn read<T>(
        &mut self,
        name: &Located<String>,
        read: impl FnOnce(&str) -> Result<T, Mistake>,
    ) -> Result<T, Mistake> {
        let text = self.text(name)?;
        read(&text).map_err(|it| inside(it, name, &text))
    }

    fn text(&mut self, name: &Located<String>) -> Result<Arc<str>, Mistake> {
        if let Some(text) = self.texts.get(&name.value) {
            return Ok(Arc::clone(text));
        }
        let text = (self.text_of)(&name.value).map_err(|unreadable| {
            name.mistake(format!("{}: {}", name.value, unreadable.why)).help(unreadable.help)
        })?;
        let text: Arc<str> = text.into();
        self.texts.insert(name.value.clone(), Arc::clone(&text));
        Ok(text)
    }
}

/// What is kept under a key; made first where it is not there.
fn keep<K: std::hash::Hash + Eq, T: Clone>(
    kept: &mut HashMap<K, T>,
    key: K,
    make: impl FnOnce() -> Result<T, Mistake>,
) -> Result<T, Mistake> {
    if let Some(it) = kept.get(&key) {
        return Ok(it.clone());
    }
    let made = make()?;
    kept.insert(key, made.clone());
    Ok(made)
}

/// A mistake in a file, as one of the scenario that names it.
fn inside(mistake: Mistake, name: &Located<String>, text: &str) -> Mistake {
    mistake.in_file(&name.value, text).at(name.span.clone())
}
