//! Earliest completion first: a slower subflow gets data only if it completes the rest sooner
//! than waiting for the fastest one would.
//!
//! Source: Lim et al., "ECF: an MPTCP path scheduler to manage heterogeneous paths", CoNEXT 2017,
//! with the rules of Linux's out-of-tree Multipath TCP 0.95: what waits counts as at least a
//! window, and the margin is twice the greater variation of the round trips.

use crate::mptcp::scheduler::{Choice, Description, Scheduler, SubflowState, View, nearest};

pub(super) const DESCRIPTION: Description = Description {
    name: "ecf",
    title: "ECF",
    meaning: "a slower subflow only if the fastest would complete later, when it has room again",
    source: "Lim et al., CoNEXT 2017, as in Linux's out-of-tree Multipath TCP 0.95",
    make: || Box::new(Ecf { waits: false }),
};

/// By how much longer it goes on waiting once it does (β).
const HYSTERESIS: f64 = 0.25;

#[derive(Clone, Debug)]
struct Ecf {
    waits: bool,
}

/// Whether to wait for the fastest subflow rather than to use a slower one, while this many
/// segments wait; none if it is as before.
fn waits(fast: &SubflowState, slow: &SubflowState, waiting: f64, waits: bool) -> Option<bool> {
    let margin = 2.0 * fast.sender.rtt_variation.max(slow.sender.rtt_variation).as_seconds();
    let (windows, times) = ([fast.sender.cwnd, slow.sender.cwnd], [fast.rtt(), slow.rtt()]);
    let over_fast = (waiting.max(windows[0]) + windows[0]) / windows[0] * times[0];
    let patience = if waits { 1.0 + HYSTERESIS } else { 1.0 };
    if over_fast >= patience * (times[1] + margin) {
        return Some(false);
    }
    let over_slow = waiting.max(windows[1]) / windows[1] * times[1];
    (over_slow >= 2.0 * times[0] + margin).then_some(true)
}

impl Scheduler for Ecf {
    fn choose(&mut self, view: &View<'_>) -> Option<Choice> {
        let fast = nearest(view.usable())?;
        let slow = nearest(view.open())?;
        if fast == slow {
            return Some(Choice::new(fast));
        }
        let (one, other) = (&view.subflows[fast], &view.subflows[slow]);
        let decision = waits(one, other, view.waiting_segments(), self.waits);
        self.waits = decision.unwrap_or(self.waits);
        (decision != Some(true)).then(|| Choice::new(slow))
    }
}

#[cfg(test)]
mod tests {
    use windtunnel_engine::Duration;

    use super::*;
    use crate::tcp::SenderState;

    fn subflow(milliseconds: u64, cwnd: f64) -> SubflowState {
        let smoothed_rtt = Some(Duration::from_millis(milliseconds));
        let sender = SenderState { cwnd, smoothed_rtt, ..SenderState::default() };
        SubflowState { sender, usable: true, ..SubflowState::default() }
    }

    /// Round trips of 20 and 100 ms, windows of 10: 30 segments take (30+10)/10·20 = 80 ms over
    /// the fast one, less than 100; 40 take 100. Once it waits, up to 125 ms.
    #[test]
    fn it_waits_while_the_fast_one_completes_sooner() {
        let (fast, slow) = (subflow(20, 10.0), subflow(100, 10.0));
        assert_eq!(waits(&fast, &slow, 30.0, false), Some(true));
        assert_eq!(waits(&fast, &slow, 40.0, false), Some(false));
        assert_eq!(waits(&fast, &slow, 40.0, true), Some(true));
        assert_eq!(waits(&fast, &slow, 52.0, true), Some(true));
        assert_eq!(waits(&fast, &slow, 53.0, true), Some(false));
    }

    /// Round trips of 20 and 30 ms: the fast one is not so much sooner that waiting pays.
    #[test]
    fn a_slow_one_that_is_hardly_slower_is_used() {
        let (fast, slow) = (subflow(20, 10.0), subflow(30, 100.0));
        assert_eq!(waits(&fast, &slow, 1.0, false), Some(false));
        let slow = subflow(39, 100.0);
        assert_eq!(waits(&subflow(19, 10.0), &slow, 1.0, false), Some(true));
        assert_eq!(waits(&subflow(19, 10.0), &subflow(38, 100.0), 1.0, false), Some(false));
    }
}
