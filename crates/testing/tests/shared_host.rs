//! The ends of several flows at one host: what one of them receives may have another one send at the same
//! instant, and what leaves keeps the order that the host gave it.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use windtunnel_scenario::{Extensions, Outside, Study, Unreadable};
use windtunnel_stack::{
    Datagram, Departure, Ecn, Event, MakeStack, Place, Read, Stack, StackKind, State, StreamStack,
};
use windtunnel_world::World;

/// What the ends of a hub sent: when, and which of them.
type Log = Arc<Mutex<Vec<(Duration, usize)>>>;

/// A hub rings its other end whenever one has received something; the peers of its ends, each alone, answer
/// each datagram.
#[derive(Clone, Debug)]
struct Bells {
    is_hub: bool,
    /// Which ends send at the beginning, in this order.
    first: &'static [usize],
    sent: Log,
}

/// What the ends of a host have in common.
#[derive(Debug)]
struct Host {
    bells: Bells,
    ends: usize,
    to_send: VecDeque<usize>,
}

#[derive(Debug)]
struct End {
    host: Arc<Mutex<Host>>,
    which: usize,
    peer: SocketAddr,
    opened: bool,
}

impl StackKind for Bells {
    fn name(&self) -> &str {
        if self.is_hub { "hub" } else { "bell" }
    }

    fn controllers(&self) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }

    fn maker(&self, _: Option<&str>) -> Result<Arc<dyn MakeStack>, String> {
        Ok(Arc::new(self.clone()))
    }
}

impl MakeStack for Bells {
    fn name(&self) -> &str {
        StackKind::name(self)
    }

    fn largest_datagram(&self) -> u16 {
        100
    }

    fn shares_host(&self) -> bool {
        self.is_hub
    }

    fn make(&self, now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
        self.make_together(now, vec![place]).map(|mut it| it.remove(0))
    }

    fn make_together(
        &self,
        now: Duration,
        places: Vec<Place>,
    ) -> Result<Vec<Box<dyn StreamStack>>, String> {
        assert_eq!(now, if self.is_hub { Duration::ZERO } else { now });
        let (ends, to_send) = (places.len(), VecDeque::new());
        let host = Arc::new(Mutex::new(Host { bells: self.clone(), ends, to_send }));
        let end = |(which, place): (usize, Place)| {
            let (host, peer) = (Arc::clone(&host), place.peer);
            Box::new(End { host, which, peer, opened: false }) as Box<dyn StreamStack>
        };
        Ok(places.into_iter().enumerate().map(end).collect())
    }
}

impl Stack for End {
    fn receive(&mut self, _: Duration, datagrams: &[Datagram<'_>]) {
        let mut host = self.host.lock().unwrap();
        // A host of one end rings that.
        let other = if host.ends == 2 { 1 - self.which } else { 0 };
        host.to_send.extend(datagrams.iter().map(|_| other));
    }

    fn wake(&mut self, _: Duration) {}

    fn send(&mut self, now: Duration, buffer: &mut Vec<u8>) -> Option<Departure> {
        let mut host = self.host.lock().unwrap();
        host.to_send.front().filter(|it| **it == self.which)?;
        host.to_send.pop_front();
        host.bells.sent.lock().unwrap().push((now, self.which));
        buffer.extend([0; 100]);
        Some(Departure { from: None, to: self.peer, ecn: Ecn::NotCapable, segment: 100 })
    }

    fn next_wake(&mut self) -> Option<Duration> {
        None
    }

    fn state(&self) -> State {
        State::default()
    }
}

impl StreamStack for End {
    /// The first flow opens its stream at once.
    fn open(&mut self, _: Duration) -> Option<u64> {
        let mut host = self.host.lock().unwrap();
        if self.which == 0 {
            let first = host.bells.first;
            host.to_send.extend(first);
        }
        (!std::mem::replace(&mut self.opened, true)).then_some(0)
    }

    fn write(&mut self, _: Duration, _: u64, bytes: u64) -> u64 {
        bytes
    }

    fn finish(&mut self, _: Duration, _: u64) {}

    fn read(&mut self, _: Duration, _: u64) -> Read {
        Read::default()
    }

    fn next_event(&mut self) -> Option<Event> {
        None
    }
}

/// A datagram of 128 B takes a millisecond on a link, and 2 ms or 4 ms on the way.
const SCENARIO: &str = r#"
    duration = "100 ms"
    nodes = { hub = {}, near = {}, far = {} }
    defaults.link = { rate = "1.024 Mbps", overhead = "0 B" }
    links.short = { nodes = ["hub", "near"], delay = "2 ms" }
    links.long = { nodes = ["hub", "far"], delay = "4 ms" }
    defaults.flow = { from = "hub", protocol = "stack", stack = { name = "hub", receiver = "bell" } }
    flows.near = { to = "near" }
    flows.far = { to = "far", start = "90 ms" }
"#;

/// What the hub's ends send, which begins with these.
fn sent(first: &'static [usize]) -> Vec<(Duration, usize)> {
    let of_hub = Log::default();
    let bells = |is_hub: bool, sent: &Log| -> Arc<dyn StackKind> {
        Arc::new(Bells { is_hub, first: if is_hub { first } else { &[] }, sent: Arc::clone(sent) })
    };
    let stacks = vec![bells(true, &of_hub), bells(false, &Log::default())];
    let extensions = Extensions { stacks, ..Extensions::default() };
    let files = &mut |_: &str| -> Result<String, Unreadable> { unreachable!("it names none") };
    let outside = Outside { extensions: &extensions, files };
    let study = Study::read("bells", SCENARIO, &[], outside).unwrap();
    let plan = study.cases[0].of_run(0);
    World::new(&plan).expect("there are paths").advance(plan.end());
    of_hub.lock().unwrap().clone()
}

#[test]
fn what_one_end_receives_has_another_one_send_at_the_same_instant() {
    let expected = (0..).map(|it| match it % 2 {
        0 => (Duration::from_millis(16 * (it / 2)), 0),
        _ => (Duration::from_millis(16 * (it / 2) + 6), 1),
    });
    let sent = sent(&[0]);
    let before = Duration::from_millis(90);
    let sent: Vec<_> = sent.into_iter().take_while(|it| it.0 < before).collect();
    assert_eq!(sent, expected.take_while(|it| it.0 < before).collect::<Vec<_>>());
}

#[test]
fn what_leaves_keeps_the_order_of_the_host() {
    const FIRST: [usize; 6] = [1, 0, 0, 1, 0, 1];
    let sent = sent(&FIRST);
    let at_once: Vec<usize> = sent.iter().filter(|it| it.0.is_zero()).map(|it| it.1).collect();
    assert_eq!(at_once, FIRST);
}
