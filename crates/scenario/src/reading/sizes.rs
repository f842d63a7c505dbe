//! Sizes within limits.

pub(crate) use windtunnel_transports::tcp::MOST_BUFFER;

use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::units::{Bytes, Measured};

/// Room in the largest IP packet for the headers with all their options.
pub(crate) const MOST_DATA: u64 = 65_000;
/// The most that an application sends at once.
pub(crate) const MOST_FILE: u64 = 1_000_000_000_000_000;

/// The size of a file of content, which has at least a byte.
pub(crate) fn of_content(size: &Located<Measured<Bytes>>) -> Result<u64, Mistake> {
    let bytes = size.value.0.0;
    size.checked(
        |_| bytes > 0,
        || "`size` must be greater than zero".to_owned(),
        "write one such as size = \"10 MB\"",
    )?;
    Ok(bytes)
}

/// A size from one byte to `most`.
pub(crate) fn within(
    size: &Located<Measured<Bytes>>,
    most: u64,
    key: &str,
) -> Result<u64, Mistake> {
    let bytes = size.value.0.0;
    size.checked(
        |_| (1..=most).contains(&bytes),
        || format!("`{key}` must be between 1 B and {most} B"),
        &format!("write one such as {key} = \"{} B\"", most.min(1000)),
    )?;
    Ok(bytes)
}
