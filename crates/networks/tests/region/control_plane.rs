//! The control plane: how many messages, and how long until all agree.

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::region::{Code, Record, SessionMessage, Update};

use crate::network::{Network, Sent, at, clique, settings};

/// Until then everything at the start has been told.
const SETTLED: u64 = 1000;

fn is_record(sent: &&Sent) -> bool {
    matches!(sent.message, SessionMessage::Record(_))
}

fn updates(network: &Network) -> Vec<(Sent, Update)> {
    let update = |it: &Sent| match &it.message {
        SessionMessage::Update(update) => Some((it.clone(), update.clone())),
        _ => None,
    };
    network.sent.iter().filter_map(update).collect()
}

/// One record through a connected graph of N routers and E links is sent 2E − (N − 1) times:
/// each router but the first does not send it back to the one that it had it from.
#[test]
fn a_record_is_flooded_by_as_few_messages_as_can_be() {
    let ring = |nodes: usize| (0..nodes).map(|it| [it, (it + 1) % nodes]).collect::<Vec<_>>();
    let line = |nodes: usize| (1..nodes).map(|it| [it - 1, it]).collect::<Vec<_>>();
    let cases = [(5, clique(5), 16), (10, clique(10), 81), (7, ring(7), 8), (6, line(6), 5)];
    for (nodes, inside, expected) in cases {
        assert_eq!(2 * inside.len() - (nodes - 1), expected);
        // The agreement begins late: then the border has one record to tell.
        let links = [inside, vec![[0, nodes]]].concat();
        let mut settings = settings(&[nodes, 1], &links);
        settings.agreements[0].from = at(SETTLED);
        let mut network = Network::new(settings);
        network.run(at(SETTLED - 1));
        let before = network.sent.len();
        network.run(at(2 * SETTLED));
        let flooded = network.sent[before..].iter().filter(is_record).count();
        assert_eq!(flooded, expected, "{nodes} nodes");
        for router in &network.routers[..nodes] {
            assert_eq!(router.table_size().regions, 1);
        }
    }
}

/// Of a clique of `regions` with one node each the first reaches another one, until their
/// agreement ends. Returns the updates about that one from then on.
fn withdrawn(regions: usize, interval: Duration, withdrawals_wait: bool) -> Vec<(Sent, Update)> {
    let links = [clique(regions), vec![[0, regions]]].concat();
    let mut settings = settings(&vec![1; regions + 1], &links);
    settings.advertisement.interval = interval;
    settings.advertisement.withdrawals_wait = withdrawals_wait;
    let end = Time::ZERO + interval + interval;
    let is_last = |it: [u8; 2]| usize::from(it[1]) == regions + 1;
    let agreement = settings.agreements.iter_mut().find(|it| is_last(it.regions));
    agreement.expect("the last is joined to the first").until = end;
    let mut network = Network::new(settings);
    network.run(Time::from_picos(end.as_picos() - 1));
    let before = updates(&network).len();
    for router in &network.routers {
        assert_eq!(router.table_size().regions, regions);
    }
    network.run(end + Duration::from_secs(10_000));
    for router in &network.routers[..regions] {
        assert_eq!(router.table_size().regions, regions - 1, "the last is reached no more");
    }
    let code = Code::of_region(regions as u8 + 1);
    let about_it = |it: &&(Sent, Update)| it.1.code == code;
    updates(&network)[before..].iter().filter(about_it).cloned().collect()
}

/// A clique of path-vector speakers explores longer and longer paths after a withdrawal, one
/// length in each interval: the last message comes after (n − 3) intervals if withdrawals are
/// sent at once (the bound of Labovitz and others 2000), and after (n − 2) by RFC 4271's text.
/// The counts are those of another program's simulation of the same rules.
#[test]
fn paths_are_explored_length_by_length_after_a_withdrawal() {
    let interval = Duration::from_secs(30);
    let start = Time::ZERO + interval + interval;
    for (regions, messages) in [(3, 10), (4, 27), (5, 56), (6, 100)] {
        for (withdrawals_wait, intervals) in [(false, regions - 3), (true, regions - 2)] {
            let sent = withdrawn(regions, interval, withdrawals_wait);
            assert_eq!(sent.len(), messages, "{regions} regions");
            let last = sent.iter().map(|it| it.0.time).max().expect("they tell of it");
            let expected = Duration::from_secs(30 * intervals as u64);
            let late = last.since(start).as_seconds() - expected.as_seconds();
            // A few messages of 1 ms come after the last interval.
            assert!((0.0..0.01).contains(&late), "{regions} regions: {late} s");
        }
    }
}

#[test]
fn records_name_their_router() {
    let network = Network::new(settings(&[2], &[[0, 1]]));
    let record = Record::Router(network.routers[0].record());
    assert_eq!(record.router(), 0);
}
