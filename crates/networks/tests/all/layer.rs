//! What a network layer asks of its node.

use windtunnel_engine::{Duration, Time};
use windtunnel_networks::layer::{Actions, Interface, Timer};
use windtunnel_packets::{Packet, ProtocolNumber};

#[test]
fn packets_and_timers_leave_in_the_order_in_which_they_were_asked_for() {
    let mut actions = Actions::default();
    let packets = [1, 2].map(|flow| Packet::message(ProtocolNumber(7), flow, &[], 100));
    let times = [5, 3].map(|it| Time::ZERO + Duration::from_millis(it));
    for (index, (packet, time)) in packets.into_iter().zip(times).enumerate() {
        actions.send(Interface(index as u16), packet);
        actions.wake(time, Timer(index as u32));
    }
    assert_eq!(actions.sends, [(Interface(0), packets[0]), (Interface(1), packets[1])]);
    assert_eq!(actions.timers, [(times[0], Timer(0)), (times[1], Timer(1))]);
}
