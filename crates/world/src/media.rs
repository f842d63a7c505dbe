//! Media that several ports share: one packet is transmitted at a time. When a medium is
//! free, the ports with packets that wait take turns, one packet each, or one transmission of
//! several packets where a port's physical layer makes such. This is an ideal
//! access: there are no collisions, and it takes no time to learn whose turn it is.

use std::collections::VecDeque;

use windtunnel_engine::Time;

use crate::plan::Plan;
use crate::port_id::PortId;

/// The shared media of a world.
#[derive(Clone, Debug)]
pub(crate) struct Media {
    /// For each port its medium, if that is shared; empty if none is.
    of: Vec<Option<u32>>,
    media: Vec<Medium>,
}

/// A medium that ports share.
#[derive(Clone, Debug)]
struct Medium {
    /// When the last transmission ends.
    free_from: Time,
    /// The ports with packets that wait, in the order of their turns.
    waiting: VecDeque<PortId>,
    /// When it is going to be served; never: nobody waits.
    called: Time,
}

impl Medium {
    fn new() -> Self {
        Self { free_from: Time::ZERO, waiting: VecDeque::new(), called: Time::NEVER }
    }
}

impl Media {
    pub(crate) fn new(plan: &Plan) -> Self {
        let media: Vec<Medium> = (0..plan.media()).map(|_| Medium::new()).collect();
        let links = plan.links.iter().filter(|_| !media.is_empty());
        let of = links.flat_map(|it| [it.medium.map(|it| it as u32); 2]).collect();
        Self { of, media }
    }

    /// A port's medium, if it is shared.
    #[inline]
    pub(crate) fn of(&self, port: PortId) -> Option<u32> {
        *self.of.get(port.index())?
    }

    /// When a medium is free of the transmissions that have begun.
    pub(crate) fn free_from(&self, medium: u32) -> Time {
        self.media[medium as usize].free_from
    }

    /// A port's last transmission lasts until `time`, which was to last until `before`, or that
    /// before it.
    pub(crate) fn occupy(&mut self, medium: u32, before: Time, time: Time) {
        let it = &mut self.media[medium as usize];
        // The one that is under way may end earlier than it was to.
        it.free_from = if it.free_from == before { time } else { it.free_from.max(time) };
    }

    /// A port has a packet that waits.
    pub(crate) fn wait(&mut self, medium: u32, port: PortId) {
        self.media[medium as usize].waiting.push_back(port);
    }

    /// A port has a packet that belongs to the transmission which has begun: it is the next.
    pub(crate) fn keep(&mut self, medium: u32, port: PortId) {
        self.media[medium as usize].waiting.push_front(port);
    }

    /// Asks for a medium to be served when it is free, if any port waits for that and
    /// nothing has asked for it to be served by then; returns when.
    pub(crate) fn call(&mut self, medium: u32) -> Option<Time> {
        let it = &mut self.media[medium as usize];
        if it.called <= it.free_from || it.waiting.is_empty() {
            return None;
        }
        it.called = it.free_from;
        Some(it.free_from)
    }

    /// The service of a medium begins; returns whether it was asked for at `now`, and not before
    /// the transmission that is under way became shorter.
    pub(crate) fn answer(&mut self, medium: u32, now: Time) -> bool {
        let it = &mut self.media[medium as usize];
        let is_called = it.called <= now;
        if is_called {
            it.called = Time::NEVER;
        }
        is_called
    }

    /// The port whose turn it is, if a medium is free at `now` and any waits.
    pub(crate) fn next(&mut self, medium: u32, now: Time) -> Option<PortId> {
        let it = &mut self.media[medium as usize];
        if it.free_from > now { None } else { it.waiting.pop_front() }
    }
}
