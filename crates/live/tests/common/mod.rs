//! What the tests need of the machine.

pub(crate) mod skipping;

use skipping::skipped;
use windtunnel_live::Namespace;

/// A namespace; none where there can be none.
pub(crate) fn namespace() -> Option<Namespace> {
    match Namespace::create() {
        Ok(it) => Some(it),
        Err(error) => {
            skipped(format_args!("no network namespace can be made: {error}"));
            None
        }
    }
}
