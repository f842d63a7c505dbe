//! Segments as scripts have them.

use std::fmt::{Display, Formatter, Result};

use crate::script::{ByteCounter, Ecn, Segment, SegmentFlags, TcpOption};

impl Display for Segment {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        if let Some(ecn) = self.ecn {
            write!(out, "[{ecn}] ")?;
        }
        write!(out, "{} ", self.flags)?;
        match self.sequence {
            Some(first) => write!(out, "{first}:{}", first.wrapping_add(self.length))?,
            None => write!(out, "...")?,
        }
        write!(out, "({})", self.length)?;
        if let Some(acknowledgement) = self.acknowledgement {
            write!(out, " ack {acknowledgement}")?;
        }
        if let Some(window) = self.window {
            write!(out, " win {window}")?;
        }
        if self.flags.has(SegmentFlags::URG) {
            write!(out, " urg {}", self.urgent)?;
        }
        let options = self.options.as_deref().unwrap_or_default();
        if !options.is_empty() {
            let options: Vec<_> = options.iter().map(TcpOption::to_string).collect();
            write!(out, " <{}>", options.join(","))?;
        }
        Ok(())
    }
}

impl Display for SegmentFlags {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        let letters: String =
            Self::LETTERS.iter().filter(|it| self.has(it.1)).map(|it| it.0).collect();
        write!(out, "{}", if letters.is_empty() { "-" } else { &letters })
    }
}

impl Display for Ecn {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        out.write_str(match self {
            Self::NotCapable => "noecn",
            Self::Ect0 => "ect0",
            Self::Ect1 => "ect1",
            Self::Ect01 => "ect01",
            Self::Congestion => "ce",
        })
    }
}

impl Display for TcpOption {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        match self {
            Self::Nop => write!(out, "nop"),
            Self::End => write!(out, "eol"),
            Self::MaximumSegment(size) => write!(out, "mss {size}"),
            Self::WindowScale(bits) => write!(out, "wscale {bits}"),
            Self::SackPermitted => write!(out, "sackOK"),
            Self::Sack(blocks) => {
                write!(out, "sack")?;
                blocks.iter().try_for_each(|[start, end]| write!(out, " {start}:{end}"))
            }
            Self::Timestamps { value, echo } => write!(out, "TS val {value} ecr {echo}"),
            Self::ByteCounters(counters) => {
                write!(out, "ECN")?;
                counters.iter().try_for_each(|(counter, bytes)| write!(out, " {counter} {bytes}"))
            }
            Self::Other(name) => write!(out, "{name}"),
        }
    }
}

impl Display for ByteCounter {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        out.write_str(match self {
            Self::Ect0 => "e0b",
            Self::Congestion => "ceb",
            Self::Ect1 => "e1b",
        })
    }
}
