//! Media that several links share: who sends when, and how much each gets.

use std::sync::Arc;

use crate::common::{
    ask, codel, direction, disciplines, ip_flow, join, nodes, over_tcp, port, ports, rate, record,
    recorded, run, run_flows, serve, tcp_counters,
};
use windtunnel_applications::{BulkSettings, Workload, udp::UdpSettings};
use windtunnel_engine::{Control, Duration, Rate, Time};
use windtunnel_links::{AirPlan, Impairment, Loss, RateTrace, RateTraces, Reordering};
use windtunnel_packets::ip::IpVersion;
use windtunnel_queues::{CongestionAction, Discipline, QueueLimit};
use windtunnel_transports::tcp::{EcnMode, Recovery};
use windtunnel_world::{
    ChangePlan, DirectionPlan, LinkChange, Plan, PortCounters, PortId, PortSample, RecordingPlan,
    Transport, World,
};

/// Datagrams of that size in bytes, with all headers.
fn datagrams(megabits_per_second: u64, size: u16) -> Transport {
    let rate = rate(megabits_per_second * 1_000_000);
    Transport::Udp(UdpSettings::of_rate(IpVersion::V4, rate, size - 28))
}

/// Two nodes and a half-duplex link of 8 Mbps between them: a byte takes a microsecond.
fn half_duplex(discipline: Discipline) -> Plan {
    let mut plan = nodes(&["a", "b"]);
    let limit = QueueLimit::Packets(30);
    join(&mut plan, 0, 1, &DirectionPlan { discipline, limit, ..direction(8, 5) });
    plan.links[0].medium = Some(0);
    plan
}

/// Stations that each have a link of 8 Mbps to node 0, all on one medium, and send it
/// datagrams of these sizes as fast as they can.
fn stations(sizes: &[u16]) -> Plan {
    let names: Vec<String> = (0..=sizes.len()).map(|it| format!("n{it}")).collect();
    let mut plan = nodes(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for (station, size) in (1..).zip(sizes) {
        let limit = QueueLimit::Packets(30);
        join(&mut plan, station, 0, &DirectionPlan { limit, ..direction(8, 1) });
        plan.links[station - 1].medium = Some(0);
        plan.flows.push(ip_flow(&names[station], station, 0, datagrams(10, *size)));
    }
    plan
}

/// How long each port was sending.
fn airtimes(plan: &Plan, world: &World) -> Vec<f64> {
    world.ports(plan.end()).map(|(_, busy)| busy.as_seconds()).collect()
}

#[test]
fn two_saturating_flows_get_half_of_a_half_duplex_link_each() {
    for discipline in disciplines() {
        let mut plan = half_duplex(discipline.clone());
        plan.flows.push(ip_flow("there", 0, 1, datagrams(10, 1000)));
        plan.flows.push(ip_flow("back", 1, 0, datagrams(10, 1000)));
        let world = run_flows(&plan);
        let [there, back] = [0, 1].map(|side| port(&plan, &world, 0, side).sent);
        // One packet a millisecond, from the first one on.
        assert!(there + back >= 9_998, "{there} and {back} with {discipline:?}");
        // A discipline that drops may leave a direction without a packet for a turn.
        assert!(there.abs_diff(back) <= 20, "{there} and {back} with {discipline:?}");
        let airtime: f64 = airtimes(&plan, &world).iter().sum();
        assert!((9.997..=10.0).contains(&airtime), "{airtime} s with {discipline:?}");
    }
}

#[test]
fn stations_take_turns_packet_by_packet_whatever_the_sizes() {
    let sizes = [1500, 1500, 300, 700, 100];
    let plan = stations(&sizes);
    let mut world = World::new(&plan).expect("every flow has a path");
    for step in 1..100 {
        world.advance(Time::ZERO + Duration::from_micros(step * 77_777));
        let sent = |it: &PortCounters| it.sent;
        let counts: Vec<u64> = ports(&plan, &world).iter().step_by(2).map(sent).collect();
        let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
        // Some begin a packet earlier, while others have nothing to send yet.
        assert!(most - least <= 2, "{counts:?}");
    }
    let world = run_flows(&plan);
    let airtimes: Vec<f64> = airtimes(&plan, &world).into_iter().step_by(2).collect();
    let all: f64 = sizes.iter().map(|it| f64::from(*it)).sum();
    for (airtime, size) in airtimes.iter().zip(sizes) {
        let expected = 10.0 * f64::from(size) / all;
        assert!((airtime - expected).abs() <= 0.005, "{airtime} of {expected} s for {size} B");
    }
}

#[test]
fn stations_with_packets_of_one_size_share_the_rate_equally() {
    for count in [1_u16, 2, 5, 20] {
        let plan = stations(&vec![1000; usize::from(count)]);
        let world = run_flows(&plan);
        for (_, busy) in world.ports(plan.end()).step_by(2) {
            let expected = 10.0 / f64::from(count);
            assert!((busy.as_seconds() - expected).abs() <= 0.003, "{busy} of {expected} s");
        }
    }
}

/// One sends 1 Mbps of content, with 28 bytes of headers for each 1000.
#[test]
fn what_one_does_not_use_the_others_share() {
    let mut plan = stations(&[1028, 1028, 1028]);
    plan.flows[0].transport = datagrams(1, 1028);
    let world = run_flows(&plan);
    let airtimes: Vec<f64> = airtimes(&plan, &world).into_iter().step_by(2).collect();
    for (airtime, megabits) in airtimes.iter().zip([1.028, 3.486, 3.486]) {
        assert!((airtime - 10.0 * megabits / 8.0).abs() < 0.005, "{airtimes:?}");
    }
}

/// All that a plan's run measured.
fn results(plan: &Plan) -> String {
    let mut world = World::new(plan).expect("every flow has a path");
    let series = record(plan, &mut world, 1000);
    let _ = world.run(&Control::default(), None);
    let series = recorded(&series);
    let sum = |of: fn(&PortCounters) -> u64| ports(plan, &world).iter().map(of).sum::<u64>();
    let accounted =
        sum(|it| it.delivered) + sum(PortCounters::dropped) + world.packets_in_transit();
    assert_eq!(sum(|it| it.offered + it.duplicates), accounted);
    let ports: Vec<_> = world.ports(plan.end()).collect();
    let flows: Vec<_> = world.flows().collect();
    // Where departures are computed ahead, waiting counts from the arrival on.
    let samples = series.ports.iter().map(|it| PortSample { sojourn_s: None, ..*it });
    let samples: Vec<_> = samples.collect();
    format!("{ports:#?}\n{flows:#?}\n{samples:#?}\n{:#?}", series.flows)
}

#[track_caller]
fn assert_same(one: &str, other: &str) {
    let different =
        one.lines().zip(other.lines()).enumerate().find(|(_, (one, other))| one != other);
    assert!(one == other, "first different line: {different:?}");
}

/// The same with each direction on a medium of its own.
fn full_duplex(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    plan.links.iter_mut().for_each(|it| it.medium = None);
    plan
}

/// What happens to both directions of link 0, beside the instants of anything else.
fn change(plan: &mut Plan, millisecond: u64, change: LinkChange) {
    let apart = Duration::from_picos(7 * millisecond);
    let time = Time::ZERO + Duration::from_millis(millisecond) + apart;
    let ports = [0, 1].map(|it| PortId::new(0, it));
    plan.changes.extend(ports.map(|port| ChangePlan { time, port, change: change.clone() }));
}

/// PIE measures how long packets waited where it cannot know how long they will.
fn is_pie(discipline: &Discipline) -> bool {
    matches!(discipline, Discipline::Pie(_))
}

/// Through outages, other rates and delays, losses and impairments.
#[test]
fn with_one_direction_idle_a_half_duplex_link_is_as_a_full_duplex_one() {
    for discipline in disciplines().into_iter().filter(|it| !is_pie(it)) {
        for megabits in [5, 10] {
            let mut plan = half_duplex(discipline.clone());
            plan.recording = RecordingPlan::every(Duration::from_millis(100));
            let lateness = Duration::from_micros(2300);
            for it in &mut plan.links[0].directions {
                it.impairment = Impairment {
                    duplication: 0.02,
                    reordering: Reordering::Independent(0.03),
                    lateness,
                    ..Impairment::default()
                };
                it.loss = Loss::Bernoulli(0.05);
            }
            plan.flows.push(ip_flow("there", 0, 1, datagrams(megabits, 1000)));
            plan.flows[0].stop = Time::ZERO + Duration::from_secs(9);
            change(&mut plan, 1500, LinkChange::Down);
            change(&mut plan, 1700, LinkChange::Up);
            change(&mut plan, 3000, LinkChange::Rate(rate(3_000_000)));
            change(&mut plan, 4000, LinkChange::Stall);
            change(&mut plan, 4100, LinkChange::Rate(rate(7_000_000)));
            change(&mut plan, 4200, LinkChange::Up);
            change(&mut plan, 6000, LinkChange::Delay(Duration::from_millis(2)));
            assert_same(&results(&plan), &results(&full_duplex(&plan)));
        }
    }
}

/// With HARQ, RLC and a trace of rates.
#[test]
fn with_one_direction_idle_a_radio_on_a_shared_medium_is_as_one_on_its_own() {
    let milliseconds = Duration::from_millis;
    let air = AirPlan {
        slot: Duration::ZERO,
        block_error: 0.2,
        round_trip: milliseconds(8),
        attempts: 4,
        status: Some(milliseconds(40)),
    };
    let rates = [(0, 8), (500, 2), (900, 0), (1100, 30)];
    let rows = rates.map(|(from, megabits)| {
        (milliseconds(from), (megabits > 0).then(|| rate(megabits * 1_000_000)))
    });
    let trace = Arc::new(RateTrace {
        rows: rows.to_vec(),
        delays: Vec::new(),
        repeat: Some(milliseconds(1500)),
    });
    let mut plan = half_duplex(codel(CongestionAction::Drop));
    plan.links[0].channel = Some(Arc::new(RateTraces([Some(Arc::clone(&trace)), Some(trace)])));
    for it in &mut plan.links[0].directions {
        it.physical_layer = Some(Arc::new(air));
    }
    plan.flows.push(ip_flow("there", 0, 1, datagrams(10, 1000)));
    assert_same(&results(&plan), &results(&full_duplex(&plan)));
}

/// The attempts of one direction take airtime from the other: of packets that are sent once
/// in the other direction, with errors half of the time in this one, two thirds of the
/// airtime are this one's.
#[test]
fn attempts_take_airtime_from_all_others() {
    let mut plan = half_duplex(Discipline::DropTail);
    let status = Some(Duration::from_millis(1));
    let (slot, round_trip) = (Duration::ZERO, Duration::ZERO);
    let air = AirPlan { slot, block_error: 0.5, round_trip, attempts: 4, status };
    plan.links[0].directions[0].physical_layer = Some(Arc::new(air));
    plan.flows.push(ip_flow("there", 0, 1, datagrams(10, 1000)));
    plan.flows.push(ip_flow("back", 1, 0, datagrams(10, 1000)));
    let world = run_flows(&plan);
    let airtimes = airtimes(&plan, &world);
    // A mean of two attempts, with a variance of two, of some 3333 packets.
    let standard_error = (2.0 * 3333.0_f64).sqrt() * 1e-3;
    assert!((airtimes[0] - 20.0 / 3.0).abs() < 4.0 * standard_error, "{airtimes:?}");
    assert!((airtimes[0] + airtimes[1] - 10.0).abs() < 0.01, "{airtimes:?}");
}

/// Two segments of 1500 bytes and an acknowledgement of 52 take turns on the link: 1448
/// bytes of content each of the two.
#[test]
fn the_acknowledgements_of_tcp_take_airtime() {
    let mut plan = half_duplex(Discipline::DropTail);
    let bulk = Workload::Bulk(BulkSettings { rate: None });
    let mut transport = over_tcp(Recovery::Rack, EcnMode::Off, bulk);
    if let Transport::Tcp { settings, .. } = &mut transport {
        // What is in flight fits into the queue.
        Arc::make_mut(settings).buffers.receive = Some(40_000);
    }
    plan.flows.push(ip_flow("bulk", 0, 1, transport));
    plan.duration = Duration::from_secs(60);
    let goodput = |plan: &Plan| {
        let received = |world: &World| tcp_counters(world, 0).receiver.received_bytes as f64;
        let (early, late) = (Time::ZERO + Duration::from_secs(30), plan.end());
        let mut world = World::new(plan).expect("the flow has a path");
        world.advance(early);
        let before = received(&world);
        world.advance(late);
        (received(&world) - before) * 8.0 / 30.0
    };
    let half = 8e6 * (2.0 * 1448.0) / (2.0 * 1500.0 + 52.0);
    assert!((goodput(&plan) / half - 1.0).abs() < 0.001, "{} of {half}", goodput(&plan));
    let full = 8e6 * 1448.0 / 1500.0;
    let plan = full_duplex(&plan);
    assert!((goodput(&plan) / full - 1.0).abs() < 0.001, "{} of {full}", goodput(&plan));
}

/// Interests and Data share the link: each round takes the time of both.
#[test]
fn interests_and_data_take_turns() {
    let mut plan = half_duplex(Discipline::DropTail);
    serve(&mut plan, 1, "/data");
    ask(&mut plan, 0, "/data", 20);
    let world = run(&plan);
    let [interests, data] = [0, 1].map(|side| port(&plan, &world, 0, side));
    assert!(interests.delivered.abs_diff(data.delivered) <= 20);
    let airtime: f64 = airtimes(&plan, &world).iter().sum();
    assert!((9.97..=10.0).contains(&airtime), "{airtime} s");
    assert_eq!(data.overlimit_drops + interests.overlimit_drops, 0);
}

#[test]
fn an_outage_of_one_link_leaves_the_medium_to_the_others() {
    let mut plan = stations(&[1000, 1000]);
    change(&mut plan, 2000, LinkChange::Down);
    change(&mut plan, 6000, LinkChange::Up);
    let world = run_flows(&plan);
    let airtimes: Vec<f64> = airtimes(&plan, &world).into_iter().step_by(2).collect();
    assert!((airtimes[0] - 3.0).abs() < 0.005 && (airtimes[1] - 7.0).abs() < 0.005, "{airtimes:?}");
}

/// The first station's link follows these rates in Mbit/s from second 0, 1 and 2 on; returns the
/// bits that each delivered.
fn beside_one_that_follows(rates: [f64; 3]) -> [f64; 2] {
    let mut plan = stations(&[1000, 1000]);
    let rows = (0..).zip(rates).map(|(second, rate)| {
        (Duration::from_secs(second), Rate::from_bits_per_second((rate * 1e6) as u64))
    });
    let trace = RateTrace { rows: rows.collect(), delays: Vec::new(), repeat: None };
    plan.links[0].channel = Some(Arc::new(RateTraces([Some(Arc::new(trace)), None])));
    let world = run_flows(&plan);
    [0, 1].map(|it| port(&plan, &world, it, 0).delivered_bytes as f64 * 8.0)
}

/// A packet that begins at 1 kbps holds the medium until the rate rises, and no longer.
#[test]
fn a_medium_is_free_when_the_integral_of_the_rate_reaches_the_bits_of_the_packet_on_it() {
    for bits in beside_one_that_follows([8.0, 0.001, 8.0]) {
        assert!((bits / (9.0 * 4e6) - 1.0).abs() < 0.001, "{bits}");
    }
    // Twice as slow from then on, while the other one is not.
    for bits in beside_one_that_follows([8.0, 8.0, 4.0]) {
        assert!((bits / (2.0 * 4e6 + 8.0 * 8e6 / 3.0) - 1.0).abs() < 0.001, "{bits}");
    }
}

#[test]
fn a_link_without_a_rate_leaves_the_medium_to_the_others() {
    let [one, other] = beside_one_that_follows([8.0, 0.0, 8.0]);
    assert!((one / (9.0 * 4e6) - 1.0).abs() < 0.001, "{one}");
    assert!((other / (9.0 * 4e6 + 8e6) - 1.0).abs() < 0.001, "{other}");
}

#[test]
fn two_media_do_not_disturb_each_other() {
    let mut plan = stations(&[1000, 1000, 1000]);
    plan.links[2].medium = Some(1);
    let world = run_flows(&plan);
    let airtimes: Vec<f64> = airtimes(&plan, &world).into_iter().step_by(2).collect();
    for (airtime, expected) in airtimes.iter().zip([5.0, 5.0, 10.0]) {
        assert!((airtime - expected).abs() < 0.005, "{airtimes:?}");
    }
}
