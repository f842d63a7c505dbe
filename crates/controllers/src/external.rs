//! Controllers that are written outside this crate: in Python, or in a program that
//! uses the lab.
//!
//! A scenario's reader is given a [`Maker`] for each; the transport then drives what it
//! makes through [`AnyController`](crate::AnyController) as it drives a registered one.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt::Debug;

use crate::{Controller, Description, Start};

/// A controller that is written outside this crate.
///
/// One that cannot go on, for a mistake of whoever wrote it, unwinds with [`Failed`]
/// (`std::panic::resume_unwind`): the lab ends that run, and no other.
pub trait External: Controller + Debug + Send {
    /// A copy that goes on by itself: the transport keeps one to take back a decrease
    /// that turns out to be spurious.
    fn copy(&self) -> Box<dyn External>;

    /// What it is.
    fn description(&self) -> &'static Description;
}

/// Makes the controllers of one name, one for each connection.
pub trait Maker: Debug + Send + Sync {
    /// What it makes.
    fn description(&self) -> &'static Description;

    /// A controller for a connection that begins there.
    fn make(&self, start: Start) -> Box<dyn External>;
}

/// Why an [`External`] controller cannot go on: what it unwinds with.
#[derive(Debug)]
pub struct Failed(pub String);

impl Clone for Box<dyn External> {
    fn clone(&self) -> Self {
        (**self).copy()
    }
}
