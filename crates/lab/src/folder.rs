//! The files beside a scenario, which it names.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use windtunnel_scenario::{Extensions, Outside, ScenarioError, Study, Unreadable};

use crate::{free_memory, layers};

/// The most bytes that all files beside a scenario together may have.
const MOST_BYTES: u64 = 64 << 20;

/// Reads a scenario's text. `settings` are paths with values that replace what the file
/// says, such as `("links.access.rate", "50 Mbps")`; `file` is the name that errors
/// give, and files that the scenario names are searched for beside it.
///
/// # Errors
/// [`ScenarioError`] says what is wrong, where, and what would be right.
pub fn read(file: &str, text: &str, settings: &[(String, String)]) -> Result<Study, ScenarioError> {
    read_with(file, text, settings, &Extensions::default())?.if_busy()
}

/// The same with what is written outside: a scenario names each as its maker does. It may be a
/// network in which nothing is simulated ([`Study::if_busy`]).
///
/// # Errors
/// [`ScenarioError`] says what is wrong, where, and what would be right.
pub fn read_with(
    file: &str,
    text: &str,
    settings: &[(String, String)],
    extensions: &Extensions,
) -> Result<Study, ScenarioError> {
    let mut folder = Folder::beside(file);
    let mut text_of = |name: &str| folder.text(name);
    let extensions = &layers::with_built_in(extensions);
    let outside = Outside { extensions, files: &mut text_of };
    let study = Study::read(file, text, settings, outside)?;
    free_memory::give_back_after(&study);
    Ok(study)
}

/// A scenario's folder, and how many bytes may still be read from it.
struct Folder {
    path: PathBuf,
    room: u64,
}

impl Folder {
    fn beside(scenario: &str) -> Self {
        let path = Path::new(scenario).parent().map(Path::to_path_buf).unwrap_or_default();
        Self { path, room: MOST_BYTES }
    }

    fn text(&mut self, name: &str) -> Result<String, Unreadable> {
        let path = self.path.join(name);
        let refuse =
            |why: String| Unreadable { why, help: format!("searched for at {}", path.display()) };
        let bytes = bytes(&path, self.room).map_err(|error| refuse(reason(&error)))?;
        self.room -= bytes.len() as u64;
        String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            refuse(not_text(error.as_bytes(), valid))
        })
    }
}

/// Of which line a byte is not text.
fn not_text(bytes: &[u8], at: usize) -> String {
    let line = 1 + bytes[..at].iter().filter(|it| **it == b'\n').count();
    format!("line {line} is not text in UTF-8: byte {:#04x}", bytes[at])
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::FileTooLarge => {
            format!("too large: more than {} MiB in all files beside a scenario", MOST_BYTES >> 20)
        }
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::InvalidInput => "not a file".to_owned(),
        _ => error.to_string(),
    }
}

/// A file's bytes, if they are not too many. What is no regular file might never end.
fn bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}
