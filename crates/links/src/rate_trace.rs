//! Links whose rate follows a trace.

use std::sync::Arc;

use windtunnel_engine::{Duration, Rate, Time};

use crate::channel::{Channel, ChannelMaker, ChannelSetting, ChannelState};

/// Rates in the course of time.
#[derive(Clone, Debug, PartialEq)]
pub struct RateTrace {
    /// From when on which rate holds; none: nothing is sent. Rising times, the first
    /// of them zero.
    pub rows: Vec<(Duration, Option<Rate>)>,
    /// When the trace begins again; without, its last rate holds for ever.
    pub repeat: Option<Duration>,
}

impl RateTrace {
    /// The row that holds after so much time, and how long it does.
    fn at(&self, time: Duration) -> (Option<Rate>, Option<Duration>) {
        let picos = time.as_picos();
        let within = self.repeat.map_or(picos, |it| picos % it.as_picos());
        let next = self.rows.partition_point(|(from, _)| from.as_picos() <= within);
        let until = self.rows.get(next).map(|(from, _)| *from).or(self.repeat);
        let left = until.map(|it| Duration::from_picos(it.as_picos() - within));
        (self.rows[next - 1].1, left)
    }
}

/// A trace for each direction; one without keeps the rate of its plan.
#[derive(Clone, Debug, PartialEq)]
pub struct RateTraces(pub [Option<Arc<RateTrace>>; 2]);

/// Directions of a link that follow their traces.
#[derive(Debug)]
struct TracedRates {
    traces: RateTraces,
    rates: [Option<Rate>; 2],
}

impl ChannelMaker for RateTraces {
    fn channel(&self, setting: ChannelSetting<'_>) -> Box<dyn Channel> {
        Box::new(TracedRates { traces: self.clone(), rates: setting.rates.map(Some) })
    }
}

impl Channel for TracedRates {
    fn sample(&mut self, now: Time) -> ChannelState {
        let mut next = None;
        for (rate, trace) in self.rates.iter_mut().zip(&self.traces.0) {
            let Some(trace) = trace else { continue };
            let (current, left) = trace.at(now.since(Time::ZERO));
            *rate = current;
            next = [next, left.map(|it| now + it)].into_iter().flatten().min();
        }
        ChannelState { rates: self.rates, next, ..ChannelState::default() }
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
        let once = RateTrace { rows: rows.clone(), repeat: None };
        assert_eq!(once.at(seconds(0)), (megabits(8), Some(seconds(2))));
        assert_eq!(once.at(seconds(2)), (None, Some(seconds(1))));
        assert_eq!(once.at(seconds(30)), (megabits(1), None));
        let again = RateTrace { rows, repeat: Some(seconds(5)) };
        assert_eq!(again.at(seconds(4)), (megabits(1), Some(seconds(1))));
        assert_eq!(again.at(seconds(10)), (megabits(8), Some(seconds(2))));
        assert_eq!(again.at(seconds(12)), (None, Some(seconds(1))));
    }
}
