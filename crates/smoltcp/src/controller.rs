//! What controls the congestion window of smoltcp.

/// What controls the congestion window of smoltcp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SmoltcpController {
    /// CUBIC.
    #[default]
    Cubic,
    /// Reno.
    Reno,
    /// Nothing does: the buffers alone limit what is in flight, as in a build of smoltcp by default.
    None,
}

impl SmoltcpController {
    /// The names of all; the first is the default.
    pub const NAMES: [&str; 3] = ["cubic", "reno", "none"];

    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "cubic" => Some(Self::Cubic),
            "reno" => Some(Self::Reno),
            "none" => Some(Self::None),
            _ => None,
        }
    }
}
