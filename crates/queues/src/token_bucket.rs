//! A token bucket, by which policers and shapers measure what passes.
//!
//! Source: RFC 2697, section 3, with the committed burst alone. The bucket holds at most
//! `burst` bytes of tokens, is full at the start, and fills at `rate`. It is kept as the time
//! when it is full again: each packet moves that by what it takes at the rate.

use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::Located;
use windtunnel_reading::units::{Bytes, Measured};

use crate::keys::MAXIMUM_PACKET;

/// How fast a bucket fills, and how much it holds.
#[derive(Clone, Copy, Debug)]
pub struct TokenBucketSettings {
    /// The committed information rate.
    pub rate: Rate,
    /// The committed burst size, in bytes.
    pub burst: u32,
}

/// A token bucket.
#[derive(Clone, Debug)]
pub struct TokenBucket {
    rate: Rate,
    /// How long it takes to fill when it is empty.
    depth: Duration,
    full: Time,
}

impl TokenBucket {
    /// A full bucket.
    #[must_use]
    pub fn new(settings: TokenBucketSettings) -> Self {
        let TokenBucketSettings { rate, burst } = settings;
        Self { rate, depth: rate.transmission_time(burst), full: Time::ZERO }
    }

    /// How fast it fills.
    #[must_use]
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// When it is full, unless more is taken.
    #[must_use]
    pub fn full(&self) -> Time {
        self.full
    }

    /// From when on it holds the tokens for a packet of `size` bytes; never, if it cannot hold
    /// this many.
    #[inline]
    #[must_use]
    pub fn holds(&self, size: u32) -> Time {
        let needed = self.rate.transmission_time(size);
        if needed > self.depth {
            return Time::NEVER;
        }
        Time::ZERO + (self.full + needed).since(Time::ZERO + self.depth)
    }

    /// Takes the tokens for a packet of `size` bytes out at `now`.
    #[inline]
    pub fn take(&mut self, now: Time, size: u32) {
        self.full = self.full.max(now) + self.rate.transmission_time(size);
    }
}

/// The bucket that fills at that rate and holds that burst.
pub(crate) fn settings(
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
