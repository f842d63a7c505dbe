//! What controls the congestion window.

use tquic::CongestionControlAlgorithm as Algorithm;

/// tquic's controller of a name; none of any other.
pub(crate) fn named(name: &str) -> Option<Algorithm> {
    match name {
        "bbr" => Some(Algorithm::Bbr),
        "bbr3" => Some(Algorithm::Bbr3),
        "copa" => Some(Algorithm::Copa),
        "cubic" => Some(Algorithm::Cubic),
        _ => None,
    }
}
