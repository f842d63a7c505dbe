//! Players, from the scenario file to their tables.

use crate::common::{assert_contains, refused, unmarked};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use windtunnel_lab::{Batch, tables};

/// The file that the scenario of a test would be: it finds what is beside it.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/test.toml");

/// A server and a player, 10 ms apart, at a rate in Mbit/s.
fn scenario(mbps: f64, seconds: u32, workload: &str) -> String {
    format!(
        r#"
        duration = "{seconds} s"
        nodes = {{ a = {{}}, b = {{}} }}
        [links.line]
        nodes = ["a", "b"]
        rate = "{mbps} Mbps"
        delay = "10 ms"
        queue = {{ kind = "drop-tail", limit = "100 packets" }}
        [flows.video]
        from = "a"
        to = "b"
        controller = "cubic"
        workload = {{ {workload} }}
        "#
    )
}

type Tables = Vec<(&'static str, RecordBatch)>;

fn run(text: &str) -> Tables {
    let study = windtunnel_lab::read(FILE, text, &[]).unwrap_or_else(|error| panic!("{error}"));
    let (study, outcome) = Batch::start(study, 1).finish();
    assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
    tables::all(&study, &outcome.runs)
}

fn table<'a>(tables: &'a Tables, name: &str) -> &'a RecordBatch {
    &tables.iter().find(|it| it.0 == name).expect("a table of that name").1
}

fn number(table: &RecordBatch, column: &str) -> f64 {
    let values = table[column].as_primitive::<Float64Type>();
    assert!(!values.is_null(0), "{column}");
    values.value(0)
}

fn count(table: &RecordBatch, column: &str) -> u64 {
    let values = table[column].as_primitive::<UInt64Type>();
    assert!(!values.is_null(0), "{column}");
    values.value(0)
}

/// The goodput of full segments on a link, in Mbit/s.
fn goodput(mbps: f64) -> f64 {
    mbps * 1448.0 / 1500.0
}

const FILM: &str = r#"kind = "video", rate = "5.24 Mbps", duration = "180 s""#;

#[test]
fn a_film_on_a_line_that_is_too_slow_underflows_when_the_equation_says() {
    // 4.85 Mb/s carry 4.68 Mb/s; the request and slow start come before.
    let share = goodput(4.85) / 5.24;
    let expected = 1.0 / (share * (1.0 - share));
    let tables = run(&scenario(4.85, 30, FILM));
    let series = table(&tables, "playback_series");
    let times = series["time_s"].as_primitive::<Float64Type>().values();
    let playing = series["is_playing"].as_boolean();
    let begins = (0..times.len()).find(|it| playing.value(*it)).unwrap();
    let pauses = (begins..times.len()).find(|it| !playing.value(*it)).unwrap();
    // Slow start loses a few of the first hundred milliseconds, each of which is worth more than
    // nine at the end: the buffer loses a ninth of a second in a second.
    let late = expected - times[pauses];
    assert!((-0.5..2.0).contains(&late), "{expected} against {}", times[pauses]);
    let players = table(&tables, "players");
    assert!(count(players, "underflows") >= 1);
    let whole =
        number(players, "startup_s") + number(players, "stalled_s") + number(players, "played_s");
    assert!((whole - 30.0).abs() < 1e-9, "{whole}");
}

#[test]
fn a_film_on_a_line_that_is_fast_enough_plays_to_its_end() {
    let film = FILM.replace("180 s", "60 s");
    let tables = run(&scenario(7.0, 70, &film));
    let players = table(&tables, "players");
    assert_eq!((count(players, "underflows"), count(players, "discarded_frames")), (0, 0));
    assert_eq!(count(players, "frames"), 60 * 30);
    assert!((number(players, "played_s") - 60.0).abs() < 1e-9);
    // The handshake, the request, and a second of video with the slow start before it.
    let startup = number(players, "startup_s");
    let least = 0.04 + 5.24 / goodput(7.0);
    assert!((least..least + 0.2).contains(&startup), "{startup} against {least}");
    let transfers = table(&tables, "transfers");
    assert_eq!(count(transfers, "size_bytes"), 5_240_000 / 8 * 60);
    assert!(number(transfers, "slowdown") >= 1.0);
    assert!(table(&tables, "flows")["completion_s"].is_null(0));
}

#[test]
fn what_pauses_one_player_costs_the_other_its_frames() {
    let discarding = format!("{FILM}, late_frames = \"discard\"");
    let tables = run(&scenario(4.0, 60, &discarding));
    let players = table(&tables, "players");
    assert_eq!((count(players, "underflows"), number(players, "stalled_s")), (0, 0.0));
    // A share of what is played comes too late, and what refers to it is lost as well.
    let frames = count(players, "frames") as f64;
    assert!(count(players, "discarded_frames") as f64 > 0.2 * frames);
}

#[test]
fn a_stream_has_the_level_that_the_line_sustains() {
    let rules = ["throughput", "bola", "bola-e", "mpc", "robust-mpc"];
    for rule in rules {
        let stream = format!(
            r#"kind = "adaptive-video", levels = ["1 Mbps", "2 Mbps", "4 Mbps", "8 Mbps"],
               segment = "2 s", duration = "100 s", rule = "{rule}""#
        )
        .replace('\n', " ");
        let tables = run(&scenario(5.0, 120, &stream));
        let players = table(&tables, "players");
        assert_eq!(players["player_rule"].as_string::<i32>().value(0), rule);
        assert_eq!(count(players, "video_segments"), 50, "{rule}");
        // Model predictive control stalls where that costs less than a higher level is worth.
        let underflows = count(players, "underflows");
        assert!(underflows == 0 || rule.ends_with("mpc"), "{rule}: {underflows}");
        let quality = number(players, "quality_bps");
        assert!((3e6..5e6).contains(&quality), "{rule}: {quality}");
        let played = number(players, "played_s");
        assert!((played - 100.0).abs() < 1e-9, "{rule}: {played}");
        let segments = table(&tables, "video_segments");
        let buffers = segments["buffer_s"].as_primitive::<Float64Type>().values();
        assert!(buffers.iter().all(|it| *it <= 25.0 + 1e-9), "{rule}: {buffers:?}");
        let sizes = segments["size_bytes"].as_primitive::<UInt64Type>().values();
        let received = count(table(&tables, "flows"), "received_bytes");
        assert_eq!(sizes.iter().sum::<u64>(), received, "{rule}");
        // Its quality of experience is that of its segments.
        let bitrates = segments["quality_bps"].as_primitive::<Float64Type>().values();
        let changes: f64 = bitrates.windows(2).map(|it| (it[1] - it[0]).abs()).sum();
        let stalled = number(players, "stalled_s");
        let expected = (bitrates.iter().sum::<f64>() / 1e6 - changes / 1e6 - 4.3 * stalled) / 50.0;
        assert!((number(players, "experience") - expected).abs() < 1e-9, "{rule}");
    }
}

#[test]
fn a_stream_stalls_when_the_line_is_down() {
    let text = scenario(
        6.0,
        100,
        r#"kind = "adaptive-video", file = "video/bbb.json", duration = "60 s", rule = "bola""#,
    );
    let down = r#"{ at = "10 s", state = "down" }, { at = "50 s", state = "up" }"#;
    let text = text.replace("[flows.video]", &format!("changes = [{down}]\n[flows.video]"));
    let tables = run(&text);
    let players = table(&tables, "players");
    assert_eq!(count(players, "underflows"), 1);
    let stalled = number(players, "stalled_s");
    // No more than 25 s were in the buffer.
    assert!((15.0..45.0).contains(&stalled), "{stalled}");
    assert!(number(players, "experience") < 0.0);
}

#[test]
fn live_frames_take_the_path_or_wait_for_each_other() {
    let call = r#"kind = "frames", file = "video/chat-1080p-2000.txt", duration = "20 s""#;
    let on_time = run(&scenario(20.0, 30, call));
    let players = table(&on_time, "players");
    assert_eq!((count(players, "frames"), count(players, "late_frames")), (600, 0));
    assert!(players["startup_s"].is_null(0) && players["underflows"].is_null(0));
    let transfers = table(&on_time, "transfers");
    let delays = transfers["completion_s"].as_primitive::<Float64Type>().values();
    let sizes = transfers["size_bytes"].as_primitive::<UInt64Type>().values();
    let slowdowns = transfers["slowdown"].as_primitive::<Float64Type>().values();
    assert_eq!(delays.len(), 600);
    for (delay, size) in delays.iter().zip(sizes) {
        let least = 0.01 + *size as f64 * 8.0 / 20e6;
        assert!(*delay >= least && *delay < least + 0.08, "{delay} against {least}");
    }
    assert!(slowdowns.iter().all(|it| *it >= 1.0 - 1e-9));
    // Frames of 2 Mb/s on 1.5 Mb/s: each waits longer than the one before.
    let late = run(&scenario(1.5, 30, call));
    assert!(count(table(&late, "players"), "late_frames") > 500);
}

#[test]
fn flows_without_players_have_no_rows() {
    let tables = run(&scenario(5.0, 2, r#"kind = "file", size = "10 kB""#));
    for name in ["players", "video_segments", "playback_series"] {
        assert_eq!(table(&tables, name).num_rows(), 0, "{name}");
    }
}

/// Refused at the mark, with all of that in the message.
#[track_caller]
fn assert_refused(workload: &str, expected: &[&str]) {
    let text = scenario(5.0, 10, workload);
    let error = refused(&text, |text| windtunnel_lab::read(FILE, text, &[]));
    assert_contains(&error, expected);
}

#[test]
fn what_no_player_can_play_is_refused_with_what_would_be_right() {
    let stream = r#"kind = "adaptive-video", rule = "bola", "#;
    let file = r#"file = "video/bbb.json""#;
    let cases = [
        (
            format!(r#"kind = "adaptive-video", {file}, rule = ¶"bolla""#),
            ["there is no rule", "did you mean `bola`?"],
        ),
        (format!(r#"{stream} file = ¶"video/bb.json""#), ["video/bb.json", "no such file"]),
        (
            format!(r#"{stream} {file}, duration = ¶"20 min""#),
            ["video/bbb.json has a duration of 597 s", "leave `duration` out"],
        ),
        (
            format!(r#"{stream} {file}, maximum_buffer = ¶"3 s""#),
            ["must be longer than a segment, 3 s", "\"25 s\""],
        ),
        (
            format!(r#"{stream} levels = ¶["2 Mbps", "1 Mbps"], segment = "2 s""#),
            ["1000 kbit/s follows 2000 kbit/s", "must rise"],
        ),
        (
            format!(r#"{stream} levels = ¶["2 Mbps"], segment = "2 s""#),
            ["requires `duration`", "120 s"],
        ),
        (
            format!(r#"{stream} {file}, levels = ¶["2 Mbps"]"#),
            ["`file` and `levels` cannot both be set", "write one of them"],
        ),
        (
            format!(r#"kind = "adaptive-video", {file}, rule = {{ kind = "mpc", horizon = ¶9 }}"#),
            ["between 1 and 7 segments", "horizon = 5"],
        ),
        (
            format!(r#"{stream} {file}, request = ¶"1440 B""#),
            ["`request` must be between 1 B and 1438 B", "request ="],
        ),
        (
            r#"kind = "video", rate = "1 Mbps", duration = "9 s", group = ¶"BIP""#.to_owned(),
            ["\"BIP\" is not a group of pictures", "IBBPBBPBBPBB"],
        ),
        (
            r#"kind = "video", file = "video/chat-1080p-2000.txt", duration = ¶"241 s""#.to_owned(),
            ["has 7200 frames, which are 4 min", "leave `duration` out"],
        ),
        (
            r#"kind = "video", file = ¶"video/README.md""#.to_owned(),
            ["video/README.md:3:1", "is not the size of a frame in bytes"],
        ),
        (
            r#"kind = "frames", rate = "1 Mbps", duration = "9 s", frame_rate = ¶"0 per second""#
                .to_owned(),
            ["greater than zero", "30 per second"],
        ),
        (
            r#"kind = "adaptive-video", rule = "bola", file = ¶"video.toml""#.to_owned(),
            ["video.toml:1:", "not a ladder of segments"],
        ),
    ];
    for (workload, expected) in &cases {
        assert_refused(workload, expected);
    }
}

#[test]
fn a_video_without_rate_or_duration_is_refused() {
    for (workload, missing) in [
        (r#"kind = "video", rate = "1 Mbps""#, "`duration`"),
        (r#"kind = "frames", duration = "1 s""#, "`rate`"),
    ] {
        let text = scenario(5.0, 10, workload);
        let error = windtunnel_lab::read(FILE, &text, &[]).expect_err("it is not known how long");
        assert_contains(&error, &[missing, "file"]);
    }
    let (text, _) = unmarked(&scenario(5.0, 10, r#"kind = "adaptive-video", rule = ¶"bola""#));
    let error = windtunnel_lab::read(FILE, &text, &[]).expect_err("it has no levels");
    assert_contains(&error, &["requires `file` or `levels`"]);
}

#[test]
fn frames_in_datagrams_do_not_wait_for_lost_ones() {
    // A queue of ten packets: the largest frames overflow it.
    let call = scenario(3.0, 30, r#"kind = "frames", file = "video/chat-1080p-2000.txt""#)
        .replace("controller = \"cubic\"", "protocol = \"udp\"")
        .replace("100 packets", "10 packets");
    let tables = run(&call);
    let [flows, players, transfers] =
        ["flows", "players", "transfers"].map(|it| table(&tables, it));
    assert_eq!(flows["protocol"].as_string::<i32>().value(0), "udp");
    assert_eq!(count(players, "frames"), 900);
    let lost = count(table(&tables, "links"), "overlimit_drops");
    assert!(lost > 0);
    // Each frame is whole, or something of it was lost.
    let whole = transfers.num_rows() as u64;
    assert!(whole < 900 && whole + lost >= 899, "{whole} {lost}");
    let delays = transfers["completion_s"].as_primitive::<Float64Type>().values();
    let sizes = transfers["size_bytes"].as_primitive::<UInt64Type>().values();
    for (delay, size) in delays.iter().zip(sizes) {
        // Ten packets before it, and its own.
        let least = 0.01 + *size as f64 * 8.0 / 3e6;
        assert!((least..least + 0.05).contains(delay), "{delay} against {least}");
    }
    let late = delays.iter().filter(|it| **it > 0.1).count() as u64;
    let missing = 900 - whole;
    let counted = count(players, "late_frames");
    // The frames of the last 100 ms may still come.
    assert!(((late + missing).saturating_sub(4)..=late + missing).contains(&counted), "{counted}");
    let rate = r#"kind = "frames", file = "video/chat-1080p-2000.txt""#;
    let both = scenario(3.0, 30, rate)
        .replace("controller = \"cubic\"", "protocol = \"udp\"\nrate = ¶\"1 Mbps\"");
    let error = refused(&both, |text| windtunnel_lab::read(FILE, text, &[]));
    assert_contains(&error, &["`rate` cannot be set"]);
}
