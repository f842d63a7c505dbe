//! The domain name system of regions (Han and Li, "On the Study of Internet Ossification and
//! Solution", section VI.C): each region has a root, whose only top-level domain is the region
//! itself; a name with another region's suffix is asked of that region's root.
//!
//! A [`Root`] is a state machine, and so is the [`StubResolver`] of a host, which asks it: bytes and
//! the time go in, bytes come out. A [`Server`] lets roots answer on sockets. What the paper leaves
//! open is decided here, and named where it is: what "null" is ([`Absent`]), that a name without
//! a suffix is looked for in the own region alone, that an answer has the address and the
//! region's code ([`CODE`]), and what is said where no agreement is (refused, with an extended
//! error, RFC 8914).

mod answer;
mod cache;
mod refusal;
mod root;
mod server;
mod stub;
mod zone;

pub use answer::{CODE, is_reply};
pub use root::{Absent, Output, Root, RootSettings};
pub use server::{BoundRoots, ServedRoot, Server};
pub use stub::{Resolution, StubResolver};
pub use zone::{NameError, Zone};
