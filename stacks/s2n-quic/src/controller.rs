//! What controls the congestion window.

/// One of its own controllers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Controller {
    /// CUBIC, which is the default.
    Cubic,
    /// BBRv2.
    Bbr2,
}

impl Controller {
    /// That of a name; none of any other.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "cubic" => Some(Self::Cubic),
            "bbr2" => Some(Self::Bbr2),
            _ => None,
        }
    }
}
