//! The token bucket of policers and shapers.

use windtunnel_engine::Rate;
use windtunnel_queues::TokenBucketSettings;

use super::common::MAXIMUM_PACKET;
use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::units::{Bytes, Measured};

/// The bucket that fills at that rate and holds that burst.
pub(super) fn settings(
    rate: Measured<Rate>,
    burst: &Located<Measured<Bytes>>,
) -> Result<TokenBucketSettings, Mistake> {
    let bytes = burst.value.0.0;
    burst.checked(
        |_| (MAXIMUM_PACKET..1 << 32).contains(&bytes),
        || format!("a `burst` of {bytes} B is out of range"),
        "write at least a full packet, \"1500 B\", and less than \"4 GiB\"",
    )?;
    Ok(TokenBucketSettings { rate: rate.0, burst: bytes as u32 })
}
