//! Opportunities to send, against a list of all that there are.

use std::sync::Arc;

use proptest::prelude::*;
use windtunnel_engine::{Duration, Time};
use windtunnel_links::{Cursor, OPPORTUNITY, Opportunities};

const SIZE: u64 = OPPORTUNITY as u64;
/// How often a trace that begins again is written out.
const ROUNDS: u64 = 1000;

fn milliseconds(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn at(millisecond: u64) -> Time {
    Time::ZERO + milliseconds(millisecond)
}

/// A trace by the milliseconds between its opportunities, and after the last one if it repeats.
fn trace(gaps: &[u64], silence: Option<u64>) -> Opportunities {
    let mut last = 0;
    let times = gaps.iter().map(|gap| {
        last += gap;
        milliseconds(last)
    });
    let times = times.collect();
    let repeat = silence.map(|it| milliseconds((last + it).max(1)));
    Opportunities { times, repeat }
}

/// The instants of all opportunities, in order.
fn written_out(trace: &Opportunities) -> Vec<Time> {
    let rounds = if trace.repeat.is_some() { ROUNDS } else { 1 };
    let begins = (0..rounds).map(|it| trace.repeat.unwrap_or(Duration::ZERO) * it);
    begins.flat_map(|begin| trace.times.iter().map(move |it| Time::ZERO + begin + *it)).collect()
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// This many milliseconds pass; what nobody waited for is wasted.
    Pass(u64),
    /// This many bytes are used, and of those this many in a thousand given back.
    Take(u64, u64),
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0_u64..30).prop_map(Step::Pass),
        (1..5 * SIZE, 0_u64..=1000).prop_map(|(bytes, back)| Step::Take(bytes, back)),
    ]
}

proptest! {
    #[test]
    fn bytes_leave_at_the_opportunities_that_they_use(
        gaps in prop::collection::vec(0_u64..10, 1..6),
        silence in prop::option::of(0_u64..10),
        steps in prop::collection::vec(any_step(), 1..20),
    ) {
        let trace = trace(&gaps, silence);
        let all = written_out(&trace);
        let time_of = |byte: u64| all.get((byte / SIZE) as usize).copied().unwrap_or(Time::NEVER);
        let mut cursor = Cursor::new(Arc::new(trace));
        let (mut now, mut used) = (Time::ZERO, 0);
        for step in steps {
            prop_assert_eq!(cursor.time(), time_of(used));
            match step {
                Step::Pass(passed) => {
                    now += milliseconds(passed);
                    cursor.skip_to(now);
                    let before = all.iter().filter(|it| **it < now).count() as u64;
                    if time_of(used) < now {
                        used = before * SIZE;
                    }
                }
                Step::Take(bytes, back) => {
                    let last = time_of(used + bytes - 1);
                    prop_assert_eq!(cursor.take(bytes), last);
                    if last != Time::NEVER {
                        let back = bytes * back / 1000;
                        cursor.give_back(back);
                        used += bytes - back;
                    }
                }
            }
        }
        prop_assert_eq!(cursor.time(), time_of(used));
    }

    /// What comes at the end of the time belongs to it, what comes at its beginning does not.
    #[test]
    fn the_rate_between_two_times_is_that_of_the_opportunities_in_it(
        gaps in prop::collection::vec(0_u64..10, 1..6),
        silence in prop::option::of(0_u64..10),
        (from, length) in (0_u64..40, 1_u64..40),
    ) {
        let trace = trace(&gaps, silence);
        let (from, to) = (at(from), at(from + length));
        let within = written_out(&trace).into_iter().filter(|it| *it > from && *it <= to).count();
        let expected = within as f64 * 12_000.0 / (length as f64 * 1e-3);
        prop_assert!((trace.rate_between(from, to) - expected).abs() < 1e-6 * expected.max(1.0));
    }
}

#[test]
fn the_mean_rate_is_that_of_a_round_or_until_the_last_opportunity() {
    let mean = |silence| trace(&[10, 20, 10], silence).mean_rate().map(|it| it.bits_per_second());
    assert_eq!(mean(Some(20)), Some(3 * 12_000 * 1000 / 60));
    assert_eq!(mean(None), Some(3 * 12_000 * 1000 / 40));
}
