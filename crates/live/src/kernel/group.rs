//! The control group (cgroup v2) of a command: its sockets are those that use the algorithm, and
//! its processes end with it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use nix::fcntl::Flock;

use super::KernelError;
use super::leftovers::{PREFIX, lock, root};

/// What ends the group when the process that made it has ended, however that came about: it reads
/// from a pipe of that process until the pipe is closed.
const GUARD: &str = r#"trap '' HUP INT TERM
cat > /dev/null
echo 1 > "$0/cgroup.kill"
tries=0
until rmdir "$0" 2> /dev/null || [ ! -d "$0" ] || [ $tries -ge 200 ]; do
    tries=$((tries + 1))
    sleep 0.01
done"#;
/// A shell that enters the group and becomes the command.
const ENTER: &str = r#"echo 0 > "$0/cgroup.procs" && exec "$@""#;

/// A control group of this process's own.
#[derive(Debug)]
pub(super) struct Group {
    /// No other group has it at the same time.
    number: u32,
    path: PathBuf,
    guard: Child,
    /// Says that it is in use, until its process ends.
    _lock: Flock<File>,
}

/// Makes the directory of a group, and gives its number: that of the process, or another one where
/// that is taken, as by a process of the same number in another PID namespace.
fn new_directory(root: &Path) -> Result<(u32, PathBuf), KernelError> {
    let mut number = std::process::id();
    loop {
        let path = root.join(format!("{PREFIX}{number}"));
        match fs::create_dir(&path) {
            Ok(()) => return Ok((number, path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                number = number.wrapping_add(1);
            }
            Err(error) => {
                return Err(KernelError::Group { path: path.display().to_string(), error });
            }
        }
    }
}

impl Group {
    /// Makes the group, with the guard that ends it.
    pub(super) fn create() -> Result<Self, KernelError> {
        let Some(root) = root() else {
            return Err(KernelError::Missing(
                "no cgroup2 file system is mounted (mount -t cgroup2 none /sys/fs/cgroup)".into(),
            ));
        };
        let (number, path) = new_directory(&root)?;
        let failed = |error| KernelError::Group { path: path.display().to_string(), error };
        let lock = lock(&path).map_err(failed)?;
        let mut guard = Command::new("sh");
        guard.args(["-c", GUARD]).arg(&path).stdin(Stdio::piped()).stdout(Stdio::null());
        // Ctrl-C is not for it.
        std::os::unix::process::CommandExt::process_group(&mut guard, 0);
        match guard.stderr(Stdio::null()).spawn() {
            Ok(guard) => Ok(Self { number, path, guard, _lock: lock }),
            Err(error) => {
                // Of the two errors, the first is the one to tell.
                drop(fs::remove_dir(&path));
                Err(failed(error))
            }
        }
    }

    /// Its number.
    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// Its directory.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// An error of its directory.
    pub(super) fn error(&self, error: io::Error) -> KernelError {
        KernelError::Group { path: self.path.display().to_string(), error }
    }

    /// What starts a command inside it.
    pub(super) fn command(&self, command: &[String]) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", ENTER]).arg(&self.path).args(command);
        shell
    }

    /// Ends all its processes.
    pub(super) fn kill(&self) {
        // It fails only if the group has ended.
        drop(fs::write(self.path.join("cgroup.kill"), "1"));
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // The guard does the rest once its pipe is closed.
        drop(self.guard.stdin.take());
        drop(self.guard.wait());
    }
}
