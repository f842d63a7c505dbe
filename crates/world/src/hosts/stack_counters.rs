//! What the ends of flows over stacks count.

use windtunnel_applications::udp::SinkCounters;
use windtunnel_engine::Duration;
use windtunnel_packets::Ecn;
use windtunnel_packets::udp::Datagram;
use windtunnel_stack::State;

/// What one end of a flow over a stack counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StackCounters {
    /// Datagrams sent.
    pub datagrams: u64,
    /// Datagrams received, without those that were dropped at the socket.
    pub received_datagrams: u64,
    /// Those of them that were marked.
    pub marks: u64,
    /// Those that came after one that was sent later.
    pub reordered: u64,
    /// Datagrams that arrived while the socket's buffer had no room for them, and were dropped.
    pub socket_drops: u64,
    /// The number of the next one, if none comes late.
    next: u64,
    /// Bytes of streams that were received in order; of a flow of packets those of these.
    pub received_bytes: u64,
    /// The sum of the smoothed round trips that its stack told whenever datagrams had arrived,
    /// once it was connected.
    pub rtt_sum: Duration,
    /// How many they are.
    pub rtt_samples: u64,
}

impl StackCounters {
    pub(super) fn receive(&mut self, datagram: &Datagram, ecn: Ecn) {
        self.received_datagrams += 1;
        self.marks += u64::from(ecn == Ecn::Congestion);
        self.reordered += u64::from(datagram.sequence < self.next);
        self.next = self.next.max(datagram.sequence + 1);
    }
}

/// What one end of a flow over a stack counted, and what the stack tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StackCounts {
    /// What its host counted.
    pub counters: StackCounters,
    /// What the stack tells now.
    pub state: State,
    /// Why it is over, if it has failed.
    pub failure: Option<String>,
    /// Datagrams that the source of a flow of such made, at the sender.
    pub made: Option<u64>,
    /// What their sink counted, at the receiver.
    pub sink: Option<Box<SinkCounters>>,
}
