//! A controller at the receiver (RFC 9840).

use windtunnel_controllers::{DESCRIPTIONS, Settings as ControllerSettings, Value};
use windtunnel_engine::{Duration, Time};
use windtunnel_transports::tcp::{Buffers, TcpSettings};

use crate::path::{Path, settings};

fn with_receiver(controller: &str, set: &[(&str, f64)]) -> TcpSettings {
    let description = DESCRIPTIONS.iter().find(|it| it.name == controller).unwrap();
    let mut receiver = ControllerSettings::defaults(description);
    for (name, value) in set {
        receiver.set(name, Value::Number(*value)).unwrap();
    }
    TcpSettings {
        receiver_controller: Some(receiver),
        buffers: Buffers { send: 1 << 30, ..Buffers::with_receive(6 << 20) },
        ..settings("cubic")
    }
}

fn at(seconds: u64) -> Time {
    Time::ZERO + Duration::from_secs(seconds)
}

/// The sender's window grows without limit: what is under way is the receiver's window.
#[test]
fn a_fixed_window_gives_a_window_each_round_trip() {
    for window in [4.0, 20.0, 60.0] {
        let settings = with_receiver("fixed", &[("window", window)]);
        let mut path = Path::new(settings, 100_000_000, Duration::from_millis(20), 10_000);
        path.open(u64::MAX);
        path.run_until(at(10));
        let rate = path.ends[1].counters().received_bytes as f64 / 10.0;
        let expected = window * 1448.0 / 0.040_2;
        let ratio = rate / expected;
        assert!((0.96..1.01).contains(&ratio), "{window}: {ratio}");
    }
}

/// Whatever is lost and whatever the window does, what was advertised stays advertised.
#[test]
fn the_edge_never_goes_back() {
    for controller in ["ledbat", "ledbat-plus-plus", "cubic", "new-reno"] {
        let mut number = 0_u32;
        let (mut edge, mut last, mut smaller) = (0, 0, false);
        {
            let (edge, last, smaller) = (&mut edge, &mut last, &mut smaller);
            let fate = move |_: Time, there: bool, segment: &windtunnel_packets::tcp::Segment| {
                use windtunnel_packets::tcp::Flags;
                if there {
                    number += 1;
                    let lost = number > 200 && number.is_multiple_of(300);
                    return if lost { Vec::new() } else { vec![Duration::ZERO] };
                }
                if !segment.flags.has(Flags::SYN) {
                    let window = u64::from(segment.window) << 7;
                    let now = u64::from(segment.acknowledgement) + window;
                    assert!(now >= *edge, "{now} after {edge}");
                    *smaller |= window < *last;
                    (*edge, *last) = (now, window);
                }
                vec![Duration::ZERO]
            };
            let settings = with_receiver(controller, &[]);
            let mut path =
                Path::new(settings, 20_000_000, Duration::from_millis(20), 100).with(fate);
            path.open(u64::MAX);
            path.run_until(at(30));
        }
        assert!(smaller, "{controller} never reduced its window");
    }
}
