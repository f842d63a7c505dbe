//! C-MPBBR, coupled multipath BBR: subflows that seem to share a bottleneck share one BBR's
//! rate, and a subflow that harms the connection asks to be closed.
//!
//! Source: Mahmud, Lubna, Song, Cho, "Coupled multipath BBR (C-MPBBR): a efficient congestion
//! control algorithm for multipath TCP", IEEE Access 8, 2020. Its text was not available: the
//! rules are those of the authors' module for Linux 4.9. Each subflow is [`Bbr1`] without what
//! that Linux does not have: the allowance for aggregation, and the burst that is about to be sent
//! in the goal of probing. In the fourth phase of the cycle
//! that probes for bandwidth, with every acknowledgement:
//!
//! - `n` subflows have a bandwidth within 20 % of this one's, itself included. `n` counts if
//!   there were several also at the last check; if there were several then and are no more,
//!   the former `n` counts once more; otherwise one does
//! - in the last six of the eight phases, rate and window are those of `1/n` of the bandwidth
//! - a check is bad if one subflow's bandwidth is more than the connection's delivery rate by
//!   a factor of 1/0.6, and no bottleneck is shared. After five bad ones the subflow of the
//!   least bandwidth asks to be closed
//!
//! Only bandwidths are compared: two paths of equal bandwidth count as one bottleneck, and each
//! is then paced at `(1.25 + 0.75 + 6/2) / 8` = 62.5 % of it. The delivery rate is that of the last
//! round trip, the authors' is that of an interval of the policer detector.

use crate::bbr1::Bbr1;
use crate::{
    Acknowledgement, Congestion, Controller, Description, Nanoseconds, Need, PathEstimate,
    Settings, Sibling, Start, TransmissionStart, Window,
};

pub(crate) const DESCRIPTION: Description = Description {
    name: "c-mpbbr",
    title: "C-MPBBR",
    source: "Mahmud, Lubna, Song, Cho, IEEE Access 8, 2020, as in the authors' Linux module",
    status: "checked against its shares of one bottleneck; the paper itself was not read",
    needs: &[Need::Pacing, Need::DeliveryRate, Need::Siblings],
    parameters: &[],
};

/// The phase in which it checks, from zero.
const CHECKED_PHASE: u8 = 3;
/// How far bandwidths of one bottleneck may be apart.
const ALIKE: f64 = 0.2;
/// The fraction of the greatest bandwidth that the connection must deliver.
const WORTHWHILE: f64 = 0.6;
/// Bad checks in succession after which a subflow asks to be closed.
const BAD_CHECKS: u8 = 5;

/// C-MPBBR.
#[derive(Clone, Debug)]
pub struct CMpbbr {
    model: Bbr1,
    compared: Compared,
    /// How many subflows were alike at the last check.
    alike_before: u32,
    bad_checks: u8,
}

/// The subflow beside the others of its connection.
#[derive(Clone, Copy, Debug)]
struct Compared {
    /// Subflows of about the same bandwidth, this one included.
    alike: u32,
    /// Whether every other bandwidth is greater, and there is one.
    least: bool,
    /// Whether the connection delivers too little for what one subflow alone could.
    bad: bool,
}

impl Compared {
    const ALONE: Self = Self { alike: 1, least: false, bad: false };

    fn new(own: &Sibling, others: &[Sibling]) -> Self {
        let Some(estimate) = own.estimate else { return Self::ALONE };
        let mut greatest = estimate.bandwidth;
        let mut least_other = f64::INFINITY;
        let mut delivered = own.delivery_rate.unwrap_or(0.0);
        let mut alike = 1;
        for other in others {
            let Some(PathEstimate { bandwidth, .. }) = other.estimate else { continue };
            let apart = (bandwidth - estimate.bandwidth).abs();
            alike += u32::from(apart <= ALIKE * estimate.bandwidth);
            greatest = greatest.max(bandwidth);
            least_other = least_other.min(bandwidth);
            delivered += other.delivery_rate.unwrap_or(0.0);
        }
        let least = least_other.is_finite() && estimate.bandwidth < least_other;
        Self { alike, least, bad: WORTHWHILE * greatest > delivered }
    }
}

impl CMpbbr {
    pub(crate) fn new(start: Start, _: &Settings) -> Self {
        Self {
            model: Bbr1::with(start, false),
            compared: Compared::ALONE,
            alike_before: 1,
            bad_checks: 0,
        }
    }

    fn check(&mut self) {
        let (alike, before) = (self.compared.alike, self.alike_before);
        self.alike_before = alike;
        let sharing = match (alike > 1, before > 1) {
            (true, true) => alike,
            (false, true) => before,
            _ => 1,
        };
        self.model.share(f64::from(sharing));
        let bad = self.compared.bad && sharing == 1;
        self.bad_checks = if bad { self.bad_checks.saturating_add(1) } else { 0 };
    }
}

impl Controller for CMpbbr {
    fn on_siblings(&mut self, own: &Sibling, others: &[Sibling]) {
        self.compared = Compared::new(own, others);
    }

    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        if self.model.phase() == Some(CHECKED_PHASE) {
            self.check();
        } else {
            self.bad_checks = 0;
        }
        self.model.on_acknowledgement(acknowledgement);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.model.on_congestion(congestion);
    }

    fn on_recovered(&mut self, now: Nanoseconds) {
        self.model.on_recovered(now);
    }

    fn on_transmission_start(&mut self, start: &TransmissionStart) {
        self.model.on_transmission_start(start);
    }

    fn on_spurious(&mut self, before: &Self) {
        self.model.on_spurious(&before.model);
    }

    fn pacing_rate(&self) -> Option<f64> {
        self.model.pacing_rate()
    }

    fn estimate(&self) -> Option<PathEstimate> {
        self.model.estimate()
    }

    fn abandons(&self) -> bool {
        self.bad_checks >= BAD_CHECKS && self.compared.least
    }

    fn window(&self) -> &Window {
        self.model.window()
    }

    fn window_mut(&mut self) -> &mut Window {
        self.model.window_mut()
    }
}
