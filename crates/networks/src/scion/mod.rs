//! Networks in which hosts choose the paths of their packets, as in SCION.

pub mod policies;
