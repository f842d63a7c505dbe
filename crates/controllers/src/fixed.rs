//! A fixed window: no congestion control at all.
//!
//! Source: the *fixed* pipeline of the NDN tools' file fetchers (a constant
//! number of Interests in flight). It serves as a reference for properties
//! of the network, because it does not react.

use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Parameter, Settings, Start, Window,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "fixed",
    title: "Fixed",
    source: "the fixed pipeline of ndn-tools' file fetchers",
    status: "exact",
    needs: &[],
    parameters: &[Parameter {
        name: "window",
        meaning: "the window, in segments",
        kind: Kind::Number { default: 16.0, minimum: 1.0, maximum: 1e6 },
    }],
};

/// A constant window.
#[derive(Clone, Debug)]
pub struct Fixed {
    window: Window,
}

impl Fixed {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        let mut window = Window::without_threshold(start);
        window.set(settings.number("window"));
        Self { window }
    }
}

impl Controller for Fixed {
    fn on_acknowledgement(&mut self, _: &Acknowledgement) {}

    fn on_congestion(&mut self, _: &Congestion) {}

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
