//! The Linux kernel itself as hosts of simulated networks, in virtual time.
//!
//! A kernel that was built for User-Mode Linux runs as a process of its own ([`Installation`]). It gets
//! its time from the simulator, which says when it runs and interrupts it when a packet arrives; its work
//! takes no time. What it sends are whole IP packets, and the same bytes in each run of a seed, since it
//! gets no random numbers from outside.
//!
//! Its first program, `agent.c`, opens and accepts connections for the simulator, which are the streams of
//! workloads.

#[cfg(target_os = "linux")]
mod abilities;
#[cfg(target_os = "linux")]
mod agent;
#[cfg(target_os = "linux")]
mod calendar;
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "files that a message brings; it says why it is sound")]
mod device;
#[cfg(target_os = "linux")]
mod doors;
#[cfg(target_os = "linux")]
mod end;
#[cfg(target_os = "linux")]
mod guest;
#[cfg(target_os = "linux")]
mod guest_memory;
#[cfg(target_os = "linux")]
mod host;
#[cfg(target_os = "linux")]
mod installation;
mod kind;
#[cfg(target_os = "linux")]
mod machine;
#[cfg(target_os = "linux")]
mod maker;
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "shared memory; each use says why it is sound")]
mod memory;
mod name;
#[cfg(target_os = "linux")]
mod offload;
#[cfg(target_os = "linux")]
mod packet;
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "system calls between fork and exec; each says why it is sound")]
mod process;
#[cfg(target_os = "linux")]
mod ring;
#[cfg(target_os = "linux")]
mod settings;

#[cfg(target_os = "linux")]
pub use installation::Installation;
pub use kind::LinuxKind;
#[cfg(target_os = "linux")]
pub use maker::Linux;
pub use name::DEFAULT_KERNEL;
