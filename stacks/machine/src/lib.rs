//! What an end of a connection takes for the machine that it runs on, for stacks that read the
//! machine's clock and draw random numbers by themselves: a clock that says the time of the run, and
//! random numbers from a seed.
//!
//! A library that is linked with `--wrap` for `clock_gettime`, `gettimeofday` and `time` has that clock
//! while an end is at work on the thread; outside of that, and for all other code of the process, the
//! clock is the system's. What takes the place of its random numbers is each stack's own.

mod clock;
mod machine;
pub mod random;

pub use machine::Machine;
