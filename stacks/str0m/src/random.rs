//! str0m's random numbers, which are those of a thread and shared by all ends on it.

/// The generator of one end.
#[derive(Debug)]
pub(crate) struct Generator(u64);

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Does something with this generator as that of the thread.
    pub(crate) fn with<T>(&mut self, work: impl FnOnce() -> T) -> T {
        fastrand::seed(self.0);
        let done = work();
        self.0 = fastrand::get_seed();
        done
    }
}
