//! The receive buffer: as large as its sender needs, and no larger than it may be.

use windtunnel_engine::{Duration, Time};
use windtunnel_transports::tcp::{Buffers, Reading, Socket, TcpSettings};

use crate::path::{Path, settings};
use crate::script::at;

/// What Linux has: 64 KiB at first, 6 MiB at most.
const LINUX: Buffers = Buffers { receive: None, maximum_receive: 6 << 20, send: 4 << 20 };

/// When a transfer of 20 MB is over, in seconds.
fn took(buffers: Buffers, timestamps: bool, delays: [Duration; 2]) -> f64 {
    let settings = TcpSettings {
        buffers: Buffers { send: 1 << 30, ..buffers },
        timestamps,
        ..settings("aimd")
    };
    let mut path = Path::new(settings, 100_000_000, Duration::ZERO, 1 << 20)
        .with(move |_, there, _| vec![delays[usize::from(!there)]]);
    path.open(20_000_000);
    path.act(0, windtunnel_transports::tcp::Endpoint::close);
    path.act(1, windtunnel_transports::tcp::Endpoint::close);
    path.run_until(Time::NEVER);
    assert_eq!(path.ends[1].counters().received_bytes, 20_000_000);
    path.now.as_seconds()
}

/// A buffer that grows never keeps a sender waiting, wherever on the path the delay is.
#[test]
fn a_buffer_that_grows_is_as_good_as_one_without_limit() {
    let (none, some, most) =
        (Duration::ZERO, Duration::from_millis(50), Duration::from_millis(100));
    for delays in [[some, some], [none, most], [most, none]] {
        for timestamps in [true, false] {
            let unlimited = took(Buffers::with_receive(1 << 30), timestamps, delays);
            let grown = took(LINUX, timestamps, delays);
            assert!(grown < 1.02 * unlimited, "{grown} s, {unlimited} s: {delays:?}");
            let small = took(Buffers::with_receive(65_535), timestamps, delays);
            assert!(small > 10.0 * unlimited, "64 KiB a round trip");
        }
    }
}

/// A window of `maximum` bytes a round trip, and no more.
#[test]
fn a_buffer_grows_to_its_maximum() {
    let maximum = 500_000;
    let buffers = Buffers { receive: None, maximum_receive: maximum, ..settings("aimd").buffers };
    let settings = TcpSettings { buffers, ..settings("aimd") };
    let mut path = Path::new(settings, 1_000_000_000, Duration::from_millis(50), 1 << 20);
    path.open(u64::MAX);
    path.run_until(at(2_000));
    let before = path.ends[1].counters().received_bytes;
    path.run_until(at(12_000));
    let a_round_trip = (path.ends[1].counters().received_bytes - before) as f64 / 100.0;
    let share = a_round_trip / maximum as f64;
    assert!((0.97..1.0).contains(&share), "{share}");
}

/// Nothing is taken, so nothing shows that there should be more room.
#[test]
fn a_buffer_that_is_not_read_does_not_grow() {
    let settings = TcpSettings {
        buffers: LINUX,
        socket: Socket { reading: Reading::AsTaken, ..Socket::default() },
        ..settings("aimd")
    };
    let mut path = Path::new(settings, 100_000_000, Duration::from_millis(20), 1 << 20);
    path.open(u64::MAX);
    path.run_until(at(5_000));
    let received = path.ends[1].counters().received_bytes;
    assert!(received <= 65_535 && received > 62_000, "{received}");
}
