//! A policer: what passes in any time, and what is dropped.

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_engine::{Duration, Time};
use windtunnel_packets::Ecn;
use windtunnel_queues::{
    ArrivalDiscipline, Arriving, Backlog, Policer, TokenBucketSettings, Verdict,
};

use crate::drive::{bucket, rate};

/// When packets passed, and their sizes, of those that come n microseconds after each other.
fn passed(settings: TokenBucketSettings, packets: &[(u64, u32)]) -> Vec<(Time, u32)> {
    let (mut policer, mut now) = (Policer::new(settings), Time::ZERO);
    let (backlog, ecn, rate) = (Backlog::default(), Ecn::Capable, rate(1000));
    let pass = |&(after, size): &(u64, u32)| {
        now += Duration::from_micros(after);
        let arriving = Arriving { ecn, size, backlog, free: now, rate };
        (policer.judge(now, &arriving) == Verdict::Pass).then_some((now, size))
    };
    packets.iter().filter_map(pass).collect()
}

/// 8 Mbps fill a byte in each microsecond; the bucket is full at first, and never more than full.
#[test]
fn a_burst_passes_and_then_what_the_rate_allows() {
    let times = |packets: &[(u64, u32)]| -> Vec<u64> {
        let passed = passed(bucket(8, 3000), packets);
        passed.iter().map(|it| it.0.as_nanos() / 1000).collect()
    };
    assert_eq!(times(&[(0, 1000); 5]), [0, 0, 0]);
    assert_eq!(times(&[(0, 3000), (999, 1000), (1, 1000)]), [0, 1000]);
    assert_eq!(times(&[(0, 3000), (100_000, 3000), (0, 1)]), [0, 100_000]);
    assert_eq!(times(&[(0, 3001), (0, 3000)]), [0], "what is larger than the burst never passes");
}

/// Twice the rate is offered.
#[test]
fn of_steady_excess_the_rate_passes() {
    let passed = passed(bucket(8, 3000), &vec![(500, 1000); 20_000]);
    // 9.9995 s at 1 MB/s, from the first packet to the last one, and the burst.
    assert_eq!(passed.len(), 9_999 + 3);
}

proptest! {
    /// In any interval no more than `rate t + burst`; a picosecond a packet for rounding.
    #[test]
    fn no_more_passes_than_rate_and_burst_allow(
        packets in vec((0..3000_u64, 40..9000_u32), 1..200),
        burst in 1500..20_000_u32,
    ) {
        let passed = passed(bucket(8, burst), &packets);
        for first in 0..passed.len() {
            let mut bytes = 0.0;
            for (time, size) in &passed[first..] {
                bytes += f64::from(*size);
                let elapsed = time.since(passed[first].0).as_seconds();
                prop_assert!(bytes <= 1e6 * elapsed + f64::from(burst) + 0.01);
            }
        }
    }

    /// What conforms is not dropped: one that is dropped would have exceeded the burst.
    #[test]
    fn what_conforms_passes(packets in vec((0..3000_u64, 40..1500_u32), 1..200)) {
        let passed = passed(bucket(8, 3000), &packets);
        let (mut now, mut tokens, mut expected) = (Time::ZERO, 3000.0_f64, Vec::new());
        for (after, size) in &packets {
            now += Duration::from_micros(*after);
            // A byte in each microsecond.
            tokens = (tokens + *after as f64).min(3000.0);
            if tokens >= f64::from(*size) {
                tokens -= f64::from(*size);
                expected.push((now, *size));
            }
        }
        prop_assert_eq!(passed, expected);
    }
}
