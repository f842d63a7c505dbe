//! Another path than before: what was learned on the old one may mean nothing on it.

use windtunnel_controllers::AnyController;

use super::Sender;
use super::state::{ForwardRecovery, Phase, Undo};
use crate::rtt::RttEstimator;
use crate::tcp::rack::Rack;

impl Sender {
    /// What is sent from now on takes another path. Until all that was sent before is
    /// acknowledged, as if a loss were repaired, the window is the initial one and neither grows
    /// nor comes down; then all that was learned is forgotten.
    pub(in crate::tcp) fn change_path(&mut self) {
        self.begin_anew();
        self.undo = Undo::default();
        self.reduction = None;
        self.probe = None;
        self.forward = ForwardRecovery::Off;
        if !self.board.is_empty() {
            self.phase = Phase::Recovery(self.next);
            self.path_changed = Some(self.next);
        }
    }

    /// Whether something that was sent before the path changed is not acknowledged.
    pub(super) fn waits_for_path(&self) -> bool {
        self.path_changed.is_some_and(|end| self.board.unacknowledged() < end)
    }

    /// Forgets the window, the round trips, and what the controller knows.
    pub(super) fn begin_anew(&mut self) {
        self.controller = AnyController::new(self.settings.start(), &self.settings.controller);
        self.estimator = RttEstimator::new(self.settings.timeout);
        self.rack = Rack::new();
    }
}
