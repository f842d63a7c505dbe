//! Free memory, given back to the system.
//!
//! glibc's allocator keeps what is freed between pieces that are in use, for the thread that had it.
//! Runs are on threads of their own: of a large scenario, what reading took would lie idle beside
//! what its run takes.

use windtunnel_scenario::Study;

/// The flows, consumers, links and nodes of a case from which a scenario is large. Of smaller ones
/// the memory is not worth the time, which is a millisecond for each of some ten megabytes.
const LARGE: usize = 10_000;

/// Gives back what reading a study left free, if that is much.
pub(crate) fn give_back_after(study: &Study) {
    let sizes = study.cases.iter().map(|case| {
        let plan = &case.plan;
        plan.flows.len() + plan.consumers.len() + plan.links.len() + plan.nodes.len()
    });
    if sizes.max().is_some_and(|it| it >= LARGE) {
        give_back();
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "a call of the C library, which takes no pointer")]
fn give_back() {
    // SAFETY: it changes nothing that is in use. Whether it gave back anything does not matter.
    unsafe { libc::malloc_trim(0) };
}

/// Other allocators give back by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn give_back() {}
