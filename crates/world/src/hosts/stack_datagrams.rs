//! Flows of datagrams over stacks, of which none is sent again (RFC 9221): a source and a sink as over
//! UDP, and what is in a datagram.

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::udp::Datagram;
use windtunnel_packets::{Body, Ecn};
use windtunnel_stack::content;

use super::running::Running;
use super::stack_ends::outside;
use super::state::Hosts;
use crate::network::Network;
use crate::side::Side;

/// A datagram begins with its number and the time at which it was made, in picoseconds, of eight bytes
/// each.
const HEADER: usize = 16;

/// The bytes of a datagram.
fn write(datagram: &Datagram, bytes: &mut Vec<u8>) {
    bytes.extend(datagram.sequence.to_be_bytes());
    bytes.extend(datagram.sent.as_picos().to_be_bytes());
    let rest = usize::from(datagram.length).saturating_sub(HEADER);
    bytes.extend_from_slice(content::piece(0, rest as u64));
}

/// The datagram of a flow that has such bytes; none, if they are not those of any.
fn read(flow: u32, bytes: &[u8]) -> Option<Datagram> {
    let (number, rest) = bytes.split_first_chunk()?;
    let (sent, rest) = rest.split_first_chunk()?;
    content::are_right(0, rest).then_some(())?;
    Some(Datagram {
        flow,
        length: u16::try_from(bytes.len()).ok()?,
        dscp: windtunnel_packets::Dscp::DEFAULT,
        path: 0,
        sequence: u64::from_be_bytes(*number),
        sent: Time::ZERO + Duration::from_picos(u64::from_be_bytes(*sent)),
        content: None,
    })
}

impl Hosts {
    /// A source over a stack is due: before the handshake is over, it connects.
    pub(super) fn send_over_stack(&mut self, network: &mut Network, now: Time, slot: u32) {
        let flow = self.slots[slot as usize].flow;
        let Some(stack) = self.flows[flow as usize].stack else { return };
        self.begun_end(now, (stack, Side::Sender));
        let it = &mut self.slots[slot as usize];
        let Some(end) = &mut self.stacks[stack as usize].ends[Side::Sender as usize] else {
            return;
        };
        if end.is_connected
            && let Running::Source(source, _) = &mut it.running
            && let Body::Datagram(datagram) = source.send(now).body
        {
            let mut bytes = std::mem::take(&mut self.stack_bytes);
            bytes.clear();
            write(&datagram, &mut bytes);
            // What it does not take is lost.
            end.call(|it| it.send_datagram(outside(now), &bytes));
            self.stack_bytes = bytes;
            self.arrange(network, slot);
        }
        self.settle(network, now, stack, Side::Sender);
    }

    /// The handshake of an end is over: a source there begins.
    pub(super) fn begin_source(
        &mut self,
        network: &mut Network,
        now: Time,
        (stack, side): (u32, Side),
    ) {
        let slot = self.slot_of(stack, side);
        if let Running::Source(source, _) = &mut self.slots[slot as usize].running {
            source.begin(now);
            self.arrange(network, slot);
        }
    }

    /// A sink over a stack takes in the datagrams that have arrived.
    pub(super) fn receive_over_stack(&mut self, now: Time, stack: u32, side: Side) {
        let slot = self.slot_of(stack, side);
        let Running::Sink(sink) = &mut self.slots[slot as usize].running else { return };
        let stacks = &mut self.stacks[stack as usize];
        let (flow, end) = (stacks.flow, &mut stacks.ends[side as usize]);
        let (Some(end), bytes) = (end, &mut self.stack_bytes) else { return };
        bytes.clear();
        while end.call(|it| it.receive_datagram(bytes)) == Some(true) {
            match read(flow, bytes) {
                Some(datagram) => _ = sink.receive(now, &datagram, Ecn::NotCapable),
                None => end.fail("a datagram brought other bytes than were sent".to_owned()),
            }
            bytes.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use windtunnel_packets::Dscp;

    use super::*;

    #[test]
    fn what_is_read_is_what_was_written() {
        for length in [16, 17, 1162] {
            let sent = Time::ZERO + Duration::from_picos(12_345_678_901_234);
            let (dscp, sequence) = (Dscp::DEFAULT, 1 << 40);
            let datagram =
                Datagram { flow: 3, length, dscp, path: 0, sequence, sent, content: None };
            let mut bytes = Vec::new();
            write(&datagram, &mut bytes);
            assert_eq!(bytes.len(), usize::from(length));
            assert_eq!(read(3, &bytes), Some(datagram));
            bytes.push(255);
            assert_eq!(read(3, &bytes), None);
        }
    }
}
