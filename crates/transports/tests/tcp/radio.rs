//! Reports of the radio reach the sender's controller.

use windtunnel_controllers::Value;
use windtunnel_packets::tcp::Flags;
use windtunnel_transports::tcp::{EcnMode, Recovery, Role, TcpSettings};

use crate::script::{SEGMENT, Script, ack, controller, settings, syn, with_window};

/// D-TCP, which listens to its radio.
fn listening() -> TcpSettings {
    let mut controller = controller("d-tcp");
    controller.set("sinr", Value::Flag(true)).expect("D-TCP has that flag");
    TcpSettings { ecn: EcnMode::Classic, controller, ..with_window(Recovery::Rack, 5.0) }
}

/// The number of D-TCP's flows after 100 segments a second for 20 s: a mark takes
/// `2 / (3 n + 1)` of the window. Each report, an SINR in decibels, comes a second
/// after the one before, with that bandwidth in hertz.
fn flows(reports: &[f64], bandwidth: f64) -> f64 {
    let mut it = Script::connected(&listening(), 100, 100_000);
    for number in 1..2_000 {
        let second = number as usize / 100;
        if number % 100 == 0 && second <= reports.len() {
            it.end.on_radio_report(it.now(), reports[second - 1], bandwidth);
        }
        it.receive(100 + 10 * number, ack(number));
    }
    let before = it.cwnd();
    it.receive(20_100, ack(2_000).flags(Flags::ECE));
    (2.0 / (1.0 - it.cwnd() / before) - 1.0) / 3.0
}

/// Shannon's bits per second and hertz, for decibels.
fn efficiency(sinr: f64) -> f64 {
    (1.0 + f64::powf(10.0, sinr / 10.0)).log2()
}

#[test]
fn a_controller_is_told_every_report_and_the_bandwidth_in_segments() {
    // D-TCP, equations 6, 7 and 13, with alpha = 0.2: of what is available, half of
    // what the channel has above its average is not used. The last report is the
    // best, and the average is over all of them.
    let cases: [(f64, &[f64]); 4] = [
        (2.0, &[0.0, 20.0]),
        (4.0, &[0.0, 20.0]),
        (4.0, &[12.0, 5.0, 4.0, 31.0]),
        (8.0, &[-9.0, 9.0]),
    ];
    for (n, reports) in cases {
        let average = reports.iter().sum::<f64>() / reports.len() as f64;
        let last = reports[reports.len() - 1];
        let surplus = 2.0 * (100.0 / (1.0 - 0.2 / n) - 100.0);
        let bits = 8.0 * SEGMENT as f64;
        let bandwidth = surplus * bits / (efficiency(last) - efficiency(average));
        let measured = flows(reports, bandwidth);
        assert!((measured / n - 1.0).abs() < 0.02, "{measured} flows, not {n}");
    }
    let without = flows(&[], 1e6);
    assert!(without > 30.0, "{without} flows without radio reports");
}

#[test]
fn an_end_that_sends_nothing_has_no_use_for_a_report() {
    let mut it = Script::closed(Role::Server, &settings(Recovery::Rack));
    it.end.on_radio_report(it.now(), 20.0, 1e9);
    it.receive(0, syn(Flags::default()));
    it.end.on_radio_report(it.now(), 20.0, 1e9);
    assert!(it.end.controller().is_none());
}
