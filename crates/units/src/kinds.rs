//! The kinds of quantities that settings of the engine and of protocols have.

use windtunnel_engine::{Duration, Rate};

use crate::quantity::Quantity;

impl Quantity for Duration {
    const NAME: &'static str = "a duration";
    const EXAMPLE: &'static str = "10 ms";
    const UNITS: &'static [(&'static str, f64)] = &[
        ("ns", 1e-9),
        ("us", 1e-6),
        ("µs", 1e-6),
        ("ms", 1e-3),
        ("s", 1.0),
        ("min", 60.0),
        ("h", 3600.0),
    ];

    fn from_base(seconds: f64, _: &str) -> Result<Self, &'static str> {
        match Self::from_seconds(seconds) {
            Some(Self::ZERO) if seconds > 0.0 => Err("is less than the resolution, 1 ps"),
            it => it.ok_or("is longer than the maximum, 213 days"),
        }
    }

    fn base(&self) -> f64 {
        self.as_seconds()
    }
}

/// A duration greater than zero, such as a timeout: with zero, time would not pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositiveDuration(pub Duration);

impl Quantity for PositiveDuration {
    const NAME: &'static str = Duration::NAME;
    const EXAMPLE: &'static str = Duration::EXAMPLE;
    const UNITS: &'static [(&'static str, f64)] = Duration::UNITS;

    fn from_base(seconds: f64, unit: &str) -> Result<Self, &'static str> {
        match Duration::from_base(seconds, unit)? {
            Duration::ZERO => Err("must be greater than zero"),
            it => Ok(Self(it)),
        }
    }

    fn base(&self) -> f64 {
        self.0.base()
    }
}

impl Quantity for Rate {
    const NAME: &'static str = "a rate";
    const EXAMPLE: &'static str = "100 Mbps";
    const UNITS: &'static [(&'static str, f64)] =
        &[("bps", 1.0), ("kbps", 1e3), ("Mbps", 1e6), ("Gbps", 1e9), ("Tbps", 1e12)];

    fn from_base(rate: f64, _: &str) -> Result<Self, &'static str> {
        if rate > 1e15 {
            return Err("is more than 1000 Tbps");
        }
        Self::from_bits_per_second(rate.round() as u64).ok_or("never sends anything")
    }

    fn base(&self) -> f64 {
        self.bits_per_second() as f64
    }
}

/// Bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes(pub u64);

impl Quantity for Bytes {
    const NAME: &'static str = "a size";
    const EXAMPLE: &'static str = "64 KiB";
    const UNITS: &'static [(&'static str, f64)] = &[
        ("B", 1.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
    ];

    fn from_base(bytes: f64, _: &str) -> Result<Self, &'static str> {
        if bytes > 1e18 { Err("is above 1000 PB") } else { Ok(Self(bytes.round() as u64)) }
    }

    fn base(&self) -> f64 {
        self.0 as f64
    }
}

/// Packets of a content store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketCount(pub usize);

impl Quantity for PacketCount {
    const NAME: &'static str = "a number of packets";
    const EXAMPLE: &'static str = "100 packets";
    const UNITS: &'static [(&'static str, f64)] = &[("packets", 1.0), ("packet", 1.0)];

    fn from_base(base: f64, _: &str) -> Result<Self, &'static str> {
        match base {
            _ if base > f64::from(u32::MAX) => Err("is more than 4294967295 packets"),
            _ if base.fract() != 0.0 => Err("is not a whole number of packets"),
            _ => Ok(Self(base as usize)),
        }
    }

    fn base(&self) -> f64 {
        self.0 as f64
    }
}

/// A window, in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segments(pub f64);

impl Quantity for Segments {
    const NAME: &'static str = "a window";
    const EXAMPLE: &'static str = "2 segments";
    const UNITS: &'static [(&'static str, f64)] = &[("segments", 1.0), ("segment", 1.0)];

    fn from_base(base: f64, _: &str) -> Result<Self, &'static str> {
        if (1.0..=1e6).contains(&base) {
            Ok(Self(base))
        } else {
            Err("is not between 1 and 1,000,000")
        }
    }

    fn base(&self) -> f64 {
        self.0
    }
}

/// A probability or a share, such as `"1 %"`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share(pub f64);

impl Quantity for Share {
    const NAME: &'static str = "a probability";
    const EXAMPLE: &'static str = "1 %";
    const UNITS: &'static [(&'static str, f64)] = &[("%", 0.01)];

    fn from_base(base: f64, _: &str) -> Result<Self, &'static str> {
        if (0.0..=1.0).contains(&base) {
            Ok(Self(base))
        } else {
            Err("is not between 0 % and 100 %")
        }
    }

    fn base(&self) -> f64 {
        self.0
    }
}

// -- Conversions from and to what they are in fields --------------------------

macro_rules! plain {
    ($($quantity:ident is $plain:ty,)*) => {$(
        impl From<$quantity> for $plain {
            fn from(quantity: $quantity) -> Self {
                quantity.0
            }
        }

        impl From<$plain> for $quantity {
            fn from(plain: $plain) -> Self {
                Self(plain)
            }
        }
    )*};
}

plain! {
    PositiveDuration is Duration,
    Bytes is u64,
    Segments is f64,
    Share is f64,
}
