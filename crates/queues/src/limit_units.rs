//! How users write the limits of queues.

use windtunnel_units::{Bytes, PacketCount, Quantity};

use crate::backlog::QueueLimit;

impl Quantity for QueueLimit {
    const NAME: &'static str = "a queue limit";
    const EXAMPLE: &'static str = "100 packets";
    const UNITS: &'static [(&'static str, f64)] = &[
        ("packets", 1.0),
        ("packet", 1.0),
        ("B", 1.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
    ];

    fn from_base(base: f64, unit: &str) -> Result<Self, &'static str> {
        if base < 1.0 {
            return Err("is zero");
        }
        if !unit.starts_with("packet") {
            return Bytes::from_base(base, unit).map(|it| Self::Bytes(it.0));
        }
        PacketCount::from_base(base, unit).map(|it| Self::Packets(it.0 as u32))
    }

    fn base(&self) -> f64 {
        match self {
            Self::Packets(it) => f64::from(*it),
            Self::Bytes(it) => *it as f64,
        }
    }

    fn units(&self) -> &'static [(&'static str, f64)] {
        match self {
            Self::Packets(_) => PacketCount::UNITS,
            Self::Bytes(_) => Bytes::UNITS,
        }
    }
}
