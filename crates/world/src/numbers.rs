//! The numbers of connections. A number depends on the plan alone, so that what it
//! decides, such as a packet's place in a fair queue, does not depend on which other
//! connections are open.

use windtunnel_links::FlowKeys;
use windtunnel_packets::FlowKey;

use crate::event::Event;
use crate::plan::FlowPlan;

/// The numbers of all connections of a plan. Connections of one class carry the same
/// flow between the same two hosts. A class with a single connection has its place as
/// the number; above those, the classes with many take numbers in turn.
#[derive(Clone, Debug)]
pub(crate) struct Numbers {
    classes: u32,
    /// The classes with many connections.
    many: Vec<u32>,
    /// The place of each class among those; none if it has a single connection.
    ranks: Vec<Option<u32>>,
}

/// A connection has two keys, one for each end, by which events know them.
const MOST_NUMBERS: u32 = Event::COMPONENTS / 2;

impl Numbers {
    /// The numbers of the connections of all flows of a plan. Each flow over TCP has a class for
    /// each two neighbouring hosts of it.
    pub(crate) fn of(flows: &[FlowPlan]) -> Self {
        let over_tcp = flows.iter().filter(|it| it.is_over_tcp());
        Self::new(over_tcp.flat_map(|it| it.connections().map(|_| it.has_many_connections())))
    }

    /// For classes of which those have many connections.
    fn new(has_many: impl Iterator<Item = bool>) -> Self {
        let mut many = Vec::new();
        let ranks: Vec<Option<u32>> = (0..)
            .zip(has_many)
            .map(|(class, has_many)| {
                has_many.then(|| {
                    many.push(class);
                    many.len() as u32 - 1
                })
            })
            .collect();
        Self { classes: ranks.len() as u32, many, ranks }
    }

    /// How many connections a class can have before numbers are used again.
    fn span(&self) -> u64 {
        u64::from((MOST_NUMBERS - self.classes) / self.many.len().max(1) as u32)
    }

    /// The number of a class's connection.
    pub(crate) fn number(&self, class: u32, ordinal: u64) -> u32 {
        match self.ranks[class as usize] {
            None => class,
            Some(rank) => {
                let turn = (ordinal % self.span()) as u32;
                self.classes + turn * self.many.len() as u32 + rank
            }
        }
    }

    /// The class of a connection's number, and which of its connections it is.
    pub(crate) fn class(&self, number: u32) -> (u32, u64) {
        match number.checked_sub(self.classes) {
            None => (number, 0),
            Some(above) => {
                let many = self.many.len() as u32;
                (self.many[(above % many) as usize], u64::from(above / many))
            }
        }
    }

    /// Adds the keys of a class's connections.
    fn add_keys(&self, class: usize, keys: &mut FlowKeys) {
        match self.ranks[class] {
            None => keys.single.push(FlowKey::of_connection(class as u32)),
            Some(rank) => {
                keys.repeated.push((self.classes + rank..MOST_NUMBERS, self.many.len()));
            }
        }
    }

    /// How many numbers are those of classes with a single connection, or unused.
    pub(crate) fn classes(&self) -> u32 {
        self.classes
    }
}

/// By which keys routers know the packets of a flow, in both directions. They depend on all flows
/// of its plan.
#[must_use]
pub fn keys_of_flow(flows: &[FlowPlan], flow: usize) -> FlowKeys {
    let it = &flows[flow];
    if !it.is_over_tcp() {
        let single = vec![FlowKey::of_datagrams(flow as u32)];
        return FlowKeys { single, ..FlowKeys::default() };
    }
    let before = flows[..flow].iter().filter(|it| it.is_over_tcp());
    let first = before.map(|it| it.connections().count()).sum::<usize>();
    let (numbers, mut keys) = (Numbers::of(flows), FlowKeys::default());
    let classes = first..first + it.connections().count();
    classes.for_each(|class| numbers.add_keys(class, &mut keys));
    keys
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_number_leads_back_to_its_class_and_ordinal(
            many in proptest::collection::vec(any::<bool>(), 1..20),
            class in any::<proptest::sample::Index>(),
            ordinal in 0..10_000_u64,
        ) {
            let numbers = Numbers::new(many.iter().copied());
            let class = class.index(many.len());
            let ordinal = if many[class] { ordinal } else { 0 };
            let number = numbers.number(class as u32, ordinal);
            prop_assert_eq!(numbers.class(number), (class as u32, ordinal));
            prop_assert!(number < MOST_NUMBERS);
        }
    }
}
