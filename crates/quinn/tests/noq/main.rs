//! What a connection of noq does with Windtunnel's controllers: two of its endpoints, which are
//! state machines, over a simulated bottleneck in virtual time.

#[path = "../laws/bottleneck.rs"]
mod bottleneck;
#[path = "../laws/comparison.rs"]
mod comparison;
#[path = "../laws/connection.rs"]
mod connection;
#[path = "../laws/endpoints.rs"]
mod endpoints;
#[path = "../laws/goodput.rs"]
mod goodput;
mod quic;

use crate::comparison::both;

/// A packet of QUIC carries 1 % less than a segment of TCP. The delay is that of the link and the
/// wait before it.
#[test]
fn with_their_pacing_rates_controllers_are_what_they_are_in_simulation() {
    for name in ["copa", "bbr1", "bbr3"] {
        let [quic, simulated] = both(name, &[], &format!("\"{name}\""));
        let goodput = quic.goodput / simulated.goodput;
        assert!((0.97..1.0).contains(&goodput), "{name}: {goodput}");
        let delay = |waited: std::time::Duration| (connection::DELAY + waited).as_secs_f64();
        let delay = delay(quic.waited) / delay(simulated.waited);
        assert!((0.95..1.05).contains(&delay), "{name}: {delay}");
    }
}

/// The others are paced by noq, as quinn does.
#[test]
fn controllers_without_a_pacing_rate_fill_the_link() {
    for name in ["cubic", "new-reno"] {
        let [quic, simulated] = both(name, &[], &format!("\"{name}\""));
        let goodput = quic.goodput / simulated.goodput;
        assert!((0.97..1.0).contains(&goodput), "{name}: {goodput}");
    }
}
