//! The events of a script happen.

use crate::application::Application;
use crate::comparison::{compare, is_first_of_burst};
use crate::host::{Sent, VirtualHost, seconds};
use crate::outcome::{Assertion, Difference, Failure, Outcome, Stop, Verdict};
use crate::script::{Action, Event, Script, ScriptOptions, Segment, When};
use crate::settings;

/// The least tolerance in nanoseconds: clocks of a millisecond are rounded here and there.
const LEAST_TOLERANCE: i64 = 6_000_000;
/// How long a segment is waited for that is late, in nanoseconds.
const LATE: i64 = 1_600_000_000;
/// How long a segment is waited for that may be sent at any time, in nanoseconds.
const ANY_TIME: i64 = 300_000_000_000;
/// How many segments are shown in place of an expected one.
const SHOWN: usize = 3;

/// Plays a script to a host of its own.
#[must_use]
pub fn play(script: &Script) -> Outcome {
    let Some(settings) = settings::of_script(script) else {
        let verdict = Verdict::Skipped { line: 1, reason: "no controller".to_owned() };
        return Outcome { verdict, unchecked: 0, assertions: Vec::new(), trace: Vec::new() };
    };
    let options = script.options;
    let host = VirtualHost::new(settings, options.ipv6, options.timestamp_tick);
    let application = Application::default();
    let mut player = Player {
        options,
        host,
        application,
        last: 0,
        differences: Vec::new(),
        assertions: Vec::new(),
    };
    let stopped = script.events.iter().find_map(|event| {
        let stop = player.step(event).err()?;
        Some(player.verdict(event, stop))
    });
    let verdict = match stopped {
        Some(it) => it,
        None if player.differences.is_empty() => Verdict::Passes,
        None => Verdict::DiffersInTime { differences: player.differences },
    };
    Outcome {
        verdict,
        unchecked: player.application.unchecked,
        assertions: player.assertions,
        trace: player.host.trace,
    }
}

struct Player {
    options: ScriptOptions,
    host: VirtualHost,
    application: Application,
    /// The time of the last event, as the script has it.
    last: i64,
    differences: Vec<Difference>,
    assertions: Vec<Assertion>,
}

/// When an event is to be, in nanoseconds of the script's time.
#[derive(Clone, Copy)]
struct Span {
    first: i64,
    last: i64,
    returns: Option<i64>,
}

impl Player {
    fn step(&mut self, event: &Event) -> Result<(), Stop> {
        let span = self.span(event.when);
        let time = span.map_or(self.host.script_time(), |it| it.first);
        self.application.return_before(time, &mut self.host)?;
        if let Action::Send(expected) = &event.action {
            return self.expect(event, expected, span);
        }
        self.host.pass_until(time);
        self.last = time;
        match &event.action {
            Action::Receive(segment) => {
                self.host.receive(segment)?;
                self.application.write_rest(&mut self.host);
                Ok(())
            }
            Action::TooBig(report) => {
                self.host.note(event.text.clone());
                self.host.receive_report(report)
            }
            Action::Call(call) => {
                self.host.note(event.text.clone());
                let returns = span.and_then(|it| it.returns);
                self.application.call(call, returns, &mut self.host)
            }
            Action::Code(code) => {
                self.assertions.push(Assertion {
                    line: event.line,
                    time_s: seconds(self.host.script_time()),
                    code: code.clone(),
                    info: self.host.info(self.application.connection()),
                });
                Ok(())
            }
            Action::Unsupported(what) => Stop::skips(*what),
            Action::Command(_) | Action::Send(_) => Ok(()),
        }
    }

    /// When that is; none for any time.
    fn span(&self, when: When) -> Option<Span> {
        let When::Between { is_relative, first, last, returns } = when else { return None };
        let start = if is_relative { self.last } else { 0 };
        let returns = returns.map(|it| start + it);
        Some(Span { first: start + first, last: start + last, returns })
    }

    fn tolerance(&self) -> i64 {
        self.options.tolerance.max(LEAST_TOLERANCE)
    }

    fn expect(
        &mut self,
        event: &Event,
        expected: &Segment,
        span: Option<Span>,
    ) -> Result<(), Stop> {
        let tolerance = self.tolerance();
        match span {
            Some(it) => {
                self.host.pass_until_sent(1, it.last + tolerance);
                self.host.pass_until_sent(1, it.last + tolerance + LATE);
            }
            None => self.host.pass_until_sent(1, self.host.script_time() + ANY_TIME),
        }
        let Some(sent) = self.host.sent.front() else {
            return Stop::fails("nothing was sent");
        };
        let time = sent.time - self.host.ahead;
        let is_burst = is_first_of_burst(expected, &sent.segment);
        let with_clock = self.options.timestamp_tick.is_some();
        compare(expected, &sent.segment, &mut self.host.numbers, with_clock)?;
        if is_burst {
            self.take_burst(expected)?;
        } else if sent.segment.length != expected.length {
            let (length, wanted) = (sent.segment.length, expected.length);
            return Stop::fails(format!("there are {length} bytes of data, not {wanted}"));
        } else {
            self.host.sent.pop_front();
        }
        self.compare_time(event, time, span);
        Ok(())
    }

    /// Compares when a segment was sent, and goes on with the script's time.
    fn compare_time(&mut self, event: &Event, time: i64, span: Option<Span>) {
        let Some(Span { first, last, .. }) = span else {
            self.last = self.last.max(time);
            return;
        };
        let nearest = time.clamp(first, last);
        if (time - nearest).abs() > self.tolerance() {
            self.differences.push(Difference {
                line: event.line,
                expected: event.text.clone(),
                expected_s: seconds(nearest),
                sent_s: seconds(time),
            });
            // What follows is as much later.
            self.host.ahead += (time - nearest).max(0);
        }
        self.last = nearest;
    }

    /// Takes the segments that carry the data of one in the script.
    fn take_burst(&mut self, expected: &Segment) -> Result<(), Stop> {
        let wanted = expected.length;
        let (mut length, mut count) = (0, 0);
        while length < wanted {
            self.host.pass_until_sent(count + 1, self.host.script_time() + self.tolerance());
            let is_next = |it: &&Sent| {
                let next = expected.sequence.map(|it| it.wrapping_add(length));
                it.segment.length > 0 && (next.is_none() || it.segment.sequence == next)
            };
            let Some(sent) = self.host.sent.get(count).filter(is_next) else {
                return Stop::fails(format!("of {wanted} bytes {length} were sent"));
            };
            let since = sent.time - self.host.sent[0].time;
            if since > self.tolerance() {
                return Stop::fails(format!(
                    "of {wanted} bytes {length} were sent at once, the next {:.1} ms later",
                    since as f64 * 1e-6
                ));
            }
            length += sent.segment.length;
            count += 1;
        }
        if length > wanted {
            return Stop::fails(format!("{length} bytes were sent, not {wanted}"));
        }
        self.host.sent.drain(..count);
        Ok(())
    }

    fn verdict(&self, event: &Event, stop: Stop) -> Verdict {
        match stop {
            Stop::Skips(reason) => Verdict::Skipped { line: event.line, reason },
            Stop::Fails(reason) => {
                let is_sent = matches!(event.action, Action::Send(_));
                let sent = self.host.sent.front().filter(|_| is_sent);
                let time = sent.map_or(self.host.script_time(), |it| it.time - self.host.ahead);
                Verdict::Fails(Failure {
                    line: event.line,
                    time_s: seconds(time),
                    expected: event.text.clone(),
                    reason,
                    sent: if is_sent { self.shown() } else { Vec::new() },
                })
            }
        }
    }

    /// What was sent and not expected, in the notation of scripts.
    fn shown(&self) -> Vec<String> {
        let shown = self.host.sent.iter().take(SHOWN).map(|it| {
            let time = seconds(it.time - self.host.ahead);
            format!("{time:.6} > {}", self.host.shown(&it.segment))
        });
        shown.collect()
    }
}
