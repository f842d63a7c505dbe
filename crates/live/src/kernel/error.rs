//! Why a controller cannot be used in this kernel.

use std::io;

/// What is missing, or what failed; each message says what would be right.
#[derive(Debug, thiserror::Error)]
pub enum KernelError {
    /// It was built without the programs.
    #[error(
        "this build has no programs for the kernel; install what they need (Debian: apt-get \
         install clang libelf-dev zlib1g-dev pkg-config make) and build again"
    )]
    NotBuilt,
    /// Something that the kernel or the user must have is missing.
    #[error("the kernel cannot be given a congestion controller: {0}")]
    Missing(String),
    /// The controller needs what the kernel does not report.
    #[error("controller `{controller}` needs {need}, which the kernel's TCP does not report")]
    Need {
        /// The controller's name.
        controller: String,
        /// What it needs.
        need: String,
    },
    /// The programs could not be loaded.
    #[error("the kernel refused the program: {0}")]
    Refused(String),
    /// The control group of the command could not be made or used.
    #[error("control group {path}: {error}")]
    Group {
        /// Its directory.
        path: String,
        /// The operating system's error.
        error: io::Error,
    },
    /// The command could not be started.
    #[error("{program}: {error}")]
    Command {
        /// The program that was asked for.
        program: String,
        /// The operating system's error.
        error: io::Error,
    },
    /// A controller written outside failed.
    #[error("{0}")]
    Failed(String),
}

impl KernelError {
    /// Whether it is an error of this program, and not of its user or machine.
    #[must_use]
    pub fn is_internal(&self) -> bool {
        matches!(self, Self::Refused(_))
    }
}
