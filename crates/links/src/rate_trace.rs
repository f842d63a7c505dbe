//! Links whose rate, and perhaps delay, follows a trace.

use std::sync::Arc;

use windtunnel_engine::{Duration, Rate, Time};

use crate::channel::{Channel, ChannelMaker, ChannelSetting, ChannelState};

/// Rates in the course of time.
#[derive(Clone, Debug, PartialEq)]
pub struct RateTrace {
    /// From when on which rate holds; none: nothing is sent. Rising times, the first
    /// of them zero.
    pub rows: Vec<(Duration, Option<Rate>)>,
    /// From when on which delay holds, before the first of them that of the link. Rising times.
    pub delays: Vec<(Duration, Duration)>,
    /// When the trace begins again; without, its last rate holds for ever.
    pub repeat: Option<Duration>,
}

/// What a trace says at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Row {
    rate: Option<Rate>,
    /// None: as before.
    delay: Option<Duration>,
    /// How long it stays so.
    lasts: Option<Duration>,
}

impl RateTrace {
    /// What it says after so much time.
    fn at(&self, time: Duration) -> Row {
        let picos = time.as_picos();
        let within = Duration::from_picos(self.repeat.map_or(picos, |it| picos % it.as_picos()));
        let next = self.rows.partition_point(|(from, _)| *from <= within);
        let next_delay = self.delays.partition_point(|(from, _)| *from <= within);
        let rows = self.rows.get(next).map(|it| it.0);
        let until = [rows, self.delays.get(next_delay).map(|it| it.0), self.repeat];
        Row {
            rate: self.rows[next - 1].1,
            delay: next_delay.checked_sub(1).map(|it| self.delays[it].1),
            lasts: until.into_iter().flatten().min().map(|it| it - within),
        }
    }
}

/// A trace for each direction; one without keeps the rate of its plan.
#[derive(Clone, Debug, PartialEq)]
pub struct RateTraces(pub [Option<Arc<RateTrace>>; 2]);

/// Directions of a link that follow their traces.
#[derive(Clone, Debug)]
struct TracedRates {
    traces: RateTraces,
    rates: [Option<Rate>; 2],
}

impl ChannelMaker for RateTraces {
    fn channel(&self, setting: ChannelSetting<'_>) -> Box<dyn Channel> {
        Box::new(TracedRates { traces: self.clone(), rates: setting.rates.map(Some) })
    }

    fn least_delays(&self) -> [Option<Duration>; 2] {
        let least = |it: &Arc<RateTrace>| it.delays.iter().map(|it| it.1).min();
        self.0.each_ref().map(|it| it.as_ref().and_then(least))
    }
}

impl Channel for TracedRates {
    fn sample(&mut self, now: Time) -> ChannelState {
        let mut state = ChannelState { rates: self.rates, ..ChannelState::default() };
        for (direction, trace) in self.traces.0.iter().enumerate() {
            let Some(trace) = trace else { continue };
            let Row { rate, delay, lasts } = trace.at(now.since(Time::ZERO));
            (state.rates[direction], state.delays[direction]) = (rate, delay);
            state.next = [state.next, lasts.map(|it| now + it)].into_iter().flatten().min();
        }
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn megabits(rate: u64) -> Option<Rate> {
        Rate::from_bits_per_second(rate * 1_000_000)
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_trace_of_rates_says_which_holds_and_how_long() {
        let rows = vec![(seconds(0), megabits(8)), (seconds(2), None), (seconds(3), megabits(1))];
        let row = |rate, lasts: Option<u64>| Row { rate, delay: None, lasts: lasts.map(seconds) };
        let once = RateTrace { rows: rows.clone(), delays: Vec::new(), repeat: None };
        assert_eq!(once.at(seconds(0)), row(megabits(8), Some(2)));
        assert_eq!(once.at(seconds(2)), row(None, Some(1)));
        assert_eq!(once.at(seconds(30)), row(megabits(1), None));
        let again = RateTrace { rows, delays: Vec::new(), repeat: Some(seconds(5)) };
        assert_eq!(again.at(seconds(4)), row(megabits(1), Some(1)));
        assert_eq!(again.at(seconds(10)), row(megabits(8), Some(2)));
        assert_eq!(again.at(seconds(12)), row(None, Some(1)));
    }

    #[test]
    fn a_delay_holds_until_the_next_one() {
        let rows = vec![(seconds(0), megabits(8)), (seconds(4), megabits(1))];
        let delays = vec![(seconds(1), Duration::from_millis(20)), (seconds(3), Duration::ZERO)];
        let trace = RateTrace { rows, delays, repeat: Some(seconds(6)) };
        let delay = |second| (trace.at(seconds(second)).delay, trace.at(seconds(second)).lasts);
        assert_eq!(delay(0), (None, Some(seconds(1))));
        assert_eq!(delay(2), (Some(Duration::from_millis(20)), Some(seconds(1))));
        assert_eq!(delay(3), (Some(Duration::ZERO), Some(seconds(1))));
        assert_eq!(delay(5), (Some(Duration::ZERO), Some(seconds(1))));
        assert_eq!(delay(7), (Some(Duration::from_millis(20)), Some(seconds(2))));
    }
}
