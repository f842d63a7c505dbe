//! The sockets to which a guest connects: unlinked, so that nothing is left of them whatever happens.

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// A socket that listens, and a file by which one can connect to it.
#[derive(Debug)]
pub(crate) struct Door {
    pub(crate) listener: UnixListener,
    pub(crate) file: OwnedFd,
}

/// As many as are asked for.
pub(crate) fn doors(count: usize) -> io::Result<Vec<Door>> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("windtunnel-linux-{}-{number}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    fs::create_dir(&folder)?;
    let doors = (0..count).map(|it| door(&folder.join(it.to_string()))).collect();
    fs::remove_dir(&folder)?;
    doors
}

fn door(path: &Path) -> io::Result<Door> {
    let listener = UnixListener::bind(path)?;
    let file = File::options().read(true).custom_flags(libc::O_PATH).open(path);
    fs::remove_file(path)?;
    Ok(Door { listener, file: file?.into() })
}
