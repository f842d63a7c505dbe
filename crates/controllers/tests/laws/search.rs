//! SEARCH in CUBIC's slow start.

use std::collections::VecDeque;

use crate::drive::SECOND;
use windtunnel_controllers::{
    Acknowledgement, AnyController, Controller, DESCRIPTIONS, Nanoseconds, Settings, Start, Value,
};

const RTT: Nanoseconds = SECOND / 10;
/// Steps of a round trip.
const STEPS: usize = 350;
const STEP: Nanoseconds = RTT / STEPS as Nanoseconds;

fn cubic() -> AnyController {
    let description = DESCRIPTIONS.iter().find(|it| it.name == "cubic").unwrap();
    let mut settings = Settings::defaults(description);
    settings.set("startup", Value::Choice("search")).unwrap();
    let start = Start {
        initial_window: 10.0,
        minimum_window: 2.0,
        restart_window: 1.0,
        initial_ssthresh: f64::INFINITY,
    };
    AnyController::new(start, &settings)
}

/// What slow start was like on a path whose round trip does not grow.
struct Ended {
    /// When, in round trips, since what is sent reached the capacity.
    after: f64,
    /// Windows in products of capacity and round trip, before the end and after it.
    before: f64,
    window: f64,
}

/// Slow start as a fluid: an acknowledged segment lets two be sent, and the path delivers at most
/// `capacity` in a round trip, one round trip later.
fn fluid(capacity: f64, mut rtt: impl FnMut(f64) -> Nanoseconds) -> Option<Ended> {
    let mut controller = cubic();
    let most = capacity / STEPS as f64;
    let (mut sent, mut queue) = (VecDeque::from(vec![10.0 / STEPS as f64; STEPS]), 0.0);
    let (mut now, mut reached) = (0, None);
    for step in 0..100 * STEPS {
        now += STEP;
        queue += sent.pop_front().unwrap();
        let delivered = queue.min(most);
        queue -= delivered;
        sent.push_back(2.0 * delivered);
        if 2.0 * delivered >= most {
            reached.get_or_insert(now);
        }
        let before = controller.cwnd();
        controller.on_acknowledgement(&Acknowledgement {
            now,
            acknowledged: delivered,
            delivered,
            rtt: Some(rtt(queue)),
            round_ended: step % STEPS == 0,
            window_limited: true,
            ..Acknowledgement::default()
        });
        if controller.ssthresh().is_finite() {
            let since = (now - reached?) as f64 / RTT as f64;
            let [before, window] = [before, controller.cwnd()].map(|it| it / capacity);
            return Some(Ended { after: since, before, window });
        }
    }
    None
}

/// The closed form: 0.35 is reached 3.20 round trips after sending at the capacity, and then
/// there is at most a bin of 0.35 until it is seen; 3.6 products are in flight by then.
#[test]
fn slow_start_ends_where_delivery_has_flattened() {
    for capacity in [500.0, 2_000.0, 12_345.0] {
        let ended = fluid(capacity, |_| RTT).expect("it ends");
        assert!((3.19..=3.56).contains(&ended.after), "{capacity}: after {}", ended.after);
        assert!((3.0..=4.1).contains(&ended.before), "{capacity}: {}", ended.before);
        // What two round trips delivered waits in the queue.
        assert!((ended.before - ended.window - 2.0).abs() < 0.36, "{capacity}: {}", ended.window);
    }
}

#[test]
fn slow_start_goes_on_while_delivery_doubles() {
    assert!(fluid(1e7, |_| RTT).is_none_or(|it| it.after > 3.0));
    let mut controller = cubic();
    for round in 0_u32..15 {
        for step in 0..STEPS as u64 {
            let delivered = 10.0 * f64::from(1 << round) / STEPS as f64;
            controller.on_acknowledgement(&Acknowledgement {
                now: (u64::from(round) * STEPS as u64 + step) * STEP + RTT,
                acknowledged: delivered,
                delivered,
                rtt: Some(RTT),
                window_limited: true,
                ..Acknowledgement::default()
            });
        }
    }
    assert_eq!(controller.ssthresh(), f64::INFINITY);
}

/// What was delivered before the window limited the sender is no part of what is compared.
#[test]
fn counting_begins_anew_where_the_application_limited_the_sender() {
    let mut controller = cubic();
    let mut now = RTT;
    let mut delivers = |delivered: f64, window_limited| {
        for _ in 0..STEPS {
            now += STEP;
            controller.on_acknowledgement(&Acknowledgement {
                now,
                acknowledged: if window_limited { delivered / STEPS as f64 } else { 0.0 },
                delivered: delivered / STEPS as f64,
                rtt: Some(RTT),
                window_limited,
                ..Acknowledgement::default()
            });
        }
        controller.ssthresh()
    };
    (0..100).for_each(|_| assert_eq!(delivers(10.0, false), f64::INFINITY));
    (0..12).for_each(|round| assert_eq!(delivers(f64::from(10 << round), true), f64::INFINITY));
}

/// A round trip of more than 15 bins, 5.25 of the first one, reaches back too far.
#[test]
fn there_is_no_comparison_over_long_round_trips() {
    for (later, ends) in [(5.2, true), (5.3, false)] {
        let mut is_first = true;
        let rtt = |_: f64| {
            let length = if std::mem::take(&mut is_first) { 1.0 } else { later };
            (length * RTT as f64) as Nanoseconds
        };
        assert_eq!(fluid(500.0, rtt).is_some(), ends, "{later}");
    }
}

#[test]
fn silence_delivers_nothing_and_does_not_panic() {
    let mut controller = cubic();
    let mut now = RTT;
    for silence in [0, RTT, 3 * RTT, 100 * RTT, Nanoseconds::from(u32::MAX) * RTT] {
        now += silence;
        controller.on_acknowledgement(&Acknowledgement {
            now,
            acknowledged: 1.0,
            delivered: 1.0,
            rtt: Some(RTT),
            window_limited: true,
            ..Acknowledgement::default()
        });
        assert!(controller.cwnd() >= 2.0 && controller.cwnd().is_finite());
    }
}
