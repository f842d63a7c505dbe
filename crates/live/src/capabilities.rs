//! The capabilities of a thread (capabilities(7)), to be given up before it handles what others
//! send.

use std::io;

pub use caps::Capability;
use caps::{CapSet, CapsHashSet};

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
