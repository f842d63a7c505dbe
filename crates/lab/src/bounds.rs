//! What no protocol can surpass on a network: the most content that consumers and
//! flows can receive, and the least time that Data or a segment can take.
//!
//! Both follow from the plan alone: topology, rates, delays, packet sizes, and
//! who asks for the same names. They are bounds, not estimates: a result beyond
//! them cannot come from the network as described.

pub(crate) mod ip;
mod link;

use windtunnel_engine::{Duration, Rate};
use windtunnel_packets::ndn::wire::size::{DataShape, InterestShape};
use windtunnel_transports::ndn::consumer::ConsumerWorkload;
use windtunnel_transports::tcp::TcpSettings;
use windtunnel_world::{
    ConsumerPlan, Plan, PortId, ProducerPlan, Topology, TunnelCarrier, headers,
};

use link::{least_bit_delay, most_rate, takes_turns};

/// The bounds of one case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The most content that all consumers and all flows together can receive, in
    /// bits per second. Where both share links, each counts as if it were alone.
    pub goodput_bps: f64,
    /// The least time from an Interest to its Data, of a round trip over TCP, or
    /// from a datagram's sending to its arrival, for any consumer or flow.
    pub delay: Duration,
}

impl Bounds {
    /// The bounds of a plan.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let network = Network { plan, topology: Topology::new(plan) };
        let delays = (0..plan.consumers.len()).map(|it| network.least_delay(it));
        let delays = delays.chain(ip::least_delay(plan, &network.topology));
        Self {
            goodput_bps: network.most_goodput() + ip::most_goodput(plan, &network.topology),
            delay: delays.min().unwrap_or(Duration::ZERO),
        }
    }
}

/// How many packets cross all links together at the most.
pub(crate) fn most_packet_hops(plan: &Plan) -> f64 {
    let network = Network { plan, topology: Topology::new(plan) };
    let consumers = 0..plan.consumers.len();
    let of_consumers: f64 = consumers.map(|it| network.most_packet_hops(it)).sum();
    ip::most_packet_hops(plan, &network.topology) + of_consumers * plan.duration.as_seconds()
}

struct Network<'a> {
    plan: &'a Plan,
    topology: Topology,
}

impl Network<'_> {
    fn producers_of(&self, consumer: &ConsumerPlan) -> impl Iterator<Item = &ProducerPlan> {
        let wanted = &self.plan.prefixes[consumer.settings.prefix.index()];
        let serves = move |it: &&ProducerPlan| self.plan.prefixes[it.prefix].is_prefix_of(wanted);
        self.plan.producers.iter().filter(serves)
    }

    /// The smallest Data of a consumer's prefix on a link, in bytes, and
    /// its content.
    fn smallest_data(&self, consumer: &ConsumerPlan) -> (u32, u32) {
        let sizes = self.producers_of(consumer).map(|it| {
            let content_length = it.producer.content;
            let signature = it.producer.signature;
            let shape = DataShape { content_length, signature, ..DataShape::default() };
            let format = self.plan.formats[it.prefix];
            let prefix = format.name_size(&self.plan.prefixes[it.prefix]);
            (format.data_size(prefix, 0, &shape), content_length)
        });
        // The best share of content; with one payload everywhere, just that.
        let share = |(size, content): &(u32, u32)| f64::from(*content) / f64::from(*size);
        sizes.max_by(|a, b| share(a).total_cmp(&share(b))).unwrap_or((1, 0))
    }

    /// The most content over one direction of a link, in bits per second.
    fn content_rate(&self, port: PortId, consumer: &ConsumerPlan) -> f64 {
        let (size, content) = self.smallest_data(consumer);
        let overhead = self.plan.direction(port).overhead;
        let bytes = match self.connection(port.link()) {
            None => f64::from(size + overhead),
            Some(tcp) => {
                let share = f64::from(headers(tcp) + overhead) / f64::from(tcp.maximum_segment);
                f64::from(in_stream(size, consumer)) * (1.0 + share)
            }
        };
        most_rate(self.plan, port) * f64::from(content) / bytes
    }

    /// How the connection behaves through which the forwarders at both ends of a link talk, if
    /// they do.
    fn connection(&self, link: usize) -> Option<&TcpSettings> {
        self.plan.tunnels.iter().find_map(|it| match &it.carrier {
            TunnelCarrier::Tcp(tcp) if tcp.face == Some(link) => Some(&*tcp.settings),
            _ => None,
        })
    }

    /// The most content that the links of a consumer's node bring it, in bits per second.
    fn rate_of_links(&self, consumer: &ConsumerPlan) -> f64 {
        let ports = self.topology.ports(consumer.node).iter();
        ports.map(|it| self.content_rate(it.reversed(), consumer)).sum()
    }

    /// The port from which a link leads to `node`.
    fn towards(&self, link: usize, node: usize) -> PortId {
        PortId::new(link, usize::from(self.plan.links[link].nodes[0] == node))
    }

    /// Whether one Data on a link can serve a consumer more than once: it asks
    /// for the same names again, and something caches.
    fn asks_again(&self, consumer: &ConsumerPlan) -> bool {
        matches!(consumer.settings.workload, ConsumerWorkload::Catalogue { .. })
            && self.plan.nodes.iter().any(|it| it.cached > 0)
    }

    /// For every link whose loss would part the network: the consumers that it
    /// parts from all producers of what they ask for, and the node on their side.
    fn cuts(&self) -> Vec<(usize, usize, Vec<usize>)> {
        let mut cuts = Vec::new();
        for (index, link) in self.plan.links.iter().enumerate() {
            for near in link.nodes {
                let side = self.topology.reach(near, |it| (it.link() != index).then_some(1));
                let inside = |node: usize| side.iter().any(|it| it.node == node);
                let [first, second] = link.nodes;
                if inside(if near == first { second } else { first }) {
                    break;
                }
                let parted = |it: &usize| {
                    let consumer = &self.plan.consumers[*it];
                    inside(consumer.node)
                        && self.producers_of(consumer).all(|producer| !inside(producer.node))
                };
                let parted: Vec<usize> = (0..self.plan.consumers.len()).filter(parted).collect();
                if !parted.is_empty() {
                    cuts.push((index, near, parted));
                }
            }
        }
        cuts
    }

    /// The most that all consumers together can receive: no cut lets more
    /// through than its rate, times the number of consumers behind it that one
    /// Data can serve.
    fn most_goodput(&self) -> f64 {
        let cuts = self.cuts();
        let consumers = &self.plan.consumers;
        let alone: Vec<f64> = (0..consumers.len()).map(|it| self.most_alone(it, &cuts)).collect();
        let mut most: f64 = alone.iter().sum();
        for (link, near, parted) in &cuts {
            if parted.iter().any(|it| self.asks_again(&consumers[*it])) {
                continue;
            }
            let sharing = |it: &usize| {
                let prefix = consumers[*it].settings.prefix;
                parted.iter().filter(|other| consumers[**other].settings.prefix == prefix).count()
            };
            let copies = parted.iter().map(sharing).max().unwrap_or(1) as f64;
            let port = self.towards(*link, *near);
            let rates = parted.iter().map(|it| self.content_rate(port, &consumers[*it]));
            let through = rates.fold(0.0, f64::max) * copies;
            let inside = parted.iter().map(|it| alone[*it]).sum::<f64>();
            let outside = alone.iter().sum::<f64>() - inside;
            most = most.min(outside + through);
        }
        most
    }

    /// The most that one consumer can receive, were it alone.
    fn most_alone(&self, index: usize, cuts: &[(usize, usize, Vec<usize>)]) -> f64 {
        let consumer = &self.plan.consumers[index];
        if self.asks_again(consumer) {
            return f64::INFINITY;
        }
        let local = self.producers_of(consumer).any(|it| it.node == consumer.node);
        let into_node = self.rate_of_links(consumer);
        let crossed = cuts.iter().filter(|(.., parted)| parted.contains(&index));
        let narrowest = crossed
            .map(|(link, near, _)| self.content_rate(self.towards(*link, *near), consumer))
            .fold(f64::INFINITY, f64::min);
        if local { f64::INFINITY } else { into_node.min(narrowest) }
    }

    /// How many Interests and Data per second of a consumer cross all links together at the
    /// most: each Data the shortest way from a producer, as fast as the consumer's own links
    /// bring it.
    fn most_packet_hops(&self, index: usize) -> f64 {
        let consumer = &self.plan.consumers[index];
        let (_, content) = self.smallest_data(consumer);
        let into_node = self.rate_of_links(consumer);
        let path = |it: &ProducerPlan| ip::probable(&self.topology, [consumer.node, it.node]);
        let hops = self.producers_of(consumer).map(|it| path(it).len());
        2.0 * into_node / (8.0 * f64::from(content.max(1))) * hops.min().unwrap_or(0) as f64
    }

    /// The least time that any Data can take to one consumer.
    fn least_delay(&self, index: usize) -> Duration {
        let consumer = &self.plan.consumers[index];
        let costs = self
            .topology
            .reach(consumer.node, |port| Some(self.round_trip(port, consumer).as_picos()));
        let shares =
            self.plan.consumers.iter().enumerate().any(|(other, it)| {
                other != index && it.settings.prefix == consumer.settings.prefix
            });
        let place = |node: usize| {
            let produced = self.producers_of(consumer).any(|it| it.node == node);
            // Another's Data may be at any other node, and a cache
            // anywhere may hold what is asked for again.
            let shared = shares && (node != consumer.node || self.shares_node(index));
            produced || shared || self.asks_again(consumer)
        };
        let nearest = costs.iter().find(|it| place(it.node)).map_or(0, |it| it.cost);
        Duration::from_picos(nearest)
    }

    /// Whether another consumer on the same node asks for the same names.
    fn shares_node(&self, index: usize) -> bool {
        let consumer = &self.plan.consumers[index];
        self.plan.consumers.iter().enumerate().any(|(other, it)| {
            other != index
                && it.node == consumer.node
                && it.settings.prefix == consumer.settings.prefix
        })
    }

    /// The time of Data through a port, and of its Interest in the other direction.
    fn round_trip(&self, port: PortId, consumer: &ConsumerPlan) -> Duration {
        let shape = InterestShape::default();
        let interest = consumer.settings.prefix.format().interest_size(
            consumer.settings.prefix_size,
            0,
            &shape,
        );
        let (data, _) = self.smallest_data(consumer);
        let one_way = |port: PortId, size: u32| {
            let direction = self.plan.direction(port);
            // All of a stream's packet is sent once it is written, with one header at the least.
            let bytes = match self.connection(port.link()) {
                None => size,
                Some(tcp) => in_stream(size, consumer) + headers(tcp),
            };
            let transmission = match takes_turns(self.plan, port) {
                true => None,
                false => Rate::from_bits_per_second(most_rate(self.plan, port) as u64),
            };
            let transmission =
                transmission.map(|it| it.transmission_time(bytes + direction.overhead));
            transmission.unwrap_or(Duration::ZERO) + least_bit_delay(self.plan, port)
        };
        one_way(port.reversed(), interest) + one_way(port, data)
    }
}

/// The bytes in a stream of a consumer's packet that has this many on a link by itself.
fn in_stream(size: u32, consumer: &ConsumerPlan) -> u32 {
    size - u32::from(consumer.settings.prefix.format().encapsulation())
}

#[cfg(test)]
mod tests {
    use windtunnel_engine::Time;

    use super::*;

    fn bounds(consumers: &str) -> Bounds {
        let text = format!(
            r#"
            duration = "1 s"
            nodes = {{ a = {{}}, b = {{}}, r = {{}}, p = {{}} }}
            links.a = {{ nodes = ["a", "r"], rate = "100 Mbps", delay = "10 ms" }}
            links.b = {{ nodes = ["b", "r"], rate = "100 Mbps", delay = "10 ms" }}
            links.p = {{ nodes = ["r", "p"], rate = "20 Mbps", delay = "30 ms" }}
            producers.one = {{ node = "p", prefix = "/one" }}
            producers.two = {{ node = "p", prefix = "/two" }}
            defaults.consumer.controller = "aimd"
            {consumers}
            "#
        );
        let study = crate::read("test", &text, &[]).unwrap();
        Bounds::of(&study.cases[0].plan)
    }

    #[test]
    fn distinct_content_shares_the_bottleneck() {
        let bounds = bounds(
            r#"consumers.a = { node = "a", prefix = "/one" }
               consumers.b = { node = "b", prefix = "/two" }"#,
        );
        assert!(bounds.goodput_bps < 20e6 && bounds.goodput_bps > 18e6, "{bounds:?}");
        assert!(bounds.delay > Duration::from_millis(80), "{bounds:?}");
        assert!(bounds.delay < Duration::from_millis(81), "{bounds:?}");
    }

    #[test]
    fn the_same_content_crosses_the_bottleneck_once() {
        let bounds = bounds(
            r#"consumers.a = { node = "a", prefix = "/one" }
               consumers.b = { node = "b", prefix = "/one" }"#,
        );
        assert!(bounds.goodput_bps < 40e6 && bounds.goodput_bps > 36e6, "{bounds:?}");
        assert!(bounds.delay > Duration::from_millis(20), "{bounds:?}");
        assert!(bounds.delay < Duration::from_millis(21), "{bounds:?}");
    }

    #[test]
    fn flows_through_one_link_share_it_with_their_headers() {
        let bounds = bounds(
            r#"flows.a = { from = "p", to = "a", controller = "aimd" }
               flows.b = { from = "p", to = "b", controller = "aimd" }"#,
        );
        assert!((bounds.goodput_bps / (20e6 * 1448.0 / 1500.0) - 1.0).abs() < 1e-9, "{bounds:?}");
        // Packets of 52 bytes: 4.16 us at 100 Mbps, 20.8 us at 20 Mbps, twice.
        let micros = 2.0 * (40_000.0 + 4.16 + 20.8);
        assert!((bounds.delay.as_seconds() * 1e6 - micros).abs() < 1e-6, "{bounds:?}");
    }

    #[test]
    fn no_run_surpasses_its_bounds() {
        for content in ["/one", "/two"] {
            let text = format!(
                r#"
                duration = "2 s"
                nodes = {{ a = {{}}, b = {{}}, r = {{}}, p = {{}} }}
                links.a = {{ nodes = ["a", "r"], rate = "100 Mbps", delay = "1 ms" }}
                links.b = {{ nodes = ["b", "r"], rate = "100 Mbps", delay = "1 ms" }}
                links.p = {{ nodes = ["r", "p"], rate = "20 Mbps", delay = "3 ms" }}
                producers.one = {{ node = "p", prefix = "/one" }}
                producers.two = {{ node = "p", prefix = "/two" }}
                defaults.consumer.controller = {{ kind = "fixed", window = 80 }}
                consumers.a = {{ node = "a", prefix = "/one" }}
                consumers.b = {{ node = "b", prefix = "{content}" }}
                "#
            );
            let study = crate::read("test", &text, &[]).unwrap();
            let plan = study.cases[0].plan.clone();
            let bounds = Bounds::of(&plan);
            let mut world = windtunnel_world::World::new(&plan).unwrap();
            let _ = world.run(&windtunnel_engine::Control::default(), None);
            let bytes: u64 = world.consumers().map(|it| it.counters().bytes).sum();
            let goodput = bytes as f64 * 8.0 / plan.end().since(Time::ZERO).as_seconds();
            assert!(goodput <= bounds.goodput_bps, "{goodput} beyond {bounds:?}");
            assert!(goodput >= 0.9 * bounds.goodput_bps, "{goodput} far from {bounds:?}");
            let least = world.consumers().filter_map(|it| it.counters().delay_minimum).min();
            assert!(least.unwrap() >= bounds.delay, "{least:?} below {bounds:?}");
        }
    }
}
