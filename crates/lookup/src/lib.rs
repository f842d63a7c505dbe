//! What it costs to find the next hop: the code of a region, by each rule of
//! [`windtunnel_networks::region::CodeLookup`], beside the longest prefix of an address.
//!
//! A lookup waits for the one before it, so that the time is that of a lookup and not of several
//! at once.

mod prefixes;
mod timing;

use hashbrown::HashTable;
use poptrie::Poptrie;
use prefix_trie::PrefixMap;
use windtunnel_engine::{Random, Streams, hash};

pub use prefixes::PrefixCounts;
use prefixes::{Prefix, draw};
use timing::{Cold, warm};

/// How many destinations are looked up in turn.
const DESTINATIONS: usize = 1 << 12;
/// The regions that a table of codes has entries for.
const REGIONS: u32 = 254;
/// The sub-regions of each, where a table has entries for those: the values of a code's second
/// byte but 0, which is the region as a whole.
const SUB_REGIONS: u32 = 255;

/// What a lookup takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Lookup {
    /// The table's name.
    pub table: String,
    /// The structure that it is kept in: `array`, `hash-table`, `poptrie` or `prefix-trie`.
    pub structure: &'static str,
    /// How destinations are drawn among the entries: `uniform`, or `zipf` with the exponent 1.
    pub destinations: &'static str,
    /// The entries of the table.
    pub entries: usize,
    /// With the table in the processor's caches, in ns.
    pub warm_ns: f64,
    /// With nothing of it there, nor of the program that looks it up, in ns.
    pub cold_ns: f64,
}

/// How destinations are drawn.
#[derive(Clone, Copy, Debug)]
enum Draw {
    Uniform,
    Zipf,
}

impl Draw {
    const ALL: [Self; 2] = [Self::Uniform, Self::Zipf];

    fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Zipf => "zipf",
        }
    }

    /// The places of drawn entries, of this many.
    fn places(self, entries: usize, random: &mut Random) -> Vec<usize> {
        let shares = match self {
            Self::Uniform => vec![1.0; entries],
            Self::Zipf => (1..=entries).map(|rank| 1.0 / rank as f64).collect(),
        };
        let sums: Vec<f64> = shares
            .iter()
            .scan(0.0, |sum, it| {
                *sum += it;
                Some(*sum)
            })
            .collect();
        let total = sums.last().copied().unwrap_or(0.0);
        let draw = |_| {
            let drawn = random.unit() * total;
            sums.partition_point(|it| *it <= drawn).min(entries - 1)
        };
        (0..DESTINATIONS).map(draw).collect()
    }
}

/// Times lookups of the codes of regions, and of addresses in tables of prefixes, each with its
/// name and how many prefixes it has of each length. `evictions` is how often the caches are
/// emptied for each table: a second takes about a hundred.
///
/// # Errors
/// The name of a table that is empty, or whose prefixes do not fit into the addresses of hosts.
pub fn measure_lookups(
    tables: &[(String, PrefixCounts)],
    seed: u64,
    evictions: usize,
) -> Result<Vec<Lookup>, String> {
    let streams = Streams::new(seed, 0);
    let mut random = streams.stream("lookup");
    let mut cold = Cold::new(evictions);
    let mut found = of_codes(&mut random, &mut cold);
    found.extend(of_sub_regions(&mut streams.stream("sub-regions"), &mut cold));
    for (name, counts) in tables {
        let prefixes = draw(counts, &mut random).ok().filter(|it| !it.is_empty());
        let prefixes = prefixes.ok_or_else(|| name.clone())?;
        found.extend(of_prefixes(name, &prefixes, &mut random, &mut cold));
    }
    Ok(found)
}

/// The code of a region is the first 8 of 32 bits.
fn of_codes(random: &mut Random, cold: &mut Cold) -> Vec<Lookup> {
    let ports: Vec<u16> = (0..256).collect();
    let find = |code: u32| u32::from(ports[(code >> 24) as usize]);
    let timed = Draw::ALL.map(|how| {
        let places = how.places(REGIONS as usize, random);
        let codes: Vec<u32> = places.iter().map(|it| (*it as u32 + 1) << 24).collect();
        time("codes", "array", how, REGIONS as usize, &codes, cold, find)
    });
    timed.into()
}

/// With sub-regions: the exact match of all 32 bits, and the longest prefix of whole bytes.
fn of_sub_regions(random: &mut Random, cold: &mut Cold) -> Vec<Lookup> {
    let codes = sub_region_codes();
    let table = hash_table(&codes);
    let find = |code: u32| exact(&table, code).map_or(0, u32::from);
    let order = shuffled(&codes, random);
    let mut found = Vec::from(Draw::ALL.map(|how| {
        let places = how.places(codes.len(), random);
        let drawn: Vec<u32> = places.into_iter().map(|it| order[it].0).collect();
        time("full-codes", "hash-table", how, codes.len(), &drawn, cold, find)
    }));
    found.extend(of_prefixes("longest-prefix-codes", &codes, random, cold));
    found
}

/// The code of each region, and of each of its sub-regions, as prefixes.
fn sub_region_codes() -> Vec<Prefix> {
    let of_region = |region: u32| {
        let own = (0..=SUB_REGIONS).map(move |part| region << 24 | part << 16);
        own.map(|code| (code, if code << 8 == 0 { 8 } else { 16 }))
    };
    (1..=REGIONS).flat_map(of_region).collect()
}

/// The port of each code.
fn hash_table(codes: &[Prefix]) -> HashTable<(u32, u16)> {
    let mut table = HashTable::with_capacity(codes.len());
    for ((code, _), port) in numbered(codes) {
        table.insert_unique(hash(code.into()), (code, port), |it| hash(it.0.into()));
    }
    table
}

/// The port of exactly that code.
fn exact(table: &HashTable<(u32, u16)>, code: u32) -> Option<u16> {
    table.find(hash(code.into()), |it| it.0 == code).map(|it| it.1)
}

fn of_prefixes(
    name: &str,
    prefixes: &[Prefix],
    random: &mut Random,
    cold: &mut Cold,
) -> Vec<Lookup> {
    let poptrie: Poptrie<Prefix, u16> = numbered(prefixes).collect();
    let trie: PrefixMap<Prefix, u16> = numbered(prefixes).collect();
    let in_poptrie = |it: u32| poptrie.lookup(it).map_or(0, |port| u32::from(*port));
    let in_trie = |it: u32| trie.get_lpm(&(it, 32)).map_or(0, |(_, port)| u32::from(*port));
    let order = shuffled(prefixes, random);
    let mut found = Vec::new();
    for how in Draw::ALL {
        let places = how.places(prefixes.len(), random);
        let within = |it: usize| {
            let (first, length) = order[it];
            first | (random.bits() & !prefixes::mask(length))
        };
        let addresses: Vec<u32> = places.into_iter().map(within).collect();
        let entries = prefixes.len();
        found.push(time(name, "poptrie", how, entries, &addresses, cold, in_poptrie));
        found.push(time(name, "prefix-trie", how, entries, &addresses, cold, in_trie));
    }
    found
}

/// In another order: how popular a prefix is says nothing about its length.
fn shuffled(prefixes: &[Prefix], random: &mut Random) -> Vec<Prefix> {
    let mut order = prefixes.to_vec();
    order.sort_by_cached_key(|_| random.bits());
    order
}

/// Prefixes with the ports that they lead to.
fn numbered(prefixes: &[Prefix]) -> impl Iterator<Item = (Prefix, u16)> + '_ {
    prefixes.iter().enumerate().map(|(place, it)| (*it, place as u16))
}

fn time(
    table: &str,
    structure: &'static str,
    how: Draw,
    entries: usize,
    destinations: &[u32],
    cold: &mut Cold,
    find: impl Fn(u32) -> u32,
) -> Lookup {
    let cold_ns = cold.time(destinations, &find);
    Lookup {
        table: table.to_owned(),
        structure,
        destinations: how.name(),
        entries,
        warm_ns: warm(destinations, &find),
        cold_ns,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The longest prefix of an address, by looking at all.
    fn naive(prefixes: &[Prefix], address: u32) -> Option<u16> {
        let held = |(first, length): Prefix| address & prefixes::mask(length) == first;
        let all = numbered(prefixes).filter(|it| held(it.0));
        all.max_by_key(|it| it.0.1).map(|it| it.1)
    }

    proptest! {
        /// Both structures find what a search among all prefixes finds, where prefixes overlap
        /// too.
        #[test]
        fn the_longest_prefix_is_found(
            drawn in proptest::collection::btree_map((any::<u32>(), 0u8..=32), any::<()>(), 1..60),
            addresses in proptest::collection::vec(any::<u32>(), 20),
        ) {
            let drawn: std::collections::BTreeSet<Prefix> =
                drawn.keys().map(|it| (it.0 & prefixes::mask(it.1), it.1)).collect();
            let prefixes: Vec<Prefix> = drawn.into_iter().collect();
            let poptrie: Poptrie<Prefix, u16> = numbered(&prefixes).collect();
            let trie: PrefixMap<Prefix, u16> = numbered(&prefixes).collect();
            for address in addresses.into_iter().chain(prefixes.iter().map(|it| it.0)) {
                let expected = naive(&prefixes, address);
                prop_assert_eq!(poptrie.lookup(address).copied(), expected);
                prop_assert_eq!(trie.get_lpm(&(address, 32)).map(|it| *it.1), expected);
            }
        }
    }

    /// The array, the exact match and the longest prefix know the same of a code that is in the
    /// table, and only the exact match knows nothing of a sub-region that is not.
    #[test]
    fn a_code_is_found_by_each_rule() {
        let codes = sub_region_codes();
        let (table, poptrie) =
            (hash_table(&codes), numbered(&codes).collect::<Poptrie<Prefix, u16>>());
        for ((code, _), port) in numbered(&codes) {
            assert_eq!((exact(&table, code), poptrie.lookup(code)), (Some(port), Some(&port)));
            let unknown = code | 1;
            assert_eq!((exact(&table, unknown), poptrie.lookup(unknown)), (None, Some(&port)));
        }
        let regions = codes.iter().filter(|it| it.1 == 8).count();
        assert_eq!((regions, codes.len()), (254, 254 * 256));
    }

    /// Of Zipf's law with the exponent 1 the first of n has the share 1 ÷ Hₙ.
    #[test]
    fn destinations_have_the_shares_that_they_should() {
        let mut random = Streams::new(1, 0).stream("lookup");
        let share = |how: Draw, random: &mut Random| {
            let places = how.places(100, random);
            places.iter().filter(|it| **it == 0).count() as f64 / places.len() as f64
        };
        let harmonic: f64 = (1..=100).map(|it| 1.0 / f64::from(it)).sum();
        for (how, expected) in [(Draw::Uniform, 0.01), (Draw::Zipf, 1.0 / harmonic)] {
            let found = share(how, &mut random);
            // Five standard errors.
            let error = (expected * (1.0 - expected) / DESTINATIONS as f64).sqrt();
            assert!((found - expected).abs() < 5.0 * error, "{how:?}: {found} of {expected}");
        }
    }

    #[test]
    fn each_table_has_its_rows_and_one_that_does_not_fit_none() {
        let mut counts = [0; 33];
        counts[24] = 1000;
        let found = measure_lookups(&[("own".into(), counts)], 1, 2).expect("it fits");
        let named: Vec<_> = found.iter().map(|it| (&*it.table, it.structure, it.entries)).collect();
        let codes = ("codes", "array", 254);
        let full = ("full-codes", "hash-table", 65_024);
        let both = |table, entries| {
            let [one, other] = ["poptrie", "prefix-trie"].map(|it| (table, it, entries));
            [one, other, one, other]
        };
        let expected = [codes, codes, full, full].into_iter();
        let expected = expected.chain(both("longest-prefix-codes", 65_024));
        assert!(named.into_iter().eq(expected.chain(both("own", 1000))));
        assert!(found.iter().all(|it| it.warm_ns > 0.0 && it.cold_ns.is_finite()));
        counts[8] = 224;
        assert_eq!(measure_lookups(&[("all".into(), counts)], 1, 2), Err("all".to_owned()));
        assert_eq!(measure_lookups(&[("none".into(), [0; 33])], 1, 2), Err("none".to_owned()));
    }
}
