//! What a scenario says of how fast a link sends.

use windtunnel_engine::Duration;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::files::Files;

use crate::pace::Pace;

/// The key of a kind of link in scenario files, with what is under it.
pub trait Keys {
    /// How fast it sends, on a run of that duration.
    ///
    /// # Errors
    /// [`Mistake`] at a key whose value does not fit, or in a file.
    fn pace(&self, files: &mut Files<'_>, duration: Duration) -> Result<Pace, Mistake>;

    /// Whether it sends at one rate, unless the scenario changes that.
    fn is_constant(&self) -> bool {
        false
    }
}
