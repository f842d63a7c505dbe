//! All that can be read from a world, as text: equal texts, equal worlds.

use windtunnel_engine::Time;
use windtunnel_world::World;

/// Everything that a world has counted at `now`.
pub(crate) fn everything(world: &World, now: Time) -> String {
    let ports: Vec<_> = world.ports(now).collect();
    let flows: Vec<_> = world.flows().collect();
    let consumers: Vec<_> = world.consumers().map(|it| *it.counters()).collect();
    let nodes: Vec<_> = world.nodes().collect();
    let tunnels: Vec<_> = world.tunnels().collect();
    let link_services: Vec<_> = world.link_services().collect();
    let players = world.players().flatten();
    let players: Vec<_> = players.map(|it| (it.totals(now), it.segments().to_vec())).collect();
    let held = (world.packets_in_transit(), world.packets_stored(), world.packet_hops());
    format!(
        "{held:?} {}\n{ports:#?}\n{flows:#?}\n{consumers:#?}\n{nodes:#?}\n{tunnels:#?}\n{link_services:#?}\n{players:#?}\n{:#?}",
        world.unroutable(),
        world.transfers(),
    )
}

/// The first lines in which two texts differ.
pub(crate) fn first_difference(one: &str, other: &str) -> String {
    let lines = one.lines().zip(other.lines()).enumerate();
    let different = lines.filter(|(_, (one, other))| one != other).take(3);
    format!("{:?}", different.collect::<Vec<_>>())
}
