//! Controllers in the kernel of this machine; skipped, with the reason, where it takes none.
#![cfg(all(target_os = "linux", feature = "kernel"))]

mod support;

use std::time::Duration;

use support::{Pair, alone, settings, start, until, value};
use windtunnel_controllers::Value;

#[test]
fn a_fixed_window_is_obeyed() {
    let _alone = alone();
    let mut fixed = settings("fixed");
    fixed.set("window", Value::Number(8.0)).expect("a window");
    let Some(pair) = Pair::new("fixed") else { return };
    let Some(mut flight) = start(&fixed) else { return };
    flight.launch(&pair.transfer(2, ""), true).expect("the command starts");
    until("the window is 8", || value(&pair.sockets(), "cwnd") == Some(8.0));
    let mut most: f64 = 0.0;
    for _ in 0..20 {
        let sockets = pair.sockets();
        assert!(sockets.contains(flight.algorithm()), "{sockets}");
        assert_eq!(value(&sockets, "cwnd"), Some(8.0), "{sockets}");
        most = most.max(value(&sockets, "unacked").unwrap_or(0.0));
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(most <= 8.0, "{most} segments in flight");
    let code = flight.wait(Duration::from_secs(10)).expect("no controller fails");
    assert_eq!(code, Some(0));
    let totals = flight.finish().expect("no controller fails");
    println!("{totals:#?}");
    assert!(totals.decisions > 100 && totals.bytes > 1_000_000, "{totals:?}");
}
