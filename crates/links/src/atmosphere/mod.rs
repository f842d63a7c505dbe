//! What the air takes from radio waves: oxygen and water vapour, rain, and fog.
//!
//! Frequencies are in hertz, attenuations in dB/km.

mod fog;
mod gases;
mod lines;
mod rain;

pub use fog::fog;
pub use gases::{Air, oxygen, water_vapour};
pub use rain::{Polarisation, effective_path, rain};
