//! Why an end of a connection is over.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use crate::Event;

/// Why an end is over that is written in another language: it tells so once, as an event, and is not
/// called any more.
#[derive(Debug, Default)]
pub struct Failure {
    why: RefCell<Option<String>>,
    is_told: Cell<bool>,
}

impl Failure {
    /// It is over. The first reason counts.
    pub fn set(&self, why: impl FnOnce() -> String) {
        self.why.borrow_mut().get_or_insert_with(why);
    }

    /// Whether it is over.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.why.borrow().is_some()
    }

    /// The event that tells so, once.
    pub fn event(&self) -> Option<Event> {
        let why = self.why.borrow().clone().filter(|_| !self.is_told.replace(true));
        why.map(Event::Failed)
    }

    /// When an end is to be woken that wants to be at `time`: at once, if it has to tell that it is
    /// over.
    #[must_use]
    pub fn wake(&self, time: Option<Duration>) -> Option<Duration> {
        if self.is_set() && !self.is_told.get() { Some(Duration::ZERO) } else { time }
    }
}
