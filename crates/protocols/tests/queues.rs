//! The queue disciplines: their instants of marking and dropping, and their
//! limits.

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_engine::{Duration, Handle, Store, Time};
use windtunnel_protocols::queues::{
    Action, Backlog, CoDel, Departure, Fifo, Limit, LinkService, Pcon, Verdict, Waiting,
};

const TARGET: Duration = Duration::from_millis(5);
const INTERVAL: Duration = Duration::from_millis(100);
const MAXIMUM_PACKET: u64 = 1500;
/// Packets leave so often; instants are known as exactly.
const STEP: Duration = Duration::from_micros(50);
/// Much waits behind the packet that leaves.
const LONG: u64 = 100_000;
const ABOVE: Duration = Duration::from_millis(6);
const BELOW: Duration = Duration::from_millis(4);

fn codel(action: Action) -> CoDel {
    CoDel::new(action, TARGET, INTERVAL, MAXIMUM_PACKET)
}

fn milliseconds(time: f64) -> Time {
    Time::ZERO + Duration::from_seconds(time * 1e-3).expect("a time of the simulation")
}

/// When packets are dropped or marked from `start` to `end`, in milliseconds, if
/// each waited for `sojourn`. What was dropped leaves its place to the next one
/// at the same instant.
fn hits(
    queue: &mut impl Departure,
    from: f64,
    to: f64,
    sojourn: Duration,
    backlog: u64,
) -> Vec<f64> {
    let mut hits = Vec::new();
    let mut now = milliseconds(from);
    while now < milliseconds(to) {
        loop {
            let verdict = queue.judge(now, sojourn, backlog);
            if verdict != Verdict::Pass {
                hits.push(now.as_seconds() * 1e3);
            }
            if verdict != Verdict::Drop {
                break;
            }
        }
        now += STEP;
    }
    hits
}

/// The instants since the first one.
fn since_first(hits: &[f64]) -> Vec<f64> {
    hits.iter().map(|it| it - hits[0]).collect()
}

fn assert_instants(measured: &[f64], expected: &[f64]) {
    assert_eq!(measured.len(), expected.len(), "{measured:?} for {expected:?}");
    for (measured, expected) in measured.iter().zip(expected) {
        // The next packet to leave, and what the expected values are rounded to.
        let late = measured - expected;
        assert!((-0.051..0.101).contains(&late), "{measured} ms for {expected} ms");
    }
}

/// `interval / sqrt(n)` after the n-th (RFC 8289, section 3.3).
const CODEL_INSTANTS: [f64; 7] = [0.0, 100.0, 170.7, 228.4, 278.4, 323.2, 364.0];

#[test]
fn codel_drops_ever_faster_while_the_queue_persists() {
    let hits = hits(&mut codel(Action::Drop), 0.0, 466.0, ABOVE, LONG);
    assert_instants(&since_first(&hits), &CODEL_INSTANTS);
}

#[test]
fn codel_marks_when_it_would_drop() {
    let dropped = hits(&mut codel(Action::Drop), 0.0, 1000.0, ABOVE, LONG);
    let marked = hits(&mut codel(Action::Mark), 0.0, 1000.0, ABOVE, LONG);
    assert_eq!(dropped, marked);
}

#[test]
fn codel_waits_for_a_whole_interval_above_target() {
    let hits_until = |end| hits(&mut codel(Action::Drop), 0.0, end, ABOVE, LONG);
    assert_instants(&hits_until(99.9), &[]);
    assert_instants(&hits_until(150.0), &[100.0]);
}

#[test]
fn codel_lets_pass_what_stayed_for_less_than_its_target() {
    let sojourn = TARGET - Duration::from_picos(1);
    assert_eq!(hits(&mut codel(Action::Drop), 0.0, 1000.0, sojourn, LONG), []);
    assert_ne!(hits(&mut codel(Action::Drop), 0.0, 1000.0, TARGET, LONG), []);
}

#[test]
fn one_packet_below_target_ends_codels_dropping_and_its_interval() {
    let mut queue = codel(Action::Drop);
    assert_instants(&hits(&mut queue, 0.0, 150.0, ABOVE, LONG), &[100.0]);
    assert_eq!(queue.judge(milliseconds(150.0), BELOW, LONG), Verdict::Pass);
    assert_instants(&hits(&mut queue, 150.05, 260.0, ABOVE, LONG), &[250.05]);
}

#[test]
fn codel_never_drops_while_no_more_than_one_packet_waits() {
    assert_eq!(hits(&mut codel(Action::Drop), 0.0, 1000.0, ABOVE, MAXIMUM_PACKET), []);
    assert_ne!(hits(&mut codel(Action::Drop), 0.0, 1000.0, ABOVE, MAXIMUM_PACKET + 1), []);
}

/// The count starts from those that the last time took: 7 - 1 (RFC 8289,
/// section 5.4).
#[test]
fn codel_comes_back_soon_at_nearly_the_rate_that_it_left_with() {
    let mut queue = codel(Action::Drop);
    assert_eq!(hits(&mut queue, 0.0, 500.0, ABOVE, LONG).len(), 7);
    assert_eq!(hits(&mut queue, 500.0, 600.0, BELOW, LONG), []);
    let again = hits(&mut queue, 600.0, 790.0, ABOVE, LONG);
    let second = 100.0 / 6_f64.sqrt();
    let third = second + 100.0 / 7_f64.sqrt();
    assert_instants(&again, &[700.0, 700.0 + second, 700.0 + third]);
}

#[test]
fn codel_comes_back_late_at_its_slowest_rate() {
    let mut queue = codel(Action::Drop);
    assert_eq!(hits(&mut queue, 0.0, 500.0, ABOVE, LONG).len(), 7);
    // Sixteen intervals after the time of the next drop.
    assert_eq!(hits(&mut queue, 500.0, 2200.0, BELOW, LONG), []);
    let again = hits(&mut queue, 2200.0, 2450.0, ABOVE, LONG);
    assert_instants(&since_first(&again), &CODEL_INSTANTS[..2]);
}

/// `1.1 interval / sqrt(n)` after the n-th (Schneider et al., ICN 2016).
const PCON_INSTANTS: [f64; 7] = [0.0, 110.0, 187.8, 251.3, 306.3, 355.5, 400.4];

#[test]
fn pcon_marks_ever_faster_while_the_queue_persists() {
    let hits = hits(&mut Pcon::new(TARGET, INTERVAL), 0.0, 510.0, ABOVE, LONG);
    assert_instants(&hits[..1], &[100.0]);
    assert_instants(&since_first(&hits), &PCON_INSTANTS);
}

/// The first mark comes at 100.05 ms, and the next is due 110 ms later. Below
/// target for a moment in between, the queue is above for an interval again at
/// 201.1 ms: the mark waits for its time. It is a first one again, so that the
/// next comes after 110 ms, not 77.8 ms.
#[test]
fn pcon_forgets_its_count_below_target_but_not_the_time_of_its_next_mark() {
    let mut queue = Pcon::new(TARGET, INTERVAL);
    assert_instants(&hits(&mut queue, 0.0, 101.0, ABOVE, LONG), &[100.05]);
    assert_eq!(queue.judge(milliseconds(101.0), BELOW, LONG), Verdict::Pass);
    let again = hits(&mut queue, 101.05, 330.0, ABOVE, LONG);
    assert_instants(&again, &[210.05, 320.05]);
}

#[test]
fn pcon_looks_at_the_sojourn_alone() {
    assert_instants(&hits(&mut Pcon::new(TARGET, INTERVAL), 0.0, 150.0, ABOVE, 0), &[100.0]);
    assert_eq!(hits(&mut Pcon::new(TARGET, INTERVAL), 0.0, 1000.0, TARGET, LONG), []);
}

const THRESHOLD: u64 = 65_536;

/// When packets that find `backlog` are marked, in milliseconds.
fn service_marks(queue: &mut LinkService, from: f64, to: f64, backlog: u64) -> Vec<f64> {
    let mut marks = Vec::new();
    let mut now = milliseconds(from);
    while now < milliseconds(to) {
        if queue.marks(now, backlog) {
            marks.push(now.as_seconds() * 1e3);
        }
        now += STEP;
    }
    marks
}

/// 100 ms after the first excess, then 70.7, 57.7, 50 ms: one step ahead of
/// CoDel (NFD's generic link service).
#[test]
fn the_link_service_marks_ever_faster_from_an_interval_after_the_excess() {
    let mut queue = LinkService::new(THRESHOLD, INTERVAL);
    let marks = service_marks(&mut queue, 0.0, 300.0, THRESHOLD + 1);
    assert_instants(&marks, &[100.0, 170.7, 228.4, 278.4]);
}

#[test]
fn one_look_at_the_threshold_disarms_the_link_service() {
    let mut queue = LinkService::new(THRESHOLD, INTERVAL);
    assert_instants(&service_marks(&mut queue, 0.0, 180.0, THRESHOLD + 1), &[100.0, 170.7]);
    assert!(!queue.marks(milliseconds(180.0), THRESHOLD));
    let again = service_marks(&mut queue, 180.05, 360.0, THRESHOLD + 1);
    assert_instants(&again, &[280.05, 350.75]);
}

#[test]
fn the_link_service_never_marks_at_its_threshold() {
    let mut queue = LinkService::new(THRESHOLD, INTERVAL);
    assert_eq!(service_marks(&mut queue, 0.0, 1000.0, THRESHOLD), []);
}

fn waiting(packet: Handle, size: u32) -> Waiting {
    Waiting { packet, size, arrived: Time::ZERO }
}

#[test]
fn a_queue_by_packets_takes_its_limit_and_not_one_more() {
    let packet = Store::default().insert(());
    let mut queue = Fifo::new(Limit::Packets(3));
    let taken = [9000, 1, 1500, 1].map(|size| queue.push(waiting(packet, size)));
    assert_eq!(taken, [true, true, true, false]);
    queue.pop();
    assert!(queue.push(waiting(packet, 9000)));
}

#[test]
fn a_queue_by_bytes_takes_its_limit_and_not_one_more() {
    let packet = Store::default().insert(());
    let mut queue = Fifo::new(Limit::Bytes(3000));
    let taken = [1500, 1499, 2, 1, 1].map(|size| queue.push(waiting(packet, size)));
    assert_eq!(taken, [true, true, false, true, false]);
}

proptest! {
    /// Against a list: what was taken in comes out in its order, and the backlog
    /// is what is in between. `None` takes one out.
    #[test]
    fn a_queue_is_a_list_with_a_limit(
        limit in prop_oneof![
            (0..20_u32).prop_map(Limit::Packets),
            (0..20_000_u64).prop_map(Limit::Bytes),
        ],
        operations in vec(proptest::option::weighted(0.6, 1..3000_u32), 0..200),
    ) {
        let (mut store, mut queue) = (Store::default(), Fifo::new(limit));
        let mut model: Vec<(Handle, u32)> = Vec::new();
        for operation in operations {
            let bytes = |model: &[(Handle, u32)]| -> u64 {
                model.iter().map(|(_, size)| u64::from(*size)).sum()
            };
            match operation {
                Some(size) => {
                    let packet = store.insert(size);
                    let room = match limit {
                        Limit::Packets(most) => model.len() < most as usize,
                        Limit::Bytes(most) => bytes(&model) + u64::from(size) <= most,
                    };
                    prop_assert_eq!(queue.push(waiting(packet, size)), room);
                    if room {
                        model.push((packet, size));
                    }
                }
                None => {
                    let expected = (!model.is_empty()).then(|| model.remove(0));
                    let popped = queue.pop().map(|it| (it.packet, it.size));
                    prop_assert_eq!(popped, expected);
                }
            }
            let backlog = Backlog { packets: model.len() as u32, bytes: bytes(&model) };
            prop_assert_eq!(queue.backlog(), backlog);
        }
    }

    /// Whatever comes, a discipline that marks drops nothing, and marks nothing
    /// that left in time.
    #[test]
    fn marking_disciplines_never_drop(
        departures in vec((0..30_000_u64, 0..20_000_u64, 0..10_000_u64), 0..500),
    ) {
        let mut queues: [&mut dyn Departure; 2] =
            [&mut codel(Action::Mark), &mut Pcon::new(TARGET, INTERVAL)];
        let mut now = Time::ZERO;
        for (gap, sojourn, backlog) in departures {
            now += Duration::from_micros(gap);
            for queue in &mut queues {
                let verdict = queue.judge(now, Duration::from_micros(sojourn), backlog);
                prop_assert_ne!(verdict, Verdict::Drop);
                let above = Duration::from_micros(sojourn) >= TARGET;
                prop_assert!(above || verdict == Verdict::Pass);
            }
        }
    }
}
