//! Linux as scenarios name it.

use std::sync::Arc;

use windtunnel_stack::{MakeStack, StackKind};

use crate::name::NAME;

/// Linux, with packets of at most so many bytes, and settings of the kernel.
#[derive(Clone, Debug)]
pub struct LinuxKind {
    mtu: u16,
    sysctl: Vec<(String, String)>,
}

impl LinuxKind {
    /// With packets of at most so many bytes, and settings of the kernel as names and values.
    #[must_use]
    pub fn new(mtu: u16, sysctl: Vec<(String, String)>) -> Self {
        Self { mtu, sysctl }
    }
}

#[cfg(target_os = "linux")]
impl StackKind for LinuxKind {
    fn name(&self) -> &str {
        NAME
    }

    fn controllers(&self) -> Result<Vec<String>, String> {
        let installation = crate::Installation::find(crate::DEFAULT_KERNEL)?;
        crate::abilities::controllers(&installation, &self.sysctl)
    }

    fn maker(&self, controller: Option<&str>) -> Result<Arc<dyn MakeStack>, String> {
        let installation = crate::Installation::find(crate::DEFAULT_KERNEL)?;
        let mut linux = crate::Linux::new(installation).mtu(self.mtu).sysctl(&self.sysctl);
        if let Some(name) = controller {
            linux = linux.controller(name);
        }
        Ok(Arc::new(linux))
    }
}

#[cfg(not(target_os = "linux"))]
impl StackKind for LinuxKind {
    fn name(&self) -> &str {
        NAME
    }

    fn controllers(&self) -> Result<Vec<String>, String> {
        Err("it runs on Linux only".to_owned())
    }

    fn maker(&self, _controller: Option<&str>) -> Result<Arc<dyn MakeStack>, String> {
        let Self { mtu: _, sysctl: _ } = self;
        Err("it runs on Linux only".to_owned())
    }
}
