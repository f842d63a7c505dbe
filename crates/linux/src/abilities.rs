//! What a kernel can do, which it says itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use crate::agent::Paths;
use crate::device::Offer;
use crate::guest::Guest;
use crate::installation::Installation;
use crate::settings::Settings;

/// A kernel, and names and values of its settings.
type Configured = (PathBuf, Vec<(String, String)>);

/// The congestion controllers of a kernel, its default first, if it takes these settings. It is started
/// to say so, once in this process.
pub(crate) fn controllers(
    installation: &Installation,
    sysctl: &[(String, String)],
) -> Result<Vec<String>, String> {
    static KNOWN: Mutex<BTreeMap<Configured, Vec<String>>> = Mutex::new(BTreeMap::new());
    let configured = (installation.kernel.clone(), sysctl.to_vec());
    let mut known = KNOWN.lock().map_err(|_| "a thread has panicked")?;
    if let Some(controllers) = known.get(&configured) {
        return Ok(controllers.clone());
    }
    let offer = Offer { mtu: 1500, cuts_segments: true };
    let (sysctl, run, paths) = (sysctl.to_vec(), Vec::new(), Paths::One);
    let commands = Settings { controller: None, sysctl, run, offer, paths }.commands();
    let interface = vec![BTreeSet::new()];
    let (_, controllers) =
        Guest::start(installation, Duration::ZERO, offer, 0, interface, &commands)?;
    known.insert(configured, controllers.clone());
    Ok(controllers)
}
