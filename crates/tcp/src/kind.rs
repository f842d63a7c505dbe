//! Windtunnel's TCP as scenarios name it.

use std::sync::Arc;

use windtunnel_controllers::DESCRIPTIONS;
use windtunnel_stack::{MakeStack, StackKind};

use crate::maker::{NAME, Tcp};
use crate::settings::{ControllerError, controller};

/// The default controller, as in Linux.
const DEFAULT: &str = "cubic";

/// Windtunnel's TCP, with packets of at most so many bytes.
#[derive(Clone, Copy, Debug)]
pub struct TcpKind {
    mtu: u16,
}

impl TcpKind {
    /// With packets of at most so many bytes.
    #[must_use]
    pub fn new(mtu: u16) -> Self {
        Self { mtu }
    }
}

impl StackKind for TcpKind {
    fn name(&self) -> &str {
        NAME
    }

    fn controllers(&self) -> Result<Vec<String>, String> {
        let further = DESCRIPTIONS.iter().map(|it| it.name);
        let further = further.filter(|it| *it != DEFAULT && controller(it).is_ok());
        Ok(std::iter::once(DEFAULT).chain(further).map(str::to_owned).collect())
    }

    fn maker(&self, name: Option<&str>) -> Result<Arc<dyn MakeStack>, String> {
        let named = controller(name.unwrap_or(DEFAULT));
        let settings = named.map_err(|it: ControllerError| it.to_string())?;
        Ok(Arc::new(Tcp::new(settings).mtu(self.mtu)))
    }
}
