//! Many hosts, each with the same small part of the traffic, that choose their paths through a
//! network whose links have latencies which depend on their loads.
//!
//! Time goes in rounds of probes: in each, all hosts choose, and the loads that follow from that
//! are what the probes of the next round meet.

use std::sync::Arc;

use windtunnel_engine::{Duration, Random, Rate, Streams, Time};
use windtunnel_networks::scion::policies::{
    InterfaceId, PathId, PathInfo, PathPolicy, PolicySettings,
};

/// How long a round is.
pub(crate) const ROUND: Duration = Duration::from_secs(1);
/// A latency of 1 in the games, as a round trip.
pub(crate) const UNIT: Duration = Duration::from_millis(100);

/// The latency of a link, by its load.
pub(crate) type Latency = Box<dyn Fn(f64) -> f64>;

/// A network: its links, and its paths by their links.
pub(crate) struct Network {
    pub(crate) links: Vec<Latency>,
    pub(crate) paths: Vec<Vec<usize>>,
    /// The load when all hosts use the same link.
    pub(crate) demand: f64,
}

impl Network {
    /// The loads of the links, by how the traffic divides between paths.
    fn loads(&self, shares: &[f64]) -> Vec<f64> {
        let mut loads = vec![0.0; self.links.len()];
        for (path, share) in self.paths.iter().zip(shares) {
            path.iter().for_each(|link| loads[*link] += share * self.demand);
        }
        loads
    }

    /// The latencies of the paths.
    pub(crate) fn latencies(&self, shares: &[f64]) -> Vec<f64> {
        let loads = self.loads(shares);
        let latency = |link: &usize| self.links[*link](loads[*link]);
        self.paths.iter().map(|path| path.iter().map(latency).sum()).collect()
    }

    /// The mean latency of the traffic.
    pub(crate) fn cost(&self, shares: &[f64]) -> f64 {
        self.latencies(shares).iter().zip(shares).map(|(latency, share)| latency * share).sum()
    }

    /// The least cost that two paths can have, by trying all shares in steps of 2⁻¹⁶.
    pub(crate) fn optimum_of_two(&self) -> f64 {
        let steps = 1 << 16;
        let share = |it| f64::from(it) / f64::from(steps);
        let cost = |it| self.cost(&[1.0 - share(it), share(it)]);
        (0..=steps).map(cost).fold(f64::MAX, f64::min)
    }

    fn infos(&self) -> Vec<PathInfo> {
        let interface = |link: &usize| InterfaceId { isd_as: 1, number: *link as u16 };
        let info = |(id, path): (usize, &Vec<usize>)| PathInfo {
            id: PathId(id as u64),
            latency: UNIT,
            bandwidth: Rate::from_bits_per_second(1).expect("above zero"),
            mtu: 1400,
            as_hops: 2,
            interfaces: path.iter().map(interface).collect::<Arc<[_]>>(),
            expires: Time::NEVER,
            rtt: None,
        };
        self.paths.iter().enumerate().map(info).collect()
    }
}

/// A host.
struct Host {
    policy: Box<dyn PathPolicy>,
    random: Random,
    current: Option<usize>,
}

/// The shares of the paths in each round.
pub(crate) struct History(pub(crate) Vec<Vec<f64>>);

impl History {
    /// The last round's.
    pub(crate) fn last(&self) -> &[f64] {
        &self.0[self.0.len() - 1]
    }

    /// The mean of something over the second half of the rounds.
    pub(crate) fn mean(&self, of: impl Fn(&[f64]) -> f64) -> f64 {
        let half = &self.0[self.0.len() / 2..];
        half.iter().map(|it| of(it)).sum::<f64>() / half.len() as f64
    }

    /// The least and the greatest share of a path in the second half of the rounds.
    pub(crate) fn range(&self, path: usize) -> [f64; 2] {
        let half = self.0[self.0.len() / 2..].iter().map(|it| it[path]);
        [half.clone().fold(1.0, f64::min), half.fold(0.0, f64::max)]
    }
}

/// This many hosts play this many rounds.
pub(crate) fn play(
    network: &Network,
    settings: &PolicySettings,
    hosts: u32,
    rounds: u64,
) -> History {
    let streams = Streams::new(1, 0);
    let host = |it| Host {
        policy: settings.policy(0, 1),
        random: streams.stream(&format!("host {it}")),
        current: None,
    };
    let mut hosts: Vec<Host> = (0..hosts).map(host).collect();
    let mut paths = network.infos();
    let round = |it| {
        let now = Time::ZERO + ROUND * it;
        let shares = choose(&mut hosts, now, &paths);
        for (path, latency) in paths.iter_mut().zip(network.latencies(&shares)) {
            path.rtt = Some(UNIT.scaled(latency));
        }
        report(&mut hosts, now, &paths);
        shares
    };
    History((0..rounds).map(round).collect())
}

/// All hosts choose; returns the shares.
fn choose(hosts: &mut [Host], now: Time, paths: &[PathInfo]) -> Vec<f64> {
    let mut users = vec![0_u32; paths.len()];
    for host in &mut *hosts {
        let chosen = host.policy.select(now, paths, host.current, &mut host.random);
        host.current = Some(chosen);
        users[chosen] += 1;
    }
    users.iter().map(|it| f64::from(*it) / hosts.len() as f64).collect()
}

/// All hosts learn what their probes met.
fn report(hosts: &mut [Host], now: Time, paths: &[PathInfo]) {
    for host in hosts {
        for (place, path) in paths.iter().enumerate() {
            if !host.policy.probes_only_current() || host.current == Some(place) {
                host.policy.on_probe(now, path, path.rtt);
            }
        }
    }
}
