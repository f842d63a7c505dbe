//! Control groups of processes that were killed.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io, thread};

use nix::fcntl::{Flock, FlockArg};

/// The beginning of a group's name; a number follows.
pub(super) const PREFIX: &str = "windtunnel-";

/// Removes the control groups of processes that were killed, with what still runs in them;
/// returns their directories.
///
/// # Errors
/// That of the operating system, if a group cannot be removed.
pub fn clean() -> io::Result<Vec<PathBuf>> {
    let Some(root) = root() else { return Ok(Vec::new()) };
    let mut removed = Vec::new();
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_group =
            name.to_str().and_then(|it| it.strip_prefix(PREFIX)?.parse::<u32>().ok()).is_some();
        if !is_group || lock(&entry.path()).is_err() {
            continue;
        }
        remove(&entry.path())?;
        removed.push(entry.path());
    }
    Ok(removed)
}

/// Locks a group's directory: whoever made it holds the lock until it ends, in whatever PID
/// namespace it is.
pub(super) fn lock(path: &Path) -> io::Result<Flock<File>> {
    let directory = File::open(path)?;
    Flock::lock(directory, FlockArg::LockExclusiveNonblock).map_err(|(_, error)| error.into())
}

/// Ends the processes of a group, and removes it once they have ended.
fn remove(path: &Path) -> io::Result<()> {
    fs::write(path.join("cgroup.kill"), "1")?;
    let mut tries = 0;
    loop {
        match fs::remove_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy && tries < 200 => {
                tries += 1;
                thread::sleep(Duration::from_millis(10));
            }
            // Its guard was faster.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            other => return other,
        }
    }
}

/// Where control groups of version 2 are.
pub(super) fn root() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let mut lines = mounts.lines().map(|it| it.split(' ').collect::<Vec<_>>());
    lines.find(|it| it.get(2) == Some(&"cgroup2")).map(|it| PathBuf::from(it[1]))
}
