//! The files that a scenario names, sought beside it: each is read once, whatever
//! the number of links and cases that name it.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use indexmap::IndexMap;
use windtunnel_world::radio::Map;
use windtunnel_world::{Opportunities, RateTrace};

use crate::error::Mistake;
use crate::links::traces;
use crate::radio::map;
use crate::scenario::Located;

/// The most octets that all files together may have.
const MOST_BYTES: u64 = 64 << 20;

/// The files of a scenario, as far as they were read.
#[derive(Debug, Default)]
pub(crate) struct Files {
    folder: PathBuf,
    texts: IndexMap<String, Arc<str>>,
    maps: HashMap<String, Map>,
    opportunities: HashMap<(String, bool), Arc<Opportunities>>,
    rates: HashMap<(String, bool), Arc<RateTrace>>,
}

impl Files {
    /// Of the scenario in that file.
    pub(crate) fn beside(scenario: &str) -> Self {
        let folder = Path::new(scenario).parent().map(Path::to_path_buf).unwrap_or_default();
        Self { folder, ..Self::default() }
    }

    /// What was read: each file's name, as the scenario has it, and its text.
    pub(crate) fn into_texts(self) -> Vec<(String, Arc<str>)> {
        self.texts.into_iter().collect()
    }

    /// The map of that name.
    pub(crate) fn map(&mut self, name: &Located<String>) -> Result<Map, Mistake> {
        let text = self.text(name)?;
        let read = || map::read(&text).map_err(|it| inside(it, name, &text));
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

    fn text(&mut self, name: &Located<String>) -> Result<Arc<str>, Mistake> {
        if let Some(text) = self.texts.get(&name.value) {
            return Ok(Arc::clone(text));
        }
        let path = self.folder.join(&name.value);
        let room = MOST_BYTES - self.texts.values().map(|it| it.len() as u64).sum::<u64>();
        let refuse = |why: String| {
            Mistake::new(format!("{}: {why}", name.value))
                .at(name.span.clone())
                .help(format!("it was sought at {}", path.display()))
        };
        let octets = read(&path, room).map_err(|error| match error.kind() {
            io::ErrorKind::FileTooLarge => refuse(format!(
                "too large: more than {} MiB in all files beside a scenario",
                MOST_BYTES >> 20
            )),
            io::ErrorKind::NotFound => refuse("no such file".to_owned()),
            io::ErrorKind::InvalidInput => refuse("not a file".to_owned()),
            _ => refuse(error.to_string()),
        })?;
        let text = String::from_utf8(octets).map_err(|error| {
            refuse(format!("not text in UTF-8, from octet {} on", error.utf8_error().valid_up_to()))
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

/// A file's octets, if they are not too many. What is no regular file might never
/// end.
fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut octets = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut octets)?;
    if octets.len() as u64 > most { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(octets) }
}

/// A mistake in a file, as one of the scenario that names it.
fn inside(mistake: Mistake, name: &Located<String>, text: &str) -> Mistake {
    mistake.in_file(&name.value, text).at(name.span.clone())
}
