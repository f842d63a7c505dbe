//! The keys of Linux kernels, which are hosts of nodes or of single flows.

use std::fmt;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::reading::located::Located;

/// A Linux kernel, which `windtunnel linux build` builds, as the host of a node.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinuxHost {
    /// Which kernel it is, by its name in `windtunnel linux list`; default: `6.12`.
    pub(crate) kernel: Option<Located<String>>,
    /// Its congestion controller, by its name there, such as `bbr`; default: that of the kernel.
    pub(crate) controller: Option<Located<String>>,
    /// Its settings, by name; default: those of the kernel.
    pub(crate) sysctl: Option<Located<KernelSettings>>,
}

/// Settings of a kernel (`sysctl`), by name.
pub(crate) type KernelSettings = IndexMap<String, KernelSetting>;

/// A setting of the kernel.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a setting must be a whole number or text")]
#[schemars(inline)]
pub(crate) enum KernelSetting {
    /// A whole number.
    Number(i64),
    /// Text, such as three numbers.
    Text(String),
}

impl fmt::Display for KernelSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

/// Settings as names and values.
pub(crate) fn names_and_values(
    settings: Option<&Located<KernelSettings>>,
) -> Vec<(String, String)> {
    let all = settings.into_iter().flat_map(|it| &it.value);
    all.map(|(name, value)| (name.clone(), value.to_string())).collect()
}
