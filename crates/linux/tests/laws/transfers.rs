//! The figures of transfers, in closed form, and with other implementations.

use std::sync::Arc;
use std::time::Duration;

use windtunnel_smoltcp::{Smoltcp, SmoltcpController};
use windtunnel_stack::Role;
use windtunnel_stack::trace::{Trace, Traced};
use windtunnel_tcp::{Tcp, controller};
use windtunnel_testing::Network;

use crate::kernel::{linux, path};

/// A full segment has 1448 bytes of data, 52 bytes of headers and 14 of Ethernet's: of 50 Mbps, data have
/// 47.82. A round trip is 40 ms and what one segment and its acknowledgement take on the link.
#[test]
fn cubic_fills_a_link_and_repairs_each_loss_once() {
    let Some(cubic) = linux("cubic") else { return };
    let [short, long] = [5_000_000, 15_000_000].map(|bytes| path().transfer(cubic.clone(), bytes));
    let [first, last] = [&short, &long].map(|it| it.completion.unwrap().as_secs_f64());
    let rate = 8.0 * 10_000_000.0 / (last - first) / 1e6;
    let expected = 50.0 * 1448.0 / 1514.0;
    assert!((rate / expected - 1.0).abs() < 0.002, "{rate} Mbps, not {expected}");
    for outcome in [short, long] {
        let state = outcome.ends[0].state;
        assert!((10..30).contains(&outcome.dropped), "{outcome}");
        assert_eq!(state.retransmissions, Some(outcome.dropped), "{outcome}");
        let least = state.least_rtt.unwrap();
        let shortest =
            Duration::from_nanos(40_000_000 + 8 * (74 + 66) * 1_000_000_000 / 50_000_000);
        // It counts whole microseconds.
        let slack = Duration::from_micros(2);
        assert!(least + slack >= shortest && least <= shortest + slack, "{least:?}");
    }
}

/// A SYN of 60 B for IP and TCP, its answer, the segment with the byte, of 53 B, and right after it the
/// end, of 52 B.
#[test]
fn the_first_byte_takes_a_round_trip_and_a_half() {
    let Some(cubic) = linux("cubic") else { return };
    let on_the_way = |bytes: f64| 0.020 + 8.0 * (bytes + 14.0) / 50e6;
    let expected = 2.0 * on_the_way(60.0) + on_the_way(53.0) + 8.0 * 66.0 / 50e6;
    let taken = path().transfer(cubic, 1).completion.unwrap().as_secs_f64();
    assert!((0.0..2e-6).contains(&(taken - expected)), "{taken} s, not {expected} s");
}

/// With DCTCP, a queue that marks from 30 kB on keeps the round trip short, and drops nothing.
#[test]
fn dctcp_keeps_a_queue_that_marks_short() {
    let Some(dctcp) = linux("dctcp") else { return };
    let network = Network::link("50 Mbps", "1 ms").with(
        "queue",
        r#"{ kind = "red", limit = "250 kB", action = "mark", minimum_threshold = "30 kB",
             maximum_threshold = "30 kB", max_probability = "100 %", weight = 1.0 }"#,
    );
    let outcome = network.transfer(dctcp, 10_000_000);
    assert_eq!(outcome.dropped, 0, "{outcome}");
    assert!(outcome.ends[1].counters.marks > 0);
    let rtt = outcome.ends[0].state.smoothed_rtt.unwrap().as_secs_f64();
    assert!((0.005..0.009).contains(&rtt), "{rtt} s");
}

#[test]
fn a_kernel_and_another_implementation_understand_each_other() {
    let Some(cubic) = linux("cubic") else { return };
    let smoltcp = || Smoltcp::new(SmoltcpController::Cubic);
    let ours = || Tcp::new(controller("bbr3").unwrap());
    let bytes = 1_000_000;
    for outcome in [
        path().transfer_between(cubic.clone(), smoltcp(), bytes),
        path().transfer_between(smoltcp(), cubic.clone(), bytes),
        path().transfer_between(cubic.clone(), ours(), bytes),
        path().transfer_between(ours(), cubic, bytes),
    ] {
        assert!(outcome.completion.is_some() && outcome.received_bytes == bytes, "{outcome}");
    }
}

/// Without segmentation offload the kernel cuts itself, at the same instant, what it hands over as one: what is on
/// the wire does not depend on who does it.
#[test]
fn the_device_cuts_segments_as_the_kernel_does() {
    for controller in ["cubic", "bbr"] {
        let Some(linux) = linux(controller) else { return };
        let [on, off] = [true, false].map(|it| {
            let (maker, trace) = (linux.clone().segmentation_offload(it), Trace::default());
            let outcome = path().transfer(Traced::new(Arc::new(maker), trace.clone()), 3_000_000);
            assert_eq!(outcome.received_bytes, 3_000_000, "{outcome}");
            trace
        });
        assert!(on.sent(Role::Client).len() + on.sent(Role::Server).len() > 3000);
        assert_eq!(on.first_difference(&off), None);
        assert!(on.has_same_bytes(&off));
    }
}
