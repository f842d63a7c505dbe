//! smoltcp as scenarios name it.

use std::sync::Arc;

use windtunnel_stack::{MakeStack, StackKind};

use crate::controller::SmoltcpController;
use crate::maker::{NAME, Smoltcp};

/// smoltcp, with packets of at most so many bytes.
#[derive(Clone, Copy, Debug)]
pub struct SmoltcpKind {
    mtu: u16,
}

impl SmoltcpKind {
    /// With packets of at most so many bytes.
    #[must_use]
    pub fn new(mtu: u16) -> Self {
        Self { mtu }
    }
}

impl StackKind for SmoltcpKind {
    fn name(&self) -> &str {
        NAME
    }

    fn controllers(&self) -> Result<Vec<String>, String> {
        Ok(SmoltcpController::NAMES.map(str::to_owned).to_vec())
    }

    fn maker(&self, controller: Option<&str>) -> Result<Arc<dyn MakeStack>, String> {
        let name = controller.unwrap_or(SmoltcpController::NAMES[0]);
        let controller = SmoltcpController::named(name)
            .ok_or_else(|| format!("it has no controller `{name}`"))?;
        Ok(Arc::new(Smoltcp::new(controller).mtu(self.mtu)))
    }
}
