use windtunnel_controllers::{DESCRIPTIONS, Settings};

use super::super::layout::RateSample;
use super::*;

const MILLISECOND: u64 = 1_000_000;

/// A sender on a path of 10 ms that the reports come from.
struct Peer {
    connection: Connection,
    report: Report,
}

impl Peer {
    fn new(controller: &str) -> Self {
        let found = DESCRIPTIONS.iter().find(|it| it.name == controller);
        let settings = Settings::defaults(found.expect("it is registered"));
        let report = Report {
            connection: 1,
            time: 5 * MILLISECOND,
            applied_after: 0,
            serial: 1,
            kind: Kind::Begin,
            state: State::Open,
            window_limited: true,
            application_limited: false,
            microsecond_timestamps: false,
            ecn: false,
            // Counters that are about to wrap around.
            unacknowledged: u32::MAX - 20_000,
            next: u32::MAX - 20_000,
            segment: 1000,
            delivered: u32::MAX - 2,
            marked: u32::MAX,
            lost: u32::MAX,
            in_flight: 0,
            prior_in_flight: 0,
            most_in_flight: 10,
            sent_in_recovery: 0,
            smoothed_rtt: Some(10_000),
            rtt: Some(10_000),
            sample: None,
            timestamps: None,
        };
        Self { connection: Connection::new(&settings, &report), report }
    }

    fn tell(&mut self, kind: Kind) {
        self.report.kind = kind;
        self.report.serial += 1;
        self.connection.take(&self.report);
    }

    /// An acknowledgement of this many segments, with a full window in flight after it.
    fn acknowledge(&mut self, segments: u32) {
        let cwnd = self.connection.decision().cwnd;
        self.report.time += MILLISECOND;
        self.report.unacknowledged = self.report.unacknowledged.wrapping_add(1000 * segments);
        self.report.next = self.report.unacknowledged.wrapping_add(1000 * cwnd);
        self.report.delivered = self.report.delivered.wrapping_add(segments);
        self.report.prior_in_flight = cwnd;
        self.report.in_flight = cwnd.saturating_sub(segments);
        self.report.most_in_flight = cwnd;
        self.report.sample = Some(RateSample { delivered: cwnd, interval: Some(10_000) });
        self.tell(Kind::Acknowledgement);
    }

    fn change(&mut self, state: State) {
        self.report.state = state;
        self.tell(Kind::State);
    }

    /// Segments are lost: the report of it comes before that of the acknowledgement.
    fn lose(&mut self, segments: u32) {
        self.report.lost = self.report.lost.wrapping_add(segments);
        self.report.in_flight = self.report.in_flight.saturating_sub(segments);
        self.change(State::Recovery);
    }

    fn cwnd(&self) -> f64 {
        self.connection.controller.cwnd()
    }
}

#[test]
fn bytes_are_those_that_were_acknowledged_however_small_the_segments() {
    let mut peer = Peer::new("cubic");
    // Across the wrap of sequence numbers.
    for _ in 0..30_000 {
        peer.report.unacknowledged = peer.report.unacknowledged.wrapping_add(1);
        peer.report.delivered = peer.report.delivered.wrapping_add(1);
        peer.tell(Kind::Acknowledgement);
    }
    assert_eq!(peer.connection.bytes(), 30_000);
    // The last report of a connection may come after its numbers are gone.
    peer.report.unacknowledged = 7;
    peer.tell(Kind::End);
    assert_eq!(peer.connection.bytes(), 30_000);
}

#[test]
fn a_connection_that_begins_without_numbers_counts_from_its_first_transmission_on() {
    let settings = Settings::defaults(DESCRIPTIONS[0]);
    let Peer { mut report, .. } = Peer::new("cubic");
    (report.unacknowledged, report.next) = (0, 0);
    let mut connection = Connection::new(&settings, &report);
    report = Report { kind: Kind::TransmissionStart, unacknowledged: 3_000_000_000, ..report };
    connection.take(&report);
    report = Report { kind: Kind::Acknowledgement, unacknowledged: 3_000_000_100, ..report };
    connection.take(&report);
    assert_eq!(connection.bytes(), 100);
}

#[test]
fn slow_start_doubles_and_counters_wrap_around() {
    let mut peer = Peer::new("reno");
    assert_eq!(peer.connection.decision().cwnd, 10);
    peer.acknowledge(10);
    assert_eq!(peer.connection.decision().cwnd, 20);
    assert_eq!(peer.connection.bytes(), 10_000);
    assert_eq!(peer.connection.decision().ssthresh, INFINITE);
}

#[test]
fn one_loss_halves_the_window_once_and_what_leaves_decreases_in_proportion() {
    let mut peer = Peer::new("new-reno");
    (0..4).for_each(|_| peer.acknowledge(10));
    let before = peer.cwnd();
    peer.report.in_flight = before as u32;
    peer.lose(1);
    assert!((peer.cwnd() - before / 2.0).abs() <= 1.0, "{before} became {}", peer.cwnd());
    let halved = peer.cwnd();
    let pipe = peer.report.in_flight;
    // Two of three acknowledgements of one segment let one go, or fewer.
    let mut sent = 0;
    for _ in 0..20 {
        peer.report.delivered = peer.report.delivered.wrapping_add(1);
        peer.report.in_flight = pipe.saturating_sub(1);
        peer.tell(Kind::Acknowledgement);
        let allowed = peer.connection.decision().cwnd.saturating_sub(peer.report.in_flight);
        sent += allowed;
        peer.report.sent_in_recovery += allowed;
    }
    assert!((9..=12).contains(&sent), "{sent} sent for 20 delivered");
    peer.lose(1);
    assert_eq!(peer.cwnd(), halved, "a second loss of the same recovery");
    peer.change(State::Open);
    assert_eq!(peer.connection.decision().cwnd, halved as u32);
}

#[test]
fn a_timeout_restarts_and_a_repeated_one_finds_the_window_where_it_is() {
    let mut peer = Peer::new("new-reno");
    (0..4).for_each(|_| peer.acknowledge(10));
    let before = peer.cwnd();
    peer.change(State::Loss);
    assert_eq!(peer.connection.decision().cwnd, 1);
    let ssthresh = peer.connection.decision().ssthresh;
    assert!(f64::from(ssthresh) < before);
    peer.change(State::Loss);
    assert_eq!(peer.connection.decision().ssthresh, ssthresh);
    peer.acknowledge(1);
    assert_eq!(peer.connection.decision().cwnd, 2, "it slow-starts in repair");
}

#[test]
fn a_spurious_timeout_is_taken_back() {
    let mut peer = Peer::new("cubic");
    (0..4).for_each(|_| peer.acknowledge(10));
    let before = peer.cwnd();
    peer.change(State::Loss);
    peer.tell(Kind::Spurious);
    peer.change(State::Open);
    assert_eq!(peer.cwnd(), before);
}

#[test]
fn an_echo_of_a_mark_reduces_the_window_once() {
    let mut peer = Peer::new("cubic");
    peer.report.ecn = true;
    (0..4).for_each(|_| peer.acknowledge(10));
    let before = peer.cwnd();
    peer.change(State::Reducing);
    let reduced = peer.cwnd();
    assert!((reduced / before - 0.7).abs() < 0.05, "{before} became {reduced}");
    peer.lose(1);
    assert_eq!(peer.cwnd(), reduced, "a loss of the same round trip");
}

#[test]
fn marks_that_are_counted_are_answered_once_a_round_trip() {
    let mut peer = Peer::new("dctcp");
    peer.report.ecn = true;
    (0..4).for_each(|_| peer.acknowledge(10));
    // The connection began before it had sequence numbers.
    peer.report.unacknowledged = peer.report.unacknowledged.wrapping_add(u32::MAX / 2 + 5);
    let before = peer.cwnd();
    peer.report.marked = peer.report.marked.wrapping_add(5);
    // The kernel answers the echo too; that is not for a controller that counts.
    peer.change(State::Reducing);
    assert_eq!(peer.cwnd(), before);
    peer.acknowledge(5);
    let reduced = peer.cwnd();
    assert!(reduced < before, "{before} became {reduced}");
    peer.report.marked = peer.report.marked.wrapping_add(2);
    peer.acknowledge(2);
    assert!(peer.cwnd() >= reduced, "again in the same round trip: {}", peer.cwnd());
}

#[test]
fn a_dropped_report_of_a_loss_is_made_up_for() {
    let mut peer = Peer::new("new-reno");
    (0..4).for_each(|_| peer.acknowledge(10));
    let before = peer.cwnd();
    peer.report.state = State::Recovery;
    peer.acknowledge(1);
    assert!(peer.cwnd() < 0.6 * before);
}

#[test]
fn after_idleness_the_window_restarts() {
    let mut peer = Peer::new("cubic");
    (0..8).for_each(|_| peer.acknowledge(10));
    assert!(peer.cwnd() > 50.0);
    peer.report.time += 100 * MILLISECOND;
    peer.tell(Kind::TransmissionStart);
    assert!(peer.cwnd() > 50.0, "shorter than a timeout");
    peer.report.time += 2_000 * MILLISECOND;
    peer.tell(Kind::TransmissionStart);
    assert_eq!(peer.cwnd(), 10.0);
}

#[test]
fn every_controller_takes_every_order_of_reports() {
    let states = [State::Open, State::Reducing, State::Recovery, State::Loss];
    for it in DESCRIPTIONS {
        let mut peer = Peer::new(it.name);
        let mut random = 1_u32;
        for _ in 0..3_000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let draw = random >> 16;
            match draw % 16 {
                0 => peer.change(states[(draw / 16 % 4) as usize]),
                1 => peer.lose(draw / 16 % 20),
                2 => peer.tell(Kind::Spurious),
                3 => peer.tell(Kind::TransmissionStart),
                4 => peer.report.marked = peer.report.marked.wrapping_add(draw / 16 % 3),
                5 => peer.report.ecn = !peer.report.ecn,
                _ => peer.acknowledge(draw / 16 % 10),
            }
            let decision = peer.connection.decision();
            assert!((1..=1_000_000_000).contains(&decision.cwnd), "{}: {decision:?}", it.name);
            assert_ne!(decision.rate, Some(0), "{}", it.name);
        }
    }
}
