//! Controllers that are written outside this crate: in Python, or in a program that
//! uses the lab.
//!
//! The reader of a scenario gets a [`Maker`] for each; the transport then drives what it
//! makes through [`AnyController`](crate::AnyController) as it drives a registered one.

use alloc::boxed::Box;
use alloc::string::String;
use core::any::Any;
use core::fmt::Debug;

use crate::controller::Controller;
use crate::description::Description;
use crate::signals::Start;

/// A controller that is written outside this crate.
///
/// A controller that fails unwinds with [`Failed`] (`std::panic::resume_unwind`): the
/// lab ends that run, and no other.
pub trait External: Controller + Debug + Send + Sync + Any {
    /// An independent copy: the transport keeps one for each decrease, in case it turns out
    /// to be spurious.
    fn copy(&self) -> Box<dyn External>;

    /// As [`Controller::on_spurious`]: the decrease after the copy `before` was spurious.
    /// `before` is a controller of the same maker.
    fn undo(&mut self, before: &dyn External);

    /// The description of the controller.
    fn description(&self) -> &'static Description;
}

/// Makes the controllers of one name, one per connection.
pub trait Maker: Debug + Send + Sync {
    /// The description of the controllers that it makes.
    fn description(&self) -> &'static Description;

    /// A controller for a new connection.
    fn make(&self, start: Start) -> Box<dyn External>;
}

/// Why an [`External`] controller, or something else that is written outside and that a run
/// asks, failed: what it unwinds with.
#[derive(Debug)]
pub struct Failed(pub String);

impl Clone for Box<dyn External> {
    fn clone(&self) -> Self {
        (**self).copy()
    }
}
