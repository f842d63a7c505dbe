//! How scenarios name it.

/// Its name.
pub(crate) const NAME: &str = "linux";

/// The kernel that is used if none is named.
pub const DEFAULT_KERNEL: &str = "6.12";
