//! Regions and their routers.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::RecordBatch;
use windtunnel_networks::region::{
    PROTOCOL, Region, RegionRouter, RegionSettings, RouteChange, Transit,
};
use windtunnel_packets::ip::IpVersion;
use windtunnel_world::{Plan, World};

use crate::tables::Columns;

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
pub(super) fn regions(plan: &Plan, world: &World) -> RecordBatch {
    let routers = routers(plan, world);
    let mut regions: Vec<&Region> = regions_of(plan).iter().collect();
    regions.sort_by_key(|it| it.number);
    let of = |it: &Region| {
        let number = it.number;
        routers.iter().filter(move |it| it.layer.code().region() == number)
    };
    Columns::of(&regions)
        .text("region", |it| &it.name)
        .count("code", |it| u64::from(it.number))
        .text("transit", |it| of(*it).next().map_or("", |it| transit(it.layer.transit())))
        .count("nodes", |it| of(*it).count() as u64)
        .count("borders", |it| of(*it).filter(|it| it.layer.is_border()).count() as u64)
        .count("prefixes", |it| of(*it).next().map_or(0, |it| it.prefixes))
        .batch()
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
pub(super) fn totals(plan: &Plan, world: &World) -> RecordBatch {
    let rows = routers(plan, world);
    Columns::of(&rows)
        .text("node", |it| it.name)
        .text("region", |it| it.region)
        .flag_if_any("is_border", |it| Some(it.layer.is_border()))
        .count("entries", |it| it.layer.table_size().regions as u64 + it.prefixes)
        .count("flat_entries", |it| it.all)
        .count("region_lookups", |it| it.layer.counters().region_lookups)
        .count("address_lookups", |it| it.layer.counters().address_lookups)
        .count("tunnel_lookups", |it| it.layer.counters().tunnel_lookups)
        .count("sent", |it| it.layer.counters().sent)
        .count("sent_as_ip", |it| it.layer.counters().sent_as_ip)
        .count("delivered", |it| it.layer.counters().delivered)
        .count("encapsulated", |it| it.layer.counters().encapsulated)
        .count("decapsulated", |it| it.layer.counters().decapsulated)
        .count("unreachable", |it| it.layer.counters().unreachable)
        .count("without_agreement", |it| it.layer.counters().without_agreement)
        .count("not_accepted", |it| it.layer.counters().not_accepted)
        .count("hop_limit_exceeded", |it| it.layer.counters().hop_limit_exceeded)
        .count("too_large", |it| it.layer.counters().too_big)
        .count("unmarkable", |it| it.layer.counters().unmarkable)
        .count("malformed", |it| it.layer.counters().malformed)
        .count("errors_sent", |it| it.layer.counters().errors_sent)
        .count("errors_received", |it| it.layer.counters().errors_received)
        .count("control_messages", |it| it.layer.counters().control_messages)
        .count("control_bytes", |it| it.layer.counters().control_bytes)
        .number("converged_s", |it| it.layer.changes().last().map(|it| it.time.as_seconds()))
        .batch()
}

/// Each change of a router's way to a region.
pub(super) fn changes(plan: &Plan, world: &World) -> RecordBatch {
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
    Columns::of(&rows)
        .text("node", |it| it.0)
        .number("time_s", |it| it.1.time.as_seconds())
        .text("region", |it| region_name(plan, it.1.code.region()))
        .count("sub_region", |it| u64::from(it.1.code.sub_region()))
        .text_if_any("next", |it| it.1.next.map(|it| plan.nodes[it as usize].name.as_str()))
        .text("regions_on_path", |it| &it.2)
        .batch()
}
