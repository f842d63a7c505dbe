//! The settings of flows and consumers are in tables by subject, which complete each other; keys
//! from before there were such tables are answered with where they are now.

use std::sync::Arc;

use crate::common::{VALID, assert_contains, changed, read, refused, set, with};
use proptest::prelude::*;
use windtunnel_engine::Duration;
use windtunnel_lab::Study;
use windtunnel_transports::ndn::consumer::{ConsumerTimeout, ConsumerWindow};
use windtunnel_transports::rtt::RtoLimits;
use windtunnel_transports::tcp::{
    Acknowledgements, Buffers, Misbehaviour, Nagle, Offload, Socket, TcpSettings, Window,
};
use windtunnel_world::Transport;

/// The keys of flows over TCP that were in no group, and where they are now.
const OF_FLOWS: [(&str, &str); 21] = [
    ("acknowledge_every", "acknowledgements.every"),
    ("acknowledge_within", "acknowledgements.within"),
    ("after_idleness", "window.after_idleness"),
    ("after_path_change", "window.after_path_change"),
    ("initial_ssthresh", "window.ssthresh"),
    ("initial_timeout", "timeout.initial"),
    ("initial_window", "window.initial"),
    ("maximum_receive_buffer", "buffers.maximum_receive"),
    ("maximum_timeout", "timeout.maximum"),
    ("minimum_timeout", "timeout.minimum"),
    ("minimum_variation", "timeout.minimum_variation"),
    ("minimum_window", "window.minimum"),
    ("nagle", "socket.nagle"),
    ("reading", "socket.reading"),
    ("receive_buffer", "buffers.receive"),
    ("receive_coalescing", "offload.coalescing"),
    ("receive_offload", "offload.receive"),
    ("sack_compression", "acknowledgements.sack_compression"),
    ("segmentation_offload", "offload.segmentation"),
    ("send_buffer", "buffers.send"),
    ("write_size", "socket.write_size"),
];

/// Those of consumers.
const OF_CONSUMERS: [(&str, &str); 12] = [
    ("backoff", "timeout.backoff"),
    ("initial_timeout", "timeout.initial"),
    ("initial_window", "window.initial"),
    ("late_data", "timeout.late_data"),
    ("maximum_timeout", "timeout.maximum"),
    ("minimum_timeout", "timeout.minimum"),
    ("minimum_window", "window.minimum"),
    ("most_doublings", "timeout.most_doublings"),
    ("rtt_gain", "timeout.rtt_gain"),
    ("timeout_check", "timeout.check"),
    ("timeout_meaning", "timeout.meaning"),
    ("window_fraction", "window.fraction"),
];

const FLOW: &str = "[flows.f]\nfrom = \"a\"\nto = \"c\"\ncontroller = \"reno\"\n";

fn flow(keys: &str) -> String {
    with(&format!("{FLOW}{keys}\n"))
}

fn settings(study: &Study, place: usize) -> Arc<TcpSettings> {
    let Transport::Tcp { settings, .. } = &study.cases[0].plan.flows[place].transport else {
        panic!("it is over TCP")
    };
    Arc::clone(settings)
}

fn settings_of(text: &str) -> Arc<TcpSettings> {
    settings(&read(text).unwrap_or_else(|it| panic!("{it}")), 0)
}

#[track_caller]
fn assert_moved(marked: &str, (old, new): (&str, &str)) {
    assert_contains(&refused(marked, read), &[&format!("`{old}` is now `{new}`")]);
}

#[test]
fn a_key_that_is_in_a_group_now_is_answered_with_its_place() {
    for moved in OF_FLOWS {
        let (old, _) = moved;
        assert_moved(&flow(&format!("¶{old} = 1")), moved);
        assert_moved(&flow(&format!("[defaults.flow]\n¶{old} = 1")), moved);
        let tunnel = format!("tcp = {{ controller = \"reno\", ¶{old} = 1 }}");
        let tunnel = format!("[tunnels.t]\nnodes = [\"a\", \"c\"]\nkind = \"tcp\"\n{tunnel}");
        assert_moved(&flow(&tunnel), moved);
    }
    for moved in OF_CONSUMERS {
        let (old, _) = moved;
        let consumer = changed("\"cubic\"\n", &format!("\"cubic\"\n¶{old} = 1\n"));
        assert_moved(&consumer, moved);
        assert_moved(&with(&format!("[defaults.consumer]\n¶{old} = 1\n")), moved);
    }
}

#[test]
fn so_it_is_where_many_flows_have_it_in_turn() {
    let many = "[flows.f]\nfrom = \"a\"\nto = \"c\"\ncontroller = \"reno\"\ncount = 2\n";
    let many = with(&format!("{many}in_turn.¶initial_window = [\"1 segment\", \"2 segments\"]\n"));
    assert_moved(&many, ("initial_window", "window.initial"));
}

#[test]
fn so_it_is_where_a_case_or_the_command_line_sets_it() {
    for path in ["flows.f.initial_window", "defaults.flow.initial_window"] {
        let case = format!("[compare.window]\nsmall = {{ ¶\"{path}\" = \"1 segment\" }}");
        let error = refused(&flow(&case), read);
        assert_contains(
            &error,
            &["`initial_window` is now `window.initial`", "(in the case small)"],
        );
        let error = set(&flow(""), &[(path, "1 segment")]).expect_err("it has moved");
        let expected = format!("{path}=1 segment: `initial_window` is now `window.initial`");
        assert_contains(&error, &[&expected]);
    }
}

/// What a table has no such group for is an unknown key, as before.
#[test]
fn a_key_is_said_to_have_moved_only_where_its_group_is() {
    for (wrong, key) in [
        (changed("title =", "¶nagle ="), "nagle"),
        (changed("delay = \"1 ms\"", "delay = \"1 ms\", ¶send_buffer = 1"), "send_buffer"),
        (changed("\"cubic\"\n", "\"cubic\"\n¶nagle = 1\n"), "nagle"),
    ] {
        let error = refused(&wrong, read);
        assert_contains(&error, &[&format!("unknown key `{key}`")]);
    }
    let udp = "[flows.f]\nfrom = \"a\"\nto = \"c\"\nprotocol = \"udp\"\nrate = \"1 Mbps\"\n";
    let error = refused(&with(&format!("{udp}¶nagle = 1\n")), read);
    assert_contains(&error, &["unknown key `nagle`"]);
}

#[test]
fn an_unknown_key_of_a_group_gets_the_nearest_known_one() {
    let error = refused(&flow("window.¶inital = \"2 segments\""), read);
    assert_contains(&error, &["unknown key `inital`", "mean `initial`?"]);
}

/// Each value that a file writes is in the settings, and nothing else changes.
#[test]
fn what_a_group_says_is_what_the_transport_gets() {
    let text = flow(
        "window = { initial = \"4 segments\", minimum = \"3 segments\", ssthresh = \"14480 B\" }
         acknowledgements = { every = \"3 segments\", within = \"25 ms\", sack_compression = true, quick = true, misbehaviour = \"hidden-marks\" }
         timeout.initial = \"2 s\"
         timeout.minimum = \"30 ms\"
         timeout.minimum_variation = \"1 ms\"
         timeout.maximum = \"9 s\"
         buffers = { receive = \"1 MB\", send = \"2 MB\" }
         socket = { write_size = \"100 B\", nagle = \"minshall\" }
         offload = { segmentation = true, receive = true, coalescing = \"5 us\" }",
    );
    let it = settings_of(&text);
    let (initial, minimum) = (4.0, Some(3.0));
    let window = Window { initial, minimum, ssthresh: Some(14_480), ..Window::default() };
    assert_eq!(it.window, window);
    let start = it.start();
    assert_eq!(
        (start.initial_window, start.minimum_window, start.initial_ssthresh),
        (4.0, 3.0, 10.0)
    );
    let (within, misbehaviour) = (Duration::from_millis(25), Some(Misbehaviour::HiddenMarks));
    let acknowledgements =
        Acknowledgements { every: 3, within, sack_compression: true, quick: true, misbehaviour };
    assert_eq!(it.acknowledgements, acknowledgements);
    let limits = RtoLimits {
        initial: Duration::from_secs(2),
        minimum: Duration::from_millis(30),
        minimum_variation: Duration::from_millis(1),
        maximum: Duration::from_secs(9),
        ..RtoLimits::linux()
    };
    assert_eq!(it.timeout, limits);
    let (receive, send) = (Some(1_000_000), 2_000_000);
    assert_eq!(it.buffers, Buffers { receive, send, ..Buffers::default() });
    let (write_size, nagle) = (Some(100), Nagle::Minshall);
    assert_eq!(it.socket, Socket { write_size, nagle, ..Socket::default() });
    let coalescing = Duration::from_micros(5);
    assert_eq!(it.offload, Offload { segmentation: true, receive: true, coalescing });
}

#[test]
fn a_group_is_completed_key_by_key_by_the_defaults() {
    let defaults = "[defaults.flow.window]\ninitial = \"7 segments\"\nminimum = \"5 segments\"";
    let both = flow(&format!("window.minimum = \"1 segment\"\n{defaults}"));
    let window = Window { initial: 7.0, minimum: Some(1.0), ..Window::default() };
    assert_eq!(settings_of(&both).window, window);
    let text = changed("\"cubic\"\n", "\"cubic\"\ntimeout.minimum = \"1 s\"\n");
    let study = read(&format!("{text}[defaults.consumer]\ntimeout.maximum = \"9 s\"\n"));
    let timeout = study.expect("it is right").cases[0].plan.consumers[0].settings.timeout;
    let (minimum, maximum) = (Duration::from_secs(1), Duration::from_secs(9));
    assert_eq!(timeout, ConsumerTimeout { minimum, maximum, ..ConsumerTimeout::default() });
}

/// Without anything written, a consumer has what its transport has by itself.
#[test]
fn a_consumer_that_says_nothing_has_the_defaults_of_the_transport() {
    let settings = read(VALID).expect("it is right").cases[0].plan.consumers[0].settings.clone();
    assert_eq!(settings.window, ConsumerWindow::default());
    assert_eq!(settings.timeout, ConsumerTimeout::default());
}

#[test]
fn a_value_is_set_in_a_group_that_the_file_does_not_have() {
    let inline = "[flows]\nf = { from = \"a\", to = \"c\", controller = \"reno\" }\n";
    for text in [flow(""), with(inline)] {
        for path in ["flows.f.window.initial", "defaults.flow.window.initial"] {
            let study = set(&text, &[(path, "3 segments")]).unwrap_or_else(|it| panic!("{it}"));
            assert_eq!(settings(&study, 0).window.initial, 3.0, "{path}");
            read(&study.text).expect("the text as run is one");
        }
    }
    let case = "[compare.window]\nsmall = { \"flows.f.window.initial\" = \"3 segments\" }\n";
    assert_eq!(settings_of(&flow(case)).window.initial, 3.0);
    let error = set(&flow(""), &[("flows.f.windows.initial", "3 segments")]);
    let error = error.expect_err("there is no such group");
    assert_contains(&error, &["there is no `windows` in flows.f"]);
}

#[test]
fn flows_have_values_of_a_group_in_turn() {
    let many = "count = 3\nwindow.minimum = \"1 segment\"\n\
        in_turn = { window.initial = [\"2 segments\", \"5 segments\"], ecn = [\"off\", \"classic\"] }";
    let study = read(&flow(many)).unwrap_or_else(|it| panic!("{it}"));
    let windows = [0, 1, 2].map(|place| settings(&study, place).window);
    assert_eq!(windows.map(|it| it.initial), [2.0, 5.0, 2.0]);
    assert_eq!(windows.map(|it| it.minimum), [Some(1.0); 3]);
    let twice = flow(&many.replace("window.initial =", "window.¶minimum ="));
    assert_contains(&refused(&twice, read), &["`minimum` is in the table and in its `in_turn`"]);
}

#[test]
fn a_minimum_above_what_it_is_the_minimum_of_is_refused() {
    let window = "window = ¶{ initial = \"2 segments\", minimum = \"3 segments\" }";
    let error = refused(&flow(window), read);
    assert_contains(&error, &["`window.minimum` is above `window.initial`", "\"2 segments\""]);
    let error = refused(&changed("\"cubic\"\n", &format!("\"cubic\"\n{window}\n")), read);
    assert_contains(&error, &["`window.minimum` is above `window.initial`", "\"2 segments\""]);
    let error = refused(&flow("¶timeout.minimum = \"2 min\""), read);
    assert_contains(&error, &["`timeout.maximum`, 60 s, is below `timeout.minimum`, 120 s"]);
    let error = refused(&flow("acknowledgements.every = ¶\"1.5 segments\""), read);
    assert_contains(&error, &["\"1.5 segments\" must be 1 to 255 whole segments"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// No value of a group makes the reader panic.
    #[test]
    fn any_value_of_a_group_is_taken_or_refused(
        (_, key) in prop::sample::select([OF_FLOWS.as_slice(), OF_CONSUMERS.as_slice()].concat()),
        value in prop_oneof![
            any::<i64>().prop_map(|it| it.to_string()),
            any::<f64>().prop_map(|it| format!("{it:?}").to_lowercase()),
            "[0-9.e-]{0,6} (s|B|GiB|segments|packets|%)".prop_map(|it| format!("\"{it}\"")),
            Just("{}".to_owned()),
        ],
    ) {
        let _ = read(&flow(&format!("{key} = {value}")));
        let _ = read(&changed("\"cubic\"\n", &format!("\"cubic\"\n{key} = {value}\n")));
    }
}
