//! Windows that are whole numbers of segments, as in Linux. Not a controller.
//!
//! Source: Linux's `tcp_cong.c`, of which these are the rules:
//!
//! - growth: acknowledged segments are counted, and when there are as many as the window is to grow by one for,
//!   it does, and they are taken off; once there are too many because that number has fallen, all are
//! - what is kept after congestion is rounded down, and at least 2; the count begins anew

use libm::floor;

/// The segments that were counted towards the next one of a window.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WholeSegments {
    counted: f64,
}

impl WholeSegments {
    /// The window once so many more were acknowledged, which grows by one for each `spacing`.
    pub(crate) fn grown(&mut self, window: f64, acknowledged: f64, spacing: f64) -> f64 {
        let mut window = floor(window);
        if self.counted >= spacing {
            self.counted = 0.0;
            window += 1.0;
        }
        self.counted += acknowledged;
        let more = floor(self.counted / spacing);
        self.counted -= more * spacing;
        window + more
    }

    /// What is kept of a window that would be so large.
    pub(crate) fn kept(&mut self, window: f64) -> f64 {
        self.counted = 0.0;
        floor(window).max(2.0)
    }
}
