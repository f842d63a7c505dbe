//! A path with one bottleneck, packet by packet, and the sender of each
//! connection over it: what a controller needs of a transport, and no more.
//! Nothing is sent again, since no law here asks which segments arrived.
//! Connections of several paths may have further bottlenecks.

use std::collections::VecDeque;

use crate::drive::{SECOND, description};
use windtunnel_controllers::{
    Acknowledgement, AnyController, Congestion, Controller, Delivery, Nanoseconds, Settings,
    Sibling, Signal, Start, Value,
};

/// What the bottleneck does to packets beside letting them wait.
#[derive(Clone, Copy)]
pub(crate) enum Treatment {
    Nothing,
    /// Marks what meets more packets than this.
    MarkAbove(f64),
    /// Marks this share, at random.
    Mark(f64),
    /// Gives this share the milder mark, at random.
    MarkMildly(f64),
    /// Loses this share, at random.
    Lose(f64),
    /// Loses what comes faster than this many packets a second, except for a burst
    /// (in packets).
    Police(f64, f64),
}

/// The path.
pub(crate) struct Path {
    pub(crate) now: Nanoseconds,
    pub(crate) flows: Vec<Flow>,
    bottlenecks: Vec<Bottleneck>,
    /// Packets that may wait at each.
    buffer: f64,
    treatment: Treatment,
    random: u64,
    /// The policer's bucket, and when it was last looked at.
    tokens: f64,
    looked_at: Nanoseconds,
}

struct Bottleneck {
    /// How long it takes for a packet.
    service: Nanoseconds,
    /// When it has sent all that waits.
    free_at: Nanoseconds,
}

/// A connection, or a subflow of one.
pub(crate) struct Flow {
    pub(crate) controller: AnyController,
    /// Whether it is a subflow of the one connection that has several.
    is_subflow: bool,
    bottleneck: usize,
    /// Segments delivered since its last loss, and between the two losses before.
    since_loss: f64,
    before_loss: f64,
    /// When its last round trip began, what was delivered until then, and at which rate since
    /// the one before.
    round_begun: Nanoseconds,
    delivered_before: f64,
    delivery_rate: Option<f64>,
    pub(crate) delivered: f64,
    pub(crate) lost: f64,
    /// The round trip without a queue.
    base: Nanoseconds,
    next_send: Nanoseconds,
    sent: VecDeque<Packet>,
    sequence: u64,
    round_end: u64,
    /// What was sent before a loss was found, and what must come back until the
    /// repair of all that was missing of it would have.
    recovery_point: u64,
    recovery_end: Option<u64>,
    reduction_end: Option<u64>,
    lost_untold: f64,
    smoothed: Option<Nanoseconds>,
    least: Nanoseconds,
    delivered_at: Nanoseconds,
    first_sent: Nanoseconds,
}

struct Packet {
    sequence: u64,
    sent: Nanoseconds,
    /// When it is acknowledged, or found to be missing.
    back: Nanoseconds,
    one_way: Nanoseconds,
    lost: bool,
    marked: bool,
    mildly: bool,
    delivered: f64,
    delivered_at: Nanoseconds,
    first_sent: Nanoseconds,
    in_flight: f64,
    lost_before: f64,
}

/// What was seen over some time.
pub(crate) struct Watched {
    /// Packets in the queue.
    pub(crate) mean: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
    /// Segments a second that each connection got.
    pub(crate) rates: Vec<f64>,
}

impl Watched {
    pub(crate) fn rate(&self) -> f64 {
        self.rates.iter().sum()
    }

    /// Jain's index of fairness.
    pub(crate) fn jain(&self) -> f64 {
        let squares: f64 = self.rates.iter().map(|it| it * it).sum();
        self.rate().powi(2) / (self.rates.len() as f64 * squares)
    }
}

impl Path {
    /// `rate` in packets a second, `buffer` in packets.
    pub(crate) fn new(rate: u64, buffer: f64, treatment: Treatment) -> Self {
        Self {
            now: 0,
            flows: Vec::new(),
            bottlenecks: vec![Bottleneck { service: SECOND / rate, free_at: 0 }],
            buffer,
            treatment,
            random: 0x9e37_79b9_7f4a_7c15,
            tokens: f64::INFINITY,
            looked_at: 0,
        }
    }

    /// Adds a connection over a round trip of `base` that begins at `begin`.
    pub(crate) fn flow(
        mut self,
        name: &str,
        base: Nanoseconds,
        begin: Nanoseconds,
        values: &[(&str, Value<'_>)],
    ) -> Self {
        let mut settings = Settings::defaults(description(name));
        for (parameter, value) in values {
            settings.set(parameter, *value).expect("the test sets what the controller declares");
        }
        let start = Start {
            initial_window: 10.0,
            minimum_window: 2.0,
            restart_window: 1.0,
            initial_ssthresh: f64::INFINITY,
        };
        self.flows.push(Flow {
            controller: AnyController::new(start, &settings),
            is_subflow: false,
            bottleneck: 0,
            since_loss: 0.0,
            before_loss: 0.0,
            round_begun: 0,
            delivered_before: 0.0,
            delivery_rate: None,
            delivered: 0.0,
            lost: 0.0,
            base,
            next_send: begin,
            sent: VecDeque::new(),
            sequence: 0,
            round_end: 0,
            recovery_point: 0,
            recovery_end: None,
            reduction_end: None,
            lost_untold: 0.0,
            smoothed: None,
            least: Nanoseconds::MAX,
            delivered_at: 0,
            first_sent: 0,
        });
        self
    }

    /// Makes the last flow a subflow of the one connection that has several.
    pub(crate) fn subflow(mut self) -> Self {
        self.flows.last_mut().expect("there is a flow").is_subflow = true;
        self
    }

    /// Sends the last flow over a bottleneck of its own, of that rate.
    pub(crate) fn apart(mut self, rate: u64) -> Self {
        self.flows.last_mut().expect("there is a flow").bottleneck = self.bottlenecks.len();
        self.bottlenecks.push(Bottleneck { service: SECOND / rate, free_at: 0 });
        self
    }

    /// Changes the first bottleneck's rate; what waits already leaves as it would have.
    pub(crate) fn set_rate(&mut self, rate: u64) {
        self.bottlenecks[0].service = SECOND / rate;
    }

    /// Packets that wait at the first bottleneck or are being sent.
    pub(crate) fn queue(&self) -> f64 {
        self.queue_at(0)
    }

    fn queue_at(&self, bottleneck: usize) -> f64 {
        let Bottleneck { service, free_at } = &self.bottlenecks[bottleneck];
        free_at.saturating_sub(self.now) as f64 / *service as f64
    }

    pub(crate) fn cwnd(&self, flow: usize) -> f64 {
        self.flows[flow].controller.cwnd()
    }

    pub(crate) fn run_until(&mut self, instant: Nanoseconds) {
        while let Some((time, index)) = self.next_event().filter(|it| it.0 <= instant) {
            self.now = time;
            if self.flows[index].sent.front().is_some_and(|it| it.back <= time) {
                self.report_siblings(index);
                self.flows[index].take_back(time);
            }
            self.send(index);
        }
        self.now = instant;
    }

    fn report_siblings(&mut self, index: usize) {
        if self.flows[index].is_subflow {
            let others = self.flows.iter().enumerate();
            let others = others.filter(|(it, flow)| *it != index && flow.is_subflow);
            let others: Vec<Sibling> = others.map(|(_, flow)| flow.sibling()).collect();
            let own = self.flows[index].sibling();
            self.flows[index].controller.on_siblings(&own, &others);
        }
    }

    /// Runs on, and looks at the queue now and then.
    pub(crate) fn watch(&mut self, duration: Nanoseconds) -> Watched {
        const LOOKS: u64 = 10_000;
        let before: Vec<f64> = self.flows.iter().map(|it| it.delivered).collect();
        let begun = self.now;
        let (mut sum, mut least, mut most) = (0.0, f64::INFINITY, 0.0_f64);
        for look in 1..=LOOKS {
            self.run_until(begun + duration * look / LOOKS);
            let queue = self.queue();
            sum += queue;
            least = least.min(queue);
            most = most.max(queue);
        }
        let per_second = SECOND as f64 / duration as f64;
        let rates = self.flows.iter().zip(before);
        let rates = rates.map(|(it, old)| (it.delivered - old) * per_second).collect();
        Watched { mean: sum / LOOKS as f64, least, most, rates }
    }

    fn next_event(&self) -> Option<(Nanoseconds, usize)> {
        let time = |flow: &Flow| {
            let back = flow.sent.front().map(|it| it.back);
            let send = flow.may_send().then_some(flow.next_send.max(self.now));
            back.into_iter().chain(send).min()
        };
        self.flows.iter().enumerate().filter_map(|(index, it)| Some((time(it)?, index))).min()
    }

    fn send(&mut self, index: usize) {
        while self.flows[index].may_send() && self.flows[index].next_send <= self.now {
            self.send_one(index);
        }
    }

    fn send_one(&mut self, index: usize) {
        let bottleneck = self.flows[index].bottleneck;
        let (now, queue) = (self.now, self.queue_at(bottleneck));
        let chosen = self.next_random();
        let lost = queue >= self.buffer
            || match self.treatment {
                Treatment::Lose(share) => chosen < share,
                Treatment::Police(rate, burst) => !self.take_token(rate, burst),
                _ => false,
            };
        let marked = match self.treatment {
            Treatment::MarkAbove(packets) => queue > packets,
            Treatment::Mark(share) => chosen < share,
            _ => false,
        };
        let mildly = matches!(self.treatment, Treatment::MarkMildly(share) if chosen < share);
        let Bottleneck { service, free_at } = &mut self.bottlenecks[bottleneck];
        if !lost {
            *free_at = (*free_at).max(now) + *service;
        }
        let left = (*free_at).max(now);
        let flow = &mut self.flows[index];
        let in_flight = flow.in_flight() + 1.0;
        if in_flight == 1.0 {
            flow.first_sent = now;
            flow.delivered_at = now;
        }
        flow.sent.push_back(Packet {
            sequence: flow.sequence,
            sent: now,
            back: left + flow.base,
            one_way: left - now + flow.base / 2,
            lost,
            marked,
            mildly,
            delivered: flow.delivered,
            delivered_at: flow.delivered_at,
            first_sent: flow.first_sent,
            in_flight,
            lost_before: flow.lost,
        });
        flow.sequence += 1;
        let gap = flow.controller.pacing_rate().map_or(0, |it| (SECOND as f64 / it) as Nanoseconds);
        flow.next_send = flow.next_send.max(now) + gap;
    }

    fn take_token(&mut self, rate: f64, burst: f64) -> bool {
        let elapsed = (self.now - self.looked_at) as f64 / SECOND as f64;
        self.looked_at = self.now;
        self.tokens = (self.tokens + rate * elapsed).min(burst);
        let enough = self.tokens >= 1.0;
        self.tokens -= f64::from(u8::from(enough));
        enough
    }

    fn next_random(&mut self) -> f64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as f64 / (1_u64 << 53) as f64
    }
}

impl Flow {
    fn in_flight(&self) -> f64 {
        self.sent.len() as f64
    }

    fn may_send(&self) -> bool {
        self.in_flight() + 1.0 <= self.controller.cwnd()
    }

    fn take_back(&mut self, now: Nanoseconds) {
        let packet = self.sent.pop_front().expect("a packet is due");
        if packet.lost {
            self.lost += 1.0;
            self.lost_untold += 1.0;
            if self.recovery_end.is_some() && packet.sequence < self.recovery_point {
                self.recovery_end = Some(self.sequence);
            }
            if self.sent.is_empty() {
                self.congest(now, Signal::Timeout);
                self.recover();
            }
        } else {
            self.acknowledge(now, &packet);
        }
    }

    fn recover(&mut self) {
        self.recovery_point = self.sequence;
        self.recovery_end = Some(self.sequence);
    }

    fn sibling(&self) -> Sibling {
        Sibling {
            cwnd: self.controller.cwnd(),
            ssthresh: self.controller.ssthresh(),
            smoothed_rtt: self.smoothed,
            recovering: self.recovery_end.is_some(),
            between_losses: self.since_loss.max(self.before_loss),
            estimate: self.controller.estimate(),
            delivery_rate: self.delivery_rate,
        }
    }

    fn congest(&mut self, now: Nanoseconds, signal: Signal) {
        if signal != Signal::Mark {
            self.before_loss = std::mem::take(&mut self.since_loss);
        }
        let in_flight = self.in_flight();
        self.controller.on_congestion(&Congestion { now, signal, in_flight });
    }

    fn acknowledge(&mut self, now: Nanoseconds, packet: &Packet) {
        let rtt = now - packet.sent;
        self.least = self.least.min(rtt);
        self.smoothed = Some(self.smoothed.map_or(rtt, |it| (7 * it + rtt) / 8));
        self.delivered += 1.0;
        self.since_loss += 1.0;
        self.delivered_at = now;
        self.first_sent = packet.sent;
        self.follow_congestion(now, packet);
        let round_ended = packet.sequence >= self.round_end;
        if round_ended {
            self.round_end = self.sequence;
            self.end_round(now);
        }
        let busy = self.recovery_end.or(self.reduction_end).is_some();
        self.controller.on_acknowledgement(&Acknowledgement {
            now,
            acknowledged: if busy { 0.0 } else { 1.0 },
            delivered: 1.0,
            marked: f64::from(u8::from(packet.marked)),
            some_congestion: f64::from(u8::from(packet.mildly)),
            lost: std::mem::take(&mut self.lost_untold),
            rtt: Some(rtt),
            smoothed_rtt: self.smoothed,
            one_way_delay: Some(packet.one_way),
            in_flight: self.in_flight(),
            next_departure: 0,
            delivery: Some(self.delivery(now, packet)),
            round_ended,
            recovering: self.recovery_end.is_some(),
            window_limited: true,
            radio: None,
        });
    }

    fn end_round(&mut self, now: Nanoseconds) {
        let delivered = self.delivered - self.delivered_before;
        let elapsed = now.saturating_sub(self.round_begun);
        self.delivery_rate = Some(delivered * SECOND as f64 / elapsed.max(1) as f64);
        (self.round_begun, self.delivered_before) = (now, self.delivered);
    }

    /// Ends and begins recovery, and the round trip after a mark.
    fn follow_congestion(&mut self, now: Nanoseconds, packet: &Packet) {
        let passed = |end: Option<u64>| end.is_some_and(|it| packet.sequence >= it);
        if passed(self.recovery_end.or(self.reduction_end)) {
            self.recovery_end = None;
            self.reduction_end = None;
            self.controller.on_recovered(now);
        }
        if self.recovery_end.is_some() {
            return;
        }
        if self.lost_untold > 0.0 {
            self.reduction_end = None;
            self.recover();
            self.congest(now, Signal::Loss);
        } else if packet.marked && self.reduction_end.is_none() {
            self.reduction_end = Some(self.sequence);
            self.congest(now, Signal::Mark);
        }
    }

    fn delivery(&self, now: Nanoseconds, packet: &Packet) -> Delivery {
        let sending = packet.sent - packet.first_sent;
        let interval = sending.max(now - packet.delivered_at);
        let rate = (self.delivered - packet.delivered) * SECOND as f64 / interval as f64;
        Delivery {
            rate: (interval >= self.least).then_some(rate),
            total: self.delivered,
            total_at_send: packet.delivered,
            in_flight_at_send: packet.in_flight,
            lost_since_send: self.lost - packet.lost_before,
            application_limited: false,
        }
    }
}
