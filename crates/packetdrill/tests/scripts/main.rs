//! Scripts of packetdrill: what is read of them, how they are played, and the suites that come
//! along.

mod mutated;
mod playing;
mod reading;
mod suites;
mod wire;
