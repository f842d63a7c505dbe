//! The controller of a flow that an agent drives: it passes on what the transport reports, and
//! does what the agent answers.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windtunnel_controllers::{
    Acknowledgement, AnyController, Congestion, Controller, Description, External, Maker, Need,
    Settings, Signal, Start, TransmissionStart, Window, seconds,
};

use crate::answer::Answer;

const DESCRIPTION: Description = Description {
    name: "agent",
    title: "Agent",
    source: "whoever steps the environment",
    status: "as it was trained",
    // Its window is its own also while losses are repaired.
    needs: &[Need::Pacing, Need::DeliveryRate],
    parameters: &[],
};

/// What was heard since the last step, and what is to be done.
#[derive(Debug, Default)]
pub(super) struct Heard {
    pub(super) delivered: f64,
    pub(super) lost: f64,
    pub(super) marked: f64,
    pub(super) rtt_sum: f64,
    pub(super) rtt_samples: u64,
    pub(super) congestions: u64,
    pub(super) timeouts: u64,
    /// These last from step to step.
    pub(super) smoothed_rtt: Option<f64>,
    pub(super) rtt_minimum: Option<f64>,
    pub(super) in_flight: f64,
    pub(super) cwnd: f64,
    pub(super) answer: Option<Answer>,
}

impl Heard {
    fn acknowledgement(&mut self, it: &Acknowledgement) {
        self.delivered += it.delivered;
        self.lost += it.lost;
        self.marked += it.marked;
        self.in_flight = it.in_flight;
        self.smoothed_rtt = it.smoothed_rtt.map(seconds);
        if let Some(rtt) = it.rtt.map(seconds) {
            self.rtt_sum += rtt;
            self.rtt_samples += 1;
            self.rtt_minimum = Some(self.rtt_minimum.map_or(rtt, |least| least.min(rtt)));
        }
    }

    fn congestion(&mut self, it: &Congestion) {
        self.in_flight = it.in_flight;
        match it.signal {
            Signal::Timeout => self.timeouts += 1,
            Signal::Loss | Signal::Mark | Signal::Nack => self.congestions += 1,
        }
    }

    /// What was heard, and the next step begins with nothing.
    pub(super) fn take(&mut self) -> Self {
        let next = Self {
            smoothed_rtt: self.smoothed_rtt,
            rtt_minimum: self.rtt_minimum,
            in_flight: self.in_flight,
            cwnd: self.cwnd,
            answer: self.answer,
            ..Self::default()
        };
        std::mem::replace(self, next)
    }
}

/// Between the controllers of a flow and its environment.
pub(super) type Shared = Arc<Mutex<Heard>>;

/// The world and its environment are on one thread at a time: nobody waits here.
pub(super) fn lock(shared: &Shared) -> MutexGuard<'_, Heard> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes the controllers of a flow that is stepped.
#[derive(Debug)]
pub(super) struct AgentMaker {
    pub(super) shared: Shared,
    /// The flow's own controller, if it decides.
    pub(super) own: Option<Settings>,
}

impl Maker for AgentMaker {
    fn description(&self) -> &'static Description {
        self.own.as_ref().map_or(&DESCRIPTION, Settings::description)
    }

    fn make(&self, start: Start) -> Box<dyn External> {
        let own = self.own.as_ref().map(|it| AnyController::new(start, it));
        let shared = Arc::clone(&self.shared);
        let mut seated = Seated { own, window: Window::new(start), pacing_rate: None, shared };
        seated.take_part(|_| {});
        Box::new(seated)
    }
}

/// The controller of one connection of a flow that is stepped.
#[derive(Clone, Debug)]
struct Seated {
    own: Option<AnyController>,
    window: Window,
    pacing_rate: Option<f64>,
    shared: Shared,
}

impl Seated {
    /// Passes on what was heard, and does what was said.
    fn take_part(&mut self, hear: impl FnOnce(&mut Heard)) {
        let mut heard = lock(&self.shared);
        hear(&mut heard);
        if let Some(answer) = heard.answer
            && self.own.is_none()
        {
            self.window.reduce_to(answer.cwnd);
            self.pacing_rate = answer.pacing_rate;
        }
        heard.cwnd = self.cwnd();
    }
}

impl Controller for Seated {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        if let Some(own) = &mut self.own {
            own.on_acknowledgement(acknowledgement);
        }
        self.take_part(|heard| heard.acknowledgement(acknowledgement));
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        if let Some(own) = &mut self.own {
            own.on_congestion(congestion);
        }
        self.take_part(|heard| heard.congestion(congestion));
    }

    fn on_recovered(&mut self, now: u64) {
        if let Some(own) = &mut self.own {
            own.on_recovered(now);
        }
        self.take_part(|_| {});
    }

    fn on_transmission_start(&mut self, start: &TransmissionStart) {
        if let Some(own) = &mut self.own {
            own.on_transmission_start(start);
        }
    }

    fn lower_window(&mut self, cwnd: f64, ssthresh: f64) {
        if let Some(own) = &mut self.own {
            own.lower_window(cwnd, ssthresh);
        }
        self.take_part(|_| {});
    }

    fn pacing_rate(&self) -> Option<f64> {
        self.own.as_ref().map_or(self.pacing_rate, Controller::pacing_rate)
    }

    fn window(&self) -> &Window {
        self.own.as_ref().map_or(&self.window, Controller::window)
    }

    fn window_mut(&mut self) -> &mut Window {
        match &mut self.own {
            Some(own) => own.window_mut(),
            None => &mut self.window,
        }
    }
}

impl External for Seated {
    fn copy(&self) -> Box<dyn External> {
        Box::new(self.clone())
    }

    fn undo(&mut self, before: &dyn External) {
        let before = (before as &dyn Any).downcast_ref::<Self>();
        if let Some(own) = &mut self.own
            && let Some(before) = before.and_then(|it| it.own.as_ref())
        {
            own.on_spurious(before);
        }
        self.take_part(|_| {});
    }

    fn description(&self) -> &'static Description {
        self.own.as_ref().map_or(&DESCRIPTION, AnyController::description)
    }
}
