//! Functions inside the network: what sits in a node beside its layers, on the path of
//! IP packets, and looks at those that pass.

use windtunnel_engine::Time;
use windtunnel_packets::{Packet, PacketStore};

/// Where a function sees a packet: one that does different things on the way there and
/// on the way back has a tap for each. Its own protocol gives them a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tap(pub u8);

/// The link that leads from a function towards what it works with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkState {
    /// When it will have sent all that it is known to send; in the past if there is
    /// nothing, [`Time::NEVER`] while it is down.
    pub free_from: Time,
    /// Whether it has nothing to send.
    pub is_idle: bool,
}

/// What a function wants done. Callers keep one and empty it, so that acting allocates
/// nothing once warm.
#[derive(Clone, Debug, Default)]
pub struct FunctionActions {
    /// Packets that go on along their own paths.
    pub forwarded: Vec<Packet>,
    /// The function's own packets, along its own path.
    pub sent: Vec<Packet>,
}

/// A function inside the network.
pub trait NetworkFunction {
    /// A packet comes by. What is inside of packets lies in `packets`.
    fn receive(
        &mut self,
        now: Time,
        tap: Tap,
        packet: Packet,
        packets: &mut PacketStore,
        actions: &mut FunctionActions,
    );

    /// When [`NetworkFunction::wake`] is to be called next; it may move with each call.
    /// `link` is as it is now.
    fn next_wake(&self, link: LinkState) -> Time;

    /// Its time may have come.
    fn wake(&mut self, now: Time, link: LinkState, actions: &mut FunctionActions);
}
