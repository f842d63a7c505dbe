//! Ratios that must not be negative.

use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::units::{Decibels, Measured};

/// A number of decibels that is not negative.
pub(crate) fn not_negative(ratio: &Located<Measured<Decibels>>, key: &str) -> Result<f64, Mistake> {
    ratio.checked(
        |it| it.0.0 >= 0.0,
        || format!("`{key}` must not be negative"),
        "write 0 dB or more",
    )?;
    Ok(ratio.value.0.0)
}
