//! Fixed radio links: two dishes that look at each other, as at 60 GHz from roof to roof.
//!
//! Lengths are in metres, angles in degrees, powers in dBm, gains in dBi, losses and SNR in dB.

mod antenna;
pub mod mcs;
pub mod timing;

pub use antenna::{Antenna, Pattern, diameter_of, greatest_gain, greatest_gain_of_dish};
pub use mcs::{Mcs, Thresholds};
