//! The things of one kind: those that a file writes, and those that are made.

use indexmap::IndexMap;
use indexmap::map::Entry as Slot;

use super::entries::entry;
use crate::reading::error::Mistake;
use crate::reading::setting_groups;
use crate::reading::tree::{Entry, Node as Tree, Value};

/// The things of one kind, by name.
#[derive(Default)]
pub(super) struct Section {
    things: IndexMap<String, Thing>,
}

/// A thing, and whether a table makes it.
struct Thing {
    entry: Entry,
    is_made: bool,
}

impl Section {
    /// Adds what the file says of a thing.
    pub(super) fn write(&mut self, entry: Entry) {
        match self.things.entry(entry.key.clone()) {
            Slot::Vacant(it) => {
                it.insert(Thing { entry, is_made: false });
            }
            Slot::Occupied(mut it) => {
                let made = std::mem::replace(&mut it.get_mut().entry, entry);
                complete(&mut it.get_mut().entry, &made);
            }
        }
    }

    /// Adds things that one table makes.
    pub(super) fn make(&mut self, made: Vec<Entry>) -> Result<(), Mistake> {
        for entry in made {
            match self.things.entry(entry.key.clone()) {
                Slot::Vacant(it) => {
                    it.insert(Thing { entry, is_made: true });
                }
                Slot::Occupied(it) if it.get().is_made => return Err(twice(&entry)),
                Slot::Occupied(mut it) => {
                    complete(&mut it.get_mut().entry, &entry);
                    it.get_mut().is_made = true;
                }
            }
        }
        Ok(())
    }

    /// Puts all into the tree of a file.
    pub(super) fn put(self, file: &mut Tree, name: &str) {
        let entries: Vec<Entry> = self.things.into_values().map(|it| it.entry).collect();
        if let Some(section) = file.get_mut(name) {
            section.value = Value::Table(entries);
            return;
        }
        let span = entries.first().map_or(0..0, |it| it.span.clone());
        let section = entry(name, Value::Table(entries), &span);
        if let Some(sections) = file.entries_mut() {
            let place = sections.iter().position(|it| it.key == "topologies");
            sections.insert(place.unwrap_or(sections.len()), section);
        }
    }
}

/// Adds to what is written of a thing what makes it says.
fn complete(written: &mut Entry, made: &Entry) {
    let Some(own) = written.node.entries_mut() else { return };
    setting_groups::complete(own, made.node.entries().unwrap_or_default());
}

fn twice(entry: &Entry) -> Mistake {
    Mistake::new(format!("`{}` is defined here and by another table", entry.key))
        .at(entry.span.clone())
        .help("give one of the two tables another name")
}
