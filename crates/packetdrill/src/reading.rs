//! From the text of a script to its events.

mod calls;
mod comments;
mod cursor;
mod segments;
mod times;

use windtunnel_reading::error::{Mistake, ScenarioError, suggestion};

use crate::script::{Action, Event, Script, ScriptOptions, When};
use cursor::{Cursor, short};

/// What an event is, for messages.
const EVENT: &str = "`<` or `>` and a segment, a call such as `close(3) = 0`, or a `command`";

/// The versions of IP, as packetdrill has them; the last is IPv4 by a socket for IPv6.
const VERSIONS: [&str; 3] = ["ipv4", "ipv6", "ipv4-mapped-ipv6"];

impl Script {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// With the place in the file, and what is expected there.
    pub fn read(file: &str, text: &str) -> Result<Self, ScenarioError> {
        script(text).map_err(|it| it.locate(file, text, None))
    }
}

fn script(text: &str) -> Result<Script, Mistake> {
    let text = comments::without(text)?;
    let mut cursor = Cursor::new(&text);
    let mut script = Script { options: ScriptOptions::default(), events: Vec::new() };
    // How late the script may be there.
    let mut latest = 0;
    let mut lines = Lines { text: &text, at: 0, line: 1 };
    loop {
        cursor.skip_blanks();
        if cursor.is_at_end() {
            return Ok(script);
        }
        if cursor.eat("--") {
            option(&mut cursor, &mut script.options)?;
            continue;
        }
        let start = cursor.at();
        let when = times::when(&mut cursor)?;
        latest = latest_after(when, latest);
        if latest > times::LATEST {
            return Err(cursor.mistake(start, "the latest time is 1000000 s"));
        }
        cursor.skip_blanks();
        let place = cursor.at();
        let action = action(&mut cursor, when.is_some())?;
        let text = text[place..cursor.at()].lines().next().unwrap_or_default();
        script.events.push(Event {
            line: lines.line_of(place),
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            when: when.unwrap_or(When::NOW),
            action,
        });
    }
}

impl When {
    /// At the time of the event before.
    const NOW: Self = Self::Between { is_relative: true, first: 0, last: 0, returns: None };
}

/// How late it may be after an event, if before it is at the latest `latest`.
fn latest_after(when: Option<When>, latest: i64) -> i64 {
    match when {
        Some(When::Between { is_relative: true, last, returns, .. }) => {
            latest + last.max(returns.unwrap_or_default())
        }
        Some(When::Between { last, returns, .. }) => {
            latest.max(last).max(returns.unwrap_or_default())
        }
        Some(When::Any) | None => latest,
    }
}

/// Counts lines, each once.
struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl Lines<'_> {
    /// The line of a place that is behind the last one.
    fn line_of(&mut self, place: usize) -> usize {
        self.line += self.text[self.at..place].matches('\n').count();
        self.at = place;
        self.line
    }
}

/// `--name=value`. Those that are not about TCP are not looked at.
fn option(cursor: &mut Cursor<'_>, options: &mut ScriptOptions) -> Result<(), Mistake> {
    let name = cursor.name();
    cursor.eat("=");
    match name {
        "tolerance_usecs" => {
            let microseconds: u32 = cursor.number("a number of microseconds")?;
            options.tolerance = i64::from(microseconds) * 1_000;
        }
        "mtu" => options.mtu = cursor.number("the largest packet, of at most 65535 bytes")?,
        "tcp_ts_tick_usecs" => {
            options.timestamp_tick = Some(cursor.number("a number of microseconds")?);
        }
        "ip_version" => {
            let start = cursor.at();
            let version = cursor.take_while(|it| !it.is_whitespace());
            if !VERSIONS.contains(&version) {
                let message = format!("`{}` is not a version of IP", short(version));
                let mistake = cursor.mistake(start, message);
                return Err(mistake.help(suggestion(version, &VERSIONS)));
            }
            options.ipv6 = version == "ipv6";
        }
        "" => return Err(cursor.expected("the name of an option, such as --ip_version=ipv6")),
        _ => {
            cursor.take_while(|it| !it.is_whitespace());
        }
    }
    Ok(())
}

fn action(cursor: &mut Cursor<'_>, has_time: bool) -> Result<Action, Mistake> {
    let start = *cursor;
    if cursor.eat("`") {
        let command = cursor.up_to("`").unwrap_or_default();
        return Ok(Action::Command(command.to_owned()));
    }
    if cursor.eat("%{") {
        let code = cursor.up_to("}%").unwrap_or_default();
        return Ok(Action::Code(code.to_owned()));
    }
    if !has_time {
        return Err(times::missing(cursor));
    }
    if cursor.eat("<") {
        return segments::packet(cursor, false);
    }
    if cursor.eat(">") {
        return segments::packet(cursor, true);
    }
    match cursor.name() {
        "" => Err(start.expected(EVENT)),
        name => calls::call(cursor, name).map(Action::Call),
    }
}
