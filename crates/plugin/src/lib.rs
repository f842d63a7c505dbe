//! Congestion controllers in dynamic libraries: a crate outside this tree exports one, and
//! scenarios name it like a registered one.
//!
//! ```
//! use windtunnel_plugin::controllers::{Acknowledgement, Congestion, Controller, Start, Window};
//!
//! /// Additive increase, small decrease.
//! #[derive(Clone)]
//! struct Gentle(Window);
//!
//! impl Controller for Gentle {
//!     fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
//!         let left = self.0.slow_start(acknowledgement.acknowledged);
//!         self.0.grow(left / self.0.cwnd());
//!     }
//!
//!     fn on_congestion(&mut self, congestion: &Congestion) {
//!         self.0.decrease(congestion.signal, 0.9 * self.0.cwnd());
//!     }
//!
//!     fn window(&self) -> &Window {
//!         &self.0
//!     }
//!
//!     fn window_mut(&mut self) -> &mut Window {
//!         &mut self.0
//!     }
//! }
//!
//! windtunnel_plugin::export!("gentle", [], |start: Start| Gentle(Window::new(start)));
//! # fn main() {}
//! ```
//!
//! Library and lab may be made by different compilers: between them is a C interface
//! ([`interface`]), whose version is checked when a library is loaded (`Library`, with the
//! feature `load`). The library's side of it is [`exported`], the lab's `loaded`. What it does not carry are [`Controller::on_siblings`],
//! [`Controller::estimate`] and [`Controller::abandons`]: a controller in a library is not
//! coupled with others.
//!
//! [`Controller::on_siblings`]: controllers::Controller::on_siblings
//! [`Controller::estimate`]: controllers::Controller::estimate
//! [`Controller::abandons`]: controllers::Controller::abandons

#![allow(unsafe_code, reason = "a C interface passes pointers; each use says why it is sound")]

pub mod exported;
pub mod interface;
#[cfg(feature = "load")]
mod loaded;

#[cfg(feature = "load")]
pub use loaded::{Library, LoadError};
pub use windtunnel_controllers as controllers;

/// Exports a controller from a crate whose `crate-type` is `cdylib`: its name in scenarios, its
/// [`Need`](controllers::Need)s in brackets, and a function that makes one from a
/// [`Start`](controllers::Start). One for each library.
#[macro_export]
macro_rules! export {
    ($name:expr, [$($need:ident),* $(,)?], $make:expr) => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        pub static WINDTUNNEL_CONTROLLER: $crate::interface::Interface =
            $crate::exported::interface(
                $name,
                &[$($crate::controllers::Need::$need),*],
                {
                    // A function of its own, which the interface can point to.
                    fn make(
                        start: $crate::controllers::Start,
                    ) -> impl $crate::exported::Exported {
                        ($make)(start)
                    }
                    make
                },
            );
    };
}
