//! The keys of Linux kernels, which are hosts of nodes or of single flows.

use std::fmt;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;

use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::units::Measured;

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
    /// The commands that it runs, from the files that it was built with (`windtunnel linux build --files`).
    /// What they write and their exit codes are in the table `commands`. Default: none.
    #[serde(default)]
    pub(crate) run: Vec<KernelCommand>,
}

/// A command that a kernel runs.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KernelCommand {
    /// When it begins.
    pub(crate) at: Measured<Duration>,
    /// A program by its path in the kernel, and its arguments, with spaces between them.
    pub(crate) command: Located<String>,
}

impl KernelCommand {
    /// The most bytes and words of a command.
    const MOST: [usize; 2] = [1000, 64];

    /// When it begins, and its words.
    pub(crate) fn checked(&self) -> Result<(std::time::Duration, String), Mistake> {
        let command = &self.command.value;
        let [bytes, words] = Self::MOST;
        self.command.checked(
            |it| it.starts_with('/') && !it.contains('\0'),
            || "a command begins with the path of a program, from the root".to_owned(),
            "write one such as \"/bin/server 80\"",
        )?;
        self.command.checked(
            |it| it.len() <= bytes && it.split(' ').filter(|it| !it.is_empty()).count() <= words,
            || format!("a command has at most {bytes} bytes and {words} words"),
            "write what it does into a file, and run that",
        )?;
        Ok((std::time::Duration::from_nanos(self.at.0.as_nanos()), command.clone()))
    }
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
