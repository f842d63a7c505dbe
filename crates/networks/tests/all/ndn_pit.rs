//! The pending Interest table against a model, and its order of expiry.

use crate::common::{face, interest, milliseconds, name};
use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_engine::{Handle, Time};
use windtunnel_networks::ndn::pit::Pit;

#[derive(Clone, Copy, Debug)]
enum Operation {
    /// Makes an entry, or lets it live at least until then.
    Ask {
        segment: u64,
        expires_ms: u64,
    },
    Answer {
        segment: u64,
    },
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        2 => (0..15_u64, 0..50_u64)
            .prop_map(|(segment, expires_ms)| Operation::Ask { segment, expires_ms }),
        1 => (0..15_u64).prop_map(|segment| Operation::Answer { segment }),
    ]
}

/// Entries by segment, with the time that they live until.
type Model = Vec<(u64, Handle, Time)>;

fn place(model: &Model, segment: u64) -> Option<usize> {
    model.iter().position(|(it, ..)| *it == segment)
}

proptest! {
    #[test]
    fn the_entry_that_expires_next_is_the_earliest_of_all(
        operations in vec(operation(), 0..200),
    ) {
        let (mut pit, mut model) = (Pit::default(), Model::new());
        for operation in operations {
            match operation {
                Operation::Ask { segment, expires_ms } => {
                    let place = place(&model, segment).unwrap_or_else(|| {
                        let handle = pit.insert(&interest(segment, 0), 40);
                        model.push((segment, handle, Time::ZERO));
                        model.len() - 1
                    });
                    let (_, handle, until) = &mut model[place];
                    *until = (*until).max(milliseconds(expires_ms));
                    pit.set_expiry(*handle, milliseconds(expires_ms));
                }
                Operation::Answer { segment } => {
                    if let Some(place) = place(&model, segment) {
                        pit.remove(model.remove(place).1);
                    }
                }
            }
            let next = pit.next_expiry();
            let earliest = model.iter().map(|(.., until)| *until).min();
            prop_assert_eq!(next.map(|(_, time)| time), earliest);
            let known = next.is_none_or(|next| model.iter().any(|it| (it.1, it.2) == next));
            prop_assert!(known);
            prop_assert_eq!(pit.len(), model.len());
            for segment in 0..15 {
                let expected = place(&model, segment).map(|it| model[it].1);
                prop_assert_eq!(pit.find(name(segment)), expected);
            }
        }
    }

    #[test]
    fn entries_of_mixed_lifetimes_expire_in_order(lifetimes in vec(0..1000_u64, 1..100)) {
        let mut pit = Pit::default();
        for (segment, lifetime) in lifetimes.iter().enumerate() {
            let handle = pit.insert(&interest(segment as u64, 0), 40);
            pit.set_expiry(handle, milliseconds(*lifetime));
        }
        let mut order = Vec::new();
        while let Some((handle, time)) = pit.next_expiry() {
            order.push(time);
            pit.remove(handle);
        }
        let mut sorted: Vec<Time> = lifetimes.iter().map(|it| milliseconds(*it)).collect();
        sorted.sort();
        prop_assert_eq!(order, sorted);
    }
}

/// A place is used again for another Interest, and nothing of the first is left.
#[test]
fn a_new_entry_knows_nothing_of_the_one_before_it() {
    let mut pit = Pit::default();
    let handle = pit.insert(&interest(1, 7), 40);
    let entry = pit.entry(handle);
    for number in 0..5 {
        entry.note_in(Time::ZERO, face(number), &interest(1, 7), true);
        entry.note_out(Time::ZERO, face(number), 7);
    }
    pit.set_expiry(handle, milliseconds(4000));
    pit.remove(handle);
    let handle = pit.insert(&interest(2, 8), 41);
    let entry = pit.entry(handle);
    assert_eq!((entry.interest, entry.network_size), (interest(2, 8), 41));
    assert!(entry.in_records.is_empty() && entry.out_records.is_empty());
    assert!(!entry.saw_elsewhere(7, face(9)) && !entry.awaits_answer(Time::ZERO));
    pit.set_expiry(handle, milliseconds(1));
    assert_eq!(pit.next_expiry(), Some((handle, milliseconds(1))));
}
