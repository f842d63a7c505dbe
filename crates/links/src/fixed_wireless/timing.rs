//! How long things take on the air: IEEE 802.11ad on a single carrier, and Terragraph's frames.

use windtunnel_engine::{Duration, Rate};

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
/// Of that half so much can carry data.
pub const HALF_FRAME_DATA: Duration = Duration::from_micros(190);
/// The bytes that a packet has more on Terragraph's air.
pub const TERRAGRAPH_OVERHEAD: u32 = 48;
/// The packets that may wait for an acknowledgement.
pub const WINDOW: u32 = 64;

/// How the ends share the medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A coordinator says who sends: no contention.
    Scheduled,
    /// Each end waits for a random time.
    Contention,
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

/// How many packets of so many bytes go in one half of a frame.
#[must_use]
pub fn packets_of_half_frame(rate: Rate, bytes: u32) -> u32 {
    let available = HALF_FRAME_DATA - PREAMBLE;
    let packet = rate.transmission_time(bytes + TERRAGRAPH_OVERHEAD);
    let fit = available.as_picos() / packet.as_picos();
    u32::try_from(fit).unwrap_or(WINDOW).min(WINDOW)
}
