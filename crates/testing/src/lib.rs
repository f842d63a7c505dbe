//! Unit tests of an implementation of a transport protocol, over a simulated network and in virtual
//! time: a minute takes milliseconds, and each run is the same.
//!
//! The implementation is a [`StreamStack`](windtunnel_stack::StreamStack); here it is quinn.
//!
//! ```
//! use std::time::Duration;
//! use windtunnel_quic::{Quinn, QuinnController};
//! use windtunnel_testing::Network;
//!
//! let network = Network::link("10 Mbps", "15 ms").queue("25 packets").loss("0.1 %");
//! let outcome = network.transfer(Quinn::new(QuinnController::Bbr), 2_000_000);
//! assert!(outcome.completed_within(Duration::from_secs(3)), "{outcome}");
//! ```

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use windtunnel_engine as engine;
use windtunnel_scenario::{Extensions, Outside, Study, Unreadable};
use windtunnel_stack::MakeStack;
pub use windtunnel_stack::trace::{Difference, Sent};
pub use windtunnel_world::Repeat;
use windtunnel_world::{FlowCounters, Plan, StackCounts, Transport, World, repeats};

/// How long a transfer over a link may take in virtual time, unless that is said.
const LONGEST: &str = "10 min";

/// A network between two hosts, by the keys of scenario files.
#[derive(Clone, Debug)]
pub struct Network {
    text: String,
    /// What replaces values of it.
    settings: Vec<(String, String)>,
}

/// What became of a transfer.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// How long it took until the last byte was received; none if that did not happen.
    pub completion: Option<Duration>,
    /// The bytes that were received in order.
    pub received_bytes: u64,
    /// Datagrams that the sender and the receiver of the data sent.
    pub datagrams: [u64; 2],
    /// Packets that queues dropped, and that links lost.
    pub dropped: u64,
    /// Packets that were in queues and on links at the end.
    pub in_transit: u64,
    /// What both ends counted, and told at the end.
    pub ends: [StackCounts; 2],
}

impl Outcome {
    /// Whether everything was received in so much time.
    #[must_use]
    pub fn completed_within(&self, most: Duration) -> bool {
        self.completion.is_some_and(|it| it <= most)
    }

    /// Why one of the ends could not go on, if so.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        self.ends.iter().find_map(|it| it.failure.as_deref())
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { received_bytes, datagrams: [there, back], dropped, .. } = self;
        match self.completion {
            Some(it) => write!(f, "received {received_bytes} B in {it:?}")?,
            None => write!(f, "received {received_bytes} B and not the end")?,
        }
        write!(f, " with {there} datagrams, and {back} back, of which {dropped} were dropped")?;
        self.failure().map_or(Ok(()), |it| write!(f, "; an end could not go on: {it}"))
    }
}

impl Network {
    /// A link with this rate and delay in each direction, such as `"10 Mbps"` and `"15 ms"`.
    #[must_use]
    pub fn link(rate: &str, delay: &str) -> Self {
        let text = format!(
            r#"
duration = "{LONGEST}"
seed = 1
nodes = {{ sender = {{}}, receiver = {{}} }}
links.link = {{ nodes = ["sender", "receiver"], rate = "{rate}", delay = "{delay}" }}
flows.test = {{ from = "sender", to = "receiver", protocol = "quic" }}
"#
        );
        Self::scenario(&text)
    }

    /// A scenario as in a file, with a flow `test`, which must be over QUIC. That flow is the
    /// transfer; what else it says of the flow, such as when it starts, stays.
    #[must_use]
    pub fn scenario(text: &str) -> Self {
        Self { text: text.to_owned(), settings: Vec::new() }
    }

    /// With queues that hold so much, such as `"25 packets"` or `"64 kB"`, of the link.
    #[must_use]
    pub fn queue(self, limit: &str) -> Self {
        self.with("queue", &format!("{{ kind = \"drop-tail\", limit = \"{limit}\" }}"))
    }

    /// With random losses in both directions of the link, such as `"2 %"`.
    #[must_use]
    pub fn loss(self, share: &str) -> Self {
        self.with("loss", &format!("\"{share}\""))
    }

    /// With any other key of the link, whose value is written as in a scenario file.
    #[must_use]
    pub fn with(self, key: &str, value: &str) -> Self {
        self.set(&format!("links.link.{key}"), value)
    }

    /// For so long in virtual time, such as `"500 ms"`; otherwise as the scenario says, and over a
    /// link 10 minutes.
    #[must_use]
    pub fn duration(self, duration: &str) -> Self {
        self.set("duration", &format!("\"{duration}\""))
    }

    /// With other random numbers.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        self.set("seed", &seed.to_string())
    }

    /// With another value of any key of the scenario, written as there.
    #[must_use]
    pub fn set(mut self, path: &str, value: &str) -> Self {
        self.settings.push((path.to_owned(), value.to_owned()));
        self
    }

    /// Has the sender connect and send so many bytes on one stream, and waits until they are received.
    ///
    /// # Panics
    /// If the network or the scenario is written wrongly: the message is that of
    /// `windtunnel check`.
    #[must_use]
    pub fn transfer(&self, stack: impl MakeStack + 'static, bytes: u64) -> Outcome {
        let (plan, place) = self.plan(Arc::new(stack), None, bytes);
        outcome(&plan, place)
    }

    /// The same between two implementations, the first one at the sender.
    ///
    /// # Panics
    /// As [`Self::transfer`].
    #[must_use]
    pub fn transfer_between(
        &self,
        sender: impl MakeStack + 'static,
        receiver: impl MakeStack + 'static,
        bytes: u64,
    ) -> Outcome {
        let (plan, place) = self.plan(Arc::new(sender), Some(Arc::new(receiver)), bytes);
        outcome(&plan, place)
    }

    /// What two such transfers with the same seed have in common.
    ///
    /// # Panics
    /// As [`Self::transfer`].
    #[must_use]
    pub fn repeat(&self, stack: impl MakeStack + 'static, bytes: u64) -> Repeat {
        let (plan, place) = self.plan(Arc::new(stack), None, bytes);
        let repeats = repeats(&plan).unwrap_or_else(|error| panic!("{error:?}"));
        repeats.into_iter().find(|it| it.flow == place).expect("it is over a stack")
    }

    /// The scenario as it is, on so many threads, at its end.
    ///
    /// # Panics
    /// As [`Self::transfer`].
    #[must_use]
    pub fn run(&self, threads: usize) -> World {
        let plan = &self.study().cases[0].plan;
        let world = World::on_threads(plan, threads);
        let mut world = world.unwrap_or_else(|error| panic!("{error:?}"));
        world.advance(plan.end());
        world
    }

    /// What the scenario says.
    fn study(&self) -> Study {
        let outside = Outside {
            extensions: &Extensions::default(),
            files: &mut |name| {
                let help = "write what it holds into the scenario".to_owned();
                Err(Unreadable { why: format!("no file {name} can be read in a test"), help })
            },
        };
        let study = Study::read("network", &self.text, &self.settings, outside);
        study.unwrap_or_else(|mistake| panic!("{mistake}"))
    }

    /// The plan of a transfer, and the place of its flow there.
    fn plan(
        &self,
        sender: Arc<dyn MakeStack>,
        receiver: Option<Arc<dyn MakeStack>>,
        bytes: u64,
    ) -> (Plan, usize) {
        let file = format!("{{ kind = \"file\", size = \"{bytes} B\" }}");
        let study = self.clone().set("flows.test.workload", &file).study();
        let mut plan = (*study.cases[0].plan).clone();
        let flow = plan.flows.iter().position(|it| it.name == "test");
        let place = flow.expect("the scenario has a flow `test`");
        let Transport::Stack { settings, .. } = &mut plan.flows[place].transport else {
            panic!("flow `test` is not over QUIC")
        };
        let settings = Arc::make_mut(settings);
        (settings.maker, settings.receiver) = (sender, receiver);
        (plan, place)
    }
}

/// Lets a world go on until a flow is over, or the end.
fn outcome(plan: &Plan, place: usize) -> Outcome {
    let mut world = World::new(plan).unwrap_or_else(|error| panic!("{error:?}"));
    let end = plan.end();
    let step = engine::Duration::from_millis(100);
    let mut now = engine::Time::ZERO;
    loop {
        now = (now + step).min(end);
        world.advance(now);
        let flow = world.flows().nth(place).expect("it was found in the plan");
        let FlowCounters::Stack(ends) = flow.counters else { unreachable!("it is over a stack") };
        let has_failed = ends.iter().any(|it| it.failure.is_some());
        if flow.finished.is_none() && !has_failed && now < end {
            continue;
        }
        let dropped = world.ports(now).map(|(it, _)| it.dropped()).sum();
        let completion = flow.finished.map(|it| it.since(flow.start).as_nanos());
        return Outcome {
            completion: completion.map(Duration::from_nanos),
            received_bytes: ends[1].counters.received_bytes,
            datagrams: [0, 1].map(|it| ends[it].counters.datagrams),
            dropped,
            in_transit: world.packets_in_transit(),
            ends: *ends,
        };
    }
}
