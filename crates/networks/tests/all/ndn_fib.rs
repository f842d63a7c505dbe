//! The forwarding information base against a model: every announcement is
//! looked at, and the one with the most components wins.

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_networks::ndn::FaceId;
use windtunnel_networks::ndn::fib::{Fib, NextHop};
use windtunnel_packets::ndn::wire::Name;
use windtunnel_packets::ndn::{PacketFormat, PrefixId};

fn name(components: &[u8]) -> Name<'static> {
    let components: Vec<String> = components.iter().map(|it| format!("/{it}")).collect();
    let uri = if components.is_empty() { "/".to_owned() } else { components.concat() };
    uri.parse().expect("numbers between slashes are a name")
}

/// Short names from few components: many are prefixes of others.
fn components() -> impl Strategy<Value = Vec<u8>> {
    vec(0..3_u8, 0..5)
}

fn announcement() -> impl Strategy<Value = (Vec<u8>, NextHop)> {
    (components(), 0..20_u16, 0..4_u64)
        .prop_map(|(prefix, face, cost)| (prefix, NextHop { face: FaceId(face), cost }))
}

/// The next hops of the longest prefix of `sought`, the cheapest first.
fn longest_match(announced: &[(Vec<u8>, NextHop)], sought: &[u8]) -> Option<Vec<NextHop>> {
    let matching = announced.iter().filter(|(prefix, _)| sought.starts_with(prefix));
    let longest = matching.map(|(prefix, _)| prefix).max_by_key(|it| it.len())?;
    let same = announced.iter().filter(|(prefix, _)| prefix == longest);
    let mut hops: Vec<NextHop> = same.map(|(_, hop)| *hop).collect();
    hops.sort_by_key(|it| it.cost);
    Some(hops)
}

fn resolved(announced: &[(Vec<u8>, NextHop)], used: &[Vec<u8>]) -> Fib {
    let mut fib = Fib::default();
    for (prefix, next_hop) in announced {
        fib.announce(&name(prefix), *next_hop);
    }
    for (id, prefix) in used.iter().enumerate() {
        fib.resolve(PrefixId::new(id, PacketFormat::Ndn), &name(prefix));
    }
    fib
}

proptest! {
    #[test]
    fn a_name_goes_by_its_longest_announced_prefix_to_the_cheapest_face(
        announced in vec(announcement(), 0..30),
        used in vec(components(), 0..10),
    ) {
        let fib = resolved(&announced, &used);
        for (id, prefix) in used.iter().enumerate() {
            let found = fib.find(PrefixId::new(id, PacketFormat::Ndn)).map(|it| fib.next_hops(it).to_vec());
            prop_assert_eq!(found, longest_match(&announced, prefix), "{:?}", prefix);
        }
    }

    /// What was announced later counts once it is resolved.
    #[test]
    fn resolving_again_finds_what_was_announced_since(
        before in vec(announcement(), 0..10),
        since in vec(announcement(), 0..10),
        used in vec(components(), 0..5),
    ) {
        let mut fib = resolved(&before, &used);
        for (prefix, next_hop) in &since {
            fib.announce(&name(prefix), *next_hop);
        }
        let all = [before, since].concat();
        for (id, prefix) in used.iter().enumerate() {
            fib.resolve(PrefixId::new(id, PacketFormat::Ndn), &name(prefix));
            let found = fib.find(PrefixId::new(id, PacketFormat::Ndn)).map(|it| fib.next_hops(it).to_vec());
            prop_assert_eq!(found, longest_match(&all, prefix), "{:?}", prefix);
        }
    }
}

#[test]
fn components_count_and_not_characters() {
    let announced = [
        (vec![1], NextHop { face: FaceId(1), cost: 0 }),
        (vec![1, 2], NextHop { face: FaceId(2), cost: 9 }),
    ];
    let used = [vec![12], vec![1, 2, 0], vec![1, 21]];
    let fib = resolved(&announced, &used);
    let face =
        |id| fib.find(PrefixId::new(id, PacketFormat::Ndn)).map(|it| fib.next_hops(it)[0].face);
    assert_eq!([0, 1, 2].map(face), [None, Some(FaceId(2)), Some(FaceId(1))]);
}
