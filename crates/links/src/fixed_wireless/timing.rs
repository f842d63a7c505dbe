//! How long things take on the air: IEEE 802.11ad on a single carrier, and Terragraph's frames.

use windtunnel_engine::{Duration, Rate, Time};

use super::mcs::Mcs;

/// The preamble and header of a transmission: 2176 chips of short training, 1152 of channel
/// estimation and 1024 of the header, at 1.76 GHz.
const PREAMBLE: Duration = Duration::from_picos(2_472_727);
/// The guard interval after the last block: 64 chips.
const LAST_GUARD: Duration = Duration::from_picos(36_364);
/// Between a transmission and its acknowledgement.
const SIFS: Duration = Duration::from_micros(3);
/// A block acknowledgement of 32 bytes, with MCS 1.
const ACKNOWLEDGED_BYTES: u32 = 32;
/// What contention costs before each transmission: AIFS, and half of the least contention
/// window of 15 slots of 5 µs.
const CONTENTION: Duration = Duration::from_nanos(13_000 + 37_500);

/// A frame of Terragraph: each end transmits in its half.
pub const FRAME: Duration = Duration::from_micros(400);
const HALF_FRAME: Duration = Duration::from_micros(200);
/// Of that half so much can carry data.
pub const HALF_FRAME_DATA: Duration = Duration::from_micros(190);
/// The bytes that a packet has more on Terragraph's air.
pub const TERRAGRAPH_OVERHEAD: u32 = 48;
/// The packets that may wait for an acknowledgement.
pub const WINDOW: u32 = 64;
/// What data has of a half frame, after the preamble.
pub const CAPACITY: Duration =
    Duration::from_picos(HALF_FRAME_DATA.as_picos() - PREAMBLE.as_picos());
/// The bytes that a packet has more in an exchange: MAC header, delimiter and check sequence.
pub const EXCHANGE_OVERHEAD: u32 = 38;
/// The longest transmission of an exchange.
pub const LONGEST: Duration = Duration::from_millis(2);

/// How the ends share the medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A coordinator says who sends: no contention.
    Scheduled,
    /// Each end waits for a random time.
    Contention,
}

/// How packets get on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediumAccess {
    /// Each end has its half of Terragraph's frames.
    TimeDivision,
    /// Both ends share the medium: exchanges of this many packets.
    Exchange {
        /// How they share it.
        access: Access,
        /// The most packets of an exchange: 1 to 64.
        aggregation: u32,
    },
}

impl MediumAccess {
    /// The most that one direction sends with a scheme of that rate: in large packets.
    ///
    /// # Panics
    /// Never: no scheme is slow enough.
    #[must_use]
    pub fn most(self, scheme: Rate) -> Rate {
        match self {
            Self::Exchange { .. } => scheme,
            Self::TimeDivision => {
                let share = CAPACITY.as_seconds() / FRAME.as_seconds();
                let rate = (scheme.bits_per_second() as f64 * share).round() as u64;
                Rate::from_bits_per_second(rate).expect("it is above zero")
            }
        }
    }

    /// What packets of this many bytes have of it, in bits per second of them.
    #[must_use]
    pub fn of_packets(self, scheme: Rate, bytes: u32) -> f64 {
        let (packets, time) = match self {
            Self::TimeDivision => (packets_of_half_frame(scheme, bytes), FRAME),
            Self::Exchange { access, aggregation } => {
                let packet = scheme.transmission_time(bytes + EXCHANGE_OVERHEAD);
                (aggregation, around(access) + packet * u64::from(aggregation))
            }
        };
        f64::from(packets) * f64::from(bytes) * 8.0 / time.as_seconds()
    }
}

/// When the data of an end's first turn begins.
#[must_use]
pub fn begin_of_data(half: u64) -> Time {
    Time::ZERO + HALF_FRAME * half + PREAMBLE
}

/// What an exchange takes beside its data: preamble, guard interval, gaps and acknowledgement.
#[must_use]
pub fn around(access: Access) -> Duration {
    let acknowledgement = PREAMBLE + block_acknowledgement().transmission_time(ACKNOWLEDGED_BYTES);
    let own = PREAMBLE + LAST_GUARD + SIFS * 2 + acknowledgement;
    match access {
        Access::Scheduled => own + SIFS,
        Access::Contention => own + CONTENTION,
    }
}

fn block_acknowledgement() -> Rate {
    Mcs::of(1).expect("the scheme of acknowledgements").rate()
}

/// How many packets of this many bytes go in one half of a frame.
#[must_use]
pub fn packets_of_half_frame(rate: Rate, bytes: u32) -> u32 {
    let packet = rate.transmission_time(bytes + TERRAGRAPH_OVERHEAD);
    let fit = CAPACITY.as_picos() / packet.as_picos();
    u32::try_from(fit).unwrap_or(WINDOW).min(WINDOW)
}
