//! Controllers in QUIC beside the simulation's.

use windtunnel_controllers::Value;

use crate::comparison::both;

/// What a packet of QUIC carries is 1 % less than what a segment of TCP does.
#[test]
fn in_quic_controllers_do_what_they_do_in_the_simulation() {
    // The waiting time may differ by this many milliseconds: the transmission of a few packets
    // of 0.6 ms, which quinn sends in bursts; for BBR, whose first round trip is that of the handshake, that its
    // packets are short in TCP and full in QUIC; and for Copa the mode that it takes bursts for.
    for (name, differs) in
        [("cubic", 1.5), ("new-reno", 1.5), ("bbr3", 2.0), ("bbr1", 2.0), ("copa", 2.0)]
    {
        let [quic, simulated] = both(name, &[], &format!("\"{name}\""));
        let goodput = quic.goodput / simulated.goodput;
        assert!((0.95..1.0).contains(&goodput), "{name}: {goodput}");
        let waited = quic.waited.as_secs_f64() - simulated.waited.as_secs_f64();
        assert!(waited.abs() < differs * 1e-3, "{name}: {waited} s");
    }
}

/// Without its competitive mode, which bursts now and then set off, Copa is the same.
#[test]
fn copa_alone_keeps_the_queue_of_the_simulation() {
    let table = r#"{ kind = "copa", competitive = false }"#;
    let [quic, simulated] = both("copa", &[("competitive", Value::Flag(false))], table);
    let waited = quic.waited.as_secs_f64() - simulated.waited.as_secs_f64();
    assert!(waited.abs() < 0.6e-3, "{waited} s");
    assert!(quic.goodput / simulated.goodput > 0.98);
}
