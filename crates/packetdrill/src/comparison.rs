//! How a segment that was sent differs from the one that a script has.

use crate::numbers::Numbers;
use crate::outcome::Stop;
use crate::script::{ByteCounter, Ecn, Segment, SegmentFlags, TcpOption};

/// How far a timestamp may be from the script's, in ticks of the host: its clock is rounded
/// where the script's is.
const CLOCK_TOLERANCE: u32 = 12;

/// What is not compared: it is up to a sender when data is passed on.
const IGNORED: SegmentFlags = SegmentFlags(SegmentFlags::PSH.0 | SegmentFlags::URG.0);

/// Whether a segment that was sent can be the first of several that carry the data of one in
/// the script: interfaces cut it to pieces.
pub(crate) fn is_first_of_burst(expected: &Segment, sent: &Segment) -> bool {
    expected.length > sent.length && sent.length > 0
}

/// Compares a segment that was sent with the one that is expected, all but its length.
/// Timestamps are compared with the script's clock if `with_clock`.
pub(crate) fn compare(
    expected: &Segment,
    sent: &Segment,
    numbers: &mut Numbers,
    with_clock: bool,
) -> Result<(), Stop> {
    compare_flags(expected, sent)?;
    compare_numbers(expected, sent, numbers)?;
    compare_field(expected, sent)?;
    let is_reset = expected.flags.has(SegmentFlags::RST);
    if let (Some(wanted), Some(window)) = (expected.window, sent.window)
        && !is_reset
        && (wanted == 0) != (window == 0)
    {
        return Stop::fails(format!("the window is {window}, not {wanted}"));
    }
    let (Some(wanted), Some(options)) = (&expected.options, &sent.options) else { return Ok(()) };
    if let Some(TcpOption::Other(name)) = wanted.iter().find(|it| it.is_other()) {
        return Stop::skips(format!("the option `{name}`"));
    }
    if expected.flags.has(SegmentFlags::SYN) {
        compare_syn_options(wanted, options)?;
    } else {
        compare_blocks(wanted, options)?;
    }
    compare_timestamps(wanted, options, is_reset, numbers, with_clock)?;
    compare_counters(wanted, options)
}

fn compare_flags(expected: &Segment, sent: &Segment) -> Result<(), Stop> {
    let mut ignored = IGNORED;
    if let Some(ace) = expected.ace {
        let sent = sent.flags.ace();
        if sent != ace {
            return Stop::fails(format!("the field ACE is {sent}, not {ace}"));
        }
        ignored.0 |= SegmentFlags::ACE.0;
    }
    let mut wanted = expected.flags.without(ignored);
    if is_first_of_burst(expected, sent) {
        wanted = wanted.without(SegmentFlags::FIN);
    }
    let flags = sent.flags.without(ignored);
    if flags != wanted {
        return Stop::fails(format!("the flags are {flags}, not {wanted}"));
    }
    Ok(())
}

fn compare_numbers(expected: &Segment, sent: &Segment, numbers: &Numbers) -> Result<(), Stop> {
    // Before a SYN the number of a reset is that of the segment that it refuses.
    let (number, wanted) = (sent.sequence, expected.sequence);
    if let (Some(wanted), Some(number)) = (wanted, number)
        && wanted != number
    {
        let refused = if numbers.have_begun() { "" } else { ", of a segment that is refused" };
        return Stop::fails(format!("the sequence number{refused} is {number}, not {wanted}"));
    }
    if let Some(wanted) = expected.acknowledgement
        && sent.acknowledgement != Some(wanted)
    {
        let number = sent.acknowledgement.map_or("missing".to_owned(), |it| it.to_string());
        return Stop::fails(format!("the acknowledgement is {number}, not {wanted}"));
    }
    Ok(())
}

/// Compares the ECN fields. A segment without data need not be ECN-capable (RFC 3168, section
/// 6.1.4), also where that of a script is.
fn compare_field(expected: &Segment, sent: &Segment) -> Result<(), Stop> {
    let (Some(wanted), Some(field)) = (expected.ecn, sent.ecn) else { return Ok(()) };
    let is_capable = matches!(wanted, Ecn::Ect0 | Ecn::Ect1 | Ecn::Ect01);
    let is_free = sent.length == 0 && !sent.flags.has(SegmentFlags::SYN);
    let is_met = match (wanted, field) {
        (_, Ecn::NotCapable) if is_free && is_capable => true,
        (Ecn::Ect01, Ecn::Ect0 | Ecn::Ect1) => true,
        _ => wanted == field,
    };
    if is_met { Ok(()) } else { Stop::fails(format!("the ECN field is {field}, not {wanted}")) }
}

fn compare_syn_options(wanted: &[TcpOption], sent: &[TcpOption]) -> Result<(), Stop> {
    type Is = fn(&TcpOption) -> bool;
    let kinds: [(&str, Is); 3] = [
        ("sackOK", |it| matches!(it, TcpOption::SackPermitted)),
        ("wscale", |it| matches!(it, TcpOption::WindowScale(_))),
        ("mss", |it| matches!(it, TcpOption::MaximumSegment(_))),
    ];
    for (name, is) in kinds {
        presence(name, wanted.iter().any(is), sent.iter().any(is))?;
    }
    Ok(())
}

fn presence(name: &str, is_wanted: bool, is_there: bool) -> Result<(), Stop> {
    match (is_wanted, is_there) {
        (true, false) => Stop::fails(format!("the option {name} is missing")),
        (false, true) => Stop::fails(format!("there is an option {name}")),
        _ => Ok(()),
    }
}

fn compare_timestamps(
    wanted: &[TcpOption],
    sent: &[TcpOption],
    is_reset: bool,
    numbers: &mut Numbers,
    with_clock: bool,
) -> Result<(), Stop> {
    let timestamps = |options: &[TcpOption]| {
        options.iter().find_map(|it| match it {
            TcpOption::Timestamps { value, echo } => Some((*value, *echo)),
            _ => None,
        })
    };
    let (wanted, sent) = (timestamps(wanted), timestamps(sent));
    if !is_reset || wanted.is_some() {
        presence("TS", wanted.is_some(), sent.is_some())?;
    }
    let (Some((wanted, wanted_echo)), Some((value, echo))) = (wanted, sent) else {
        return Ok(());
    };
    numbers.match_timestamps(wanted, value);
    if echo != wanted_echo {
        return Stop::fails(format!("the timestamp that is echoed is {echo}, not {wanted_echo}"));
    }
    let value = numbers.timestamp_of_script(value);
    if with_clock && value.wrapping_sub(wanted).cast_signed().unsigned_abs() > CLOCK_TOLERANCE {
        return Stop::fails(format!("the timestamp is {value}, not {wanted}"));
    }
    Ok(())
}

fn compare_blocks(wanted: &[TcpOption], sent: &[TcpOption]) -> Result<(), Stop> {
    let blocks = |options: &[TcpOption]| {
        let mut blocks = options.iter().filter_map(|it| match it {
            TcpOption::Sack(blocks) => Some(blocks.clone()),
            _ => None,
        });
        blocks.next().unwrap_or_default()
    };
    let (wanted, sent) = (blocks(wanted), blocks(sent));
    if wanted == sent {
        return Ok(());
    }
    let shown = |blocks: &[[u32; 2]]| match blocks {
        [] => "missing".to_owned(),
        _ => TcpOption::Sack(blocks.to_vec()).to_string(),
    };
    Stop::fails(format!("the SACK blocks are {}, not {}", shown(&sent), shown(&wanted)))
}

/// Compares the counters of accurate ECN that both have: which are sent is up to the sender.
fn compare_counters(wanted: &[TcpOption], sent: &[TcpOption]) -> Result<(), Stop> {
    let counters = |options: &[TcpOption]| -> Vec<(ByteCounter, u32)> {
        let mut counters = options.iter().filter_map(|it| match it {
            TcpOption::ByteCounters(counters) => Some(counters.clone()),
            _ => None,
        });
        counters.next().unwrap_or_default()
    };
    let sent = counters(sent);
    for (counter, wanted) in counters(wanted) {
        if let Some((_, bytes)) = sent.iter().find(|it| it.0 == counter && it.1 != wanted) {
            return Stop::fails(format!("the counter {counter} is {bytes}, not {wanted}"));
        }
    }
    Ok(())
}
