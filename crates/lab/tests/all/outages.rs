//! Flows over TCP across outages of a link.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use windtunnel_lab::{Batch, tables};

/// The goodput of a flow in bits per second, at 20 Mbps and 40 ms, and its timeouts; after ten
/// seconds the link is down for five.
fn across_an_outage(controller: &str) -> (f64, u64) {
    let text = format!(
        r#"
        duration = "20 s"
        nodes = {{ sender = {{}}, router = {{}}, receiver = {{}} }}
        links.access = {{ nodes = ["sender", "router"], rate = "2 Gbps", delay = "0.1 ms" }}
        flows.f = {{ from = "sender", to = "receiver", controller = "{controller}" }}
        [links.bottleneck]
        nodes = ["router", "receiver"]
        rate = "20 Mbps"
        delay = "19.9 ms"
        queue = {{ kind = "drop-tail", limit = "67 packets" }}
        changes = [{{ at = "10 s", state = "down" }}, {{ at = "15 s", state = "up" }}]
        "#
    );
    let study = windtunnel_lab::read("test.toml", &text, &[]).unwrap_or_else(|it| panic!("{it}"));
    let (study, outcome) = Batch::start(study, 1).finish();
    let tables = tables::all(&study, &outcome.runs);
    let flows = &tables.iter().find(|it| it.0 == "flows").expect("a table of flows").1;
    let goodput = flows["goodput_bps"].as_primitive::<Float64Type>().value(0);
    (goodput, flows["timeouts"].as_primitive::<UInt64Type>().value(0))
}

/// The link carries data for fifteen of the twenty seconds. The timeouts of the outage double
/// from 0.25 s; the one that finds the link up again is the last.
#[test]
fn every_kind_of_controller_goes_on_when_an_outage_is_over() {
    for controller in ["reno", "cubic", "bbr1", "bbr3", "copa", "tahoe", "westwood"] {
        let (goodput, timeouts) = across_an_outage(controller);
        let share = goodput / (20e6 * 1_448.0 / 1_500.0 * 15.0 / 20.0);
        assert!((3..=5).contains(&timeouts), "{controller}: {timeouts} timeouts");
        assert!(share > 0.8, "{controller}: {share} of what the link carries");
    }
}
