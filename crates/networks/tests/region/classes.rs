//! Classes of service between regions: routers on the way see that of the packet inside.

use windtunnel_networks::region::Transit;
use windtunnel_packets::Dscp;
use windtunnel_packets::ip::IpVersion;

use crate::network::{Network, at, datagram, settings};

#[test]
fn headers_between_regions_and_of_tunnels_have_the_class_of_the_packet_inside() {
    // Nodes 0 and 1, the tunnel from 2 to 4, nodes 5 and 6.
    let mut settings = settings(&[2, 3, 2], &[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6]]);
    settings.regions[1].transit = Transit::Tunnel(IpVersion::V4);
    let mut network = Network::new(settings);
    network.run(at(60_000));
    let packet = datagram(0, Dscp::EF);
    network.carry(at(60_000), [0, 6], packet);
    network.run(at(62_000));
    assert_eq!(network.delivered, [(6, packet)]);
    assert_eq!(network.classes, [Dscp::EF; 6]);
}
