//! What a kernel can do, which it says itself.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use crate::guest::Guest;
use crate::installation::Installation;

/// The congestion controllers of a kernel, its default first. It is started to say them, once in this
/// process.
pub(crate) fn controllers(installation: &Installation) -> Result<Vec<String>, String> {
    static KNOWN: Mutex<BTreeMap<PathBuf, Vec<String>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().map_err(|_| "a thread has panicked")?;
    if let Some(controllers) = known.get(&installation.kernel) {
        return Ok(controllers.clone());
    }
    let (_, abilities) = Guest::start(installation, Duration::ZERO, 1500, 0, &[])?;
    known.insert(installation.kernel.clone(), abilities.controllers.clone());
    Ok(abilities.controllers)
}
