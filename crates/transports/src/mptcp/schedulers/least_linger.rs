//! Bursts for the subflow that would have sent what it holds the soonest, whether its window has
//! room or not.
//!
//! Source: the scheduler of Linux 6.12 to 6.18 (`net/mptcp`), which has no other. A subflow
//! holds what waits there or is in flight; the pacing rate is a mean over what it was given.
//! Data waits in fragments of 32 KiB with a header of 40 bytes each. A burst is of two, and no
//! segment has data of two bursts: of 1420 bytes, each 46 are followed by one of 136.
//!
//! Where interfaces segment, data waits in large pieces. Bursts of which the second goes to the same
//! subflow, before the first was sent, are then cut as one; a full subflow is left after a fragment; and
//! what the receiver's window has room for goes, however little that is.

use windtunnel_engine::Time;

use crate::mptcp::scheduler::{Choice, Description, Scheduler, SubflowState, View, greatest};

pub(super) const DESCRIPTION: Description = Description {
    name: "least-linger",
    title: "least linger",
    meaning: "bursts for the subflow that will have sent what it holds the soonest",
    source: "Linux 6.12 to 6.18",
    make: || {
        Box::new(LeastLinger { rates: Vec::new(), burst: None, is_second: false, again: None })
    },
};

/// The bytes of a piece that goes again, and of a burst: of what a fragment holds.
const PIECE: u64 = 32_768 - 40;
const BURST: u64 = 2 * PIECE;

#[derive(Clone, Debug)]
struct LeastLinger {
    /// The mean pacing rate of each subflow, in segments per second.
    rates: Vec<f64>,
    /// The subflow that has the current burst, and the bytes that are left of it.
    burst: Option<(usize, u64)>,
    /// Whether its second fragment goes: it goes as a whole.
    is_second: bool,
    /// The subflow and what is left of the piece that goes again.
    again: Option<(usize, u64)>,
}

/// The segments that a subflow holds.
fn held(it: &SubflowState) -> f64 {
    it.sender.in_flight + it.sender.queued
}

impl LeastLinger {
    /// Begins a burst for the subflow that lingers least.
    fn begin(&mut self, view: &View<'_>) -> Option<usize> {
        let rates = &mut self.rates;
        rates.resize(view.subflows.len(), 0.0);
        for (place, it) in view.usable() {
            if rates[place] == 0.0 {
                rates[place] = it.sender.rate.unwrap_or(0.0);
            }
        }
        let rate = |place: usize, it: &SubflowState| match rates[place] {
            0.0 => it.sender.rate.unwrap_or(f64::MIN_POSITIVE),
            rate => rate,
        };
        let mut least: Option<(usize, f64)> = None;
        for (place, it) in view.usable() {
            let linger = held(it) / rate(place, it);
            if least.is_none_or(|(_, other)| linger < other) {
                least = Some((place, linger));
            }
        }
        let (place, _) = least?;
        let it = &view.subflows[place];
        if it.is_full && view.in_pieces {
            return None;
        }
        let burst = BURST.min(view.window).min(view.waiting).max(1);
        let segments = burst as f64 / f64::from(view.segment);
        let now = it.sender.rate.unwrap_or(0.0);
        let held = held(it);
        rates[place] = (rates[place] * held + now * segments) / (held + segments);
        self.burst = Some((place, burst));
        self.is_second = burst <= PIECE;
        Some(place)
    }

    /// The subflow of the current burst, if that goes on: a subflow that has become full is left after a
    /// fragment.
    fn goes_on(&mut self, view: &View<'_>) -> Option<usize> {
        let (place, left) = self.burst?;
        let (_, it) = view.usable().find(|it| it.0 == place)?;
        if view.in_pieces && left <= PIECE && !self.is_second {
            if it.is_full {
                self.burst = None;
                return None;
            }
            self.is_second = true;
        }
        Some(place)
    }
}

impl LeastLinger {
    /// What goes again goes in pieces to a subflow that holds nothing.
    fn choose_again(&mut self, view: &View<'_>) -> Option<Choice> {
        let going_on = self.again.map(|(place, _)| place);
        let going_on = going_on.filter(|it| view.usable().any(|(place, _)| place == *it));
        let place = going_on.or_else(|| {
            let idle = view.usable().filter(|(_, it)| held(it) == 0.0);
            greatest(idle, |it| -it.rtt())
        });
        if going_on.is_none() {
            self.again = place.map(|it| (it, PIECE));
        }
        place.map(Choice::new)
    }
}

impl Scheduler for LeastLinger {
    fn wants_rates(&self) -> bool {
        true
    }

    fn fills_window(&self) -> bool {
        true
    }

    fn choose(&mut self, view: &View<'_>) -> Option<Choice> {
        if view.excluded.is_some() {
            return self.choose_again(view);
        }
        self.again = None;
        let subflow = self.goes_on(view).or_else(|| self.begin(view))?;
        let most = self.burst.map_or(u64::MAX, |(_, left)| match view.in_pieces {
            true if left > PIECE => left - PIECE,
            _ => left,
        });
        Some(Choice { most, ..Choice::new(subflow) })
    }

    fn on_sent(&mut self, subflow: usize, start: u64, end: u64) {
        let current = if self.again.is_some() { &mut self.again } else { &mut self.burst };
        *current = current.and_then(|(place, left)| {
            let left = left.saturating_sub(end - start);
            (place == subflow && left > 0).then_some((place, left))
        });
    }

    fn on_window_full(&mut self, _now: Time) {
        self.burst = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::SenderState;

    fn asked(scheduler: &mut dyn Scheduler, is_full: bool, window: u64) -> Option<u64> {
        let sender = SenderState { rate: Some(1_000.0), ..SenderState::default() };
        let subflows = [SubflowState { sender, usable: true, is_full, ..SubflowState::default() }];
        let view = View {
            now: Time::ZERO,
            subflows: &subflows,
            excluded: None,
            unacknowledged: 0,
            next: 0,
            waiting: 10 * BURST,
            window,
            segment: 1420,
            in_pieces: true,
        };
        scheduler.choose(&view).map(|it| it.most)
    }

    /// A subflow that has become full is left after the first of two fragments, however often it is asked
    /// for, and then has a burst of its own: of what the window has room for.
    #[test]
    fn a_full_subflow_has_no_second_fragment() {
        let mut it = (DESCRIPTION.make)();
        assert_eq!(asked(&mut *it, false, 10 * BURST), Some(PIECE));
        it.on_sent(0, 0, PIECE);
        for _ in 0..3 {
            assert_eq!(asked(&mut *it, true, 10 * BURST), None);
        }
        assert_eq!(asked(&mut *it, false, 1_000), Some(1_000));
    }

    #[test]
    fn a_subflow_that_is_not_full_has_both_fragments() {
        let mut it = (DESCRIPTION.make)();
        for piece in 0..2 {
            assert_eq!(asked(&mut *it, false, 10 * BURST - piece), Some(PIECE));
            it.on_sent(0, piece * PIECE, (piece + 1) * PIECE);
        }
        assert_eq!(asked(&mut *it, true, 10 * BURST), None);
    }
}
