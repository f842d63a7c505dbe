//! The store against a model: a list of what is in.

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_engine::{Handle, Store};

proptest! {
    /// `Some` puts a value in, `None` takes one out.
    #[test]
    fn a_handle_gives_its_own_value_until_it_is_freed(
        operations in vec(proptest::option::weighted(0.6, any::<u32>()), 0..300),
    ) {
        let mut store = Store::default();
        let mut model: Vec<(Handle, u32)> = Vec::new();
        for operation in operations {
            match operation {
                Some(value) => {
                    let handle = store.insert(value);
                    prop_assert!(model.iter().all(|(taken, _)| *taken != handle));
                    model.push((handle, value));
                }
                None if model.is_empty() => {}
                None => store.free(model.swap_remove(model.len() / 2).0),
            }
            prop_assert_eq!(store.len(), model.len());
            for (handle, value) in &model {
                prop_assert_eq!(store[*handle], *value);
            }
        }
    }

    /// Memory is as much as was ever in at once, however long it goes on.
    #[test]
    fn places_are_used_again(at_once in 1..50_usize, times in 1..20_usize) {
        let mut store = Store::default();
        let mut places: Vec<Handle> = Vec::new();
        for _ in 0..times {
            let handles: Vec<Handle> = (0..at_once).map(|value| store.insert(value)).collect();
            for handle in handles {
                store.free(handle);
                if !places.contains(&handle) {
                    places.push(handle);
                }
            }
            prop_assert!(store.is_empty());
            prop_assert_eq!(places.len(), at_once);
        }
    }
}
