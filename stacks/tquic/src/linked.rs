//! Functions that take the place of others when the library is linked: a reference to `f` becomes one
//! to `__wrap_f`, and `__real_f` is what was `f` (`build.rs` has the list).

#![allow(non_snake_case, reason = "the linker gives the names")]

mod protocol;
mod random;
