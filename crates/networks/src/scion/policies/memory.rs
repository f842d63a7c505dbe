//! What a policy remembers of each path.

use super::PathId;

/// Something for each path that a policy has met. Paths that vanish are remembered: they may
/// come back, and a network has only this many.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory<T>(Vec<(PathId, T)>);

impl<T: Default> Memory<T> {
    /// What is remembered of a path, if anything is.
    pub(super) fn get(&self, id: PathId) -> Option<&T> {
        self.0.iter().find(|it| it.0 == id).map(|it| &it.1)
    }

    /// The same, to be changed; the default, if nothing was.
    pub(super) fn entry(&mut self, id: PathId) -> &mut T {
        let place = self.0.iter().position(|it| it.0 == id).unwrap_or_else(|| {
            self.0.push((id, T::default()));
            self.0.len() - 1
        });
        &mut self.0[place].1
    }
}
