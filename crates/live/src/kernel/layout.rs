//! The layouts of what passes between the program in the kernel and user space: `struct report`
//! and `struct decision` of `bpf/controller.bpf.c`.

/// What a report is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A connection begins to use the algorithm.
    Begin,
    /// An acknowledgement that was processed.
    Acknowledgement,
    /// The state of loss recovery changes.
    State,
    /// The last decrease was spurious.
    Spurious,
    /// Data is sent while none is in flight.
    TransmissionStart,
    /// The connection ends, or takes another algorithm.
    End,
}

/// The state of loss recovery (`enum tcp_ca_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Also `TCP_CA_Disorder`: nothing is known to be lost yet.
    Open,
    /// The window was reduced without a retransmission, most often after an ECN echo.
    Reducing,
    /// Losses are repaired.
    Recovery,
    /// After a retransmission timeout.
    Loss,
}

/// A report of the program in the kernel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    /// The connection's number.
    pub(super) connection: u64,
    /// When it was measured: `CLOCK_MONOTONIC`, in nanoseconds.
    pub(super) time: u64,
    /// Nanoseconds from the measurement that the decision answers which was just applied for
    /// the first time; 0 if none was.
    pub(super) applied_after: u64,
    /// Of the connection's reports, from 1 on.
    pub(super) serial: u32,
    pub(super) kind: Kind,
    pub(super) state: State,
    pub(super) window_limited: bool,
    pub(super) application_limited: bool,
    /// Whether timestamps are in microseconds, not milliseconds.
    pub(super) microsecond_timestamps: bool,
    /// Whether ECN was negotiated.
    pub(super) ecn: bool,
    /// The first sequence number that is not acknowledged, and the next to be sent.
    pub(super) unacknowledged: u32,
    pub(super) next: u32,
    /// Bytes of data in a full segment.
    pub(super) segment: u32,
    /// Segments delivered, marked, and lost since the connection began.
    pub(super) delivered: u32,
    pub(super) marked: u32,
    pub(super) lost: u32,
    /// Segments in flight after this acknowledgement and before it, and the most in a window.
    pub(super) in_flight: u32,
    pub(super) prior_in_flight: u32,
    pub(super) most_in_flight: u32,
    /// Segments sent since recovery or reduction began.
    pub(super) sent_in_recovery: u32,
    /// In microseconds.
    pub(super) smoothed_rtt: Option<u32>,
    /// In microseconds.
    pub(super) rtt: Option<u32>,
    pub(super) sample: Option<RateSample>,
    /// The peer's timestamp and its echo of ours.
    pub(super) timestamps: Option<(u32, u32)>,
}

/// A delivery rate sample of the kernel.
#[derive(Clone, Copy, Debug)]
pub(super) struct RateSample {
    /// Segments delivered since the newest of the acknowledged was sent.
    pub(super) delivered: u32,
    /// In this many microseconds; none if that is shorter than the least round trip.
    pub(super) interval: Option<u32>,
}

/// `TCP_ECN_MODE_RFC3168` and `TCP_ECN_MODE_ACCECN` (include/net/tcp.h).
const ECN_CLASSIC: u8 = 1 << 0;
const ECN_ACCURATE: u8 = 1 << 4;

impl Report {
    /// Its size in bytes.
    pub(super) const SIZE: usize = 96;

    /// Reads a report; none if it is not one.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; Self::SIZE] = bytes.try_into().ok()?;
        let eight = |at: usize| bytes.get(at..at + 8)?.try_into().ok().map(u64::from_ne_bytes);
        let four = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_ne_bytes);
        let signed = |at: usize| four(at).map(|it| u32::try_from(it.cast_signed()).ok());
        let (flags, ecn) = (bytes[30], bytes[31]);
        let echo = four(88)?;
        Some(Self {
            connection: eight(0)?,
            time: eight(8)?,
            applied_after: eight(16)?,
            serial: four(24)?,
            kind: match bytes[28] {
                0 => Kind::Begin,
                1 => Kind::Acknowledgement,
                2 => Kind::State,
                3 => Kind::Spurious,
                4 => Kind::TransmissionStart,
                5 => Kind::End,
                _ => return None,
            },
            state: match bytes[29] {
                0 | 1 => State::Open,
                2 => State::Reducing,
                3 => State::Recovery,
                4 => State::Loss,
                _ => return None,
            },
            window_limited: flags & 1 != 0,
            application_limited: flags & 2 != 0,
            microsecond_timestamps: flags & 4 != 0,
            ecn: ecn & (ECN_CLASSIC | ECN_ACCURATE) != 0,
            unacknowledged: four(32)?,
            next: four(36)?,
            segment: four(40)?,
            delivered: four(44)?,
            marked: four(48)?,
            lost: four(52)?,
            in_flight: four(56)?,
            prior_in_flight: four(60)?,
            most_in_flight: four(64)?,
            sent_in_recovery: four(92)?,
            smoothed_rtt: four(68).filter(|it| *it > 0),
            rtt: signed(72)?,
            sample: match signed(76)? {
                Some(delivered) => {
                    let interval = signed(80)?.filter(|it| *it > 0);
                    Some(RateSample { delivered, interval })
                }
                None => None,
            },
            timestamps: (echo != 0).then_some((four(84)?, echo)),
        })
    }
}

/// What a connection shall do from now on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Decision {
    /// The time of the report that it answers.
    pub(super) measured: u64,
    /// Bytes per second.
    pub(super) rate: Option<u64>,
    /// The serial number of the report that it answers.
    pub(super) serial: u32,
    /// In segments.
    pub(super) cwnd: u32,
    /// In segments; `0x7fff_ffff` is infinite.
    pub(super) ssthresh: u32,
    /// Whether segments leave at the rate; otherwise it only says how large bursts may be.
    pub(super) paced: bool,
    /// Whether losses reduce the window.
    pub(super) reduces: bool,
}

impl Decision {
    /// Its size in bytes.
    pub(super) const SIZE: usize = 32;

    /// As the program reads it.
    pub(super) fn bytes(&self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        bytes[..8].copy_from_slice(&self.measured.to_ne_bytes());
        bytes[8..16].copy_from_slice(&self.rate.unwrap_or(0).to_ne_bytes());
        let flags = u32::from(self.paced) | u32::from(self.reduces) << 1;
        let words = [self.serial, self.cwnd, self.ssthresh, flags];
        for (place, word) in bytes[16..].chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn whatever_bytes_come_are_read_or_refused(
            bytes in proptest::collection::vec(any::<u8>(), 0..2 * Report::SIZE),
        ) {
            let read = Report::read(&bytes);
            prop_assert!(read.is_none() || bytes.len() == Report::SIZE);
        }

        #[test]
        fn a_report_of_known_kind_and_state_is_read(
            mut bytes in any::<[u8; Report::SIZE]>(), kind in 0_u8..6, state in 0_u8..5,
        ) {
            (bytes[28], bytes[29]) = (kind, state);
            let read = Report::read(&bytes);
            prop_assert!(read.is_some());
        }
    }
}
