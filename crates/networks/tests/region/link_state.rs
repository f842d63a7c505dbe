//! Regions that flood the state of the links between them: how many messages that takes and how
//! long; and, by either protocol, what is no business of other regions.

use windtunnel_engine::{Duration, Time};
use windtunnel_networks::region::{RegionRouting, RegionSettings, Transit};
use windtunnel_packets::Dscp;
use windtunnel_packets::region::{Record, SessionMessage};

use crate::network::{DELAY, Network, Sent, at, clique, datagram, settings};

/// From then on nothing changes by itself.
const SETTLED: u64 = 200_000;
/// How long routers wait before they search paths.
const SEARCH_DELAY: Duration = Duration::from_millis(50);

/// Regions of one node, each joined to each, with BGP's interval.
fn joined(regions: usize, routing: RegionRouting) -> RegionSettings {
    let mut settings = settings(&vec![1; regions], &clique(regions));
    settings.advertisement.interval = Duration::from_secs(30);
    settings.routing = routing;
    settings
}

fn since(network: &Network, time: Time) -> Vec<Sent> {
    network.sent.iter().filter(|it| it.time >= time).cloned().collect()
}

/// When an agreement ends, both its borders tell all others, and each record is flooded over E
/// links to N regions by 2E − (N − 1) messages.
#[test]
fn the_end_of_an_agreement_is_flooded_twice() {
    for regions in [3, 5, 8] {
        let mut settings = joined(regions, RegionRouting::LinkState);
        settings.agreements[0].until = at(SETTLED);
        let mut network = Network::new(settings);
        network.run(at(2 * SETTLED));
        let sent = since(&network, at(SETTLED));
        let links = regions * (regions - 1) / 2 - 1;
        assert_eq!(sent.len(), 2 * (2 * links - (regions - 1)), "{regions} regions");
        let is_border = |it: &Sent| matches!(it.message, SessionMessage::Record(Record::Border(_)));
        assert!(sent.iter().all(is_border));
    }
}

/// A region goes. All others know within the longest path and the time to search: they explore no
/// paths, as a path vector does for (n − 2) intervals.
#[test]
fn all_agree_as_soon_as_news_can_be_there() {
    let regions = 6;
    let last_change = |routing: RegionRouting| {
        let mut network = Network::new(joined(regions, routing));
        network.run(at(SETTLED));
        (1..regions).for_each(|it| network.set_link(at(SETTLED), [0, it], false));
        network.run(at(3 * SETTLED));
        for router in &network.routers[1..] {
            assert_eq!(router.table_size().regions, regions - 2);
        }
        let changes = network.routers[1..].iter().filter_map(|it| it.changes().last());
        changes.map(|it| it.time).max().expect("they lose a region").since(at(SETTLED))
    };
    assert!(last_change(RegionRouting::LinkState) <= SEARCH_DELAY + DELAY + DELAY);
    assert!(
        last_change(RegionRouting::PathVector) >= Duration::from_secs(30 * (regions as u64 - 3))
    );
}

/// A way through the fewest regions is taken, and none through a region that carries nothing.
#[test]
fn a_region_that_refuses_transit_is_gone_round() {
    // 1 – 2 – 5 and 1 – 3 – 4 – 5.
    let mut settings = settings(&[1; 5], &[[0, 1], [1, 4], [0, 2], [2, 3], [3, 4]]);
    settings.routing = RegionRouting::LinkState;
    let links = |settings: RegionSettings| {
        let mut network = Network::new(settings);
        network.run(at(1000));
        network.carry(at(1000), [0, 4], datagram(0, Dscp::DEFAULT));
        network.run(at(1100));
        assert_eq!(network.delivered.len(), 1);
        network.classes.len()
    };
    assert_eq!(links(settings.clone()), 2);
    settings.regions[1].transit = Transit::Refused;
    assert_eq!(links(settings), 3);
}

/// Section VIII.A: the service of a country is not impacted by others. A change inside a region
/// that stays in one piece makes no router of another region send anything.
#[test]
fn a_change_inside_a_region_is_no_message_in_others() {
    let ring = |first: usize| (0..4).map(move |it| [first + it, first + (it + 1) % 4]);
    let links = ring(0).chain(ring(4)).chain(ring(8)).chain([[0, 4], [6, 8], [10, 2]]);
    let links: Vec<[usize; 2]> = links.collect();
    for routing in [RegionRouting::PathVector, RegionRouting::LinkState] {
        let mut settings = settings(&[4, 4, 4], &links);
        settings.routing = routing;
        let mut network = Network::new(settings);
        network.run(at(SETTLED));
        for (time, is_up) in [(SETTLED, false), (SETTLED + 10_000, true)] {
            network.set_link(at(time), [1, 2], is_up);
            network.run(at(time + 5_000));
            let sent = since(&network, at(time));
            assert!(!sent.is_empty() && sent.iter().all(|it| it.router < 4), "{sent:?}");
        }
        // Of a link between two regions all are told by link-state; by a path vector only those
        // whose paths it changes, which are not the third's.
        network.set_link(at(2 * SETTLED), [0, 4], false);
        network.run(at(3 * SETTLED));
        let is_told = since(&network, at(2 * SETTLED)).iter().any(|it| it.router >= 8);
        assert_eq!(is_told, routing == RegionRouting::LinkState);
    }
}

/// A link counts if both of its ends tell of it (RFC 2328, section 16.1): a border that was cut off
/// from the rest before its link failed could not tell them.
#[test]
fn a_link_of_which_one_end_tells_is_not_used() {
    // Region 1 has nodes 0 and 1; 3 reaches 2 through it, or through 4.
    let mut settings = settings(&[2, 1, 1, 1], &[[0, 1], [0, 2], [1, 3], [3, 4], [4, 2]]);
    settings.routing = RegionRouting::LinkState;
    let mut network = Network::new(settings);
    network.run(at(1000));
    network.set_link(at(1000), [0, 1], false);
    network.run(at(2000));
    network.set_link(at(2000), [0, 2], false);
    network.run(at(3000));
    network.carry(at(3000), [3, 2], datagram(0, Dscp::DEFAULT));
    network.run(at(4000));
    assert_eq!(network.delivered.iter().map(|it| it.0).collect::<Vec<_>>(), [2]);
}
