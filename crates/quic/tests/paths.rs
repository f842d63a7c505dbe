//! Connections whose end that connects changes its address, that use several paths at once, and that
//! resume an earlier one.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use windtunnel_quic::{Noq, NoqController, Options, Quinn, QuinnController};
use windtunnel_stack::MakeStack;
use windtunnel_stack::trace::{Trace, Traced};
use windtunnel_testing::{Network, Outcome};

const ZERO_RTT: Options = Options { zero_rtt: true, multipath: false, priorities: false };
const MULTIPATH: Options = Options { zero_rtt: false, multipath: true, priorities: false };

fn quinn(options: Options) -> Quinn {
    Quinn::new(QuinnController::Cubic).with(options)
}

fn noq(options: Options) -> Noq {
    Noq::new(NoqController::Cubic).with(options)
}

/// Two links between the same two hosts, the first of which may end.
fn two_links(ends_at: Option<u32>, migrations: &[(u32, usize)]) -> Network {
    let changes = ends_at.map_or_else(String::new, |it| {
        format!("changes = [{{ at = \"{it} ms\", state = \"down\" }}]")
    });
    let migrations: Vec<String> = migrations
        .iter()
        .map(|(at, path)| format!("{{ at = \"{at} ms\", path = {path} }}"))
        .collect();
    Network::scenario(&format!(
        r#"
        duration = "60 s"
        nodes = {{ phone = {{}}, server = {{}} }}
        [links.wifi]
        nodes = ["phone", "server"]
        rate = "10 Mbps"
        delay = "5 ms"
        queue = {{ kind = "drop-tail", limit = "30 packets" }}
        {changes}
        [links.lte]
        nodes = ["phone", "server"]
        rate = "10 Mbps"
        delay = "20 ms"
        queue = {{ kind = "drop-tail", limit = "40 packets" }}
        [flows.test]
        from = "phone"
        to = "server"
        protocol = "quic"
        [flows.test.quic]
        paths = [["wifi"], ["lte"]]
        migrations = [{}]
        "#,
        migrations.join(", ")
    ))
}

/// The first datagram carries the handshake, padded to 1200 B, and the byte.
#[test]
fn with_zero_rtt_the_first_byte_takes_half_a_round_trip() {
    let network = Network::link("10 Mbps", "15 ms").with("overhead", "\"0 B\"");
    let large = Duration::from_nanos(15_000_000 + 8 * 1228 * 100);
    let resumed = [network.transfer(quinn(ZERO_RTT), 1), network.transfer(noq(ZERO_RTT), 1)];
    for outcome in resumed {
        assert_eq!(outcome.completion, Some(large), "{outcome}");
    }
    let plain = [
        network.transfer(quinn(Options::default()), 1),
        network.transfer(noq(Options::default()), 1),
    ];
    for outcome in plain {
        assert!(outcome.completion > Some(2 * large), "{outcome}");
    }
}

#[test]
fn a_connection_goes_on_at_another_address_when_its_link_has_ended() {
    fn check(stack: impl MakeStack + Clone + 'static) {
        let bytes = 3_000_000;
        let stays = two_links(Some(1000), &[]).transfer(stack.clone(), bytes);
        assert_eq!(stays.completion, None, "{stays}");
        let moves = two_links(Some(1000), &[(1200, 1)]).transfer(stack, bytes);
        // Each link carries 10 Mbps, and nothing is carried for 0.2 s.
        let least = Duration::from_secs_f64(8.0 * bytes as f64 / 10e6 + 0.2);
        assert!(moves.completion > Some(least), "{moves}");
        assert!(moves.completed_within(2 * least), "{moves}");
        assert_eq!(moves.received_bytes, bytes);
    }
    check(quinn(Options::default()));
    check(noq(Options::default()));
}

/// What is noted for a comparison of runs is what happens without that.
#[test]
fn an_end_that_is_traced_is_told_that_it_has_moved() {
    let network = two_links(Some(1000), &[(1200, 1)]);
    let traced = Traced::new(Arc::new(noq(Options::default())), Trace::default());
    let plain = network.transfer(noq(Options::default()), 3_000_000);
    assert_eq!(network.transfer(traced, 3_000_000), plain);
}

#[test]
fn several_paths_at_once_carry_more_than_one_of_them() {
    let bytes = 5_000_000;
    let both = two_links(None, &[]).transfer(noq(MULTIPATH), bytes);
    let one = Duration::from_secs_f64(8.0 * bytes as f64 / 10e6);
    assert!(both.completed_within(one.mul_f64(0.7)) && both.completion > Some(one / 2), "{both}");
    // A host that is told that its first link has ended goes on by the other.
    let moved = two_links(Some(1000), &[(1200, 1)]).transfer(noq(MULTIPATH), bytes);
    assert_eq!(moved.received_bytes, bytes, "{moved}");
    assert!(moved.completion > Some(one.mul_f64(0.7)), "{moved}");
}

/// "The design of QUIC relies on endpoints retaining a stable address for the duration of the
/// handshake" (RFC 9000, section 9): the server goes on answering to the address that it knows.
#[test]
fn a_connection_does_not_outlive_a_move_before_its_first_answer() {
    for (moves, received) in [(1, 0), (HANDSHAKE, 1)] {
        let network = two_links(None, &[(moves, 1)]);
        let outcomes = [
            network.transfer(quinn(Options::default()), 1),
            network.transfer(noq(Options::default()), 1),
        ];
        assert_eq!(outcomes.map(|it| it.received_bytes), [received; 2], "after {moves} ms");
    }
}

/// Where an end does not move before so many milliseconds, the handshake is confirmed by then: two round
/// trips of the longer path.
const HANDSHAKE: u32 = 100;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whenever after the handshake and however often an end changes its address: what was written is
    /// read, once and in order, and each run is the same.
    #[test]
    fn any_migrations_lose_nothing(
        mut migrations in prop::collection::vec((HANDSHAKE..3000, 0_usize..2), 0..6),
        bytes in 1_u64..3_000_000,
        is_noq: bool,
        options in prop::sample::select(vec![Options::default(), ZERO_RTT, MULTIPATH]),
    ) {
        migrations.sort_unstable();
        let options = Options { multipath: options.multipath && is_noq, ..options };
        let transfer = |network: Network| -> Outcome {
            if is_noq {
                network.transfer(noq(options), bytes)
            } else {
                network.transfer(quinn(options), bytes)
            }
        };
        let outcome = transfer(two_links(None, &migrations));
        prop_assert_eq!(outcome.received_bytes, bytes, "{}", outcome);
        prop_assert!(outcome.completion.is_some() && outcome.failure().is_none(), "{}", outcome);
        prop_assert_eq!(transfer(two_links(None, &migrations)), outcome);
    }
}
