//! Sizes within limits.

use crate::error::Mistake;
use crate::located::Located;
use crate::units::{Bytes, Measured};

/// Room in the largest IP packet for the headers with all their options.
pub const MOST_DATA: u64 = 65_000;
/// The most that a receiver or a proxy holds of a connection.
pub const MOST_BUFFER: u64 = 1 << 30;
/// The most that an application sends at once.
pub const MOST_FILE: u64 = 1_000_000_000_000_000;

/// The size of a file of content, which has at least a byte.
///
/// # Errors
/// [`Mistake`] if it has none.
pub fn of_content(size: &Located<Measured<Bytes>>) -> Result<u64, Mistake> {
    let bytes = size.value.0.0;
    size.checked(
        |_| bytes > 0,
        || "`size` must be greater than zero".to_owned(),
        "write one such as size = \"10 MB\"",
    )?;
    Ok(bytes)
}

/// A size from one byte to `most`.
///
/// # Errors
/// [`Mistake`] if it is out of that range.
pub fn within(size: &Located<Measured<Bytes>>, most: u64, key: &str) -> Result<u64, Mistake> {
    let bytes = size.value.0.0;
    size.checked(
        |_| (1..=most).contains(&bytes),
        || format!("`{key}` must be between 1 B and {most} B"),
        &format!("write one such as {key} = \"{} B\"", most.min(1000)),
    )?;
    Ok(bytes)
}
