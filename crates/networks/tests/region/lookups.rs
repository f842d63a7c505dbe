//! What routers look up of the code of another region: how many entries that needs, where packets
//! come in, and who knows that a part of a region is gone.

use windtunnel_networks::region::{CodeLookup, RegionSettings};
use windtunnel_packets::Dscp;
use windtunnel_packets::region::Code;

use crate::network::{Network, at, datagram, settings};

/// Puts nodes into parts of their regions.
fn in_parts(mut settings: RegionSettings, lookup: CodeLookup, parts: &[(usize, u32)]) -> Network {
    settings.lookup = lookup;
    for &(node, part) in parts {
        let code = &mut settings.nodes[node].code;
        *code = Code::of_sub_region(code.region(), part);
    }
    let mut network = Network::new(settings);
    network.run(at(1000));
    network
}

/// How many links a packet passes from one node to another.
fn links_passed(network: &mut Network, time: u64, ends: [usize; 2]) -> usize {
    network.classes.clear();
    network.delivered.clear();
    network.carry(at(time), ends, datagram(0, Dscp::DEFAULT));
    network.run(at(time + 100));
    assert_eq!(network.delivered.iter().map(|it| it.0).collect::<Vec<_>>(), [ends[1]]);
    network.classes.len()
}

/// Of a region with three codes others keep one entry by its eight bits, one for each code by all
/// 32, and by the longest prefix one and that of the border that is in a part.
#[test]
fn tables_hold_what_is_looked_up() {
    for (lookup, entries) in
        [(CodeLookup::TwoLevel, 1), (CodeLookup::Full, 3), (CodeLookup::LongestPrefix, 2)]
    {
        let settings = settings(&[1, 3], &[[0, 1], [1, 2], [1, 3]]);
        let network = in_parts(settings, lookup, &[(1, 5), (2, 7), (3, 9)]);
        assert_eq!(network.routers[0].table_size().regions, entries, "{lookup:?}");
        assert_eq!(network.routers[1].table_size().sub_regions, 3);
    }
}

/// A part of a region is cut off. Who looks up all bits of its code knows that before a packet
/// leaves; otherwise the region alone does.
#[test]
fn a_lost_part_is_known_to_whoever_looks_it_up() {
    for (lookup, at_the_sender) in [(CodeLookup::TwoLevel, 0), (CodeLookup::Full, 1)] {
        let settings = settings(&[1, 3], &[[0, 1], [1, 2], [1, 3]]);
        let mut network = in_parts(settings, lookup, &[(2, 7), (3, 9)]);
        network.set_link(at(1000), [1, 3], false);
        network.run(at(2000));
        network.carry(at(2000), [0, 3], datagram(0, Dscp::DEFAULT));
        network.run(at(2100));
        let unreachable = [0, 1].map(|it| network.routers[it].counters().unreachable);
        assert_eq!(unreachable, [at_the_sender, 1 - at_the_sender], "{lookup:?}");
        // The other part is reached as ever.
        assert_eq!(links_passed(&mut network, 3000, [0, 2]), 2);
        network.set_link(at(4000), [1, 3], true);
        network.run(at(5000));
        assert_eq!(links_passed(&mut network, 5000, [0, 3]), 2);
    }
}

/// By the longest prefix a packet comes in at the border of its own part, and at another one if
/// that is not reached; by the region's code alone it comes in at the first of them.
#[test]
fn a_packet_comes_in_where_the_longest_prefix_leads() {
    // Node 3 is in a part of node 2's part.
    let settings = || settings(&[1, 3], &[[0, 1], [0, 2], [1, 2], [2, 3]]);
    let parts = [(1, 0x02_00_00), (2, 0x01_00_00), (3, 0x01_02_00)];
    let mut coarse = in_parts(settings(), CodeLookup::TwoLevel, &parts);
    let mut fine = in_parts(settings(), CodeLookup::LongestPrefix, &parts);
    assert_eq!(links_passed(&mut coarse, 1000, [0, 3]), 3);
    assert_eq!(links_passed(&mut fine, 1000, [0, 3]), 2);
    fine.set_link(at(2000), [0, 2], false);
    fine.run(at(3000));
    assert_eq!(links_passed(&mut fine, 3000, [0, 3]), 3);
    fine.set_link(at(4000), [0, 2], true);
    fine.run(at(5000));
    assert_eq!(links_passed(&mut fine, 5000, [0, 3]), 2);
}
