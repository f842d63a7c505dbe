//! Every registered controller runs, or is refused with the reason.

use std::time::Duration;

use windtunnel_controllers::{DESCRIPTIONS, Need};
use windtunnel_quinn::{FactoryError, WindtunnelFactory};

use crate::connection::{RATE, Run};

/// The controllers that quinn cannot be used with, and what they need.
const REFUSED: [(&str, Need); 5] = [
    ("dctcp", Need::MarksCounted),
    ("dctcp-sce", Need::SomeCongestion),
    ("ledbat", Need::OneWayDelay),
    ("prague", Need::MarksCounted),
    ("reno-sce", Need::SomeCongestion),
];

#[test]
fn those_are_refused_that_need_what_quinn_does_not_tell() {
    let mut refused = Vec::new();
    for description in DESCRIPTIONS {
        match WindtunnelFactory::named(description.name, &[]) {
            Ok(factory) => assert_eq!(factory.settings().description().name, description.name),
            Err(FactoryError::Refused { controller, need, flag, reason }) => {
                assert_eq!((controller, flag), (description.name, None));
                assert!(reason.len() > 20, "{reason}");
                refused.push((controller, need));
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(refused, REFUSED);
}

/// `fixed` has its ten segments; the others find the rate, some of them slowly.
#[test]
fn all_others_carry_data_within_the_rate() {
    for description in DESCRIPTIONS {
        let name = description.name;
        if REFUSED.iter().any(|it| it.0 == name) {
            continue;
        }
        let mut run = Run::of(name);
        run.until(Duration::from_secs(2));
        let measured = run.measure(Duration::from_secs(8));
        let share = measured.goodput / RATE as f64;
        let least = if name == "fixed" { 0.1 } else { 0.6 };
        eprintln!("{name}: {share:.3}");
        assert!((least..1.0).contains(&share), "{name}: {share}");
        assert_eq!(run.controller().controller().description().name, name);
    }
}
