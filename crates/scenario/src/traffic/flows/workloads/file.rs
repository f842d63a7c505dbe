//! One file.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_applications::Workload;

use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::sizes::{MOST_FILE, within};
use crate::reading::units::{Bytes, Measured};

/// One file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FlowFile")]
pub(crate) struct File {
    /// Its size.
    size: Located<Measured<Bytes>>,
}

impl File {
    pub(super) fn plan(&self) -> Result<Workload, Mistake> {
        Ok(Workload::File { bytes: within(&self.size, MOST_FILE, "size")? })
    }
}
