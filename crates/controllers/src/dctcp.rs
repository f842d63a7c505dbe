//! DCTCP: decreases the window in proportion to the fraction of marked data.
//!
//! Source: RFC 8257, section 3.3 (after Alizadeh et al., SIGCOMM 2010).
//!
//! - once per round trip, with `F` the marked fraction of the delivered data:
//!   `alpha = (1 - g) alpha + g F`, from `alpha = 1`
//! - mark: `w = ssthresh = w (1 - alpha / 2)`, once per round trip
//! - loss: `w = ssthresh = w / 2`; `alpha` stays
//! - growth: Reno's
//!
//! The reading `window = "whole-segments"` is that of Linux: see `whole_segments.rs`. What a mark takes
//! is rounded down, so that below `2 / alpha` segments it takes none.
//!
//! The RFC's text was not available; Linux's `tcp_dctcp.c` agrees, except that it
//! counts `alpha` in steps of 1/1024.

use crate::reno::{Reno, WINDOW};
use crate::{
    Acknowledgement, Congestion, Controller, Description, Kind, Need, Parameter, Settings, Signal,
    Start, Window,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "dctcp",
    title: "DCTCP",
    source: "RFC 8257; Alizadeh et al., SIGCOMM 2010",
    status: "checked against its recursion and the paper's queue; the texts were not read",
    needs: &[Need::MarksCounted],
    parameters: &[GAIN, WINDOW],
};

/// The weight of the last round trip in the moving average of the marked fraction.
pub(crate) const GAIN: Parameter = Parameter {
    name: "g",
    meaning: "the weight of the last round trip in the average fraction of marked data",
    kind: Kind::Number { default: 1.0 / 16.0, minimum: 0.001, maximum: 1.0 },
};

/// The moving average of the fraction of marked data.
#[derive(Clone, Debug)]
pub(crate) struct MarkedShare {
    gain: f64,
    alpha: f64,
    delivered: f64,
    marked: f64,
}

impl MarkedShare {
    pub(crate) fn new(gain: f64) -> Self {
        Self { gain, alpha: 1.0, delivered: 0.0, marked: 0.0 }
    }

    /// The mean, `alpha`.
    pub(crate) fn alpha(&self) -> f64 {
        self.alpha
    }

    /// Counts what was delivered.
    pub(crate) fn count(&mut self, acknowledgement: &Acknowledgement) {
        self.delivered += acknowledgement.delivered;
        self.marked += acknowledgement.marked;
    }

    /// Ends an observation window.
    pub(crate) fn update(&mut self) {
        if self.delivered > 0.0 {
            let share = (self.marked / self.delivered).min(1.0);
            self.alpha += self.gain * (share - self.alpha);
        }
        self.delivered = 0.0;
        self.marked = 0.0;
    }
}

/// DCTCP.
#[derive(Clone, Debug)]
pub struct Dctcp {
    reno: Reno,
    share: MarkedShare,
}

impl Dctcp {
    pub(crate) fn new(start: Start, settings: &Settings) -> Self {
        let reno = Reno::counting_data(start, settings);
        Self { reno, share: MarkedShare::new(settings.number("g")) }
    }
}

impl Controller for Dctcp {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        if acknowledgement.round_ended {
            self.share.update();
        }
        self.share.count(acknowledgement);
        self.reno.on_acknowledgement(acknowledgement);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        match congestion.signal {
            Signal::Mark => {
                let kept = self.reno.without(self.share.alpha() / 2.0);
                self.window_mut().reduce_to(kept);
            }
            Signal::Loss | Signal::Nack | Signal::Timeout => self.reno.on_congestion(congestion),
        }
    }

    fn window(&self) -> &Window {
        self.reno.window()
    }

    fn window_mut(&mut self) -> &mut Window {
        self.reno.window_mut()
    }
}
