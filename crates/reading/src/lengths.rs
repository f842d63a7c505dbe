//! Lengths that must be greater than zero.

use crate::error::Mistake;
use crate::located::Located;
use crate::units::{Length, Measured};

/// A length above zero, in metres.
///
/// # Errors
/// [`Mistake`] if it is zero or negative.
pub fn positive(
    length: &Located<Measured<Length>>,
    key: &str,
    example: &str,
) -> Result<f64, Mistake> {
    length.checked(
        |it| it.0.0 > 0.0,
        || format!("`{key}` must be greater than zero"),
        &format!("write one such as {key} = \"{example}\""),
    )?;
    Ok(length.value.0.0)
}
