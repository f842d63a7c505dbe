//! The numbers of scripts, which begin with 0, and those on the wire.

use std::collections::BTreeMap;

use crate::script::{Segment, TcpOption};

/// What is added to the peer's numbers.
const PEERS_FIRST: u32 = 3_000_000_000;
/// The length of a tick of the host's clock in microseconds.
const TICK: u32 = 1_000;

/// What the numbers on the wire begin with.
#[derive(Debug)]
pub(crate) struct Numbers {
    /// The number of the host's last SYN, once there was one.
    own: Option<u32>,
    /// A tick of the script's timestamps in microseconds.
    tick: u32,
    /// The first timestamp that the script expects, and the one that was sent.
    first_timestamps: Option<[u32; 2]>,
    /// Those that were sent where the script expects others.
    timestamps: BTreeMap<u32, u32>,
}

impl Numbers {
    pub(crate) fn new(tick: Option<u32>) -> Self {
        let tick = tick.unwrap_or(TICK);
        Self { own: None, tick, first_timestamps: None, timestamps: BTreeMap::new() }
    }

    /// The host's SYN has that number.
    pub(crate) fn begin(&mut self, number: u32) {
        self.own = Some(number);
    }

    /// Whether the host has sent a SYN.
    pub(crate) fn have_begun(&self) -> bool {
        self.own.is_some()
    }

    /// A segment of the host's with the numbers of the script.
    pub(crate) fn of_script(&self, segment: &mut Segment) {
        let own = self.own.unwrap_or_default();
        segment.sequence = segment.sequence.map(|it| it.wrapping_sub(own));
        let of_peer = |it: u32| it.wrapping_sub(PEERS_FIRST);
        segment.acknowledgement = segment.acknowledgement.map(of_peer);
        for option in segment.options.iter_mut().flatten() {
            if let TcpOption::Sack(blocks) = option {
                blocks.as_flattened_mut().iter_mut().for_each(|it| *it = of_peer(*it));
            }
        }
    }

    /// A segment of the peer's with the numbers of the wire.
    pub(crate) fn of_wire(&self, segment: &mut Segment) {
        let own = self.own.unwrap_or_default();
        segment.sequence = segment.sequence.map(|it| it.wrapping_add(PEERS_FIRST));
        segment.acknowledgement = segment.acknowledgement.map(|it| it.wrapping_add(own));
        for option in segment.options.iter_mut().flatten() {
            match option {
                TcpOption::Sack(blocks) => {
                    blocks.as_flattened_mut().iter_mut().for_each(|it| *it = it.wrapping_add(own));
                }
                TcpOption::Timestamps { echo, .. } => *echo = self.timestamp_of_wire(*echo),
                _ => {}
            }
        }
    }

    /// A number of the host's as it is on the wire.
    pub(crate) fn own_of_wire(&self, number: u32) -> u32 {
        number.wrapping_add(self.own.unwrap_or_default())
    }

    /// The host sent a timestamp where the script has another.
    pub(crate) fn match_timestamps(&mut self, scripts: u32, sent: u32) {
        self.first_timestamps.get_or_insert([scripts, sent]);
        self.timestamps.insert(scripts, sent);
    }

    /// The timestamp that the script has for one that was sent, by its first one.
    pub(crate) fn timestamp_of_script(&self, sent: u32) -> u32 {
        let [scripts, first] = self.first_timestamps.unwrap_or_default();
        let ticks = i64::from(sent.wrapping_sub(first).cast_signed());
        let ticks = ticks * i64::from(TICK) / i64::from(self.tick.max(1));
        scripts.wrapping_add(ticks as u32)
    }

    fn timestamp_of_wire(&self, scripts: u32) -> u32 {
        let Some([first, sent]) = self.first_timestamps else { return scripts };
        let known = self.timestamps.get(&scripts).copied();
        let ticks = i64::from(scripts.wrapping_sub(first).cast_signed());
        let ticks = ticks * i64::from(self.tick) / i64::from(TICK);
        known.unwrap_or_else(|| sent.wrapping_add(ticks as u32))
    }
}
