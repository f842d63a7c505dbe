//! What a controller hears: one with a fixed window that keeps all of it.

use std::sync::{Arc, Mutex};

use windtunnel_controllers::{
    Acknowledgement, Congestion, Controller, Description, External, Maker, Need,
    Settings as ControllerSettings, Start, TransmissionStart, Window,
};
use windtunnel_transports::tcp::TcpSettings;

const DESCRIPTION: Description = Description {
    name: "spy",
    title: "Spy",
    source: "this test",
    status: "an example",
    needs: &[Need::DeliveryRate],
    parameters: &[],
};

/// All that was heard.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    pub(crate) acknowledgements: Vec<Acknowledgement>,
    pub(crate) congestions: Vec<Congestion>,
    pub(crate) starts: Vec<TransmissionStart>,
}

pub(crate) type Shared = Arc<Mutex<Heard>>;

/// The same settings with a spy instead of their controller, whose window is the initial one.
pub(crate) fn spied(settings: &TcpSettings) -> (TcpSettings, Shared) {
    let heard = Shared::default();
    let controller = ControllerSettings::external(Arc::new(Spies(Arc::clone(&heard))));
    (TcpSettings { controller, ..settings.clone() }, heard)
}

#[derive(Debug)]
struct Spies(Shared);

impl Maker for Spies {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn make(&self, start: Start) -> Box<dyn External> {
        Box::new(Spy { window: Window::new(start), heard: Arc::clone(&self.0) })
    }
}

#[derive(Clone, Debug)]
struct Spy {
    window: Window,
    heard: Shared,
}

impl Controller for Spy {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        self.heard.lock().expect("no test panics").acknowledgements.push(*acknowledgement);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.heard.lock().expect("no test panics").congestions.push(*congestion);
    }

    fn on_transmission_start(&mut self, start: &TransmissionStart) {
        self.heard.lock().expect("no test panics").starts.push(*start);
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}

impl External for Spy {
    fn copy(&self) -> Box<dyn External> {
        Box::new(self.clone())
    }

    fn undo(&mut self, _: &dyn External) {}

    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }
}
