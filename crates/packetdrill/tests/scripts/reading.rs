//! What is read of a script, and what is said of one that cannot be read.

use windtunnel_packetdrill::{
    Action, Argument, ByteCounter, Ecn, Event, Script, SegmentFlags, TcpOption, TooBig, When,
};

fn events(text: &str) -> Vec<Event> {
    Script::read("script.pkt", text).unwrap_or_else(|it| panic!("{it}")).events
}

fn mistake(text: &str) -> String {
    Script::read("script.pkt", text).expect_err("it is wrong").to_string()
}

fn when(text: &str) -> When {
    events(&format!("{text} close(3) = 0"))[0].when
}

fn between(is_relative: bool, first: i64, last: i64, returns: Option<i64>) -> When {
    When::Between { is_relative, first, last, returns }
}

#[test]
fn a_time_is_absolute_or_after_the_event_before() {
    const MS: i64 = 1_000_000;
    assert_eq!(when("0"), between(false, 0, 0, None));
    assert_eq!(when("0.250"), between(false, 250 * MS, 250 * MS, None));
    assert_eq!(when("+.1"), between(true, 100 * MS, 100 * MS, None));
    assert_eq!(when("+ 0.1"), between(true, 100 * MS, 100 * MS, None));
    assert_eq!(when("+0~+.01"), between(true, 0, 10 * MS, None));
    assert_eq!(when("+.1 ~ +1"), between(true, 100 * MS, 1000 * MS, None));
    assert_eq!(when("0...0.2"), between(false, 0, 0, Some(200 * MS)));
    assert_eq!(when("+.1 ... 0.2"), between(true, 100 * MS, 100 * MS, Some(200 * MS)));
    assert_eq!(when("0.123456789123"), between(false, 123_456_789, 123_456_789, None));
    assert_eq!(when("*"), When::Any);
}

#[test]
fn a_segment_has_flags_numbers_and_options() {
    let text = "0 < [ect0] SE. 1:1001(1000) ack 2 win 30 urg 4 \
        <mss 1460,nop,wscale 7,sackOK,TS val 3 ecr 4,sack 5:6 7:8,ECN e1b 1 ceb 2,eol>";
    let [Event { action: Action::Receive(segment), .. }] = &events(text)[..] else {
        panic!("a segment")
    };
    assert_eq!(segment.ecn, Some(Ecn::Ect0));
    let flags = SegmentFlags(SegmentFlags::SYN.0 | 1 << 6 | SegmentFlags::ACK.0);
    assert_eq!(segment.flags, flags);
    assert_eq!((segment.sequence, segment.length), (Some(1), 1000));
    assert_eq!((segment.acknowledgement, segment.window), (Some(2), Some(30)));
    assert_eq!(segment.urgent, 4);
    let options = [
        TcpOption::MaximumSegment(1460),
        TcpOption::Nop,
        TcpOption::WindowScale(7),
        TcpOption::SackPermitted,
        TcpOption::Timestamps { value: 3, echo: 4 },
        TcpOption::Sack(vec![[5, 6], [7, 8]]),
        TcpOption::ByteCounters(vec![(ByteCounter::Ect1, 1), (ByteCounter::Congestion, 2)]),
        TcpOption::End,
    ];
    assert_eq!(segment.options.as_deref(), Some(&options[..]));
}

#[test]
fn a_segment_is_written_as_it_is_read() {
    for text in [
        "[noecn] S 0:0(0) win 65535 <mss 1460,sackOK,TS val 100 ecr 0,nop,wscale 7>",
        "FPU. 1:11(10) ack 2 win 3 urg 4",
        "- 5:5(0) win 0",
        "[ce] EWA. 1:1(0) ack 4294967295 <ECN e0b 1 ceb 2 e1b 3,sack 1:2 3:4,eol>",
    ] {
        let [Event { action: Action::Receive(segment), .. }] = &events(&format!("0 < {text}"))[..]
        else {
            panic!("a segment")
        };
        assert_eq!(segment.to_string(), text);
    }
}

#[test]
fn any_options_will_do_where_the_script_leaves_them_out() {
    let [Event { action: Action::Send(any), .. }, Event { action: Action::Send(none), .. }] =
        &events("0 > S 0:0(0) <...>\n0 > . ...(0) ack 1")[..]
    else {
        panic!("two segments")
    };
    assert_eq!(any.options, None);
    assert_eq!((none.sequence, none.options.as_deref()), (None, Some(&[][..])));
}

#[test]
fn a_call_has_arguments_a_result_and_an_error() {
    let text = "0 poll([{fd=3, events=POLLIN|POLLOUT}], 1, -1) = -1 EAGAIN (Try again)\n0 close(3)";
    let [Event { action: Action::Call(poll), .. }, Event { action: Action::Call(close), .. }] =
        &events(text)[..]
    else {
        panic!("two calls")
    };
    assert_eq!((poll.name.as_str(), poll.result), ("poll", Some(-1)));
    assert_eq!(poll.error.as_deref(), Some("EAGAIN"));
    assert_eq!(poll.arguments[0].field("fd"), Some(3));
    assert!(poll.arguments[0].has("POLLOUT"));
    assert_eq!(poll.arguments[2], Argument::Number(-1));
    assert_eq!((close.result, &close.error), (None, &None));
}

#[test]
fn comments_commands_code_and_options_are_told_apart() {
    let text = "--ip_version=ipv6 // a comment\n--tolerance_usecs=75000\n/* two\nlines */\n\
        # one more\n`sysctl -q net.ipv4.tcp_ecn=1 // no comment`\n0 %{ assert a == '//' }%\n";
    let script = Script::read("script.pkt", text).unwrap();
    assert!(script.options.ipv6);
    assert_eq!(script.options.tolerance, 75_000_000);
    let [command, code] = &script.events[..] else { panic!("two events") };
    let wanted = "sysctl -q net.ipv4.tcp_ecn=1 // no comment".to_owned();
    assert_eq!((&command.action, command.line), (&Action::Command(wanted), 6));
    assert_eq!((&code.action, code.line), (&Action::Code(" assert a == '//' ".to_owned()), 7));
}

#[test]
fn of_parts_for_several_systems_the_one_for_the_standard_counts() {
    let text = "#ifdef FreeBSD\n0 close(1) = 0\n#else\n0 close(2) = 0\n#endif\n\
        #ifdef STANDARD\n0 close(3) = 0\n#endif\n0 close(4) = 0";
    let lines: Vec<_> = events(text).iter().map(|it| it.line).collect();
    assert_eq!(lines, [4, 7, 9]);
}

#[test]
fn a_report_of_a_packet_that_is_too_large_is_before_or_behind_its_segment() {
    let wanted = TooBig { sequence: 1, length: 1460, mtu: 1400 };
    for text in [
        "0 < icmp unreachable frag_needed mtu 1400 [1:1461(1460)]",
        "0 < [1:1461(1460)] icmp unreachable frag_needed mtu 1400",
        "0 < icmp packet_too_big mtu 1400 [1:1461(1460)]",
    ] {
        assert_eq!(events(text)[0].action, Action::TooBig(wanted), "{text}");
    }
}

#[test]
fn what_cannot_be_played_is_read_over() {
    let text = "0 < icmp unreachable frag_needed mtu 1400 [1:1461(1460)/udp(1 > 2)]\n\
        0 < [1:1461(1460)] icmp unreachable\n0 > . 1:1(0) ack 1/udp(1 > 2)\n0 < udp (100)\n\
        0 > R. 7:7(0)! ack 1\n";
    let events = events(text);
    assert_eq!(events.len(), 5);
    assert!(events.iter().all(|it| matches!(it.action, Action::Unsupported(_))));
}

#[test]
fn a_mistake_is_shown_where_it_is_with_what_is_expected() {
    for (text, message) in [
        ("hello", "script.pkt:1:1: expected a time in seconds"),
        ("0 close(3) = 0\n+0 < Sx 0:0(0)", "script.pkt:2:6: `Sx`: expected flags of SFRPUEWA"),
        ("0 < S 0:1(0) win 1", ":1:7: 0 bytes from 0 on end at 0, not at 1"),
        ("0 < S 0:0(0) win 70000", ":1:18: 70000 is too large for a window of at most 65535"),
        ("0 < S 0:0(0) win MSS", ":1:18: `MSS` is not a window"),
        ("0 < S 0:0(0) win\n+0 close(3) = 0", ":1:17: the line ends here, where a window"),
        ("0 > . 1:1(0) ack", ":1:17: the script ends here, where an acknowledgement number"),
        ("0 > . 1:1(0) <mss 1460 nop>", ":1:24: expected `,` and another option, or `>`"),
        ("0 > . 1:1(0) <TS 1 2>", ":1:18: expected `val` and a timestamp, not `1`"),
        ("0 close(3 = 0", ":1:14: the script ends here, where `,` and another argument"),
        ("0 close(3) = zero", ":1:14: `zero` is not what the call returns"),
        ("0 =", ":1:3: expected `<` or `>` and a segment, a call such as"),
        ("/* no end", ":1:1: the comment that begins here has no end"),
        ("`no end", ":1:1: the command that begins here has no end"),
        ("0 %{ no end", ":1:3: the code that begins here has no end"),
        ("+1~+.5 close(3) = 0", ":1:3: the range ends before it begins"),
        ("1000001 close(3) = 0", ":1:1: the latest time is 1000000 s"),
        ("+600000 close(3) = 0\n+600000 close(3) = 0", ":2:1: the latest time is 1000000 s"),
        ("0 < . ...(0) ack 1", ":1:4: the peer's segment needs its number"),
        ("0 < . 1:70001(70000) ack 1", "a packet has at most 65000 bytes of data"),
        ("--ip_version=ipv5", ":1:14: `ipv5` is not a version of IP"),
        ("--mtu=huge", ":1:7: `huge` is not the largest packet"),
    ] {
        let said = mistake(text);
        assert!(said.contains(message), "{text}\n{said}");
    }
}

#[test]
fn a_mistake_is_underlined() {
    let said = mistake("0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+.1 < S 0:0(0) wim 1 // é\n");
    let wanted = "script.pkt:2:16: expected `ack`, `win`, `urg`, options in `<` and `>`, or the next line, \
        not `wim`\n  |\n2 | +.1 < S 0:0(0) wim 1 // é\n  |                ^^^";
    assert_eq!(said, wanted);
}
