//! The client over noq, on its first path.

#[expect(clippy::duplicate_mod, reason = "the same code over another stack")]
#[path = "client.rs"]
pub(crate) mod client;

use noq as stack;

fn path_of(connection: &stack::Connection) -> stack::PathStats {
    connection.path_stats(stack::PathId::ZERO).unwrap_or_default()
}
