//! DCTCP with SCE: half a segment less for each segment with the milder mark.
//!
//! Source: draft-morton-tsvwg-sce and its authors' Linux tree (chromi/sce):
//!
//! - unmarked: Reno's growth, for each segment
//! - some congestion: `w -= 1/2`, for each segment; the first one ends slow start
//! - mark (congestion experienced), loss: as in Reno with SCE
//!
//! A round trip with only milder marks halves the window, like DCTCP
//! if all data is marked. The draft's text was not available.

use crate::reno_sce::MildlyMarked;
use crate::{Acknowledgement, Congestion, Controller, Description, Need, Settings, Start, Window};

pub(crate) const DESCRIPTION: Description = Description {
    name: "dctcp-sce",
    title: "DCTCP-SCE",
    source: "draft-morton-tsvwg-sce, by its authors' Linux tree",
    status: "checked against its equilibrium; the draft was not read",
    needs: &[Need::SomeCongestion],
    parameters: &[],
};

/// DCTCP with SCE.
#[derive(Clone, Debug)]
pub struct DctcpSce {
    reno: MildlyMarked,
}

impl DctcpSce {
    pub(crate) fn new(start: Start, _: &Settings) -> Self {
        Self { reno: MildlyMarked::new(start) }
    }
}

impl Controller for DctcpSce {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        self.reno.on_acknowledgement(acknowledgement, |_| 0.5);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.reno.on_congestion(congestion);
    }

    fn window(&self) -> &Window {
        self.reno.window()
    }

    fn window_mut(&mut self) -> &mut Window {
        self.reno.window_mut()
    }
}
