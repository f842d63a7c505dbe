//! Where a kernel that was built is.

use std::env;
use std::path::{Path, PathBuf};

/// The kernel that is used if none is named.
pub const DEFAULT_KERNEL: &str = "6.12";

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
        let folder = cache().ok_or("neither WINDTUNNEL_CACHE nor HOME is set")?;
        Self::at(&folder.join("linux").join(name))
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

fn cache() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    set("WINDTUNNEL_CACHE").or_else(|| {
        let base = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
        Some(base?.join("windtunnel"))
    })
}
