//! What a producer serves: a file, or the files of a folder, each an object with a version.

use std::fs::{self, File};
use std::path::Path;

use windtunnel_packets::ndn::wire::{Component, Interest, Name};

use super::NdnError;
use super::object::Object;
use super::signing::Signer;

/// Objects by their names without versions. In a folder these are the prefix and the path.
#[derive(Debug)]
pub(super) struct Objects {
    signer: Signer,
    all: Vec<(Name<'static>, Object)>,
}

impl Objects {
    /// Opens a file, or all files of a folder and of those in it, in segments of this many bytes.
    /// Links are not followed.
    pub(super) fn open(
        path: &Path,
        segment_size: u32,
        prefix: &Name<'static>,
        signer: Signer,
    ) -> Result<Self, NdnError> {
        let mut objects = Self { signer, all: Vec::new() };
        if path.is_dir() {
            objects.add_folder(path, segment_size, prefix)?;
        } else {
            objects.add(path, segment_size, prefix.clone())?;
        }
        match objects.all.len() {
            0 => Err(NdnError::Failed(format!("{}: there are no files in it", path.display()))),
            _ => Ok(objects),
        }
    }

    fn add_folder(
        &mut self,
        folder: &Path,
        segment_size: u32,
        prefix: &Name<'static>,
    ) -> Result<(), NdnError> {
        let refused = || NdnError::system(folder.display().to_string());
        let entries = fs::read_dir(folder).map_err(refused())?.collect::<Result<Vec<_>, _>>();
        let mut entries = entries.map_err(refused())?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let kind = entry.file_type().map_err(refused())?;
            let mut name = prefix.clone();
            name.push(Component::generic(entry.file_name().as_encoded_bytes()));
            if kind.is_dir() {
                self.add_folder(&entry.path(), segment_size, &name)?;
            } else if kind.is_file() {
                self.add(&entry.path(), segment_size, name)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, path: &Path, segment_size: u32, name: Name<'static>) -> Result<(), NdnError> {
        let refused = || NdnError::system(path.display().to_string());
        let file = File::open(path).map_err(refused())?;
        let metadata = file.metadata().map_err(refused())?;
        if !metadata.is_file() {
            return Err(NdnError::Failed(format!("{}: it is not a file", path.display())));
        }
        let object = Object::new(file, metadata.len(), segment_size, name.clone());
        self.all.push((name, object));
        Ok(())
    }

    /// Who signs them.
    pub(super) fn signer(&self) -> &Signer {
        &self.signer
    }

    /// The objects, in the order of their paths.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Object> {
        self.all.iter().map(|it| &it.1)
    }

    /// The Data that answers an Interest, if there is any: of the object of the longest name that
    /// its name begins with, or of the only one.
    pub(super) fn answer(&self, interest: &Interest<'_>) -> Option<Vec<u8>> {
        let of_name = |it: &&(Name<'static>, Object)| it.0.is_prefix_of(&interest.name);
        let longest = self.all.iter().filter(of_name).max_by_key(|it| it.0.components().count());
        let only = self.all.first().filter(|_| self.all.len() == 1);
        longest.or(only)?.1.answer(interest, &self.signer)
    }
}
