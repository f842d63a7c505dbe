//! The capabilities of a thread (capabilities(7)), to be given up before it handles what others
//! send.

use std::io;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

pub use caps::Capability;
use caps::{CapSet, CapsHashSet};

/// How often the calling thread has its turn while another one runs.
const TURN: Duration = Duration::from_millis(50);

/// What opens files of any user's and ports below 1024.
pub const TO_OPEN: [Capability; 2] =
    [Capability::CAP_DAC_OVERRIDE, Capability::CAP_NET_BIND_SERVICE];

/// Runs something on a thread of its own, which has no capabilities but those in `kept`, nor have
/// the threads that it starts. The calling thread waits for it, calls `meanwhile` several times
/// a second, and keeps its own.
///
/// # Errors
/// That of the kernel, if there can be no thread or the capabilities cannot be given up.
pub fn on_own_thread<T: Send>(
    name: &str,
    kept: &[Capability],
    run: impl FnOnce() -> T + Send,
    mut meanwhile: impl FnMut(),
) -> io::Result<T> {
    thread::scope(|scope| {
        let (done, is_done) = channel::<()>();
        let running = thread::Builder::new().name(name.to_owned()).spawn_scoped(scope, || {
            // Whether it ends or panics, the calling thread notices.
            let _done = done;
            give_up_all_but(kept).map(|()| run())
        })?;
        while is_done.recv_timeout(TURN) == Err(RecvTimeoutError::Timeout) {
            meanwhile();
        }
        running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Gives up all capabilities of the calling thread but those in `kept`, for good. Other threads
/// keep theirs.
///
/// # Errors
/// That of the kernel.
pub fn give_up_all_but(kept: &[Capability]) -> io::Result<()> {
    let kept: CapsHashSet = kept.iter().copied().collect();
    for set in [CapSet::Effective, CapSet::Inheritable, CapSet::Permitted] {
        let held = caps::read(None, set).map_err(io::Error::other)?;
        let left = held.intersection(&kept).copied().collect();
        caps::set(None, set, &left).map_err(io::Error::other)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_are_started_without_capabilities_have_none() {
        let held = || caps::read(None, CapSet::Permitted).unwrap();
        let mut turns = 0;
        let started = || {
            thread::sleep(3 * TURN);
            thread::spawn(held).join().unwrap()
        };
        let inside = on_own_thread("bare", &[], started, || turns += 1).unwrap();
        assert!(inside.is_empty());
        assert!(turns > 0);
    }

    #[test]
    fn only_what_is_kept_is_left_and_only_of_this_thread() {
        let all = || caps::read(None, CapSet::Permitted).unwrap();
        let before = all();
        let kept = Capability::CAP_DAC_OVERRIDE;
        let after = std::thread::spawn(move || {
            give_up_all_but(&[kept]).unwrap();
            (all(), caps::has_cap(None, CapSet::Effective, Capability::CAP_NET_ADMIN).unwrap())
        });
        let (left, may_administer) = after.join().unwrap();
        assert!(!may_administer);
        assert!(left.iter().all(|it| *it == kept));
        assert_eq!(left.contains(&kept), before.contains(&kept));
        assert_eq!(all(), before);
    }
}
