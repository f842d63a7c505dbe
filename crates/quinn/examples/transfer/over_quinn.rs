//! The client over quinn.

#[path = "client.rs"]
pub(crate) mod client;

use quinn as stack;

fn path_of(connection: &stack::Connection) -> stack::PathStats {
    connection.stats().path
}
