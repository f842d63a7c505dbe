//! Two implementations at the two ends of a connection.

use std::sync::Arc;
use std::time::Duration;

use windtunnel_quic::{Noq, NoqController, Quinn, QuinnController};
use windtunnel_stack::MakeStack;
use windtunnel_testing::Network;

/// Whatever is at the other end, 1 MB arrives over networks with losses, reordering, a small MTU
/// and hosts that are busy.
#[test]
fn each_pair_transfers_over_each_network() {
    let quinn: Arc<dyn MakeStack> = Arc::new(Quinn::new(QuinnController::Cubic));
    let noq: Arc<dyn MakeStack> = Arc::new(Noq::new(NoqController::Cubic));
    let link = |rate, delay| Network::link(rate, delay).queue("25 packets");
    let jitter = "{ kind = \"uniform\", most = \"3 ms\", reorders = true }";
    let networks = [
        link("10 Mbps", "15 ms"),
        link("200 Mbps", "1 ms"),
        link("5 Mbps", "300 ms"),
        link("10 Mbps", "15 ms").loss("2 %"),
        link("20 Mbps", "10 ms").with("jitter", jitter),
        link("10 Mbps", "15 ms").with("mtu", "\"1240 B\""),
        link("100 Mbps", "5 ms").set("flows.test.quic", "{ cost = \"100 us\" }"),
        link("100 Mbps", "5 ms").set("flows.test.quic", "{ reads = \"2 ms\" }"),
    ];
    for network in networks {
        for [sender, receiver] in [[&quinn, &noq], [&noq, &quinn], [&quinn, &quinn], [&noq, &noq]] {
            let [sender, receiver] = [sender, receiver].map(Arc::clone);
            let pair = format!("{} to {}", sender.name(), receiver.name());
            let outcome = network.transfer_between(sender, receiver, 1_000_000);
            assert!(outcome.completed_within(Duration::from_secs(60)), "{pair}: {outcome}");
            assert_eq!((outcome.received_bytes, outcome.failure()), (1_000_000, None), "{pair}");
        }
    }
}

/// Times and sizes are the same in each run of a seed, but with noq's BBR3, which draws random
/// numbers whose seed cannot be set; bytes never are, since keys are new.
#[test]
fn what_does_not_repeat_is_found() {
    let network = Network::link("10 Mbps", "15 ms").with("overhead", "\"0 B\"").queue("25 packets");
    let repeat = |stack: Arc<dyn MakeStack>| network.repeat(stack, 10_000_000);
    let repeats: [Arc<dyn MakeStack>; 3] = [
        Arc::new(Quinn::new(QuinnController::Cubic)),
        Arc::new(Quinn::new(QuinnController::Bbr)),
        Arc::new(Noq::new(NoqController::Cubic)),
    ];
    for stack in repeats {
        let repeat = repeat(stack);
        assert!(repeat.difference.is_none() && !repeat.has_same_bytes, "{repeat:?}");
    }
    let differs = repeat(Arc::new(Noq::new(NoqController::Bbr3))).difference;
    let differs = differs.expect("it draws when it probes for bandwidth");
    assert!(differs.number > 1 && differs.at() > Duration::from_millis(15), "{differs:?}");
    assert!(differs.sent[0] != differs.sent[1]);
}
