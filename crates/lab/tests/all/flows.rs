//! Flows over TCP and UDP, from the scenario file to their tables.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use windtunnel_lab::{Batch, tables};

/// A network of three nodes, with what a test adds to it.
fn scenario(more: &str) -> String {
    format!(
        r#"
        duration = "10 s"
        nodes = {{ a = {{}}, r = {{}}, b = {{}} }}
        links.access = {{ nodes = ["a", "r"], rate = "100 Mbps", delay = "1 ms" }}
        links.core = {{ nodes = ["r", "b"], rate = "10 Mbps", delay = "10 ms" }}
        {more}
        "#
    )
}

fn run(text: &str, jobs: usize) -> Vec<(&'static str, RecordBatch)> {
    let study =
        windtunnel_lab::read("test.toml", text, &[]).unwrap_or_else(|error| panic!("{error}"));
    let (study, outcome) = Batch::start(study, jobs).finish();
    assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
    tables::all(&study, &outcome.runs)
}

fn table<'a>(tables: &'a [(&'static str, RecordBatch)], name: &str) -> &'a RecordBatch {
    &tables.iter().find(|it| it.0 == name).expect("a table of that name").1
}

fn numbers(table: &RecordBatch, column: &str) -> Vec<f64> {
    table[column].as_primitive::<Float64Type>().values().to_vec()
}

fn counts(table: &RecordBatch, column: &str) -> Vec<u64> {
    table[column].as_primitive::<UInt64Type>().values().to_vec()
}

#[test]
fn a_bulk_flow_fills_the_narrowest_link_with_its_share_of_content() {
    let tables = run(&scenario(r#"flows.bulk = { from = "a", to = "b", controller = "aimd" }"#), 1);
    let goodput = numbers(table(&tables, "flows"), "goodput_bps")[0];
    let most = 10e6 * 1448.0 / 1500.0;
    assert!(goodput < most && goodput > 0.9 * most, "{goodput}");
    assert_eq!(table(&tables, "flows")["flow_controller"].as_string::<i32>().value(0), "aimd");
    assert!(table(&tables, "flows")["prefix"].is_null(0));
}

/// Nothing but the time of the run divides what was received; the flow's own time is beside it.
#[test]
fn goodput_is_over_the_whole_run_and_the_active_time_has_its_own_column() {
    let flow = r#"from = "a", to = "b", controller = "reno""#;
    let tables = run(
        &scenario(&format!(
            r#"
            flows.half = {{ {flow}, start = "5 s" }}
            flows.file = {{ {flow}, workload = {{ kind = "file", size = "100 kB" }} }}
            flows.never = {{ {flow}, start = "20 s" }}
            "#
        )),
        1,
    );
    let flows = table(&tables, "flows");
    let received = counts(flows, "received_bytes");
    let whole: Vec<f64> = received.iter().map(|it| *it as f64 * 8.0 / 10.0).collect();
    assert_eq!(numbers(flows, "goodput_bps"), whole);
    let file = numbers(flows, "completion_s")[1];
    assert_eq!(numbers(flows, "active_s"), [5.0, file, 0.0]);
}

/// A flow's transfers that were received to their end, and those that only began.
fn transfers(flow: &str) -> [u64; 2] {
    let queue = r#"defaults.link.queue = { kind = "drop-tail", limit = "200 packets" }"#;
    let tables = run(&scenario(&format!("{flow}\n{queue}")), 1);
    let flows = table(&tables, "flows");
    let received = table(&tables, "transfers").num_rows() as u64;
    assert!(flows["transfers"].is_null(0) || counts(flows, "transfers") == [received]);
    [received, counts(flows, "unfinished_transfers")[0]]
}

#[test]
fn each_transfer_that_began_ends_or_is_unfinished() {
    let tcp = |workload: &str| {
        transfers(&format!(
            r#"flows.f = {{ from = "a", to = "b", controller = "cubic", workload = {workload} }}"#
        ))
    };
    // 10 Mbps carry 1.2 MB in a second.
    assert_eq!(tcp(r#"{ kind = "file", size = "1 MB" }"#), [1, 0]);
    assert_eq!(tcp(r#"{ kind = "file", size = "100 MB" }"#), [0, 1]);
    let exchange = |response: &str| {
        tcp(&format!(
            r#"{{ kind = "request-response", request = "100 B", response = "{response}", think = "1 s" }}"#
        ))
    };
    // The last answer came at 9 s, or is still under way.
    assert_eq!(exchange("100 B")[1], 0);
    assert_eq!(exchange("100 MB"), [0, 1]);
    let [received, unfinished] = tcp(
        r#"{ kind = "frames", rate = "20 Mbps", duration = "10 s", frame_rate = "10 per second" }"#,
    );
    assert!(received + unfinished == 100 && unfinished > 40, "{received} and {unfinished}");
    let [received, unfinished] = transfers(
        r#"flows.f = { from = "a", to = "b", protocol = "udp", workload = { kind = "frames", rate = "20 Mbps", duration = "10 s", frame_rate = "10 per second" } }"#,
    );
    assert!(received + unfinished == 100 && unfinished > 40, "{received} and {unfinished}");
}

#[test]
fn of_files_that_arrive_those_that_are_not_received_are_unfinished() {
    let load = |load: &str| {
        let flow = format!(
            r#"flows.f = {{ from = "a", to = "b", controller = "cubic", workload = {{ kind = "arrivals", sizes = "web-search", load = "{load}" }} }}"#
        );
        let tables = run(&scenario(&flow), 1);
        let flows = table(&tables, "flows");
        ["connections", "transfers", "unfinished_transfers"].map(|it| counts(flows, it)[0])
    };
    for it in ["20 %", "180 %", "400 %"] {
        let [connections, received, unfinished] = load(it);
        assert_eq!(connections, received + unfinished, "{it}");
        assert!(it == "20 %" || unfinished > 0, "{it}: {unfinished}");
    }
}

#[test]
fn a_consumers_file_that_is_not_received_is_unfinished() {
    let fetches = |size: &str| {
        let text = scenario(&format!(
            r#"
            producers.p = {{ node = "b", prefix = "/p" }}
            consumers.c = {{ node = "a", prefix = "/p", controller = "cubic", workload = {{ kind = "file", size = "{size}" }} }}
            "#
        ));
        counts(table(&run(&text, 1), "flows"), "unfinished_transfers")[0]
    };
    assert_eq!((fetches("100 kB"), fetches("100 MB")), (0, 1));
}

/// The columns that say what limited a flow, and for how long.
const LIMITS: [&str; 8] = [
    "handshake_s",
    "idle_s",
    "application_limited_s",
    "cwnd_limited_s",
    "pacing_limited_s",
    "host_queue_limited_s",
    "receive_window_limited_s",
    "send_buffer_limited_s",
];

#[test]
fn each_moment_of_a_flow_has_one_limit() {
    let keys = [
        "",
        ", pacing = true",
        r#", buffers.send = "10 kB""#,
        r#", buffers.receive = "10 kB""#,
        r#", workload = { kind = "on-off", on = "1 s", off = "1 s" }"#,
        r#", workload = { kind = "bulk", rate = "1 Mbps" }"#,
        r#", start = "2 s", stop = "9 s""#,
    ];
    for keys in keys {
        let flow = flow_with(keys);
        let total: f64 = LIMITS.iter().map(|it| numbers(&flow, it)[0]).sum();
        let until = if keys.contains("stop") { 9.0 } else { 10.0 };
        let since = if keys.contains("start") { 2.0 } else { 0.0 };
        // After the stop, what is in flight is still acknowledged.
        assert!((total - (until - since)).abs() < 0.1, "{keys}: {total}");
        assert!(keys.contains("stop") || (total - 10.0).abs() < 1e-9, "{keys}: {total}");
    }
}

/// A buffer of `B` bytes lets `B` out in a round trip (the rate that a window allows).
#[test]
fn a_flow_that_its_send_buffer_limits_has_the_rate_of_the_buffer() {
    let flow = flow_with(r#", buffers.send = "14480 B""#);
    // Ten segments in 22 ms, and what sending them takes.
    let share = numbers(&flow, "send_buffer_limited_s")[0] / 10.0;
    let goodput = numbers(&flow, "goodput_bps")[0];
    assert!(share > 0.95, "{share}");
    assert!(goodput < 14_480.0 * 8.0 / 0.022 && goodput > 14_480.0 * 8.0 / 0.030, "{goodput}");
}

#[test]
fn a_flow_over_udp_does_not_say_what_limited_it() {
    let udp = r#"flows.f = { from = "a", to = "b", protocol = "udp", rate = "4 Mbps" }"#;
    let flows = table(&run(&scenario(udp), 1), "flows").clone();
    assert!(LIMITS.iter().all(|it| flows[*it].is_null(0)));
}

/// What a flow counts with further keys.
fn flow_with(keys: &str) -> RecordBatch {
    let flow = format!(r#"flows.f = {{ from = "a", to = "b", controller = "cubic"{keys} }}"#);
    let queue = r#"defaults.link.queue = { kind = "drop-tail", limit = "20 packets" }"#;
    table(&run(&scenario(&format!("{flow}\n{queue}")), 1), "flows").clone()
}

#[test]
fn offload_is_off_unless_the_file_says_otherwise() {
    let usual = flow_with("");
    for key in [
        "offload.segmentation",
        "offload.receive",
        "acknowledgements.sack_compression",
        "acknowledgements.quick",
    ] {
        assert_eq!(flow_with(&format!(", {key} = false")), usual, "{key}");
        assert_ne!(flow_with(&format!(", {key} = true")), usual, "{key}");
    }
    // Without polls it does not matter when they are.
    assert_eq!(flow_with(r#", offload.coalescing = "5 ms""#), usual);
    let polled = |time: &str| {
        flow_with(&format!(r#", offload = {{ receive = true, coalescing = "{time}" }}"#))
    };
    assert_eq!(polled("50 us"), flow_with(", offload.receive = true"));
    assert_ne!(polled("5 ms"), polled("50 us"));
}

#[test]
fn a_constant_rate_is_exact() {
    let udp = r#"flows.udp = { from = "a", to = "b", protocol = "udp", rate = "4 Mbps", payload = "1000 B" }"#;
    let tables = run(&scenario(udp), 1);
    let flows = table(&tables, "flows");
    // One datagram in 2 ms, the first at 0 and the last at 10 s.
    assert_eq!(counts(flows, "datagrams"), [5001]);
    // Under way are those of the last 12 ms.
    let received = counts(flows, "received_bytes")[0];
    assert!((4_990_000..=4_995_000).contains(&received), "{received}");
}

#[test]
fn a_file_takes_hardly_more_than_the_least_time() {
    let file = r#"flows.file = { from = "a", to = "b", controller = "aimd", workload = { kind = "file", size = "5 MB" } }"#;
    let tables = run(&scenario(file), 1);
    let transfers = table(&tables, "transfers");
    let slowdown = numbers(transfers, "slowdown");
    assert!(slowdown.len() == 1 && (1.0..1.1).contains(&slowdown[0]), "{slowdown:?}");
    assert_eq!(counts(transfers, "size_bytes"), [5_000_000]);
    assert_eq!(counts(table(&tables, "flows"), "received_bytes"), [5_000_000]);
    assert_eq!(
        numbers(transfers, "completion_s"),
        numbers(table(&tables, "flows"), "completion_s")
    );
}

#[test]
fn answers_follow_each_other_at_the_pace_of_thinking() {
    let web = r#"flows.web = { from = "b", to = "a", controller = "aimd", workload = { kind = "request-response", response = "10 kB", think = "1 s" } }"#;
    let tables = run(&scenario(web), 1);
    let transfers = table(&tables, "transfers");
    // One each second and round trip.
    assert_eq!(transfers.num_rows(), 10);
    for pair in numbers(transfers, "start_s").windows(2) {
        let between = pair[1] - pair[0];
        assert!((1.02..1.2).contains(&between), "{between}");
    }
    assert!(numbers(transfers, "slowdown").iter().all(|it| *it >= 1.0));
}

/// The size and the beginning of each transfer, by its number.
fn by_number(flow: &str, queue: &str) -> BTreeMap<u64, (u64, f64)> {
    let queue = format!(r#"defaults.link.queue = {{ kind = "drop-tail", limit = "{queue}" }}"#);
    let text = scenario(&format!("{flow}\n{queue}")).replace("10 s\"", "100 s\"");
    let tables = run(&text, 1);
    let them = table(&tables, "transfers");
    let begun = counts(them, "size_bytes").into_iter().zip(numbers(them, "start_s"));
    let found: BTreeMap<_, _> = counts(them, "number").into_iter().zip(begun).collect();
    assert_eq!(found.len(), them.num_rows(), "numbers are unique");
    found
}

/// Files overtake each other in another order where the queue is another one.
#[test]
fn the_number_of_a_file_is_its_identity_in_every_case() {
    let flow = r#"flows.web = { from = "a", to = "b", controller = "cubic", workload = { kind = "arrivals", sizes = "web-search", load = "90 %" } }"#;
    let cases = [by_number(flow, "20 packets"), by_number(flow, "2000 packets")];
    let both = cases[0].keys().filter(|it| cases[1].contains_key(it));
    assert!(both.clone().count() > 20);
    for number in both {
        assert_eq!(cases[0][number], cases[1][number], "file {number}");
    }
    let in_order = cases[0].values().map(|it| it.1);
    assert!(in_order.is_sorted(), "files are numbered as they arrive");
}

/// A worker's answers, and those of the others, each in their order.
#[test]
fn answers_are_numbered_by_worker_and_request() {
    let flow = r#"flows.web = { from = "b", to = "a", controller = "cubic", workload = { kind = "request-response", response = "14480 B", workers = 3, think = "100 ms", periods = "exponential" } }"#;
    let answers = by_number(flow, "200 packets");
    for worker in 0..3 {
        let begun = answers.iter().filter(|it| it.0 % 3 == worker).map(|it| it.1.1);
        assert!(begun.clone().count() > 5 && begun.is_sorted(), "worker {worker}");
    }
}

/// The transfers of workers that ask for ten full segments, which take 12 ms of 10 Mbps, for a
/// minute: when each began, and how long it took.
fn asked_by(workers: usize, think: &str) -> Vec<(f64, f64)> {
    let queue = r#"defaults.link.queue = { kind = "drop-tail", limit = "10000 packets" }"#;
    let flow = format!(
        r#"
        [flows.web]
        from = "b"
        to = "a"
        controller = "cubic"
        workload = {{ kind = "request-response", response = "14480 B", workers = {workers}, {think} }}
        "#
    );
    let text = scenario(&format!("{queue}\n{flow}")).replace("10 s\"", "60 s\"");
    let tables = run(&text, 1);
    let transfers = table(&tables, "transfers");
    assert!(numbers(transfers, "slowdown").iter().all(|it| *it >= 1.0));
    numbers(transfers, "start_s").into_iter().zip(numbers(transfers, "completion_s")).collect()
}

/// One worker asks again exactly when it has thought.
#[test]
fn a_request_follows_an_answer_after_the_time_to_think() {
    let transfers = asked_by(1, r#"think = "100 ms""#);
    for pair in transfers.windows(2) {
        let ((start, completion), (next, _)) = (pair[0], pair[1]);
        assert!((next - start - completion - 0.1).abs() < 1e-9, "{start} {completion} {next}");
    }
}

/// The interactive response time law, `X = N / (R + Z)` (Lazowska et al., Quantitative System
/// Performance, 1984, section 3.5), of what was measured; and the bounds of throughput, of which
/// the nearer one is nearly reached away from where they meet, at 11 workers (section 5.2).
#[test]
fn workers_are_a_closed_system() {
    // The link's 12 ms for an answer, and 22 ms for the request and back, which one worker sees.
    let (think, demand, alone) = (0.1, 0.012, 0.0362);
    for workers in [1, 3, 100] {
        let transfers = asked_by(workers, r#"think = "100 ms", periods = "exponential""#);
        let received = transfers.len() as f64;
        let throughput = received / 60.0;
        let response = transfers.iter().map(|it| it.1).sum::<f64>() / received;
        let law = workers as f64 / (response + think);
        // Three standard errors of the mean of exponential times, and what is under way at the
        // end.
        let error = 3.0 / received.sqrt() + workers as f64 / received;
        assert!((throughput / law - 1.0).abs() < error, "{workers}: {throughput} {law}");
        let bound = (1.0_f64 / demand).min(workers as f64 / (alone + think));
        let share = throughput / bound;
        assert!(share > 0.9 && share < 1.0 + error, "{workers}: {share} of {bound}");
        // Never are more requests under way than workers.
        let under_way = |at: f64| transfers.iter().filter(move |it| it.0 <= at && at < it.0 + it.1);
        assert!(transfers.iter().all(|it| under_way(it.0).count() <= workers));
    }
}

/// RFC 896: a character each 200 ms over a round trip of 5 s. The first goes alone, and with each
/// acknowledgement the 25 that were typed meanwhile.
#[test]
fn a_typist_over_a_slow_path_sends_a_segment_a_round_trip() {
    let typed = |nagle: &str| {
        let text = format!(
            r#"
            duration = "101 s"
            nodes = {{ a = {{}}, b = {{}} }}
            links.slow = {{ nodes = ["a", "b"], rate = "1 Mbps", delay = "2.5 s" }}
            [flows.keys]
            from = "a"
            to = "b"
            controller = "reno"
            socket.write_size = "1 B"
            acknowledgements.every = "1 segments"
            timeout.initial = "10 s"
            workload = {{ kind = "bulk", rate = "40 bps" }}
            {nagle}
            "#
        );
        let tables = run(&text, 1);
        let flows = table(&tables, "flows");
        (counts(flows, "segments")[0], counts(flows, "received_bytes")[0])
    };
    // The connection stands after 5 s; what was typed until then goes in single characters too.
    let (segments, received) = typed("");
    assert!((500..=506).contains(&segments) && received > 480, "{segments} {received}");
    assert_eq!(typed(r#"socket.nagle = "off""#), (segments, received));
    for nagle in ["classic", "minshall"] {
        let (segments, received) = typed(&format!(r#"socket.nagle = "{nagle}""#));
        assert!((20..=21).contains(&segments) && received > 470, "{nagle}: {segments} {received}");
    }
}

/// A request in two writes is answered when the second is there, which waits for the delayed
/// acknowledgement of the first.
#[test]
fn a_request_in_two_writes_takes_a_delayed_acknowledgement_more() {
    let answers = |keys: &str| {
        let text = scenario(&format!(
            r#"
            [flows.web]
            from = "b"
            to = "a"
            controller = "cubic"
            socket.write_size = "50 B"
            workload = {{ kind = "request-response", response = "50 B", think = "1 s" }}
            {keys}
            "#
        ));
        let tables = run(&text, 1);
        numbers(table(&tables, "transfers"), "completion_s")
    };
    let usual = answers("");
    for (within, more) in [("40 ms", 0.04), ("200 ms", 0.2)] {
        let keys = format!("socket.nagle = \"minshall\"\nacknowledgements.within = \"{within}\"");
        for (with, without) in answers(&keys).iter().zip(&usual).skip(1) {
            // And a round trip of 22 ms and two packets more.
            assert!((with - without - more - 0.022).abs() < 0.001, "{with} {without}");
        }
    }
}

#[test]
fn turns_of_equal_length_carry_half() {
    let turns = r#"flows.turns = { from = "a", to = "b", controller = "aimd", workload = { kind = "on-off", on = "5 s", off = "5 s" } }"#;
    let tables = run(&scenario(turns), 1);
    let goodput = numbers(table(&tables, "flows"), "goodput_bps")[0];
    let half = 0.5 * 10e6 * 1448.0 / 1500.0;
    // Two windows of data wait to be sent when the application stops.
    assert!((goodput / half - 1.0).abs() < 0.1, "{goodput}");
}

#[test]
fn a_link_that_changes_carries_what_its_rates_allow() {
    let bulk = r#"flows.bulk = { from = "a", to = "b", controller = "aimd" }
        defaults.link.changes = [{ at = "5 s", rate = "2 Mbps" }]"#;
    let half_way = run(&scenario(bulk), 1);
    let goodput = numbers(table(&half_way, "flows"), "goodput_bps")[0];
    let most = 6e6 * 1448.0 / 1500.0;
    assert!(goodput <= 1.01 * most && goodput > 0.85 * most, "{goodput}");
    let down = bulk.replace("rate = \"2 Mbps\"", "state = \"down\"");
    let goodput = numbers(table(&run(&scenario(&down), 1), "flows"), "goodput_bps")[0];
    let most = 5e6 * 1448.0 / 1500.0;
    assert!(goodput <= most && goodput > 0.85 * most, "{goodput}");
}

/// 100,000 files on average: three standard errors of their number are one
/// percent.
#[test]
fn arrivals_offer_the_load_that_is_asked_for() {
    let arrivals = r#"
        duration = "40 s"
        recording.interval = "10 s"
        nodes = { a = {}, b = {} }
        links.core = { nodes = ["a", "b"], rate = "55.2 Mbps", delay = "1 ms" }
        flows.web = { from = "a", to = "b", controller = "aimd", workload = { kind = "arrivals", sizes = "1328 B", load = "50 %" } }"#;
    // Packets of 1380 bytes: 2500 files a second are half the rate.
    let tables = run(arrivals, 1);
    let received = counts(table(&tables, "transfers"), "size_bytes").len() as f64;
    assert!((received / 100_000.0 - 1.0).abs() < 0.01, "{received}");
    let flows = table(&tables, "flows");
    let [opened, finished] = ["connections", "transfers"].map(|column| counts(flows, column)[0]);
    assert!(opened >= finished && opened - finished < 100, "{opened} {finished}");
    assert!(numbers(table(&tables, "transfers"), "slowdown").iter().all(|it| *it >= 1.0));
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let text = scenario(
        r#"
        flows.web = { from = "a", to = "b", controller = "cubic", start_within = "1 s", workload = { kind = "arrivals", sizes = "web-search", load = "80 %" } }
        flows.noise = { from = "b", to = "a", protocol = "udp", rate = "1 Mbps", workload = { kind = "on-off", on = "100 ms", off = "50 ms", periods = "exponential" } }
        defaults.link.loss = { probability = "1 %" }
        "#,
    );
    let text = format!("runs = 4\n{text}");
    let (one, four) = (run(&text, 1), run(&text, 4));
    for ((name, one), (_, four)) in one.iter().zip(&four) {
        assert_eq!(one, four, "{name}");
    }
}

#[test]
fn ndn_and_tcp_share_a_link() {
    let both = r#"
        producers.video = { node = "b", prefix = "/video" }
        consumers.viewer = { node = "a", prefix = "/video", controller = "cubic" }
        flows.bulk = { from = "b", to = "a", controller = "cubic" }"#;
    let tables = run(&scenario(both), 1);
    let flows = table(&tables, "flows");
    let goodput = numbers(flows, "goodput_bps");
    assert!(goodput.iter().all(|it| *it > 1e6), "{goodput:?}");
    assert!(goodput.iter().sum::<f64>() < 10e6, "{goodput:?}");
    let protocols = flows["protocol"].as_string::<i32>();
    assert_eq!([protocols.value(0), protocols.value(1)], ["ndn", "tcp"]);
    assert!(flows["segments"].is_null(0) && flows["interests"].is_null(1));
}

/// What the two flows get of 10 Mbps while both send.
fn shares(first: &str, second: &str) -> (f64, f64) {
    let text = scenario(&format!(
        r#"
        defaults.link.queue = {{ kind = "drop-tail", limit = "200 packets" }}
        flows.first = {{ from = "a", to = "b", {first} }}
        flows.second = {{ from = "a", to = "b", start = "20 s", {second} }}
        "#
    ));
    let text = text.replace("10 s\"", "60 s\"");
    let tables = run(&text, 1);
    let series = table(&tables, "flow_series");
    let flows = series["flow"].as_string::<i32>();
    let (time, goodput) = (numbers(series, "time_s"), numbers(series, "goodput_bps"));
    let mean = |name: &str| {
        let rows = (0..series.num_rows()).filter(|it| flows.value(*it) == name && time[*it] > 30.0);
        let values: Vec<f64> = rows.map(|it| goodput[it]).collect();
        values.iter().sum::<f64>() / values.len() as f64 / 10e6
    };
    (mean("first"), mean("second"))
}

/// RFC 9840: a flow whose receiver runs LEDBAT++ leaves the line to one of CUBIC, as one whose
/// sender runs it does, and fills the line while it is alone. BBR keeps the queue shorter than
/// LEDBAT++'s target, and gets no more than half beside either.
#[test]
fn a_receiver_yields_whatever_its_sender_does() {
    let receiver = r#"controller = "cubic", receiver_controller = "ledbat-plus-plus""#;
    let sender = r#"controller = "ledbat-plus-plus""#;
    let beside = |other: &str| {
        let second = format!("controller = \"{other}\"");
        [receiver, sender, r#"controller = "cubic""#].map(|first| shares(first, &second).0)
    };
    let [by_receiver, by_sender, neither] = beside("cubic");
    assert!(by_receiver < 0.02 && by_sender < 0.02, "{by_receiver} {by_sender}");
    assert!(neither > 0.3, "{neither}");
    let [by_receiver, by_sender, _] = beside("bbr1");
    assert!((0.3..0.6).contains(&by_receiver), "{by_receiver}");
    assert!((by_receiver - by_sender).abs() < 0.15, "{by_receiver} {by_sender}");
    // With a target of one base round trip, it yields to that as well.
    let short = r#"{ kind = "ledbat-plus-plus", target = 0.022 }"#;
    let first = format!(r#"controller = "cubic", receiver_controller = {short}"#);
    let (yielding, bbr) = shares(&first, r#"controller = "bbr1""#);
    assert!(yielding < 0.1 && bbr > 0.8, "{yielding} {bbr}");
    let text = scenario(&format!("flows.alone = {{ from = \"a\", to = \"b\", {receiver} }}"));
    let tables = run(&text.replace("10 s\"", "60 s\""), 1);
    let flows = table(&tables, "flows");
    let goodput = numbers(flows, "goodput_bps")[0] / (10e6 * 1448.0 / 1500.0);
    assert!(goodput > 0.8, "{goodput}");
    let controller = flows["flow_controller"].as_string::<i32>().value(0);
    assert_eq!(controller, "cubic, receiver: ledbat-plus-plus");
}

#[test]
fn what_a_receiver_cannot_give_its_controller_is_refused() {
    let refused = |keys: &str| {
        let flow = format!(r#"flows.f = {{ from = "a", to = "b", controller = "cubic", {keys} }}"#);
        windtunnel_lab::read("test.toml", &scenario(&flow), &[]).unwrap_err().to_string()
    };
    let message = refused(r#"receiver_controller = "bbr1""#);
    assert!(message.contains("which a receiver does not have"), "{message}");
    assert!(message.contains("ledbat-plus-plus"), "{message}");
    let message = refused(r#"receiver_controller = "ledbat", timestamps = false"#);
    assert!(message.contains("`receiver_controller` requires timestamps"), "{message}");
    let message = refused(r#"receiver_controller = "ledbat", multipath = {}"#);
    assert!(
        message.contains("`receiver_controller` and `multipath` cannot both be set"),
        "{message}"
    );
    let message = refused(r#"receiver_controller = "ledbat+""#);
    assert!(message.contains("ledbat"), "{message}");
}

/// The windows of a flow or its subflows after each of the first intervals of 50 ms.
fn first_windows(table_of: &str, more: &str) -> Vec<f64> {
    let tables = run(
        &format!(
            r#"
            duration = "300 ms"
            recording.interval = "50 ms"
            nodes = {{ a = {{}}, b = {{}} }}
            links.first = {{ nodes = ["a", "b"], rate = "1 Gbps", delay = "25 ms" }}
            links.second = {{ nodes = ["a", "b"], rate = "1 Gbps", delay = "25 ms" }}
            defaults.link.queue = {{ kind = "drop-tail", limit = "1000 packets" }}
            flows.f = {{ from = "a", to = "b", controller = "reno", maximum_segment = "1000 B"{more} }}
            "#
        ),
        1,
    );
    numbers(table(&tables, table_of), "cwnd_segments")
}

#[test]
fn slow_start_ends_at_the_initial_threshold_of_a_flow_and_of_each_subflow() {
    let greatest = |windows: Vec<f64>| windows.into_iter().fold(0.0, f64::max);
    let bounded = r#", window.ssthresh = "30 kB""#;
    assert!(greatest(first_windows("flow_series", "")) > 40.0);
    let window = greatest(first_windows("flow_series", bounded));
    assert!((30.0..35.0).contains(&window), "{window}");
    let paths = format!(r#"{bounded}, multipath = {{ paths = [["first"], ["second"]] }}"#);
    let window = greatest(first_windows("subflow_series", &paths));
    assert!((30.0..35.0).contains(&window), "{window}");
}
