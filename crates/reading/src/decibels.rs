//! Ratios that must not be negative.

use crate::error::Mistake;
use crate::located::Located;
use crate::units::{Decibels, Measured};

/// A number of decibels that is not negative.
///
/// # Errors
/// [`Mistake`] if it is negative.
pub fn not_negative(ratio: &Located<Measured<Decibels>>, key: &str) -> Result<f64, Mistake> {
    ratio.checked(
        |it| it.0.0 >= 0.0,
        || format!("`{key}` must not be negative"),
        "write 0 dB or more",
    )?;
    Ok(ratio.value.0.0)
}
