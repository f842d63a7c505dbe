//! How large networks may be.

use crate::reading::error::Mistake;
use crate::reading::generators::entries::MOST;
use crate::reading::located::Located;

/// A number of things, if it is possible.
pub(super) fn within(number: &Located<u32>, least: usize, most: usize) -> Result<usize, Mistake> {
    let value = number.value as usize;
    number.checked(
        |_| (least..=most).contains(&value),
        || format!("{value} is out of range: it must be from {least} to {most}"),
        &format!("write a whole number from {least} to {most}"),
    )?;
    Ok(value)
}

/// Refuses more nodes than one table stands for.
pub(super) fn not_too_many(nodes: usize, number: &Located<u32>) -> Result<(), Mistake> {
    number.checked(
        |_| nodes <= MOST,
        || format!("a network of more than {MOST} nodes"),
        "write smaller numbers",
    )
}
