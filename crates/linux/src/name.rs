//! How scenarios name it.

/// Its name.
pub(crate) const NAME: &str = "linux";
