//! The policy for Multipath TCP.

use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use windtunnel_networks::scion::policies::{PathInfo, PolicySettings};

use super::{at, path, random};

/// The places that the subflows of a flow have.
fn places(paths: &[PathInfo], subflows: usize) -> Vec<usize> {
    let place = |subflow| {
        let mut policy = PolicySettings::Disjoint.policy(subflow, subflows);
        policy.select(at(0), paths, None, &mut random("disjoint"))
    };
    (0..subflows).map(place).collect()
}

/// How many interfaces pairs of them share.
fn shared(paths: &[PathInfo], places: &[usize]) -> usize {
    let pairs = places.iter().enumerate().flat_map(|(at, one)| {
        places[at + 1..].iter().map(move |other| (&paths[*one], &paths[*other]))
    });
    let in_both = |(one, other): (&PathInfo, &PathInfo)| {
        one.interfaces.iter().filter(|it| other.interfaces.contains(it)).count()
    };
    pairs.map(in_both).sum()
}

/// The shortest path shares a link with each of the others, which share none: whoever takes the
/// shortest first never finds two that are disjoint.
#[test]
fn disjoint_paths_are_found_though_the_shortest_is_none_of_them() {
    let paths = [path(0, &[1, 2]), path(1, &[1, 3, 4]), path(2, &[5, 6, 2])];
    assert_eq!(places(&paths, 2), [1, 2]);
    assert_eq!(places(&paths, 1), [0]);
}

#[test]
fn with_too_few_paths_one_is_taken_twice() {
    let paths = [path(0, &[1]), path(1, &[2, 3])];
    assert_eq!(places(&paths, 3), [0, 0, 1]);
}

proptest! {
    /// However many others there are.
    #[test]
    fn paths_are_disjoint_if_there_are_such(
        links in vec(btree_set(0..40_u16, 1..5), 1..20),
        subflows in 1..4_usize,
    ) {
        // Nobody else uses these.
        let mut sets: Vec<Vec<u16>> = (0..subflows as u16).map(|it| vec![100 + it]).collect();
        sets.extend(links.into_iter().map(|it| it.into_iter().collect()));
        sets.sort_by_key(Vec::len);
        let paths: Vec<_> = sets.iter().enumerate().map(|(id, it)| path(id as u64, it)).collect();
        prop_assert_eq!(shared(&paths, &places(&paths, subflows)), 0);
    }

    /// No other set of two shares less.
    #[test]
    fn two_share_as_little_as_any_two_do(links in vec(btree_set(0..12_u16, 1..6), 2..20)) {
        let link = |it: &std::collections::BTreeSet<u16>| it.iter().copied().collect::<Vec<_>>();
        let paths: Vec<_> =
            links.iter().enumerate().map(|(id, it)| path(id as u64, &link(it))).collect();
        let pairs = (0..paths.len()).flat_map(|one| (0..one).map(move |other| [other, one]));
        let least = pairs.map(|it| shared(&paths, &it)).min();
        prop_assert_eq!(Some(shared(&paths, &places(&paths, 2))), least);
    }
}
