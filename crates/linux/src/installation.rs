//! Where a kernel that was built is.

use std::env;
use std::path::{Path, PathBuf};

use crate::name::DEFAULT_KERNEL;

/// The files of a kernel that was built by `windtunnel linux build`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installation {
    /// The executable.
    pub kernel: PathBuf,
    /// The guest's first files.
    pub files: PathBuf,
}

impl Installation {
    /// The kernel of a name: `linux` in the folder of the user's cache (`WINDTUNNEL_CACHE`,
    /// `XDG_CACHE_HOME`, `~/.cache`).
    ///
    /// # Errors
    /// What is missing, and how to get it.
    pub fn find(name: &str) -> Result<Self, String> {
        let kernels = cache().ok_or("neither WINDTUNNEL_CACHE nor HOME is set")?.join("linux");
        let mut built = names(&kernels);
        if name == DEFAULT_KERNEL || built.iter().any(|it| it == name) {
            return Self::at(&kernels.join(name));
        }
        built.iter_mut().for_each(|it| *it = format!("`{it}`"));
        let built = if built.is_empty() { "none".to_owned() } else { built.join(", ") };
        Err(format!(
            "there is no kernel `{name}` in {}; built are: {built}. `windtunnel linux build \
             --source TREE --name NAME` builds another",
            kernels.display()
        ))
    }

    /// The kernel in a folder.
    ///
    /// # Errors
    /// What is missing, and how to get it.
    pub fn at(folder: &Path) -> Result<Self, String> {
        let found = Self { kernel: folder.join("linux"), files: folder.join("initramfs.cpio") };
        for path in [&found.kernel, &found.files] {
            if !path.is_file() {
                let path = path.display();
                return Err(format!("there is no {path}: run `windtunnel linux build`"));
            }
        }
        Ok(found)
    }
}

/// The kernels in a folder that were built to their end.
fn names(kernels: &Path) -> Vec<String> {
    let entries = kernels.read_dir().into_iter().flatten().flatten();
    let whole = entries.filter(|it| Installation::at(&it.path()).is_ok());
    let names = whole.filter_map(|it| it.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|it| !it.starts_with('.')).collect();
    names.sort();
    names
}

fn cache() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    set("WINDTUNNEL_CACHE").or_else(|| {
        let base = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
        Some(base?.join("windtunnel"))
    })
}
