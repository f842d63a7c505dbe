//! The example's client and server as programs, over the loopback interface: as fast as it
//! goes, and over a bottleneck in real time.

#[path = "../laws/bottleneck.rs"]
mod bottleneck;
mod programs;
mod relay;

use std::thread;
use std::time::Duration;

use bottleneck::LinkSettings;
use programs::{Server, send};
use relay::relay;
use windtunnel_engine::Rate;

#[test]
fn a_file_arrives_whole() {
    let server = Server::start();
    for stack in ["quinn", "noq"] {
        let report = send(server.address, &["--stack", stack, "--bytes", "20000000"]);
        assert_eq!(report["bytes"], 20_000_000, "{stack}");
        assert_eq!(report["controller"], "cubic", "{stack}");
        assert!(report["goodput_bps"].as_f64().unwrap() > 1e6, "{stack}: {report}");
    }
}

/// The stacks' timers are tokio's, and the machine does other things: the bounds are wide.
#[test]
fn over_a_bottleneck_in_real_time_the_rate_is_found() {
    let server = Server::start();
    let rate = 20_000_000;
    let settings = LinkSettings {
        rate: Rate::from_bits_per_second(rate).unwrap(),
        delay: Duration::from_millis(20),
        limit: 67,
        mark: None,
    };
    for stack in ["quinn", "noq"] {
        // Each over a bottleneck of its own.
        thread::scope(|threads| {
            for controller in ["cubic", "bbr3", "copa"] {
                let address = relay(settings, server.address).expect("loopback has ports left");
                threads.spawn(move || {
                    let sending = ["--stack", stack, "--controller", controller, "--seconds", "5"];
                    let report = send(address, &sending);
                    eprintln!("{report}");
                    let share = report["goodput_bps"].as_f64().unwrap() / rate as f64;
                    assert!((0.7..1.0).contains(&share), "{report}");
                    assert!(report["rtt_minimum_s"].as_f64().unwrap() > 0.04, "{report}");
                });
            }
        });
    }
}

#[test]
fn mistakes_are_explained_and_exit_with_2() {
    for (arguments, expected) in [
        (&["--connect", "127.0.0.1:9", "--bytes", "1", "--controller", "prague"][..], "`prague`"),
        (&["--connect", "127.0.0.1:9", "--bytes", "1", "--controller", "cubik"], "`cubic`"),
        (&["--connect", "127.0.0.1:9", "--bytes", "1", "--set", "beta"], "KEY=VALUE"),
        (&["--connect", "127.0.0.1:9", "--bytes", "1", "--stack", "quic"], "neither quinn nor noq"),
        (&["--connect", "127.0.0.1:9"], "--seconds"),
        (&["--server", "here"], "`here`"),
        (&["--seconds", "-1", "--connect", "127.0.0.1:9"], "negative"),
        (&[], "--connect"),
    ] {
        let output = programs::run(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
}
