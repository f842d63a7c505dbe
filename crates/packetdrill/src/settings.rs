//! How the host behaves: as real connections do, with what a script's calls set, and its commands
//! before the first segment. Those behind it clean up.

use windtunnel_tcp::{controller, settings};
use windtunnel_transports::tcp::{EcnMode, Idleness, Recovery, TcpSettings};

use crate::script::{Action, Argument, Event, Script};

/// The controller that Linux has by default.
const CONTROLLER: &str = "cubic";
/// The room that timestamps take in a segment: a segment's size in sockets is without.
const TIMESTAMPS: i64 = 12;

/// How connections over IPv4 and IPv6 behave in a script.
pub(crate) fn of_script(script: &Script) -> Option<[TcpSettings; 2]> {
    let mut both = settings(&controller(CONTROLLER).ok()?, script.options.mtu);
    for it in &mut both {
        (it.ecn, it.server_ecn) = (EcnMode::Off, EcnMode::Off);
        it.window.after_idleness = Idleness::Keep;
        for event in script.events.iter().take_while(|it| !is_segment(it)) {
            if let Action::Command(command) = &event.action {
                words(command).for_each(|(name, value)| set(it, name, value));
            }
        }
        for event in &script.events {
            if let Action::Call(call) = &event.action
                && call.name == "setsockopt"
            {
                set_segment(it, &call.arguments);
            }
        }
    }
    Some(both)
}

fn is_segment(event: &Event) -> bool {
    matches!(event.action, Action::Receive(_) | Action::Send(_))
}

/// The settings in a command: `name=value` of `sysctl`, or a line of a script that sets several.
fn words(command: &str) -> impl Iterator<Item = (&str, u8)> {
    let words = command.split(|it: char| it.is_whitespace() || it == ';');
    words.filter_map(|word| {
        let (name, value) = word.split_once('=')?;
        let value = value.trim_matches('"').chars().next()?.to_digit(10)?;
        Some((name.rsplit(['.', '/']).next()?, value as u8)).map(|it| with_parent(name, it))
    })
}

/// FreeBSD's names say little without the one before.
fn with_parent<'a>(name: &'a str, (last, value): (&'a str, u8)) -> (&'a str, u8) {
    let freebsd = ["ecn.enable", "sack.enable"].into_iter().find(|it| name.ends_with(it));
    (freebsd.unwrap_or(last), value)
}

fn set(settings: &mut TcpSettings, name: &str, value: u8) {
    use EcnMode::{Accurate, Classic, Off};
    match name {
        // Documentation of Linux, networking/ip-sysctl.
        "tcp_ecn" => {
            (settings.ecn, settings.server_ecn) = match value {
                1 => (Classic, Classic),
                2 => (Off, Classic),
                3 => (Accurate, Accurate),
                4 => (Classic, Accurate),
                5 => (Off, Accurate),
                _ => (Off, Off),
            };
        }
        // tcp(4) of FreeBSD.
        "ecn.enable" => {
            (settings.ecn, settings.server_ecn) = match value {
                1 => (Classic, Classic),
                2 => (Off, Classic),
                _ => (Off, Off),
            };
        }
        "tcp_timestamps" | "rfc1323" => settings.timestamps = value > 0,
        "tcp_sack" | "sack.enable" => {
            settings.recovery = if value == 1 { Recovery::Rack } else { Recovery::NewReno };
        }
        "tcp_slow_start_after_idle" if value == 1 => {
            settings.window.after_idleness = Idleness::Decay;
        }
        _ => {}
    }
}

/// `setsockopt(3, SOL_TCP, TCP_MAXSEG, [1000], 4)`.
fn set_segment(settings: &mut TcpSettings, arguments: &[Argument]) {
    let [_, _, option, value, ..] = arguments else { return };
    if let Some(size) = value.number().filter(|_| option.has("TCP_MAXSEG")) {
        let largest = i64::from(settings.maximum_segment);
        settings.maximum_segment = (size - TIMESTAMPS).clamp(1, largest) as u16;
    }
}
