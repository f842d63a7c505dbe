//! Files over NDN between sockets of this machine, whole and as they were.
#![cfg(target_os = "linux")]

mod fetching;
mod support;
