//! What changes in the course of a run.

use std::sync::Arc;

use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_links::{Loss, Victims};
use windtunnel_queues::QueueLimit;

use crate::port_id::PortId;

/// What happens to a link in the course of time.
#[derive(Clone, Debug, PartialEq)]
pub enum LinkChange {
    /// It sends at another rate, also what is left of the packet under transmission, unless its
    /// physical layer keeps that packet's rate; after [`Self::Stall`] it goes on. One with a
    /// delivery trace keeps to that.
    Rate(Rate),
    /// It is longer or shorter: what leaves from now on takes another time to the other
    /// end, but arrives after what left before.
    Delay(Duration),
    /// It loses those packets, and so often, of what it sends from now on.
    Loss(Arc<LossChange>),
    /// Packets that its reordering delays are so late from now on: they may overtake those that
    /// were to be later.
    Lateness(Duration),
    /// So much may wait before it from now on; what is more is dropped.
    QueueLimit(QueueLimit),
    /// It stops sending until the next rate: what has left arrives, what is under transmission
    /// is interrupted, what waits goes on waiting.
    Stall,
    /// It goes down: what is on the link is lost, what waits goes on waiting.
    Down,
    /// It goes down, and nothing waits for it: what is on the link, what waits and what it is
    /// given from now on is lost.
    Cut,
    /// It comes back.
    Up,
    /// It loses what it sends: packets under transmission and later ones.
    Lose,
    /// It delivers what it sends from now on.
    Deliver,
    /// Paths may lead over it.
    Announce,
    /// No path leads over it any more; it sends what it is given all the same.
    Withdraw,
}

/// What a link loses.
#[derive(Clone, Debug, PartialEq)]
pub struct LossChange {
    /// How often.
    pub loss: Loss,
    /// Which packets it can lose.
    pub victims: Victims,
}

impl LinkChange {
    /// Whether the link is up after it, if it says so.
    #[must_use]
    pub fn is_up(&self) -> Option<bool> {
        match self {
            Self::Up => Some(true),
            Self::Down | Self::Cut => Some(false),
            _ => None,
        }
    }

    /// Whether other paths may be the shortest after it. A link that stalls is only slow, and
    /// routing does not see that one loses packets.
    #[must_use]
    pub fn is_of_topology(&self) -> bool {
        matches!(
            self,
            Self::Delay(_) | Self::Down | Self::Cut | Self::Up | Self::Announce | Self::Withdraw
        )
    }
}

/// What happens to one direction of a link at some time.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangePlan {
    /// When.
    pub time: Time,
    /// The port.
    pub port: PortId,
    /// What.
    pub change: LinkChange,
}

/// The places of changes in the order in which these happen.
pub(crate) fn places_in_order(changes: &[ChangePlan]) -> Vec<u32> {
    let mut places: Vec<u32> = (0..changes.len() as u32).collect();
    places.sort_by_key(|it| changes[*it as usize].time);
    places
}
