//! TCP Prague beside CUBIC, from the scenario file to the table of flows.

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use windtunnel_lab::{Batch, tables};

/// The goodput of a Prague flow divided by that of CUBIC with classic ECN, through a
/// bottleneck with that queue.
fn ratio(queue: &str, fallback: bool) -> f64 {
    let scenario = format!(
        r#"
        duration = "30 s"
        nodes = {{ a = {{}}, c = {{}}, r = {{}}, b = {{}} }}
        links.a = {{ nodes = ["a", "r"], rate = "1 Gbps", delay = "1 ms" }}
        links.c = {{ nodes = ["c", "r"], rate = "1 Gbps", delay = "1 ms" }}
        links.core = {{ nodes = ["r", "b"], rate = "40 Mbps", delay = "9 ms", queue = {queue} }}
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
    let study = windtunnel_lab::read("test.toml", &scenario, &[]).expect("a sound scenario");
    let (study, outcome) = Batch::start(study, 1).finish();
    assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
    let tables = tables::all(&study, &outcome.runs);
    let flows = &tables.iter().find(|it| it.0 == "flows").expect("a table of flows").1;
    let goodput = flows["goodput_bps"].as_primitive::<Float64Type>().values();
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
