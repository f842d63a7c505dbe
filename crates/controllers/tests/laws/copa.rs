//! Copa against its paper.

use crate::drive::{SECOND, close};
use crate::path::{Path, Treatment};
use windtunnel_controllers::Value;

const ALONE: [(&str, Value<'_>); 1] = [("competitive", Value::Flag(false))];
const BASE: u64 = SECOND / 20;

/// Section 3: with `1/delta = 2`, each connection's queue has a mean of 2.5
/// segments and swings between none and 5.
#[test]
fn copa_keeps_a_few_segments_in_the_queue_and_empties_it_each_cycle() {
    for flows in [1_u32, 2, 4] {
        let mut path = Path::new(1000, 1e9, Treatment::Nothing);
        for index in 0..flows {
            path = path.flow("copa", BASE, u64::from(index) * SECOND, &ALONE);
        }
        path.run_until(20 * SECOND);
        let watched = path.watch(20 * SECOND);
        let flows = f64::from(flows);
        assert!(
            (1.25 * flows..=3.75 * flows + 1.0).contains(&watched.mean),
            "{} of {flows}",
            watched.mean
        );
        assert!(watched.most <= 7.5 * flows + 1.0, "{}", watched.most);
        assert!(watched.rate() > 980.0);
        assert!(watched.jain() > 0.99, "{:?}", watched.rates);
        for _ in 0..20 {
            // Two cycles of five round trips.
            assert!(path.watch(SECOND / 2).least <= 2.0);
        }
    }
}

#[test]
fn copa_shares_alike_whatever_the_round_trip() {
    let mut path = Path::new(1000, 1e9, Treatment::Nothing)
        .flow("copa", SECOND / 50, 0, &ALONE)
        .flow("copa", SECOND / 10, SECOND, &ALONE);
    path.run_until(30 * SECOND);
    let watched = path.watch(60 * SECOND);
    assert!(watched.jain() > 0.9, "{:?}", watched.rates);
}

#[test]
fn copa_holds_its_own_beside_a_connection_that_fills_the_queue() {
    for (values, low, high) in [(&[] as &[_], 0.35, 0.75), (&ALONE, 0.0, 0.2)] {
        let mut path = Path::new(1000, 100.0, Treatment::Nothing)
            .flow("copa", BASE, 0, values)
            .flow("aimd", BASE, SECOND, &[]);
        path.run_until(20 * SECOND);
        let watched = path.watch(60 * SECOND);
        let share = watched.rates[0] / watched.rate();
        assert!((low..=high).contains(&share), "{share}");
    }
}

#[test]
fn copa_takes_random_loss_for_nothing() {
    let mut path = Path::new(1000, 1e9, Treatment::Lose(0.05)).flow("copa", BASE, 0, &ALONE);
    path.run_until(10 * SECOND);
    close(path.watch(20 * SECOND).rate(), 1000.0, 0.05);
}
