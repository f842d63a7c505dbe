//! What the tests need of the machine.

use windtunnel_live::Namespace;

/// A namespace; none, with the reason printed, where there can be none.
pub(crate) fn namespace() -> Option<Namespace> {
    match Namespace::create() {
        Ok(it) => Some(it),
        Err(error) => {
            println!("skipped: no network namespace can be made: {error}");
            None
        }
    }
}
