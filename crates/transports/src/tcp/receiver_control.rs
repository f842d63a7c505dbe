//! A controller at the receiver: what it advertises is no more than that controller's window,
//! whatever the sender does.
//!
//! Source: RFC 9840 (rLEDBAT), as the authors' module for Linux does it: round trips and one-way
//! delays are measured by timestamps (RFC 7323), a loss is seen by its retransmission, and the
//! edge of what was advertised never goes back.

use windtunnel_controllers::{Acknowledgement, AnyController, Congestion, Controller, Signal};
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::tcp::Segment;

use super::receive_buffer::ReceiverRtt;
use super::sender::clock;
use super::settings::TcpSettings;

/// The controller at a receiver, and what it is told.
#[derive(Clone, Debug)]
pub(super) struct ReceiverControl {
    controller: AnyController,
    /// The bytes of a segment.
    segment: f64,
    rtt: ReceiverRtt,
    /// The byte after the highest that came, and the timestamp that it came with.
    highest: u64,
    timestamp: u32,
    /// The byte after the last that was ever advertised.
    edge: u64,
    /// A round ends when all data has come that was advertised at its beginning.
    round_end: u64,
    /// When the window was last reduced, and up to where the loss is being repaired.
    reduced: Option<Time>,
    repaired: u64,
}

/// The data of a segment, as it changed what a receiver holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    /// Its first byte, and the byte after its last.
    pub(super) start: u64,
    pub(super) end: u64,
    /// Bytes that had not come before.
    pub(super) fresh: u64,
    /// The next byte in order.
    pub(super) next: u64,
    /// The bytes beyond it that the buffer has room for.
    pub(super) room: u64,
}

impl ReceiverControl {
    /// The one that these settings have, if any.
    pub(super) fn of(settings: &TcpSettings) -> Option<Box<Self>> {
        let controller = settings.receiver_controller.as_ref()?;
        Some(Box::new(Self {
            controller: AnyController::new(settings.start(), controller),
            segment: f64::from(settings.maximum_segment),
            rtt: ReceiverRtt::default(),
            highest: 0,
            timestamp: 0,
            edge: 0,
            round_end: 0,
            reduced: None,
            repaired: 0,
        }))
    }

    /// Its window, in bytes.
    fn window(&self) -> u64 {
        (self.controller.cwnd() * self.segment) as u64
    }

    /// What is advertised, in units of `2^scale` bytes, where `next` is expected and there is
    /// that room: the edge never goes back, but a smaller window lets it stay while data comes.
    pub(super) fn advertise(&mut self, next: u64, room: u64, scale: u8) -> u16 {
        let unit = 1_u64 << scale;
        let left = self.edge.saturating_sub(next).div_ceil(unit);
        // Rounded up: otherwise the last segment of a window would be missing.
        let offer = self.offer(room).div_ceil(unit).min(room / unit);
        let units = left.max(offer).min(u64::from(u16::MAX));
        self.edge = self.edge.max(next + units * unit);
        units as u16
    }

    /// What may be under way where there is that room.
    pub(super) fn offer(&self, room: u64) -> u64 {
        room.min(self.window())
    }

    /// Data came.
    pub(super) fn receive(&mut self, now: Time, segment: &Segment, it: &Taken) {
        let rtt = self.rtt.measure(now, segment);
        // Sent later than what lies beyond it: a retransmission.
        let later = segment.timestamp.wrapping_sub(self.timestamp).cast_signed() > 0;
        let is_retransmission = it.start < self.highest && later;
        if it.end > self.highest {
            (self.highest, self.timestamp) = (it.end, segment.timestamp);
        }
        self.report_delivery(now, segment, rtt, it);
        if is_retransmission {
            self.report_loss(now, it.next);
        }
    }

    fn report_delivery(&mut self, now: Time, segment: &Segment, rtt: Option<Duration>, it: &Taken) {
        let round_ended = it.next >= self.round_end;
        if round_ended {
            self.round_end = self.edge;
        }
        let recovering = it.next < self.repaired;
        if !recovering && std::mem::take(&mut self.repaired) > 0 {
            self.controller.on_recovered(now.as_nanos());
        }
        // Where the buffer is the limit, a larger window would mean nothing.
        let grows = !recovering && self.window() <= it.room;
        let delivered = it.fresh as f64 / self.segment;
        let one_way = clock(now).wrapping_sub(segment.timestamp);
        self.controller.on_acknowledgement(&Acknowledgement {
            now: now.as_nanos(),
            acknowledged: if grows { delivered } else { 0.0 },
            delivered,
            rtt: rtt.map(Duration::as_nanos),
            smoothed_rtt: self.rtt.smoothed().map(Duration::as_nanos),
            one_way_delay: Some(u64::from(one_way) * 1_000_000),
            in_flight: self.in_flight(it.next),
            round_ended,
            recovering,
            window_limited: grows,
            ..Acknowledgement::default()
        });
    }

    /// A loss counts once a round trip.
    fn report_loss(&mut self, now: Time, next: u64) {
        let rtt = self.rtt.smoothed().unwrap_or_default();
        if self.reduced.is_some_and(|it| now.since(it) < rtt) {
            return;
        }
        (self.reduced, self.repaired) = (Some(now), self.highest);
        let in_flight = self.in_flight(next);
        let congestion = Congestion { now: now.as_nanos(), signal: Signal::Loss, in_flight };
        self.controller.on_congestion(&congestion);
    }

    /// What was advertised and has not come, in segments.
    fn in_flight(&self, next: u64) -> f64 {
        self.edge.saturating_sub(next) as f64 / self.segment
    }
}

#[cfg(test)]
mod tests {
    use windtunnel_controllers::{DESCRIPTIONS, Settings, Start, Value};
    use windtunnel_packets::tcp::Flags;

    use super::*;

    const SEGMENT: u64 = 500;

    fn control(controller: &str) -> ReceiverControl {
        let description = DESCRIPTIONS.iter().find(|it| it.name == controller).unwrap();
        let mut settings = Settings::defaults(description);
        if controller == "ledbat" {
            settings.set("slow-start", Value::Flag(false)).unwrap();
        }
        let start = Start {
            initial_window: 1.0,
            minimum_window: 1.0,
            restart_window: 1.0,
            initial_ssthresh: f64::INFINITY,
        };
        ReceiverControl {
            controller: AnyController::new(start, &settings),
            segment: SEGMENT as f64,
            rtt: ReceiverRtt::default(),
            highest: 0,
            timestamp: 0,
            edge: 0,
            round_end: 0,
            reduced: None,
            repaired: 0,
        }
    }

    /// The segment of that number comes 20 ms after it was sent.
    fn bring(control: &mut ReceiverControl, number: u64, sent: u64, next: u64) {
        let mut segment = Segment::new(0, (number * SEGMENT) as u32, Flags::TIMESTAMPS);
        segment.timestamp = sent as u32;
        segment.echo = sent.saturating_sub(20) as u32;
        let (start, room) = (number * SEGMENT, 1 << 30);
        let next = next * SEGMENT;
        let taken = Taken { start, end: start + SEGMENT, fresh: SEGMENT, next, room };
        control.receive(Time::ZERO + Duration::from_millis(sent + 20), &segment, &taken);
        control.advertise(next, room, 0);
    }

    /// Far below the target, each segment adds `bytes * segment / window` (RFC 6817), here with
    /// segments of 500 bytes: by hand, in whole bytes.
    #[test]
    fn ledbat_grows_by_its_rule() {
        let mut control = control("ledbat");
        control.advertise(0, 1 << 30, 0);
        for (number, expected) in (0..).zip([1000.0, 1250.0, 1450.0, 1622.0, 1776.0, 1916.0]) {
            bring(&mut control, number, 100 + number, number + 1);
            let window = control.controller.cwnd() * SEGMENT as f64;
            assert!((window - expected).abs() < 2.0, "{window} after {number}, not {expected}");
        }
    }

    #[test]
    fn a_retransmission_halves_the_window_once_a_round_trip() {
        let mut control = control("new-reno");
        (0..40).for_each(|it| bring(&mut control, it, 100 + it, it + 1));
        // 40 and 42 are missing. What comes late, but was sent before, is none.
        bring(&mut control, 43, 143, 40);
        let first = control.controller.cwnd();
        bring(&mut control, 41, 141, 40);
        let before = control.controller.cwnd();
        assert!(before >= first);
        bring(&mut control, 40, 180, 42);
        let halved = control.controller.cwnd();
        assert!((halved / before - 0.5).abs() < 0.02, "{before} to {halved}");
        bring(&mut control, 42, 182, 44);
        assert!((control.controller.cwnd() / halved - 1.0).abs() < 0.1);
    }
}
