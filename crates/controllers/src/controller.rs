//! The interface of a congestion controller to the transport that drives it.

use crate::signals::{
    Acknowledgement, Congestion, Nanoseconds, PathEstimate, Sibling, TransmissionStart,
};
use crate::window::Window;

/// A congestion controller.
pub trait Controller {
    /// Processes an acknowledgement.
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement);

    /// Processes a congestion signal.
    fn on_congestion(&mut self, congestion: &Congestion);

    /// The loss that was signalled last is repaired, or the window after a mark
    /// has passed: the connection is open again.
    fn on_recovered(&mut self, _now: Nanoseconds) {}

    /// What the subflows of its multipath connection do: this one, and the others, which are
    /// none once the last of them is closed. Reported before each acknowledgement and congestion
    /// signal to controllers that declare [`Need::Siblings`]; never to a flow that always had
    /// one path.
    ///
    /// [`Need::Siblings`]: crate::Need::Siblings
    #[inline]
    fn on_siblings(&mut self, _own: &Sibling, _others: &[Sibling]) {}

    /// Sending begins, or begins again: time that passed before it says nothing about the
    /// path.
    #[inline]
    fn on_transmission_start(&mut self, _start: &TransmissionStart) {}

    /// The last congestion signal was spurious. Restores what the response to it changed
    /// from `before`, the controller as it was then; what was measured since stays. Unless
    /// a controller says otherwise, that is the window and its threshold, which become no
    /// smaller (RFC 4015, section 3, as in Linux).
    fn on_spurious(&mut self, before: &Self)
    where
        Self: Sized,
    {
        self.window_mut().restore(before.window());
    }

    /// The transport lowers the window to what it finds is still justified, in segments,
    /// and sets the threshold: after idleness (RFC 5681, section 4.1; RFC 7661).
    fn lower_window(&mut self, cwnd: f64, ssthresh: f64) {
        self.window_mut().lower(cwnd, ssthresh);
    }

    /// How fast to send, in segments per second; `None` leaves it to the
    /// transport.
    #[inline]
    fn pacing_rate(&self) -> Option<f64> {
        None
    }

    /// What it estimates of its path, once it does.
    #[inline]
    fn estimate(&self) -> Option<PathEstimate> {
        None
    }

    /// Whether it asks that its subflow be closed, because the other subflows of the
    /// connection do better without it.
    #[inline]
    fn abandons(&self) -> bool {
        false
    }

    /// The window with its threshold.
    fn window(&self) -> &Window;

    /// The same, to be changed.
    fn window_mut(&mut self) -> &mut Window;

    /// How much may be in flight, in segments; finite, and never less than the
    /// lesser of [`Start::minimum_window`] and [`Start::restart_window`].
    ///
    /// [`Start::minimum_window`]: crate::Start::minimum_window
    /// [`Start::restart_window`]: crate::Start::restart_window
    #[inline]
    fn cwnd(&self) -> f64 {
        self.window().cwnd()
    }

    /// The slow-start threshold in segments: [`Start::initial_ssthresh`] until the first
    /// congestion signal, or infinite for a controller without one.
    ///
    /// [`Start::initial_ssthresh`]: crate::Start::initial_ssthresh
    #[inline]
    fn ssthresh(&self) -> f64 {
        self.window().ssthresh()
    }
}
