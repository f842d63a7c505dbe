//! Drives a controller from what a QUIC connection can say: from packets sent, acknowledged
//! and lost to what controllers receive, and from their windows and rates to one window.

#[cfg(test)]
mod tests;

use windtunnel_controllers::{
    Acknowledgement, AnyController, Congestion, Controller, Need, Settings, Signal, Start,
    TransmissionStart,
};
use windtunnel_engine::{Duration, Time};
use windtunnel_transports::delivery::Account;
use windtunnel_transports::prr::Reduction;
use windtunnel_transports::rtt::{RtoLimits, RttEstimator};

use crate::allowance::Allowance;
use crate::flights::Flights;

/// RFC 9002, section 7.2: ten packets at first, and two at least, which are also what
/// persistent congestion leaves (section 7.6.2).
const START: Start = Start {
    initial_window: 10.0,
    minimum_window: 2.0,
    restart_window: 2.0,
    initial_ssthresh: f64::INFINITY,
};
/// The least window, in packets.
const LEAST: u64 = 2;
/// What quinn's pacer lets out in one burst: this many packets, or what is sent in this time.
const BURST: f64 = 10.0;
const BURST_TIME: Duration = Duration::from_millis(2);
/// Packets sent this many round trips before one that was acknowledged are acknowledged or lost
/// (RFC 9002, section 6.1.2: after 9/8 of one).
const REMEMBERED: u64 = 3;

/// What congestion has begun, until a packet is acknowledged that was sent after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Open,
    /// After a mark.
    Reducing,
    /// After a loss.
    Recovering,
    /// After persistent congestion, or of a controller that repairs losses in slow start.
    Restarting,
}

/// The packets that one ACK frame newly acknowledges.
#[derive(Clone, Copy, Debug, Default)]
struct Batch {
    bytes: u64,
    /// When the last of them was sent.
    newest: Option<Time>,
}

/// A controller on one path of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Driver {
    controller: AnyController,
    /// Whether it works from delivery rates.
    is_model_based: bool,
    mtu: u16,
    /// The bytes of a segment as the controller counts.
    segment: f64,
    account: Account,
    flights: Flights,
    estimator: RttEstimator,
    least_rtt: Option<Duration>,
    /// In bytes: what quinn said at the last acknowledgement, and what was sent and lost since.
    in_flight: u64,
    most_in_flight: u64,
    batch: Batch,
    /// Bytes lost that no acknowledgement has reported, and bytes lost that were not sent again.
    lost: u64,
    unrepaired: u64,
    /// Whether the sender had nothing to send before the last acknowledgement, and has sent
    /// nothing but repairs since.
    ran_out: bool,
    phase: Phase,
    /// How what is in flight comes down.
    reduction: Option<Reduction>,
    /// Whether the next packet goes whatever the window (RFC 9002, section 7.3.2).
    fast_retransmit: bool,
    /// Congestion of what was sent until then is answered; persistent congestion likewise.
    answered: Option<Time>,
    restarted: Option<Time>,
    /// A round trip ends when data is delivered that was sent after so much was.
    round_end: u64,
    window_limited: bool,
    /// Since the first round trip is measured.
    allowance: Option<Allowance>,
}

impl Driver {
    pub(crate) fn new(settings: &Settings, mtu: u16) -> Self {
        Self {
            controller: AnyController::new(START, settings),
            is_model_based: settings.description().needs(Need::DeliveryRate),
            mtu,
            segment: f64::from(mtu),
            account: Account::new(),
            flights: Flights::default(),
            estimator: RttEstimator::new(RtoLimits::default()),
            least_rtt: None,
            in_flight: 0,
            most_in_flight: 0,
            batch: Batch::default(),
            lost: 0,
            unrepaired: 0,
            ran_out: false,
            phase: Phase::Open,
            reduction: None,
            fast_retransmit: false,
            answered: None,
            restarted: None,
            round_end: 0,
            window_limited: false,
            allowance: None,
        }
    }

    #[cfg(feature = "noq")]
    pub(crate) fn mtu(&self) -> u16 {
        self.mtu
    }

    pub(crate) fn controller(&self) -> &AnyController {
        &self.controller
    }

    /// The initial window in bytes.
    pub(crate) fn initial_window(&self) -> u64 {
        (START.initial_window * f64::from(self.mtu)) as u64
    }

    fn segments(&self, bytes: u64) -> f64 {
        bytes as f64 / self.segment
    }

    /// The controller's window in bytes.
    pub(crate) fn cwnd(&self) -> u64 {
        (self.controller.cwnd() * self.segment) as u64
    }

    /// The controller's pacing rate in bytes per second.
    pub(crate) fn rate(&self) -> Option<f64> {
        self.controller.pacing_rate().map(|it| it * self.segment)
    }

    /// The controller's slow-start threshold in bytes.
    pub(crate) fn ssthresh(&self) -> f64 {
        self.controller.ssthresh() * self.segment
    }

    fn measure(&mut self, rtt: Duration) {
        let expected = self.in_flight.div_ceil(2 * u64::from(self.mtu));
        self.estimator.sample(rtt, expected);
        self.least_rtt = Some(self.least_rtt.map_or(rtt, |it| it.min(rtt)));
    }

    /// Counts what the pacing rate has earned until `now`.
    fn earn(&mut self, now: Time) {
        let Some(smoothed) = self.estimator.smoothed() else { return };
        if let (Some(rate), Some(allowance)) = (self.rate(), &mut self.allowance) {
            allowance.earn(now, rate, smoothed);
        }
    }

    /// This many bytes are to be sent. If they are no repair and the sender had nothing to send
    /// before, samples are only lower bounds until that silence has left the path
    /// (draft-cheng-iccrg-delivery-rate-estimation-02, on application-limited phases).
    fn end_silence(&mut self, bytes: u64) {
        if self.unrepaired == 0 && std::mem::take(&mut self.ran_out) {
            self.account.limit(self.in_flight);
        }
        self.unrepaired = self.unrepaired.saturating_sub(bytes);
    }

    /// Sending begins, or begins again.
    fn begin(&mut self, now: Time) {
        let application_limited = self.account.is_limited();
        self.controller.on_transmission_start(&TransmissionStart {
            now: now.as_nanos(),
            application_limited,
            smoothed_rtt: self.estimator.smoothed().map(Duration::as_nanos),
        });
        if let (Some(allowance), Some(smoothed)) = (&mut self.allowance, self.estimator.smoothed())
        {
            allowance.begin(now, smoothed);
        }
    }

    /// Reports what an ACK frame delivered; returns whether a round trip ended.
    fn report(&mut self, now: Time, newest: Time, delivered: u64, rtt: Duration) -> bool {
        let snapshot = self.flights.at(newest);
        let round_ended = snapshot.is_some_and(|it| it.delivered() >= self.round_end);
        let least = self.least_rtt.unwrap_or(Duration::ZERO);
        let delivery = snapshot
            .map(|it| self.account.sample(now, newest, &it).in_segments(self.segment, least));
        let slow_start = self.controller.cwnd() < self.controller.ssthresh();
        let window_limited =
            self.window_limited || (slow_start && self.cwnd() < 2 * self.most_in_flight);
        let grows = window_limited && matches!(self.phase, Phase::Open | Phase::Restarting);
        let lost = std::mem::take(&mut self.lost);
        let delivered = self.segments(delivered);
        self.controller.on_acknowledgement(&Acknowledgement {
            now: now.as_nanos(),
            acknowledged: if grows { delivered } else { 0.0 },
            delivered,
            lost: self.segments(lost),
            rtt: Some(rtt.as_nanos()),
            smoothed_rtt: self.estimator.smoothed().map(Duration::as_nanos),
            in_flight: self.segments(self.in_flight),
            delivery,
            round_ended,
            recovering: matches!(self.phase, Phase::Recovering | Phase::Restarting),
            window_limited,
            ..Acknowledgement::default()
        });
        round_ended
    }

    /// An acknowledgement has come. What was earned before the last one and was not sent is
    /// kept as far as quinn's pacer may hold it back for its bursts.
    fn settle(&mut self, now: Time) {
        let (Some(rate), Some(smoothed)) = (self.rate(), self.estimator.smoothed()) else {
            return;
        };
        let burst = (BURST * f64::from(self.mtu)).max(rate * BURST_TIME.as_seconds());
        if let Some(allowance) = &mut self.allowance {
            allowance.keep(now, burst);
            allowance.earn(now, rate, smoothed);
        }
    }

    /// After an acknowledgement, with what the controller says now. One that paces from now on may do so
    /// before the next one: quinn's own pacer spreads it over the round trip.
    fn lend(&mut self, now: Time, was_paced: bool) {
        let (Some(rate), Some(smoothed)) = (self.rate(), self.estimator.smoothed()) else {
            return;
        };
        let idle = self.in_flight == 0;
        let allowance = self.allowance.get_or_insert_with(|| Allowance::new(now));
        if idle {
            allowance.lend(rate, smoothed);
        } else if !was_paced {
            allowance.advance(now, rate, smoothed);
        }
    }

    /// Reports a congestion signal, when `flight` bytes were in flight before it.
    fn congest(&mut self, now: Time, signal: Signal, flight: u64) {
        self.answered = Some(now);
        self.fast_retransmit = signal == Signal::Loss;
        let in_flight = self.segments(self.in_flight);
        self.controller.on_congestion(&Congestion { now: now.as_nanos(), signal, in_flight });
        let slow_start = self.controller.cwnd() < self.controller.ssthresh();
        self.phase = match signal {
            Signal::Timeout => Phase::Restarting,
            // A controller that goes back to slow start repairs the loss in it.
            Signal::Loss if slow_start && !self.is_model_based => Phase::Restarting,
            Signal::Mark => Phase::Reducing,
            Signal::Loss | Signal::Nack => Phase::Recovering,
        };
        let is_reduced = self.phase != Phase::Restarting && !self.is_model_based;
        self.reduction =
            is_reduced.then(|| Reduction::new(flight, self.cwnd(), u64::from(self.mtu)));
    }

    /// Packets of `bytes` in all were sent.
    pub(crate) fn send(&mut self, now: Time, bytes: u64) {
        // What only acknowledges is not in flight, and is not told apart from data. It is
        // short: short data goes by unseen, and is counted at the next acknowledgement.
        if 2 * bytes < u64::from(self.mtu) {
            return;
        }
        self.end_silence(bytes);
        let idle = self.in_flight == 0;
        if idle {
            self.begin(now);
        }
        self.earn(now);
        if let Some(allowance) = &mut self.allowance {
            allowance.spend(bytes);
        }
        if let Some(reduction) = &mut self.reduction {
            reduction.send(bytes);
        }
        self.fast_retransmit = false;
        self.in_flight += bytes;
        self.most_in_flight = self.most_in_flight.max(self.in_flight);
        let snapshot = self.account.send(now, idle, self.in_flight);
        self.flights.send(now, snapshot);
    }

    /// An ACK frame newly acknowledges a packet of `bytes` that was sent at `sent`; what
    /// else it says follows, and then [`end_acknowledgement`](Self::end_acknowledgement).
    pub(crate) fn acknowledge(&mut self, sent: Time, bytes: u64) {
        self.batch.bytes += bytes;
        self.batch.newest = Some(self.batch.newest.map_or(sent, |it| it.max(sent)));
    }

    /// That was all of an ACK frame: `in_flight` bytes are left. `application_limited`: the
    /// sender had nothing more to send before it.
    pub(crate) fn end_acknowledgement(
        &mut self,
        now: Time,
        in_flight: u64,
        application_limited: bool,
    ) {
        let Batch { bytes, newest } = std::mem::take(&mut self.batch);
        self.in_flight = in_flight;
        let Some(newest) = newest else { return };
        self.settle(now);
        self.account.deliver(now, bytes);
        let rtt = now.since(newest);
        self.measure(rtt);
        if self.phase != Phase::Open && self.answered.is_none_or(|it| newest > it) {
            self.phase = Phase::Open;
            self.reduction = None;
            self.controller.on_recovered(now.as_nanos());
        }
        if let Some(reduction) = &mut self.reduction {
            reduction.acknowledge(bytes, in_flight, self.lost == 0, u64::from(self.mtu));
        }
        self.window_limited |= !application_limited;
        let was_paced = self.rate().is_some();
        let round_ended = self.report(now, newest, bytes, rtt);
        if round_ended {
            self.round_end = self.account.delivered();
            self.most_in_flight = in_flight;
            self.window_limited = !application_limited;
        }
        self.ran_out = application_limited;
        self.lend(now, was_paced);
        let remembered = self.estimator.smoothed().unwrap_or(rtt).max(rtt) * REMEMBERED;
        self.flights.forget_before(Time::ZERO + newest.since(Time::ZERO + remembered));
    }

    /// `lost` bytes are considered lost, the last of them sent at `sent`; or a packet of
    /// then was marked, if that is none. `persistent`: nothing arrived for so long that it is
    /// persistent congestion.
    pub(crate) fn signal(&mut self, now: Time, sent: Time, persistent: bool, lost: u64) {
        self.earn(now);
        let flight = self.in_flight;
        self.in_flight = flight.saturating_sub(lost);
        self.account.lose(lost);
        self.lost += lost;
        self.unrepaired += lost;
        if persistent {
            if self.restarted.is_none_or(|it| sent > it) {
                self.restarted = Some(now);
                self.congest(now, Signal::Timeout, flight);
            }
            return;
        }
        let is_answered = self.answered.is_some_and(|it| sent <= it);
        match (lost, is_answered) {
            (0, true) => {}
            (0, false) => self.congest(now, Signal::Mark, flight),
            (_, true) if self.phase == Phase::Reducing => self.phase = Phase::Recovering,
            (_, true) => {}
            (_, false) => self.congest(now, Signal::Loss, flight),
        }
    }

    /// Packets have `mtu` bytes from now on.
    pub(crate) fn resize(&mut self, mtu: u16) {
        let ratio = f64::from(self.mtu) / f64::from(mtu);
        self.mtu = mtu;
        if self.is_model_based {
            return;
        }
        self.segment = f64::from(mtu);
        if ratio < 1.0 {
            let (cwnd, ssthresh) = (self.controller.cwnd(), self.controller.ssthresh());
            self.controller.lower_window(cwnd * ratio, ssthresh * ratio);
        }
    }

    /// What may be in flight, in bytes.
    pub(crate) fn window(&self) -> u64 {
        let reduced = self.reduction.map(|it| self.in_flight + it.allowance());
        let repair = if self.fast_retransmit { self.in_flight + u64::from(self.mtu) } else { 0 };
        let paced = self.allowance.filter(|_| self.rate().is_some());
        let paced = paced.map_or(f64::INFINITY, |it| self.in_flight as f64 + it.credit());
        let window = reduced.unwrap_or(self.cwnd()).max(repair).min(paced.max(0.0) as u64);
        window.max(LEAST * u64::from(self.mtu))
    }
}
