//! What a scenario says of a workload.

use std::sync::Arc;

use windtunnel_reading::error::Mistake;
use windtunnel_reading::files::Files;

use crate::application::Maker;
use crate::video::rules::RuleMaker;

/// What the keys of a workload are read with.
pub struct WorkloadContext<'a, 'f> {
    /// The files that the scenario names.
    pub files: &'a mut Files<'f>,
    /// The data in a full segment of the flow, in bytes.
    pub maximum_segment: u16,
    /// The rules of adaptive videos that are written outside.
    pub rules: &'a [Arc<dyn RuleMaker>],
    /// How many transfers of so many bytes, in so many segments, fill the narrowest link on the
    /// path in a second, headers included.
    pub at_full_load: &'a dyn Fn(f64, f64) -> f64,
}

/// The keys of a workload in scenario files.
pub trait Keys {
    /// What makes its applications.
    type Workload: Maker;

    /// Whether the receiver of the data opens the streams.
    fn receiver_opens(&self) -> bool {
        false
    }

    /// The workload that the keys make.
    ///
    /// # Errors
    /// [`Mistake`] at a key whose value does not fit, or in a file.
    fn workload(&self, context: &mut WorkloadContext<'_, '_>) -> Result<Self::Workload, Mistake>;
}
