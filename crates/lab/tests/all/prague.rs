//! TCP Prague at classic bottlenecks, and at a server without accurate ECN, from the scenario
//! file to the table of flows.

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use windtunnel_lab::{Batch, tables};

/// The table of these flows from hosts `a` and `c` to `b`, through a bottleneck with that
/// queue.
fn flows(queue: &str, flows: &str) -> RecordBatch {
    let scenario = format!(
        r#"
        duration = "30 s"
        nodes = {{ a = {{}}, c = {{}}, r = {{}}, b = {{}} }}
        links.a = {{ nodes = ["a", "r"], rate = "1 Gbps", delay = "1 ms" }}
        links.c = {{ nodes = ["c", "r"], rate = "1 Gbps", delay = "1 ms" }}
        links.core = {{ nodes = ["r", "b"], rate = "40 Mbps", delay = "9 ms", queue = {queue} }}
        {flows}
        "#
    );
    let study = windtunnel_lab::read("test.toml", &scenario, &[]).expect("a sound scenario");
    let (study, outcome) = Batch::start(study, 1).finish();
    assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
    let tables = tables::all(&study, &outcome.runs);
    tables.into_iter().find(|it| it.0 == "flows").expect("a table of flows").1
}

fn numbers(flows: &RecordBatch, column: &str) -> Vec<f64> {
    flows[column].as_primitive::<Float64Type>().values().to_vec()
}

/// The goodput of a Prague flow divided by that of CUBIC with classic ECN.
fn ratio(queue: &str, fallback: bool) -> f64 {
    let two = format!(
        r#"
        [flows.prague]
        from = "a"
        to = "b"
        controller = {{ kind = "prague", classic-ecn-fallback = {fallback} }}
        [flows.cubic]
        from = "c"
        to = "b"
        controller = "cubic"
        ecn = "classic"
        "#
    );
    let goodput = numbers(&flows(queue, &two), "goodput_bps");
    goodput[0] / goodput[1]
}

/// RFC 9331, section 4.3: in one queue with classic ECN, scalable control starves others.
#[test]
fn the_fallback_leaves_cubic_its_share_of_a_classic_queue() {
    for queue in [r#"{ kind = "pie", action = "mark" }"#, r#"{ kind = "codel", action = "mark" }"#]
    {
        let (without, with) = (ratio(queue, false), ratio(queue, true));
        assert!(without > 4.0, "{queue}: {without}");
        assert!(with > 0.5 && with < 2.0, "{queue}: {with}");
    }
}

#[test]
fn the_fallback_changes_nothing_in_an_l4s_queue() {
    let queue = r#"{ kind = "dualpi2" }"#;
    assert_eq!(ratio(queue, false), ratio(queue, true));
}

/// RFC 9331, section 4.2: without accurate reports packets do not ask for L4S, and wait in
/// DualPI2's classic queue, which is 15 ms long, or are dropped there.
#[test]
fn what_the_server_would_do_limits_what_prague_does() {
    let outcome = |server: &str| {
        let one = format!(
            r#"flows.it = {{ from = "a", to = "b", controller = "prague", server_ecn = "{server}" }}"#
        );
        let flows = flows(r#"{ kind = "dualpi2" }"#, &one);
        let marks = flows["marks"].as_primitive::<UInt64Type>().value(0);
        let sent_again = flows["retransmissions"].as_primitive::<UInt64Type>().value(0);
        (numbers(&flows, "rtt_s")[0], marks > 0, sent_again > 0)
    };
    let round_trip = |(rtt, ..): (f64, bool, bool)| (rtt - 0.02) * 1e3;
    let (scalable, classic, off) = (outcome("scalable"), outcome("classic"), outcome("off"));
    assert!(round_trip(scalable) < 2.0 && scalable.1, "{scalable:?}");
    assert!(round_trip(classic) > 4.0 && classic.1, "{classic:?}");
    assert!(round_trip(off) > 4.0 && !off.1 && off.2, "{off:?}");
    assert_eq!(outcome("accurate"), scalable, "what the server sends is its own choice");
}
