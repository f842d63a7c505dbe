//! A connection as a case describes it: the signals that its controller gets.

use windtunnel_controllers::{
    Acknowledgement, AnyController, Congestion, Controller, Delivery, Nanoseconds, Settings,
    Signal, Start, TransmissionStart, seconds,
};

use crate::suite::{Beginning, Step, nanoseconds};

/// A connection.
#[derive(Debug)]
pub struct Connection {
    /// Its controller.
    pub controller: AnyController,
    /// The time.
    pub now: Nanoseconds,
    /// The round trip.
    rtt: Nanoseconds,
    /// The last sample of it; at first that of the handshake.
    sample: Option<Nanoseconds>,
    /// What the path delivers, in segments per second.
    rate: Option<f64>,
    /// All data that was delivered, in segments.
    total: f64,
    /// How much had been delivered after each acknowledgement of the last round trip: the data
    /// that this round trip acknowledges was sent then.
    sent: Vec<f64>,
    /// The same of this round trip.
    sending: Vec<f64>,
    /// The controller before the last congestion signal.
    before: Option<AnyController>,
    /// The losses of `loss_every`, and the marks of `mark_every`.
    losses: Spaced,
    marks: Spaced,
    /// How much will have been delivered when another mark is signalled.
    answered_until: f64,
}

/// One event in so many delivered segments.
#[derive(Debug, Default)]
struct Spaced {
    /// Delivered segments since the last one.
    since: f64,
}

impl Spaced {
    /// Whether the next one, of one in `every` segments, is among these.
    fn comes(&mut self, delivered: f64, every: Option<f64>) -> bool {
        let Some(every) = every else { return false };
        self.since += delivered;
        let comes = self.since >= every;
        self.since -= if comes { every } else { 0.0 };
        comes
    }
}

/// How an acknowledgement lies in its round trip.
#[derive(Clone, Copy)]
struct Place {
    is_first: bool,
    /// What had been delivered when the acknowledged data was sent.
    total_at_send: f64,
}

impl Connection {
    /// A connection with a controller as `settings` describe it.
    #[must_use]
    pub fn new(beginning: &Beginning, settings: &Settings) -> Self {
        let start = Start {
            initial_window: beginning.window,
            minimum_window: beginning.minimum,
            restart_window: beginning.restart,
            initial_ssthresh: f64::INFINITY,
        };
        Self {
            controller: AnyController::new(start, settings),
            now: 0,
            rtt: nanoseconds(beginning.rtt),
            sample: beginning.handshake.map(nanoseconds),
            rate: beginning.rate,
            total: 0.0,
            sent: vec![0.0],
            sending: Vec::new(),
            before: None,
            losses: Spaced::default(),
            marks: Spaced::default(),
            answered_until: 0.0,
        }
    }

    /// The pacing rate over what the path delivers.
    pub(crate) fn pacing_gain(&self) -> Option<f64> {
        Some(self.controller.pacing_rate()? / self.rate?)
    }

    /// The path is another one from here on, if the step says so.
    pub(crate) fn change(&mut self, step: &Step) {
        self.rtt = step.rtt.map_or(self.rtt, nanoseconds);
        self.rate = step.rate.or(self.rate);
    }

    /// What the path holds without a queue, in segments.
    fn capacity(&self) -> f64 {
        self.rate.map_or(f64::INFINITY, |it| it * seconds(self.rtt))
    }

    /// A round trip: a window is acknowledged, or what the path delivers in it.
    pub(crate) fn round(&mut self, step: &Step) {
        let window = self.controller.cwnd();
        let segments = if self.rate.is_some() { self.capacity() } else { window };
        let usual = if self.rate.is_some() { 1 } else { window.ceil().max(1.0) as u32 };
        let count = step.acknowledgements.unwrap_or(usual);
        let (begun, piece) = (self.now, segments / f64::from(count));
        self.begin_round();
        for index in 0..count {
            self.now = match step.after {
                Some(after) => self.now + nanoseconds(after),
                None => begun + self.rtt * u64::from(index + 1) / u64::from(count),
            };
            let sent = self.sent[index as usize * self.sent.len() / count as usize];
            self.acknowledge(piece, Place { is_first: index == 0, total_at_send: sent }, step);
        }
    }

    /// What is acknowledged from here on was sent in the round trip that ends.
    fn begin_round(&mut self) {
        let sending = std::mem::take(&mut self.sending);
        if !sending.is_empty() {
            self.sent = sending;
        }
    }

    /// A single acknowledgement, in the round trip that is under way unless the step says that it
    /// is the first of the next.
    pub(crate) fn single(&mut self, segments: f64, step: &Step) {
        self.now += step.after.map_or(0, nanoseconds);
        if step.new_round {
            self.begin_round();
        }
        let sent = if step.new_round { self.total } else { self.sent[self.sent.len() - 1] };
        if step.new_round {
            self.sent = vec![sent];
        }
        self.acknowledge(segments, Place { is_first: step.new_round, total_at_send: sent }, step);
    }

    fn acknowledge(&mut self, delivered: f64, place: Place, step: &Step) {
        self.total += delivered;
        self.sample = Some(self.rtt);
        self.sending.push(self.total);
        let usual = self.controller.cwnd().min(self.capacity());
        let in_flight = step.in_flight.unwrap_or(usual);
        let lost = step.lost.unwrap_or(0.0);
        let limited = step.window_limited.unwrap_or(true);
        let opens = limited && !step.recovering;
        let rate = self.rate.unwrap_or(self.controller.cwnd() / seconds(self.rtt.max(1)));
        let is_marked = self.marks.comes(delivered, step.mark_every);
        let share = if is_marked { 1.0 } else { step.marked.unwrap_or(0.0) };
        self.controller.on_acknowledgement(&Acknowledgement {
            now: self.now,
            acknowledged: if opens { delivered } else { 0.0 },
            delivered,
            marked: delivered * share,
            lost,
            rtt: (!step.without_sample).then_some(self.rtt),
            smoothed_rtt: self.sample,
            in_flight,
            delivery: (delivered > 0.0).then_some(Delivery {
                rate: Some(rate),
                total: self.total,
                total_at_send: place.total_at_send,
                in_flight_at_send: step.in_flight_at_send.unwrap_or(in_flight),
                lost_since_send: step.lost_since_send.unwrap_or(lost),
                application_limited: step.application_limited,
            }),
            round_ended: place.is_first,
            recovering: step.recovering,
            window_limited: limited,
            ..Acknowledgement::default()
        });
        if is_marked {
            self.answer_mark(step);
        }
        if self.losses.comes(delivered, step.loss_every) {
            self.congest(Signal::Loss, step);
        }
    }

    /// Signals marks as a transport does, once until all data is acknowledged that was in flight.
    fn answer_mark(&mut self, step: &Step) {
        if self.total >= self.answered_until {
            self.answered_until = self.total + self.controller.cwnd();
            self.congest(Signal::Mark, step);
        }
    }

    /// A congestion signal.
    pub(crate) fn congest(&mut self, signal: Signal, step: &Step) {
        let in_flight = step.in_flight.unwrap_or(self.controller.cwnd());
        self.before = Some(self.controller.clone());
        self.controller.on_congestion(&Congestion { now: self.now, signal, in_flight });
    }

    /// The last congestion signal was spurious.
    pub(crate) fn undo(&mut self) {
        if let Some(before) = self.before.take() {
            self.controller.on_spurious(&before);
        }
    }

    /// What was signalled last is repaired.
    pub(crate) fn recover(&mut self) {
        self.controller.on_recovered(self.now);
    }

    /// Nothing happens.
    pub(crate) fn wait(&mut self, time: Nanoseconds) {
        self.now += time;
    }

    /// Sending begins; the application had nothing to send before if `after_idleness`.
    pub(crate) fn begin(&mut self, after_idleness: bool) {
        let start = TransmissionStart {
            now: self.now,
            application_limited: after_idleness,
            smoothed_rtt: self.sample,
        };
        self.controller.on_transmission_start(&start);
    }
}
