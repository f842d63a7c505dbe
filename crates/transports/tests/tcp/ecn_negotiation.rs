//! How both ends agree on ECN: RFC 3168, section 6.1.1; RFC 9768, section 3.1.

use windtunnel_packets::Ecn;
use windtunnel_packets::tcp::Flags;
use windtunnel_transports::tcp::{EcnMode, Recovery, Role, TcpSettings};

use crate::script::{Outgoing, Script, ack, controller, data, request, syn, with_window};

const MODES: [EcnMode; 6] = [
    EcnMode::Off,
    EcnMode::Classic,
    EcnMode::Dctcp,
    EcnMode::SomeCongestion,
    EcnMode::Accurate,
    EcnMode::Scalable,
];
const FIELDS: [Ecn; 4] = [Ecn::NotCapable, Ecn::Scalable, Ecn::Capable, Ecn::Congestion];

/// The flags AE, CWR and ECE in this order, as the tables of RFC 9768 write them.
fn ace(it: &Outgoing) -> u8 {
    it.segment.flags.ace()
}

fn flags(ace: u8) -> Flags {
    Flags::default().with_ace(ace)
}

fn settings(ecn: EcnMode) -> TcpSettings {
    TcpSettings { ecn, server_ecn: ecn, ..with_window(Recovery::Rack, 10.0) }
}

fn client(ecn: EcnMode) -> Script {
    let mut client = Script::closed(Role::Client, &settings(ecn));
    client.open();
    client
}

fn server(ecn: EcnMode) -> Script {
    Script::closed(Role::Server, &settings(ecn))
}

/// The ECN field of the data that an end sends.
fn field(it: &mut Script) -> Ecn {
    it.all();
    it.write(1_000);
    it.only().ecn
}

#[test]
fn a_syn_asks_for_what_its_end_would_do() {
    for (mode, asked) in [
        (EcnMode::Off, 0b000),
        (EcnMode::Classic, 0b011),
        (EcnMode::Dctcp, 0b011),
        (EcnMode::SomeCongestion, 0b011),
        (EcnMode::Accurate, 0b111),
        (EcnMode::Scalable, 0b111),
    ] {
        let syn = client(mode).only();
        assert_eq!((ace(&syn), syn.ecn), (asked, Ecn::NotCapable), "{mode:?}");
    }
}

/// RFC 9768, table 2, with the client as A: what it makes of the answer to its SYN.
#[test]
fn a_client_of_accurate_ecn_obeys_table_2() {
    const ACCURATE: Ecn = Ecn::Scalable;
    const CLASSIC: Ecn = Ecn::Capable;
    for (answer, sent) in [
        (0b010, ACCURATE),
        (0b011, ACCURATE),
        (0b100, ACCURATE),
        (0b110, ACCURATE),
        // Reserved: as if it agreed (section 3.1.3).
        (0b101, ACCURATE),
        (0b001, CLASSIC),
        (0b000, Ecn::NotCapable),
        // A server that reflects what it does not know.
        (0b111, Ecn::NotCapable),
    ] {
        let mut client = client(EcnMode::Scalable);
        client.receive(10, syn(Flags::ACK.with(flags(answer))));
        assert_eq!(field(&mut client), sent, "{answer:03b}");
    }
}

/// The same with the server as B.
#[test]
fn a_server_of_accurate_ecn_obeys_table_2() {
    for (field, report) in FIELDS.into_iter().zip([0b010, 0b011, 0b100, 0b110]) {
        // Section 3.1.3: flags that have no meaning yet ask for accurate ECN.
        for asked in [0b111, 0b001, 0b010, 0b100, 0b101, 0b110] {
            let mut server = server(EcnMode::Accurate);
            server.receive(0, syn(flags(asked)).ecn(field));
            assert_eq!(ace(&server.only()), report, "{asked:03b}, {field:?}");
        }
    }
    for (asked, answered) in [(0b011, 0b001), (0b000, 0b000)] {
        let mut server = server(EcnMode::Accurate);
        server.receive(0, syn(flags(asked)));
        assert_eq!(ace(&server.only()), answered, "{asked:03b}");
    }
}

#[test]
fn a_server_of_rfc_3168_answers_its_own_setup_whatever_the_highest_flag() {
    for mode in [EcnMode::Classic, EcnMode::Dctcp, EcnMode::SomeCongestion] {
        for asked in 0..8 {
            let mut server = server(mode);
            server.receive(0, syn(flags(asked)));
            let agrees = asked & 0b011 == 0b011;
            assert_eq!(ace(&server.only()), u8::from(agrees), "{mode:?} {asked:03b}");
        }
    }
}

#[test]
fn a_client_of_rfc_3168_wants_the_echo_alone() {
    for answer in 0..8 {
        let mut client = client(EcnMode::Classic);
        client.receive(10, syn(Flags::ACK.with(flags(answer))));
        let agreed = answer & 0b011 == 0b001;
        let sent = if agreed { Ecn::Capable } else { Ecn::NotCapable };
        assert_eq!(field(&mut client), sent, "{answer:03b}");
    }
}

/// What each end sends, whatever the other one would do.
#[test]
fn two_ends_do_what_both_can() {
    for wish in MODES {
        for other in MODES {
            let settings = TcpSettings { ecn: wish, server_ecn: other, ..settings(wish) };
            let mut client = Script::closed(Role::Client, &settings);
            let mut server = Script::closed(Role::Server, &settings);
            client.open();
            server.receive(0, client.only().again());
            client.receive(1, server.only().again());
            server.receive(2, client.only().again());
            let accurate = |it| matches!(it, EcnMode::Accurate | EcnMode::Scalable);
            let own = |it: EcnMode| match it {
                EcnMode::Scalable if accurate(wish) && accurate(other) => Ecn::Scalable,
                _ => Ecn::Capable,
            };
            let off = wish == EcnMode::Off || other == EcnMode::Off;
            let expected = if off { [Ecn::NotCapable; 2] } else { [own(wish), own(other)] };
            assert_eq!([field(&mut client), field(&mut server)], expected, "{wish:?}, {other:?}");
        }
    }
}

/// RFC 9768, section 3.1.4.1; RFC 3168, section 6.1.1.1.
#[test]
fn the_second_repeated_syn_does_not_ask_any_more() {
    for mode in MODES {
        let mut client = client(mode);
        client.until(8_000);
        let asked: Vec<u8> = client.all().iter().map(ace).collect();
        let first = request(mode).ace();
        assert_eq!(asked, [first, first, 0, 0], "{mode:?}");
    }
}

/// RFC 9768, section 3.1.4.2.
#[test]
fn the_second_repeated_answer_does_not_agree_any_more() {
    for (mode, agreed) in [(EcnMode::Classic, 0b001), (EcnMode::Accurate, 0b010)] {
        let mut server = server(mode);
        server.receive(0, syn(request(mode)));
        server.until(8_000);
        let answers: Vec<u8> = server.all().iter().map(ace).collect();
        assert_eq!(answers, [agreed, agreed, 0, 0], "{mode:?}");
    }
}

/// Section 3.1.4.2: a SYN that comes again was not answered, but nothing has timed out.
#[test]
fn a_repeated_syn_gets_the_same_answer() {
    let mut server = server(EcnMode::Accurate);
    for time in [0, 300, 600, 900] {
        server.receive(time, syn(request(EcnMode::Accurate)));
        assert_eq!(ace(&server.only()), 0b010);
    }
}

/// Section 3.1.5: whoever sent or received a SYN, or its answer, that does not ask sends
/// no ECN-capable packet; what it receives, it reports as agreed.
#[test]
fn nothing_is_ecn_capable_after_a_syn_that_does_not_ask() {
    let mut late = client(EcnMode::Accurate);
    late.until(3_500);
    late.receive(3_600, syn(Flags::ACK.with(flags(0b010))));
    assert_eq!(field(&mut late), Ecn::NotCapable);
    late.receive(3_700, data(0).ecn(Ecn::Congestion));
    late.until(4_000);
    assert_eq!(late.all().last().map(ace), Some(5 + 1));

    let mut server = server(EcnMode::Accurate);
    server.receive(0, syn(request(EcnMode::Accurate)));
    server.receive(100, syn(Flags::default()));
    assert_eq!(server.all().iter().map(ace).collect::<Vec<_>>(), [0b010, 0b000]);
    server.receive(200, ack(0).ace(0b010));
    assert_eq!(field(&mut server), Ecn::NotCapable);

    let mut again = client(EcnMode::Accurate);
    again.receive(100, syn(Flags::ACK.with(flags(0b010))));
    assert_eq!(field(&mut again), Ecn::Capable);
    again.receive(200, syn(Flags::ACK));
    assert_eq!(field(&mut again), Ecn::NotCapable);
}

/// RFC 9768, table 3, and section 3.2.2.1: a segment without data for it.
#[test]
fn the_end_of_the_handshake_reports_how_the_answer_came() {
    for (field, report) in FIELDS.into_iter().zip([0b010, 0b011, 0b100, 0b110]) {
        let mut client = client(EcnMode::Accurate);
        client.write(1_000);
        client.all();
        let answer = || syn(Flags::ACK.with(flags(0b010))).ecn(field);
        client.receive(10, answer());
        let sent = client.all();
        let lengths: Vec<u16> = sent.iter().map(|it| it.segment.length).collect();
        assert_eq!(lengths, [0, 1_000]);
        let marked = u8::from(field == Ecn::Congestion);
        assert_eq!([ace(&sent[0]), ace(&sent[1])], [report, 5 + marked], "{field:?}");
        // The answer comes again, because that was lost.
        client.receive(20, answer());
        assert_eq!(ace(&client.only()), report, "{field:?}");
    }
}

/// RFC 9768, table 3.
#[test]
fn a_server_behind_a_path_that_clears_ace_sends_nothing_ecn_capable() {
    for reported in 0..8 {
        let mut server = server(EcnMode::Accurate);
        server.receive(0, syn(request(EcnMode::Accurate)));
        server.receive(10, ack(0).ace(reported));
        let sent = if reported == 0 { Ecn::NotCapable } else { Ecn::Capable };
        assert_eq!(field(&mut server), sent, "{reported:03b}");
    }
}

/// RFC 9331, section 4.2: without reports that count, no ECT(1); a mark is answered as a
/// loss (RFC 3168, section 5).
#[test]
fn prague_without_accurate_reports_answers_marks_like_reno() {
    let settings = TcpSettings { controller: controller("prague"), ..settings(EcnMode::Scalable) };
    let mut it = Script::closed(Role::Client, &settings);
    it.open();
    it.receive(100, syn(Flags::ACK.with(Flags::ECE)));
    it.all();
    it.write(1_000_000);
    it.receive(100, ack(0));
    for round in 1..=20 {
        let echo = if [1, 20].contains(&round) { Flags::ECE } else { Flags::default() };
        it.until(200 * round);
        let last = it.sent().into_iter().max().expect("data was sent");
        let before = it.cwnd();
        it.receive_now(ack(last).flags(echo));
        if echo != Flags::default() {
            assert_eq!(it.cwnd(), before / 2.0, "in round {round}");
        }
        it.until(200 * round + 100);
        let last = it.sent().into_iter().max().expect("data was sent");
        it.receive_now(ack(last + 1));
    }
    assert_eq!(it.end.counters().decreases, 2);
}
