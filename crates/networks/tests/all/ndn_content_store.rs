//! The content store against a model: a list, searched from end to end.

use crate::common::{data, interest, milliseconds};
use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_engine::{Duration, Time};
use windtunnel_networks::ndn::content_store::{ContentStore, ReplacementPolicy};
use windtunnel_packets::ndn::{Data, Interest};

#[derive(Clone, Copy, Debug)]
enum Operation {
    Find { segment: u64, must_be_fresh: bool },
    Insert { segment: u64, freshness_ms: u32, marked: bool },
    Wait { milliseconds: u64 },
}

fn operation() -> impl Strategy<Value = Operation> {
    let segment = 0..12_u64;
    prop_oneof![
        3 => (segment.clone(), any::<bool>())
            .prop_map(|(segment, must_be_fresh)| Operation::Find { segment, must_be_fresh }),
        3 => (segment, 0..40_u32, any::<bool>()).prop_map(|(segment, freshness_ms, marked)| {
            Operation::Insert { segment, freshness_ms, marked }
        }),
        1 => (0..20_u64).prop_map(|milliseconds| Operation::Wait { milliseconds }),
    ]
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Kept {
    data: Data,
    network_size: u16,
    marked: bool,
    fresh_until: Time,
}

/// What is kept, from the next to go to the last.
struct Model {
    capacity: usize,
    policy: ReplacementPolicy,
    kept: Vec<Kept>,
}

impl Model {
    fn use_again(&mut self, place: usize) {
        if self.policy == ReplacementPolicy::Lru {
            let kept = self.kept.remove(place);
            self.kept.push(kept);
        }
    }

    fn find(&mut self, now: Time, interest: &Interest) -> Option<Kept> {
        let place = self.kept.iter().position(|it| it.data.name == interest.name)?;
        let kept = self.kept[place];
        if interest.must_be_fresh && kept.fresh_until <= now {
            return None;
        }
        self.use_again(place);
        Some(kept)
    }

    fn insert(&mut self, kept: Kept) {
        match self.kept.iter().position(|it| it.data.name == kept.data.name) {
            Some(place) => {
                self.kept[place] = kept;
                self.use_again(place);
            }
            None => {
                self.kept.push(kept);
                if self.kept.len() > self.capacity {
                    self.kept.remove(0);
                }
            }
        }
    }
}

fn like_the_model(policy: ReplacementPolicy, capacity: usize, operations: &[Operation]) {
    let mut store = ContentStore::new(capacity, policy);
    let mut model = Model { capacity, policy, kept: Vec::new() };
    let mut now = Time::ZERO;
    for (number, operation) in operations.iter().enumerate() {
        match *operation {
            Operation::Wait { milliseconds } => now += Duration::from_millis(milliseconds),
            Operation::Find { segment, must_be_fresh } => {
                let interest = Interest { must_be_fresh, ..interest(segment, 0) };
                let found = store.find(now, &interest);
                let found = found.map(|it| (it.data, it.network_size, it.marked));
                let expected = model.find(now, &interest);
                assert_eq!(found, expected.map(|it| (it.data, it.network_size, it.marked)));
            }
            Operation::Insert { segment, freshness_ms, marked } => {
                let data = Data { freshness_ms, ..data(segment) };
                let network_size = number as u16;
                let fresh_until = now + Duration::from_millis(u64::from(freshness_ms));
                store.insert(now, &data, network_size, marked);
                model.insert(Kept { data, network_size, marked, fresh_until });
            }
        }
        assert_eq!(store.len(), model.kept.len());
    }
}

proptest! {
    #[test]
    fn the_least_recently_used_goes_first(
        capacity in 0..8_usize,
        operations in vec(operation(), 0..300),
    ) {
        like_the_model(ReplacementPolicy::Lru, capacity, &operations);
    }

    #[test]
    fn the_first_in_goes_first(capacity in 0..8_usize, operations in vec(operation(), 0..300)) {
        like_the_model(ReplacementPolicy::Fifo, capacity, &operations);
    }
}

#[test]
fn a_hit_saves_data_from_lru_and_not_from_fifo() {
    for (policy, saved) in [(ReplacementPolicy::Lru, true), (ReplacementPolicy::Fifo, false)] {
        let mut store = ContentStore::new(2, policy);
        store.insert(Time::ZERO, &data(1), 1100, false);
        store.insert(Time::ZERO, &data(2), 1100, false);
        assert!(store.find(Time::ZERO, &interest(1, 0)).is_some());
        store.insert(Time::ZERO, &data(3), 1100, false);
        assert_eq!(store.find(Time::ZERO, &interest(1, 0)).is_some(), saved, "{policy:?}");
        assert_eq!(store.find(Time::ZERO, &interest(2, 0)).is_some(), !saved, "{policy:?}");
    }
}

/// Data counts as fresh for its freshness period, and Data without one never.
#[test]
fn must_be_fresh_refuses_data_from_the_end_of_its_freshness_period() {
    let mut store = ContentStore::new(2, ReplacementPolicy::Lru);
    store.insert(Time::ZERO, &Data { freshness_ms: 10, ..data(1) }, 1100, false);
    store.insert(Time::ZERO, &data(2), 1100, false);
    let mut finds = |segment, now, must_be_fresh| {
        store.find(now, &Interest { must_be_fresh, ..interest(segment, 0) }).is_some()
    };
    assert!(finds(1, milliseconds(9), true));
    assert!(!finds(1, milliseconds(10), true));
    assert!(finds(1, milliseconds(10), false));
    assert!(!finds(2, Time::ZERO, true));
    assert!(finds(2, Time::ZERO, false));
}

#[test]
fn a_store_without_capacity_is_off() {
    let mut store = ContentStore::new(0, ReplacementPolicy::Lru);
    store.insert(Time::ZERO, &data(1), 1100, false);
    assert!(!store.is_on() && store.is_empty());
    assert!(store.find(Time::ZERO, &interest(1, 0)).is_none());
}
