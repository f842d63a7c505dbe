//! Linux as scenarios name it.

use std::sync::Arc;
use std::time::Duration;

use windtunnel_stack::{MakeStack, StackKind};

use crate::name::NAME;

/// Linux, with packets of at most so many bytes, and settings of the kernel.
#[derive(Clone, Debug)]
pub struct LinuxKind {
    kernel: String,
    mtu: u16,
    sysctl: Vec<(String, String)>,
    run: Vec<(Duration, String)>,
    is_shared: bool,
    is_multipath: bool,
}

impl LinuxKind {
    /// The kernel of that name, with packets of at most so many bytes, and settings as names and
    /// values.
    #[must_use]
    pub fn new(kernel: &str, mtu: u16, sysctl: Vec<(String, String)>) -> Self {
        let (kernel, run) = (kernel.to_owned(), Vec::new());
        Self { kernel, mtu, sysctl, run, is_shared: false, is_multipath: false }
    }

    /// With commands that it runs, as [`Linux::run`](crate::Linux::run).
    #[must_use]
    pub fn run(self, run: Vec<(Duration, String)>) -> Self {
        Self { run, ..self }
    }

    /// With connections of Multipath TCP, or of TCP.
    #[must_use]
    pub fn multipath(self, is_multipath: bool) -> Self {
        Self { is_multipath, ..self }
    }

    /// One kernel for all ends at a node.
    #[must_use]
    pub fn shared(self) -> Self {
        Self { is_shared: true, ..self }
    }
}

#[cfg(target_os = "linux")]
impl LinuxKind {
    /// Looks for the kernel.
    ///
    /// # Errors
    /// What is missing, and how to get it.
    pub fn check(&self) -> Result<(), String> {
        crate::Installation::find(&self.kernel).map(drop)
    }
}

#[cfg(not(target_os = "linux"))]
impl LinuxKind {
    /// Looks for the kernel.
    ///
    /// # Errors
    /// There is none.
    pub fn check(&self) -> Result<(), String> {
        let Self { kernel: _, mtu: _, sysctl: _, run: _, is_shared: _, is_multipath: _ } = self;
        Err(ONLY.to_owned())
    }
}

#[cfg(not(target_os = "linux"))]
const ONLY: &str = "it runs on Linux only";

#[cfg(target_os = "linux")]
impl StackKind for LinuxKind {
    fn name(&self) -> &str {
        NAME
    }

    fn controllers(&self) -> Result<Vec<String>, String> {
        let installation = crate::Installation::find(&self.kernel)?;
        crate::abilities::controllers(&installation, &self.sysctl)
    }

    fn maker(&self, controller: Option<&str>) -> Result<Arc<dyn MakeStack>, String> {
        let installation = crate::Installation::find(&self.kernel)?;
        let mut linux =
            crate::Linux::new(installation).mtu(self.mtu).sysctl(&self.sysctl).run(&self.run);
        if let Some(name) = controller {
            linux = linux.controller(name);
        }
        if self.is_shared {
            linux = linux.shared();
        }
        if self.is_multipath {
            linux = linux.multipath();
        }
        Ok(Arc::new(linux))
    }

    fn has_multipath(&self) -> bool {
        true
    }
}

#[cfg(not(target_os = "linux"))]
impl StackKind for LinuxKind {
    fn name(&self) -> &str {
        NAME
    }

    fn controllers(&self) -> Result<Vec<String>, String> {
        Err(ONLY.to_owned())
    }

    fn maker(&self, _controller: Option<&str>) -> Result<Arc<dyn MakeStack>, String> {
        Err(ONLY.to_owned())
    }

    fn has_multipath(&self) -> bool {
        true
    }
}
