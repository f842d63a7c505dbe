//! Tahoe: every loss restarts slow start.
//!
//! Source: Jacobson, "Congestion avoidance and control", SIGCOMM 1988; its text
//! could not be opened, and the rules are those described by its successors.
//!
//! - growth: as [`Reno`]
//! - congestion, of whatever kind: `ssthresh = w / 2`, and the window restarts
//!
//! Tahoe is older than marks; RFC 3168 (section 6.1.2) requires the same response
//! as to a loss.

use crate::reno::{self, Reno};
use crate::{Acknowledgement, Congestion, Controller, Description, Settings, Start, Window};

pub(crate) const DESCRIPTION: Description = Description {
    name: "tahoe",
    title: "Tahoe",
    source: "Jacobson, SIGCOMM 1988",
    status: "checked against its closed forms; the paper was not read",
    needs: &[],
    parameters: reno::PARAMETERS,
};

/// Tahoe.
#[derive(Clone, Debug)]
pub struct Tahoe(Reno);

impl Tahoe {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        Self(Reno::new(start, settings))
    }
}

impl Controller for Tahoe {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        self.0.on_acknowledgement(acknowledgement);
    }

    fn on_congestion(&mut self, _congestion: &Congestion) {
        let kept = self.0.half();
        self.0.window.restart(kept);
    }

    fn window(&self) -> &Window {
        self.0.window()
    }

    fn window_mut(&mut self) -> &mut Window {
        self.0.window_mut()
    }
}
