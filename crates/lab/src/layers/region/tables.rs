//! Regions and their routers.

use std::collections::BTreeMap;
use std::sync::Arc;

use windtunnel_networks::region::{
    PROTOCOL, Region, RegionRouter, RegionSettings, RouteChange, Transit,
};
use windtunnel_packets::ip::IpVersion;
use windtunnel_tables::{Columns, Table, column};
use windtunnel_world::{Plan, World};

use crate::tables::shared::{
    ERRORS_RECEIVED, ERRORS_SENT, HOP_LIMIT_EXCEEDED, IS_BORDER, MALFORMED, NODE, REGION,
    TOO_LARGE, UNMARKABLE,
};

/// A router: its node, its region and its layer.
struct Router<'a> {
    name: &'a str,
    region: &'a str,
    layer: &'a RegionRouter,
    /// How many prefixes its region has.
    prefixes: u64,
    /// How many all have.
    all: u64,
}

fn routers<'a>(plan: &'a Plan, world: &'a World) -> Vec<Router<'a>> {
    let all = prefixes(plan, world);
    let layer = |node| Some((node, world.layer::<RegionRouter>(node, PROTOCOL)?));
    let layers = (0..plan.nodes.len()).filter_map(layer);
    let router = |(node, layer): (usize, &'a RegionRouter)| Router {
        name: &plan.nodes[node].name,
        region: region_name(plan, layer.code().region()),
        layer,
        prefixes: all[&layer.code().region()],
        all: all.values().sum(),
    };
    layers.map(router).collect()
}

/// The regions of a plan, in the order of its file.
fn regions_of(plan: &Plan) -> &[Region] {
    plan.carrier::<Arc<RegionSettings>>().map_or(&[], |it| &it.regions)
}

fn region_name(plan: &Plan, number: u8) -> &str {
    let of_number = regions_of(plan).iter().find(|it| it.number == number);
    of_number.map_or("", |it| &it.name)
}

/// How many IP prefixes each region has: what its file says, or one for each node.
fn prefixes(plan: &Plan, world: &World) -> BTreeMap<u8, u64> {
    let mut nodes: BTreeMap<u8, u64> = BTreeMap::new();
    for node in 0..plan.nodes.len() {
        if let Some(layer) = world.layer::<RegionRouter>(node, PROTOCOL) {
            *nodes.entry(layer.code().region()).or_default() += 1;
        }
    }
    for region in regions_of(plan) {
        if let Some(prefixes) = region.prefixes {
            nodes.insert(region.number, prefixes);
        }
    }
    nodes
}

/// The regions.
pub(super) fn regions(plan: &Plan, world: &World) -> Table {
    let routers = routers(plan, world);
    let mut regions: Vec<&Region> = regions_of(plan).iter().collect();
    regions.sort_by_key(|it| it.number);
    let of = |it: &Region| {
        let number = it.number;
        routers.iter().filter(move |it| it.layer.code().region() == number)
    };
    Columns::of("regions", "The regions of a network of regions.", &regions)
        .text(REGION, |it| &it.name)
        .count(column("code", "The code of the region.").unit(""), |it| u64::from(it.number))
        .text(column("transit", "How packets of other regions cross it."), |it| {
            of(it).next().map_or("", |it| transit(it.layer.transit()))
        })
        .count(column("nodes", "Its nodes."), |it| of(it).count() as u64)
        .count(column("borders", "Its border routers."), |it| {
            of(it).filter(|it| it.layer.is_border()).count() as u64
        })
        .count(column("prefixes", "The prefixes of addresses in use in it."), |it| {
            of(it).next().map_or(0, |it| it.prefixes)
        })
        .table()
}

fn transit(transit: Transit) -> &'static str {
    match transit {
        Transit::Transparent => "transparent",
        Transit::Tunnel(IpVersion::V4) => "ipv4-tunnel",
        Transit::Tunnel(IpVersion::V6) => "ipv6-tunnel",
        Transit::Refused => "refused",
    }
}

/// What the router of each node keeps, and what it counted.
pub(super) fn totals(plan: &Plan, world: &World) -> Table {
    let rows = routers(plan, world);
    Columns::of("routers", "What each node of a network of regions counted.", &rows)
        .text(NODE, |it| it.name)
        .text(REGION, |it| it.region)
        .flag_if_any(IS_BORDER, |it| Some(it.layer.is_border()))
        .count(
            column(
                "entries",
                "Entries of its tables: a prefix each of its own region, and one for each other \
                 region; by `region_protocol.lookup`, one for each code of theirs that is \
                 announced.",
            ),
            |it| it.layer.table_size().regions as u64 + it.prefixes,
        )
        .count(
            column(
                "flat_entries",
                "Entries that it would need without regions: the prefixes of all.",
            ),
            |it| it.all,
        )
        .count(column("region_lookups", "Packets forwarded by the code of a region."), |it| {
            it.layer.counters().region_lookups
        })
        .count(
            column(
                "address_lookups",
                "Packets between regions forwarded by the address in their payload.",
            ),
            |it| it.layer.counters().address_lookups,
        )
        .count(
            column(
                "tunnel_lookups",
                "Packets in tunnels forwarded by the address of their outer header.",
            ),
            |it| it.layer.counters().tunnel_lookups,
        )
        .count(
            column(
                "sent",
                "Packets of its hosts that left for another region under the header; with \
                 `region_protocol.ndn = \"inside\"` those of its NDN faces too.",
            ),
            |it| it.layer.counters().sent,
        )
        .count(
            column(
                "sent_as_ip",
                "Packets of its hosts to another region that left as plain IP packets, because no \
                 path under the header was known (`region_protocol.migration`).",
            ),
            |it| it.layer.counters().sent_as_ip,
        )
        .count(
            column("delivered", "Packets from other regions delivered to its hosts.")
                .title("packets delivered"),
            |it| it.layer.counters().delivered,
        )
        .count(column("encapsulated", "Packets put into a tunnel here."), |it| {
            it.layer.counters().encapsulated
        })
        .count(column("decapsulated", "Packets taken out of a tunnel here."), |it| {
            it.layer.counters().decapsulated
        })
        .count(
            column(
                "unreachable",
                "Packets dropped because no route leads to their region, sub-region or address.",
            ),
            |it| it.layer.counters().unreachable,
        )
        .count(
            column("without_agreement", "Packets dropped because no agreement covers them."),
            |it| it.layer.counters().without_agreement,
        )
        .count(
            column("not_accepted", "Packets dropped because the region accepts no such addresses."),
            |it| it.layer.counters().not_accepted,
        )
        .count(HOP_LIMIT_EXCEEDED, |it| it.layer.counters().hop_limit_exceeded)
        .count(TOO_LARGE, |it| it.layer.counters().too_big)
        .count(UNMARKABLE, |it| it.layer.counters().unmarkable)
        .count(MALFORMED, |it| it.layer.counters().malformed)
        .count(ERRORS_SENT, |it| it.layer.counters().errors_sent)
        .count(ERRORS_RECEIVED, |it| it.layer.counters().errors_received)
        .count(
            column(
                "control_messages",
                "Messages of the control plane sent; acknowledgements alone are not counted.",
            ),
            |it| it.layer.counters().control_messages,
        )
        .count(column("control_bytes", "Packets of the control plane sent, by their size."), |it| {
            it.layer.counters().control_bytes
        })
        .number(column("converged_s", "When its table last changed."), |it| {
            it.layer.changes().last().map(|it| it.time.as_seconds())
        })
        .table()
}

/// Each change of a router's way to a region.
pub(super) fn changes(plan: &Plan, world: &World) -> Table {
    let routers = routers(plan, world);
    let mut rows: Vec<(&str, &RouteChange)> = Vec::new();
    for router in &routers {
        rows.extend(router.layer.changes().iter().map(|it| (router.name, it)));
    }
    rows.sort_by_key(|it| it.1.time);
    let names = |path: &[u8]| {
        let names: Vec<&str> = path.iter().map(|it| region_name(plan, *it)).collect();
        names.join(" ")
    };
    let rows: Vec<(&str, &RouteChange, String)> =
        rows.into_iter().map(|(node, it)| (node, it, names(&it.path))).collect();
    Columns::of("route_changes", "Each change of a router's next hop towards a region.", &rows)
        .text(NODE, |it| it.0)
        .number(column("time_s", "When."), |it| it.1.time.as_seconds())
        .text(column("region", "The region that is reached."), |it| {
            region_name(plan, it.1.code.region())
        })
        .count(
            column(
                "sub_region",
                "The code of the part of it that is reached; 0: the region as a whole, or its \
                 nodes in no sub-region.",
            )
            .unit(""),
            |it| u64::from(it.1.code.sub_region()),
        )
        .text_if_any(
            column("next", "The node that is next; empty: the region cannot be reached any more."),
            |it| it.1.next.map(|it| plan.nodes[it as usize].name.as_str()),
        )
        .text(
            column("regions_on_path", "The regions on the way, from the next one to the last."),
            |it| &it.2,
        )
        .table()
}
