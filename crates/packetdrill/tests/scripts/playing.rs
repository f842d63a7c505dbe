//! How scripts are played, and what is found of them.

use windtunnel_packetdrill::{Failure, Outcome, Script, Verdict, play};

const OPEN: &str = "\
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 30000 <mss 1000>
+0 > S. 0:0(0) ack 1 <mss 1460>
+.1 < . 1:1(0) ack 1 win 30000
+0 accept(3, ..., ...) = 4
";

/// The handshake of ends that both take SACK.
fn open_with_sack() -> String {
    OPEN.replace("<mss 1000>", "<mss 1000,sackOK>")
        .replace("<mss 1460>", "<mss 1460,nop,nop,sackOK>")
}

fn played(text: &str) -> Outcome {
    play(&Script::read("script.pkt", text).unwrap_or_else(|it| panic!("{it}")))
}

/// Of a script that begins with the handshake.
fn opened(text: &str) -> Verdict {
    played(&format!("{OPEN}{text}")).verdict
}

fn failure(text: &str) -> Failure {
    match opened(text) {
        Verdict::Fails(it) => it,
        other => panic!("{text}\n{other:?}"),
    }
}

#[test]
fn a_failure_has_its_line_its_time_what_was_expected_and_what_came() {
    let found = failure("+.1 write(4, ..., 500) = 500\n+0 > P. 1:601(600) ack 1\n");
    assert_eq!(found.line, 9);
    assert!((found.time_s - 0.2).abs() < 1e-9);
    assert_eq!(found.expected, "> P. 1:601(600) ack 1");
    assert!(found.sent[0].starts_with("0.200000 > [noecn] P. 1:501(500) ack 1 win "), "{found:?}");
}

#[test]
fn each_part_of_a_segment_is_compared() {
    let data = "+0 write(4, ..., 500) = 500\n";
    for (expected, reason) in [
        ("> F. 1:501(500) ack 1", "the flags are ., not F."),
        ("> P. 2:502(500) ack 1", "the sequence number is 1, not 2"),
        ("> P. 1:501(500) ack 2", "the acknowledgement is 1, not 2"),
        ("> P. 1:401(400) ack 1", "there are 500 bytes of data, not 400"),
        ("> P. 1:501(500) ack 1 win 0", "not 0"),
        ("> [ect0] P. 1:501(500) ack 1", "the ECN field is noecn, not ect0"),
        ("> P.5 1:501(500) ack 1", "the field ACE is 0, not 5"),
        ("> P. 1:501(500) ack 1 <nop,nop,TS val 1 ecr 2>", "the option TS is missing"),
        ("> P. 1:501(500) ack 1 <sack 1:2>", "the SACK blocks are missing, not sack 1:2"),
    ] {
        let found = failure(&format!("{data}+0 {expected}\n"));
        assert!(found.reason.contains(reason), "{expected}: {found:?}");
    }
    assert_eq!(opened(&format!("{data}+0 > P. 1:501(500) ack 1\n")), Verdict::Passes);
}

#[test]
fn what_is_not_sent_is_missing() {
    let found = failure("+0 > . 1:1(0) ack 1\n");
    assert_eq!((found.reason.as_str(), found.sent.len()), ("nothing was sent", 0));
}

#[test]
fn a_segment_at_another_time_is_no_failure_and_what_follows_is_as_much_later() {
    let script = "+0 < P. 1:101(100) ack 1 win 30000\n+0 > . 1:1(0) ack 101\n\
        +1 < P. 101:201(100) ack 1 win 30000\n+.04 > . 1:1(0) ack 201\n";
    let Verdict::DiffersInTime { differences } = opened(script) else { panic!("in time only") };
    let [one] = &differences[..] else { panic!("{differences:?}") };
    assert_eq!(one.line, 9);
    assert!((one.expected_s - 0.1).abs() < 1e-9 && (one.sent_s - 0.14).abs() < 1e-9, "{one:?}");
    let tolerant = format!("--tolerance_usecs=50000\n{OPEN}{script}");
    assert_eq!(played(&tolerant).verdict, Verdict::Passes);
}

#[test]
fn a_segment_of_a_script_may_be_several_that_are_sent_at_once() {
    let data = "+0 write(4, ..., 3000) = 3000\n";
    assert_eq!(opened(&format!("{data}+0 > P. 1:3001(3000) ack 1\n")), Verdict::Passes);
    let found = failure(&format!("{data}+0 > P. 1:3501(3500) ack 1\n"));
    assert_eq!(found.reason, "of 3500 bytes 3000 were sent");
}

#[test]
fn a_call_that_blocks_returns_when_the_script_says_so() {
    let read = "+0...0.3 read(4, ..., 100) = 100\n";
    let data = |at: &str| format!("{read}{at} < P. 1:101(100) ack 1 win 30000\n1 close(4) = 0\n");
    assert_eq!(opened(&data("0.4")), Verdict::Passes);
    assert!(matches!(opened(&data("0.5")), Verdict::Fails(_)));
}

#[test]
fn calls_that_answer_otherwise_fail() {
    for (text, reason) in [
        ("+0 read(4, ..., 100) = 100\n", "0 bytes are read, not 100"),
        ("+0 accept(3, ..., ...) = 5\n", "there is no connection to accept"),
        ("+0 write(5, ..., 100) = 100\n", "the socket has no connection"),
        (
            "+0 getsockopt(4, SOL_SOCKET, SO_ERROR, [ECONNRESET], [4]) = 0\n",
            "the connection is open",
        ),
    ] {
        assert_eq!(failure(text).reason, reason);
    }
}

#[test]
fn what_is_not_here_is_skipped_with_its_line() {
    for (text, reason) in [
        ("+0 setsockopt(4, SOL_TCP, TCP_FASTOPEN, [1], 4) = 0\n", "the option TCP_FASTOPEN"),
        ("+0 send(4, ..., 100, MSG_ZEROCOPY) = 100\n", "the flag MSG_ZEROCOPY"),
        ("+0 epoll_create(1) = 5\n", "the call `epoll_create`"),
        (
            "+0 < icmp unreachable host_unreachable\n",
            "ICMP other than reports of packets that are too large",
        ),
        ("+0 < . 1:1(0) ack 1 win 1 <md5 valid>\n", "the option `md5`"),
    ] {
        let wanted = Verdict::Skipped { line: 8, reason: reason.to_owned() };
        assert_eq!(opened(text), wanted);
    }
}

#[test]
fn commands_before_the_first_segment_set_what_the_host_does() {
    let connect = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n0 connect(3, ..., ...) = 0\n";
    for (command, syn) in [
        (
            "sysctl -q net.ipv4.tcp_ecn=1",
            "SEW 0:0(0) <mss 1460,sackOK,TS val 1 ecr 0,nop,wscale 7>",
        ),
        (
            "sysctl -q net.ipv4.tcp_ecn=3",
            "SEWA 0:0(0) <mss 1460,sackOK,TS val 1 ecr 0,nop,wscale 7>",
        ),
        ("sysctl -w net.inet.tcp.ecn.enable=1", "SEW 0:0(0) <...>"),
        (
            "a.py /proc/sys/net/ipv4/tcp_timestamps=0",
            "S 0:0(0) <mss 1460,nop,nop,sackOK,nop,wscale 7>",
        ),
        ("sysctl -w net.inet.tcp.sack.enable=0", "S 0:0(0) <mss 1460,TS val 1 ecr 0,nop,wscale 7>"),
    ] {
        let text = format!("`{command}`\n{connect}+0 > {syn}\n`{}`\n", command.replace('1', "0"));
        assert_eq!(played(&text).verdict, Verdict::Passes, "{command}");
    }
}

#[test]
fn over_ipv6_segments_are_smaller() {
    let text = OPEN.replace("mss 1460", "mss 1440");
    assert_eq!(played(&format!("--ip_version=ipv6\n{text}")).verdict, Verdict::Passes);
}

#[test]
fn the_trace_has_what_was_sent_and_received() {
    let outcome = played(&format!("{OPEN}0 %{{ 1 }}%\n"));
    let what: Vec<_> = outcome.trace.iter().map(|it| it.what.as_str()).collect();
    assert!(what.contains(&"< S 0:0(0) win 30000 <mss 1000>"), "{what:?}");
    assert!(what.iter().any(|it| it.starts_with("> [noecn] S. 0:0(0) ack 1")), "{what:?}");
}

/// In slow start each acknowledgement of a segment lets two more be sent.
#[test]
fn code_sees_what_is_known_of_the_connection_at_its_time() {
    let text = format!(
        "{OPEN}+0 write(4, ..., 20000) = 20000\n+0 %{{ begun }}%\n+.1 < . 1:1(0) ack 1001 win 30000\n\
         +0 %{{ acknowledged }}%\n"
    );
    let outcome = played(&text);
    let seen: Vec<_> = outcome.assertions.iter().map(|it| it.code.trim()).collect();
    assert_eq!(seen, ["begun", "acknowledged"]);
    let of = |name| outcome.assertions.iter().map(move |it| it.info[name]).collect::<Vec<_>>();
    assert_eq!(of("tcpi_snd_cwnd"), [10, 11]);
    // Data are under way.
    assert_eq!(of("tcpi_busy_time"), [0, 100_000]);
    assert_eq!(of("tcpi_rwnd_limited"), [0, 0]);
    assert!((90_000..110_000).contains(&of("tcpi_rtt")[1]));
}

/// RFC 9293, section 3.3.2, figure 5, with the numbers of Linux's `TCP_ESTABLISHED` to
/// `TCP_CLOSING`.
#[test]
fn code_sees_the_states_of_a_connection() {
    let states = |text: &str| {
        let outcome = played(text);
        assert_eq!(outcome.verdict, Verdict::Passes, "{text}");
        outcome.assertions.iter().map(|it| it.info["tcpi_state"]).collect::<Vec<_>>()
    };
    let opening = OPEN
        .replace("listen(3, 1) = 0\n", "listen(3, 1) = 0\n+0 %{ 0 }%\n")
        .replace("> S. 0:0(0) ack 1 <mss 1460>\n", "> S. 0:0(0) ack 1 <mss 1460>\n+0 %{ 0 }%\n");
    assert_eq!(states(&format!("{opening}+0 %{{ 0 }}%\n")), [10, 3, 1], "LISTEN, SYN-RECEIVED");
    // The peer closes first: CLOSE-WAIT, LAST-ACK, CLOSED.
    let second = "+0 < F. 1:1(0) ack 1 win 30000\n+0.0 > . 1:1(0) ack 2\n+0 %{ 0 }%\n\
        +0 close(4) = 0\n+0 > F. 1:1(0) ack 2\n+0 %{ 0 }%\n\
        +0 < . 2:2(0) ack 2 win 30000\n+0 %{ 0 }%\n";
    assert_eq!(states(&format!("{OPEN}{second}")), [8, 9, 7]);
    let first = "+0 close(4) = 0\n+0 > F. 1:1(0) ack 1\n+0 %{ 0 }%\n";
    // FIN-WAIT-1, FIN-WAIT-2, TIME-WAIT.
    let one_by_one = "+0 < . 1:1(0) ack 2 win 30000\n+0 %{ 0 }%\n\
        +0 < F. 1:1(0) ack 2 win 30000\n+0 > . 2:2(0) ack 2\n+0 %{ 0 }%\n";
    assert_eq!(states(&format!("{OPEN}{first}{one_by_one}")), [4, 5, 6]);
    // FIN-WAIT-1, CLOSING, TIME-WAIT.
    let crossing = "+0 < F. 1:1(0) ack 1 win 30000\n+0 > . 2:2(0) ack 2\n+0 %{ 0 }%\n\
        +0 < . 2:2(0) ack 2 win 30000\n+0 %{ 0 }%\n";
    assert_eq!(states(&format!("{OPEN}{first}{crossing}")), [4, 11, 6]);
    let client = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n\
        +0 fcntl(3, F_SETFL, O_RDWR|O_NONBLOCK) = 0\n\
        +0 connect(3, ..., ...) = -1 EINPROGRESS (Operation now in progress)\n\
        +0 > S 0:0(0) <mss 1460,sackOK,TS val 100 ecr 0,nop,wscale 8>\n+0 %{ 0 }%\n\
        +0 < R. 0:0(0) ack 1 win 0\n+0 %{ 0 }%\n";
    assert_eq!(states(client), [2, 7]);
}

/// As Linux has them: timestamps are 1, selective acknowledgements 2, scaled windows 4, and a
/// segment is without its options. With ECN there is a bit that is not known.
#[test]
fn code_sees_what_was_agreed_on() {
    let agreed = |offered: &str, answered: &str, flags: [&str; 2]| {
        let open = OPEN
            .replace("< S 0:0", &format!("< {} 0:0", flags[0]))
            .replace("> S. 0:0", &format!("> {} 0:0", flags[1]))
            .replace("<mss 1000>", &format!("<mss 1000{offered}>"))
            .replace("<mss 1460>", &format!("<mss 1460{answered}>"));
        let ecn = "`sysctl -q net.ipv4.tcp_ecn=1`\n";
        let outcome = played(&format!("{ecn}{open}+0 %{{ 0 }}%\n"));
        let info = &outcome.assertions.first().unwrap_or_else(|| panic!("{outcome:?}")).info;
        (info.get("tcpi_options").copied(), info["tcpi_snd_mss"])
    };
    let plain = ["S", "S."];
    assert_eq!(agreed("", "", plain), (Some(0), 1000));
    assert_eq!(agreed(",sackOK", ",nop,nop,sackOK", plain), (Some(2), 1000));
    assert_eq!(agreed(",nop,wscale 7", ",nop,wscale 8", plain), (Some(4), 1000));
    assert_eq!(agreed("", "", ["SEW", "SE."]), (None, 1000));
}

/// Two of four segments came marked, says accurate ECN. Where ten are acknowledged at once, ACE may
/// have turned round: then as many as possible did, unless the bytes say that none came marked.
#[test]
fn code_sees_how_many_packets_came_marked() {
    let counted = |name: &str, written: u64, acknowledgements: &[&str]| -> Vec<u64> {
        let arrive = |it: &&str| format!("+.1 < {it}\n+0 %{{ 0 }}%\n");
        let arrived: String = acknowledgements.iter().map(arrive).collect();
        let text = format!(
            "`sysctl -q net.ipv4.tcp_ecn=3`\n\
            0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 bind(3, ..., ...) = 0\n\
            +0 listen(3, 1) = 0\n+0 < [noecn] SEWA 0:0(0) win 30000 <mss 1000>\n\
            +0 > [noecn] SW. 0:0(0) ack 1 <mss 1460>\n\
            +.1 < [ect0] W. 1:1(0) ack 1 win 30000\n+0 accept(3, ..., ...) = 4\n\
            +0 write(4, ..., {written}) = {written}\n{arrived}"
        );
        let outcome = played(&text);
        assert!(!outcome.assertions.is_empty(), "{outcome:?}");
        outcome.assertions.iter().map(|it| it.info[name]).collect()
    };
    let marked = |written, acknowledgements: &[&str]| {
        counted("tcpi_delivered_ce", written, acknowledgements)
    };
    let each = [".6 1:1(0) ack 2001 win 30000", ".7 1:1(0) ack 4001 win 30000"];
    assert_eq!(marked(4000, &each), [1, 2]);
    let all = ".5 1:1(0) ack 10001 win 30000";
    assert_eq!(marked(10_000, &[all]), [8]);
    let with_bytes = format!("{all} <ECN e0b 10001 ceb 0 e1b 1,nop>");
    assert_eq!(marked(10_000, &[&with_bytes]), [0]);
    // The first counts of bytes with ECT(0) and ECT(1) are 1 (RFC 9768, section 3.2.1).
    let fields = [
        ".5 1:1(0) ack 1001 win 30000 <ECN e1b 1 ceb 0 e0b 1001,nop>",
        ".6 1:1(0) ack 2001 win 30000 <ECN e0b 1001 ceb 1000 e1b 1,nop>",
        ".6 1:1(0) ack 3001 win 30000 <ECN e1b 1001 ceb 1000,nop>",
    ];
    for (name, bytes) in [
        ("tcpi_delivered_e0_bytes", [1000, 1000, 1000]),
        ("tcpi_delivered_ce_bytes", [0, 1000, 1000]),
        ("tcpi_delivered_e1_bytes", [0, 0, 1000]),
    ] {
        assert_eq!(counted(name, 10_000, &fields), bytes, "{name}");
    }
}

/// Ten segments of which the first is lost: what is said of them while it is repaired.
#[test]
fn code_sees_what_became_of_segments() {
    let open = open_with_sack();
    let text = format!(
        "{open}+0 write(4, ..., 10000) = 10000\n+0 %{{ 0 }}%\n\
        +.1 < . 1:1(0) ack 1 win 30000 <sack 1001:2001,nop,nop>\n+0 %{{ 0 }}%\n\
        +0 < . 1:1(0) ack 1 win 30000 <sack 1001:4001,nop,nop>\n+0 %{{ 0 }}%\n\
        +.1 < . 1:1(0) ack 10001 win 30000\n+0 %{{ 0 }}%\n"
    );
    let outcome = played(&text);
    let names = ["tcpi_unacked", "tcpi_sacked", "tcpi_lost", "tcpi_retrans", "tcpi_ca_state"];
    let seen: Vec<_> =
        outcome.assertions.iter().map(|it| names.map(|name| it.info[name])).collect();
    let [open, disorder, recovery] = [0, 1, 3];
    assert_eq!(
        seen,
        [[10, 0, 0, 0, open], [10, 1, 0, 0, disorder], [10, 3, 1, 1, recovery], [0, 0, 0, 0, open]]
    );
}

/// Behind how many segments one came late: 3 of what ended at 3001, and 6 of what ended at 9001.
#[test]
fn code_sees_how_far_segments_are_reordered() {
    let open = open_with_sack();
    let text = format!(
        "{open}+0 write(4, ..., 10000) = 10000\n\
        +.1 < . 1:1(0) ack 1 win 30000 <sack 1001:3001,nop,nop>\n\
        +0 < . 1:1(0) ack 3001 win 30000\n+0 %{{ 0 }}%\n\
        +0 < . 1:1(0) ack 3001 win 30000 <sack 4001:9001,nop,nop>\n\
        +.01 < . 1:1(0) ack 9001 win 30000\n+0 %{{ 0 }}%\n"
    );
    let outcome = played(&text);
    let seen: Vec<_> = outcome.assertions.iter().map(|it| it.info["tcpi_reordering"]).collect();
    assert_eq!(seen, [3, 6]);
    assert!(outcome.assertions.iter().all(|it| it.info["tcpi_total_retrans"] == 0));
}
