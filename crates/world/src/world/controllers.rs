//! Flows that have not begun get other controllers.

use windtunnel_controllers::Settings as ControllerSettings;

use super::World;

impl World {
    /// Has a flow over TCP, which has not begun, driven by a controller that needs what the one
    /// before does. Only for a world on one thread.
    pub fn set_flow_controller(&mut self, flow: usize, controller: &ControllerSettings) {
        self.only_part().hosts.set_controller(flow, controller);
    }

    /// Has a consumer, which has not begun, driven by a controller that needs what the one before
    /// does. Only for a world on one thread.
    pub fn set_consumer_controller(&mut self, consumer: usize, controller: &ControllerSettings) {
        self.only_part().nodes.set_controller(consumer, controller);
    }
}
