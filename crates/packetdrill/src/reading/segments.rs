//! Segments: `< [ect0] P. 1:1001(1000) ack 1 win 257 <nop,nop,TS val 100 ecr 200>`.

use windtunnel_reading::error::Mistake;

use super::cursor::{Cursor, short};
use crate::script::{Action, ByteCounter, Ecn, Segment, SegmentFlags, TcpOption, TooBig};

/// What packets begin with that are not TCP over IP.
const OTHERS: [(&str, &str); 7] = [
    ("udp", "UDP"),
    ("sctp", "SCTP"),
    ("gre", "packets in packets"),
    ("mpls", "packets in packets"),
    ("ipv4", "packets in packets"),
    ("ipv6", "packets in packets"),
    ("encap", "packets in packets"),
];

/// The most data of a segment that the peer sends: what fits into a packet.
const MOST_DATA: u32 = 65_000;

const FLAGS: &str = "flags of SFRPUEWA and `.`, or `-` for none";

/// What is behind the direction of a packet.
pub(super) fn packet(cursor: &mut Cursor<'_>, is_sent: bool) -> Result<Action, Mistake> {
    let start = cursor.at();
    let ecn = match network(cursor)? {
        Network::Other(what) => {
            cursor.line();
            return Ok(Action::Unsupported(what));
        }
        Network::Reported(report) => return Ok(report),
        Network::Tcp(ecn) => ecn,
    };
    let (flags, ace) = flags(cursor)?;
    let mut segment = Segment { ecn, flags, ace, ..Segment::default() };
    numbers(cursor, &mut segment)?;
    if cursor.eat("!") {
        cursor.line();
        return Ok(Action::Unsupported("numbers as they are on the wire"));
    }
    if !is_sent && segment.length > MOST_DATA {
        let most = format!("a packet has at most {MOST_DATA} bytes of data");
        return Err(cursor.mistake(start, most));
    }
    if !is_sent && segment.sequence.is_none() {
        return Err(cursor.mistake(start, "the peer's segment needs its number, such as 1:1(0)"));
    }
    fields(cursor, &mut segment)?;
    cursor.skip_spaces();
    if cursor.rest().starts_with(char::is_alphabetic) {
        return Err(
            cursor.expected("`ack`, `win`, `urg`, options in `<` and `>`, or the next line")
        );
    }
    if cursor.starts_with("/udp") {
        cursor.line();
        return Ok(Action::Unsupported("packets in packets"));
    }
    Ok(if is_sent { Action::Send(segment) } else { Action::Receive(segment) })
}

/// What is said of the packet around a segment.
enum Network {
    /// It is TCP over IP.
    Tcp(Option<Ecn>),
    /// It is ICMP.
    Reported(Action),
    /// It is something else.
    Other(&'static str),
}

fn network(cursor: &mut Cursor<'_>) -> Result<Network, Mistake> {
    let mut ecn = None;
    loop {
        cursor.skip_blanks();
        let start = cursor.at();
        if cursor.eat_name("icmp") {
            return Ok(Network::Reported(report(cursor, None)?));
        }
        if let Some(other) = OTHERS.iter().find(|it| cursor.eat_name(it.0)) {
            return Ok(Network::Other(other.1));
        }
        if cursor.eat_name("sock") {
            cursor.expect("(", "`(` and the number of a socket")?;
            cursor.number::<u32>("the number of a socket")?;
            cursor.expect(")", "`)`")?;
            continue;
        }
        let close = match cursor.rest().chars().next() {
            Some('[') => "]",
            Some('(') => ")",
            Some(it) if it.is_ascii_digit() => return Ok(Network::Other("ports of their own")),
            _ => return Ok(Network::Tcp(ecn)),
        };
        cursor.eat(&cursor.rest()[..1]);
        // The beginning of a segment that is returned.
        if cursor.starts_with_digit() {
            let returned = returned(cursor)?;
            cursor.expect("icmp", "`icmp` and what it reports of the segment")?;
            return Ok(Network::Reported(report(cursor, returned)?));
        }
        let inner = cursor.up_to(close);
        let inner = inner.ok_or_else(|| cursor.mistake(start, format!("`{close}` is missing")))?;
        for word in inner.split(',') {
            ecn = field(word.trim()).or(ecn);
        }
    }
}

/// What is behind `icmp`: of all reports, those of packets that are too large can be played.
fn report(cursor: &mut Cursor<'_>, before: Option<Segment>) -> Result<Action, Mistake> {
    let unsupported = Action::Unsupported("ICMP other than reports of packets that are too large");
    cursor.skip_spaces();
    let is_too_big = cursor.eat_name("packet_too_big") || {
        let is_unreachable = cursor.eat_name("unreachable");
        cursor.skip_spaces();
        is_unreachable && cursor.eat_name("frag_needed")
    };
    if !is_too_big {
        cursor.line();
        return Ok(unsupported);
    }
    cursor.expect("mtu", "`mtu` and the largest packet in bytes")?;
    let mtu = cursor.number("the largest packet, of at most 65535 bytes")?;
    cursor.skip_spaces();
    let segment = match before {
        None if cursor.eat("[") => returned(cursor)?,
        other => other,
    };
    let known = segment.filter(|it| it.length <= MOST_DATA);
    let report =
        known.and_then(|it| Some(TooBig { sequence: it.sequence?, length: it.length, mtu }));
    if report.is_none() {
        cursor.line();
    }
    Ok(report.map_or(unsupported, Action::TooBig))
}

/// What is behind `[` of a segment that is returned, such as `1:1461(1460)]`; none if it was in
/// another packet.
fn returned(cursor: &mut Cursor<'_>) -> Result<Option<Segment>, Mistake> {
    let mut segment = Segment::default();
    numbers(cursor, &mut segment)?;
    if cursor.starts_with("/") {
        return Ok(None);
    }
    cursor.expect("]", "`]` behind the segment that is returned")?;
    Ok(Some(segment))
}

/// The ECN field of that name.
fn field(word: &str) -> Option<Ecn> {
    Some(match word {
        "noecn" => Ecn::NotCapable,
        "ect0" => Ecn::Ect0,
        "ect1" => Ecn::Ect1,
        "ect01" => Ecn::Ect01,
        "ce" => Ecn::Congestion,
        _ => return None,
    })
}

fn flags(cursor: &mut Cursor<'_>) -> Result<(SegmentFlags, Option<u8>), Mistake> {
    let start = cursor.at();
    let before = *cursor;
    let word = cursor.take_while(|it| !it.is_whitespace());
    let mut flags = SegmentFlags::default();
    let mut ace = None;
    for letter in word.chars().filter(|_| word != "-") {
        if let Some(digit @ 0..=7) = letter.to_digit(10) {
            ace = Some(digit as u8);
        } else {
            let known = SegmentFlags::LETTERS.iter().find(|it| it.0 == letter);
            let known = known.ok_or_else(|| {
                cursor.mistake(start, format!("`{}`: expected {FLAGS}", short(word)))
            })?;
            flags.0 |= known.1.0;
        }
    }
    if word.is_empty() { Err(before.expected(FLAGS)) } else { Ok((flags, ace)) }
}

/// `1:1001(1000)`, `...` in place of both numbers, or only the first.
fn numbers(cursor: &mut Cursor<'_>, segment: &mut Segment) -> Result<(), Mistake> {
    cursor.skip_blanks();
    let start = cursor.at();
    let mut end = None;
    if !cursor.eat("...") {
        segment.sequence = Some(cursor.number("a sequence number, such as 1:1001(1000)")?);
        if cursor.eat(":") {
            end = Some(cursor.number::<u32>("the number behind the last byte")?);
        }
    }
    cursor.expect("(", "the length of the data, such as (1000)")?;
    segment.length = cursor.number("the length of the data")?;
    cursor.expect(")", "`)` behind the length")?;
    let (Some(first), Some(end)) = (segment.sequence, end) else { return Ok(()) };
    let last = first.wrapping_add(segment.length);
    if last == end {
        return Ok(());
    }
    let message = format!("{} bytes from {first} on end at {last}, not at {end}", segment.length);
    Err(cursor.mistake(start, message))
}

fn fields(cursor: &mut Cursor<'_>, segment: &mut Segment) -> Result<(), Mistake> {
    segment.options = Some(Vec::new());
    loop {
        let before = *cursor;
        cursor.skip_blanks();
        if cursor.eat_name("ack") {
            segment.acknowledgement = Some(cursor.number("an acknowledgement number")?);
        } else if cursor.eat_name("win") {
            segment.window = Some(cursor.number("a window of at most 65535")?);
        } else if cursor.eat_name("urg") {
            segment.urgent = cursor.number("an urgent pointer")?;
        } else {
            // On the same line, or it would be the next packet.
            *cursor = before;
            cursor.skip_spaces();
            if cursor.eat("<") {
                segment.options = options(cursor)?;
            }
            return Ok(());
        }
    }
}

/// What is between `<` and `>`; none if any options will do.
fn options(cursor: &mut Cursor<'_>) -> Result<Option<Vec<TcpOption>>, Mistake> {
    let mut options = Vec::new();
    let mut any = false;
    loop {
        cursor.skip_blanks();
        if cursor.eat(">") {
            return Ok(Some(options).filter(|_| !any));
        }
        if cursor.eat("...") {
            any = true;
        } else {
            options.push(option(cursor)?);
        }
        cursor.skip_blanks();
        if !cursor.eat(",") && !cursor.starts_with(">") {
            return Err(cursor.expected("`,` and another option, or `>`"));
        }
    }
}

fn option(cursor: &mut Cursor<'_>) -> Result<TcpOption, Mistake> {
    let before = *cursor;
    Ok(match cursor.name() {
        "" => return Err(before.expected("an option, such as `nop` or `mss 1460`")),
        "nop" | "NOP" => TcpOption::Nop,
        "eol" | "EOL" => TcpOption::End,
        "mss" => TcpOption::MaximumSegment(cursor.number("a maximum segment size")?),
        "wscale" => TcpOption::WindowScale(cursor.number("a window scale of at most 255")?),
        "sackOK" => TcpOption::SackPermitted,
        "sack" => TcpOption::Sack(blocks(cursor)?),
        "TS" => timestamps(cursor)?,
        "ECN" => TcpOption::ByteCounters(counters(cursor)?),
        name => {
            let name = name.to_owned();
            cursor.take_while(|it| !",>\n".contains(it));
            TcpOption::Other(name)
        }
    })
}

fn blocks(cursor: &mut Cursor<'_>) -> Result<Vec<[u32; 2]>, Mistake> {
    const BLOCK: &str = "the numbers of a block, such as 1001:2001";
    let mut blocks = Vec::new();
    loop {
        let start = cursor.at();
        let first = cursor.number(BLOCK)?;
        cursor.expect(":", BLOCK)?;
        blocks.push([first, cursor.number(BLOCK)?]);
        // The length of an option is a byte, and that of all of them 40.
        if blocks.len() > 4 {
            return Err(cursor.mistake(start, "there is room for four blocks"));
        }
        cursor.skip_blanks();
        if !cursor.starts_with_digit() {
            return Ok(blocks);
        }
    }
}

fn timestamps(cursor: &mut Cursor<'_>) -> Result<TcpOption, Mistake> {
    cursor.expect("val", "`val` and a timestamp")?;
    let value = cursor.number("a timestamp")?;
    cursor.expect("ecr", "`ecr` and the timestamp that is echoed")?;
    Ok(TcpOption::Timestamps { value, echo: cursor.number("a timestamp")? })
}

fn counters(cursor: &mut Cursor<'_>) -> Result<Vec<(ByteCounter, u32)>, Mistake> {
    let mut counters = Vec::new();
    loop {
        cursor.skip_blanks();
        let before = *cursor;
        let counter = match cursor.name() {
            "e0b" => ByteCounter::Ect0,
            "ceb" => ByteCounter::Congestion,
            "e1b" => ByteCounter::Ect1,
            "" => return Ok(counters),
            _ => return Err(before.expected("a counter: `e0b`, `ceb` or `e1b`")),
        };
        if counters.len() == 3 {
            return Err(before.expected("at most three counters, and then `,` or `>`"));
        }
        counters.push((counter, cursor.number("a number of bytes")?));
    }
}
