//! Our TCP against the kernel's, over a TUN interface in a network namespace of its own. Skipped,
//! with the reason, where no namespace or interface can be made.
#![cfg(target_os = "linux")]

#[path = "../common/mod.rs"]
mod common;
mod exchange;
mod impaired;
mod network;
mod recorder;

mod capture;
mod congestion;
mod ends;
mod transfers;
mod windows;
