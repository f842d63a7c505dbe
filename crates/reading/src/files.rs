//! The files that a scenario names: each is read once, whatever the number of links and
//! cases that name it. So is what takes long to compute and is the same in many cases.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};

use crate::error::Mistake;
use crate::located::Located;

/// Why a file that a scenario names cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// What is wrong.
    pub why: String,
    /// What would help.
    pub help: String,
}

/// Gives the text of a file by the name that a scenario has for it.
pub type TextOf<'a> = &'a mut dyn FnMut(&str) -> Result<String, Unreadable>;

/// What was read of files, by the file's name and by how it was read.
type Kept<K, T> = HashMap<(String, K), T>;

/// The files of a scenario, as far as they were read, and what else its cases share.
pub struct Files<'a> {
    text_of: TextOf<'a>,
    texts: IndexMap<String, Arc<str>>,
    /// What was read and made, by the type of what holds it.
    kept: HashMap<TypeId, Box<dyn Any>>,
    notes: IndexSet<String>,
}

impl<'a> Files<'a> {
    /// None so far.
    pub fn new(text_of: TextOf<'a>) -> Self {
        Self { text_of, texts: IndexMap::new(), kept: HashMap::new(), notes: IndexSet::new() }
    }

    /// What was read: each file's name, as the scenario has it, and its text.
    pub fn into_texts(self) -> Vec<(String, Arc<str>)> {
        self.texts.into_iter().collect()
    }

    /// Something in a file that the user should know.
    pub fn note(&mut self, note: String) {
        self.notes.insert(note);
    }

    /// What was found in the files that the user should know.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        self.notes.iter().cloned()
    }

    /// What is read of the file of that name.
    ///
    /// # Errors
    /// [`Mistake`] at `name`, with the place in the file.
    pub fn read<T>(
        &mut self,
        name: &Located<String>,
        read: impl FnOnce(&str) -> Result<T, Mistake>,
    ) -> Result<T, Mistake> {
        let text = self.text(name)?;
        read(&text).map_err(|it| it.in_file(&name.value, &text).at(name.span.clone()))
    }

    /// The same, which is kept: a file is read once in each way, of which `how` is the key.
    ///
    /// # Errors
    /// As those of [`Self::read`].
    pub fn read_once<K: Eq + Hash + 'static, T: Clone + 'static>(
        &mut self,
        name: &Located<String>,
        how: K,
        read: impl FnOnce(&str) -> Result<T, Mistake>,
    ) -> Result<T, Mistake> {
        let key = (name.value.clone(), how);
        if let Some(it) = self.kept::<Kept<K, T>>().get(&key) {
            return Ok(it.clone());
        }
        let made = self.read(name, read)?;
        self.kept::<Kept<K, T>>().insert(key, made.clone());
        Ok(made)
    }

    /// What `make` gives for `key`, which is kept: it is made once for all cases.
    pub fn make_once<K: PartialEq + 'static, T: Clone + 'static>(
        &mut self,
        key: K,
        make: impl FnOnce() -> T,
    ) -> T {
        let made: &mut Vec<(K, T)> = self.kept();
        if let Some((_, it)) = made.iter().find(|it| it.0 == key) {
            return it.clone();
        }
        let it = make();
        made.push((key, it.clone()));
        it
    }

    fn kept<T: Default + 'static>(&mut self) -> &mut T {
        let kept = self.kept.entry(TypeId::of::<T>());
        let kept = kept.or_insert_with(|| Box::new(T::default()));
        kept.downcast_mut().expect("it is under its type")
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
