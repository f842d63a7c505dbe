//! What the application does next, because s2n-quic has woken it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Wake, Waker};

/// What waits until it can go on; streams are given by their numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Task {
    /// Connecting, or waiting for a client.
    Connect,
    /// Waiting for a stream of the peer, or for the end of the connection.
    Accept,
    /// Waiting until the peer allows another stream.
    Open,
    /// Waiting for data.
    Read(u64),
    /// Waiting for room.
    Write(u64),
    /// Waiting for the acknowledgement of all that was written.
    Close(u64),
}

/// Tasks that can go on, in the order in which they were woken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tasks(Arc<Mutex<VecDeque<Task>>>);

impl Tasks {
    /// What wakes a task.
    pub(crate) fn waker(&self, task: Task) -> Waker {
        Waker::from(Arc::new(Sleeper { task, tasks: self.clone() }))
    }

    /// The next one.
    pub(crate) fn next(&self) -> Option<Task> {
        self.lock().pop_front()
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Task>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A task that waits.
#[derive(Debug)]
struct Sleeper {
    task: Task,
    tasks: Tasks,
}

impl Wake for Sleeper {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.tasks.lock().push_back(self.task);
    }
}
