//! Hosts that take time for each datagram, with real implementations.

use std::sync::Arc;
use std::time::Duration;

use windtunnel_quic::{Noq, NoqController, Quinn, QuinnController};
use windtunnel_smoltcp::{Smoltcp, SmoltcpController};
use windtunnel_stack::MakeStack;
use windtunnel_testing::{Network, Outcome};

fn stacks() -> [Arc<dyn MakeStack>; 3] {
    [
        Arc::new(Quinn::new(QuinnController::Cubic)),
        Arc::new(Noq::new(NoqController::Cubic)),
        Arc::new(Smoltcp::new(SmoltcpController::Cubic)),
    ]
}

fn transfer(stack: &Arc<dyn MakeStack>, cost: &str, bytes: u64) -> Outcome {
    let network = Network::link("1 Gbps", "1 ms").queue("1000 packets");
    network
        .set("flows.test.quic", &format!("{{ cost = \"{cost}\" }}"))
        .transfer(Arc::clone(stack), bytes)
}

/// No datagram has more than its size of data, and each takes the sender's processor its cost. At
/// most one acknowledgement comes for each: nothing takes more than twice that time.
#[test]
fn the_rate_is_bounded_by_the_size_of_a_datagram_over_its_cost() {
    let (bytes, cost) = (4_000_000, 200e-6);
    for stack in stacks() {
        let outcome = transfer(&stack, "200 us", bytes);
        let taken = outcome.completion.expect("nothing is lost").as_secs_f64();
        let least = cost * bytes as f64 / f64::from(stack.largest_datagram());
        assert!((least..2.2 * least).contains(&taken), "{}: {outcome}, {least}", stack.name());
        assert!(taken > cost * outcome.datagrams[0] as f64, "{}: {outcome}", stack.name());
    }
}

#[test]
fn a_cost_that_is_hardly_one_changes_nothing() {
    for stack in stacks() {
        let [none, least] = ["0 s", "1 ns"].map(|it| transfer(&stack, it, 1_000_000));
        let [none, least] = [none, least].map(|it| it.completion.unwrap());
        assert!(none.abs_diff(least) < Duration::from_micros(100), "{none:?}, {least:?}");
    }
}
