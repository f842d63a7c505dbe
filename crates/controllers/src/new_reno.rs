//! NewReno: Reno's window; what is new is the transport's loss recovery.
//!
//! Source: RFC 6582, whose changes to RFC 5681 all concern loss
//! recovery: partial acknowledgements, and one decrease for all
//! losses of a window. The transport does that for every controller. The
//! equations are those of [`Reno`].

use crate::reno::{self, Reno};
use crate::{Acknowledgement, Congestion, Controller, Description, Settings, Start, Window};

pub(crate) const DESCRIPTION: Description = Description {
    name: "new-reno",
    title: "NewReno",
    source: "RFC 6582; RFC 5681, section 3.1",
    status: "checked as Reno, which has the same window",
    needs: &[],
    parameters: reno::PARAMETERS,
};

/// NewReno.
#[derive(Clone, Debug)]
pub struct NewReno(Reno);

impl NewReno {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        Self(Reno::new(start, settings))
    }
}

impl Controller for NewReno {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        self.0.on_acknowledgement(acknowledgement);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.0.on_congestion(congestion);
    }

    fn window(&self) -> &Window {
        self.0.window()
    }

    fn window_mut(&mut self) -> &mut Window {
        self.0.window_mut()
    }
}
