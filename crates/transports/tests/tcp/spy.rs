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

/// The same, to which marks are counted.
const COUNTING: Description = Description { needs: &[Need::MarksCounted], ..DESCRIPTION };

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
    with_spy(settings, &DESCRIPTION)
}

/// The same, and marks are counted to it.
pub(crate) fn spied_marks(settings: &TcpSettings) -> (TcpSettings, Shared) {
    with_spy(settings, &COUNTING)
}

/// The segments that a spy was told were marked.
pub(crate) fn marked(heard: &Shared) -> f64 {
    let heard = heard.lock().expect("no test panics");
    heard.acknowledgements.iter().map(|it| it.marked).sum()
}

fn with_spy(settings: &TcpSettings, description: &'static Description) -> (TcpSettings, Shared) {
    let heard = Shared::default();
    let spies = Spies { description, heard: Arc::clone(&heard) };
    let controller = ControllerSettings::external(Arc::new(spies));
    (TcpSettings { controller, ..settings.clone() }, heard)
}

#[derive(Debug)]
struct Spies {
    description: &'static Description,
    heard: Shared,
}

impl Maker for Spies {
    fn description(&self) -> &'static Description {
        self.description
    }

    fn make(&self, start: Start) -> Box<dyn External> {
        let Self { description, heard } = self;
        let heard = Arc::clone(heard);
        Box::new(Spy { description, window: Window::new(start), heard })
    }
}

#[derive(Clone, Debug)]
struct Spy {
    description: &'static Description,
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
        self.description
    }
}
