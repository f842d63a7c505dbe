//! Classes of service between autonomous systems: routers on the way see that of the packet
//! inside.

use windtunnel_packets::Dscp;

use crate::network::{Network, at, two_domains};

#[test]
fn headers_on_paths_have_the_class_of_the_packet_inside() {
    let mut network = Network::new(two_domains());
    network.send_of_class(at(0), [0, 8], Dscp::EF);
    network.run(at(900));
    assert_eq!(network.delivered.len(), 1);
    assert_eq!(network.classes, [Dscp::EF; 4]);
    // Beacons, questions for paths and their answers are no part of the flow.
    assert!(!network.own_classes.is_empty());
    assert!(network.own_classes.iter().all(|it| *it == Dscp::DEFAULT));
}

/// What a router says about a packet that it drops has the default class, and quotes that packet.
#[test]
fn what_is_said_about_a_dropped_packet_has_the_default_class() {
    let mut network = Network::new(two_domains());
    network.send_of_class(at(0), [0, 8], Dscp::EF);
    network.run(at(900));
    network.classes.clear();
    network.tamper = Some(Box::new(|it| it.sections[0].hops[1].mac[3] ^= 1));
    network.send_of_class(at(1000), [0, 8], Dscp::EF);
    network.run(at(1900));
    assert_eq!(network.nodes[0].counters().errors_received, 1);
    assert_eq!(network.classes, [Dscp::EF, Dscp::DEFAULT]);
}
