//! What holds after any sequence of accesses, handovers, arrivals and failures.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_applications::sessions::{
    Access, Held, PageLocation, PagingPolicy, ProactivePages, Session, Site,
};

use crate::carrier::{Satellites, session};

const PAGES: usize = 12;
const SITES: u32 = 5;

#[derive(Clone, Copy, Debug)]
enum Operation {
    /// By the satellite that has the token.
    Access(usize),
    /// By any.
    AccessAt(u32, usize),
    Handover(u32),
    Arrive(usize),
    Fail(u32),
    End,
}

fn operation(failures: u32) -> impl Strategy<Value = Operation> {
    prop_oneof![
        40 => (0..=PAGES).prop_map(Operation::Access),
        3 => (0..SITES, 0..PAGES).prop_map(|(site, page)| Operation::AccessAt(site, page)),
        8 => (0..SITES).prop_map(Operation::Handover),
        25 => any::<usize>().prop_map(Operation::Arrive),
        failures => (0..SITES).prop_map(Operation::Fail),
    ]
}

/// Policies with one copy of each page.
fn single_copies() -> impl Strategy<Value = PagingPolicy> {
    prop_oneof![
        prop::option::of((0..SITES).prop_map(Site)).prop_map(PagingPolicy::Separate),
        Just(PagingPolicy::IdleNeighbour),
        Just(PagingPolicy::Remote),
        Just(PagingPolicy::OnDemand),
        (0_usize..4).prop_map(|pages| PagingPolicy::ReadAhead { pages }),
        (0_usize..6).prop_map(|top| PagingPolicy::Prefetch { top, is_ahead: false }),
        Just(PagingPolicy::Proactive(ProactivePages::Existing)),
        Just(PagingPolicy::Proactive(ProactivePages::Entries)),
        Just(PagingPolicy::Proactive(ProactivePages::UsedInLastStage)),
    ]
}

fn replicated() -> impl Strategy<Value = PagingPolicy> {
    (0_usize..4).prop_map(|copies| PagingPolicy::Replicated { copies })
}

/// What holds for one session at any time.
fn check_session(session: &Session) {
    let counters = session.counters();
    assert!(counters.page_hops >= counters.page_transfers);
    assert_eq!(counters.creations, session.pages() + counters.lost + counters.dropped);
    let locations: Vec<_> = (0..PAGES).map(|page| session.location(page)).collect();
    let moving = locations.iter().filter(|it| matches!(it, PageLocation::Moving { .. })).count();
    assert_eq!(session.distribution().iter().sum::<u64>() + moving as u64, session.pages());
    assert_eq!(session.distribution().len(), session.stage() + 1);
    check_held(session, &locations);
}

/// Each page is held where it is or, on its way, where it leaves; the rest are copies.
fn check_held(session: &Session, locations: &[PageLocation]) {
    let mut pages: BTreeMap<Site, u64> = BTreeMap::new();
    for location in locations {
        if let PageLocation::At(it) | PageLocation::Moving { from: it, .. } = location {
            *pages.entry(it.site).or_default() += 1;
        }
    }
    let held: BTreeMap<Site, Held> = session.held().collect();
    let copies = held.values().map(|it| it.pages).sum::<u64>() - session.pages();
    let only_copies: u64 = held.values().map(|it| it.only_copies).sum();
    assert!(pages.iter().all(|(site, pages)| held[site].pages >= *pages));
    assert!(held.values().all(|it| it.only_copies <= it.pages && it.pages > 0));
    assert!(only_copies + copies >= session.pages() && only_copies <= session.pages());
    if copies == 0 {
        assert_eq!(only_copies, session.pages());
        assert_eq!(pages, held.iter().map(|(site, it)| (*site, it.pages)).collect());
    }
}

/// The page table says what the satellites' books say.
fn check_books(satellites: &Satellites) {
    for page in 0..PAGES {
        let (frame, moving) = (satellites.frames.get(&page), satellites.moving.get(&page));
        match satellites.session.location(page) {
            PageLocation::Nowhere => assert!(frame.is_none() && moving.is_none()),
            PageLocation::At(it) => assert_eq!((frame, moving), (Some(&it.site), None)),
            PageLocation::Moving { from, to, transfer } => {
                assert_eq!(frame, None);
                let moving = moving.expect("a transfer under way");
                let ends = (moving.number, moving.from, moving.to);
                assert_eq!(ends, (transfer, from.site, to.site));
            }
        }
    }
}

/// Does it, and returns whether an access was done or begun.
fn perform(satellites: &mut Satellites, operation: Operation) -> bool {
    match operation {
        Operation::Access(page) => {
            let Some(at) = satellites.session.owner() else { return false };
            satellites.access(at, page) != Access::Refused
        }
        Operation::AccessAt(site, page) => {
            let owner = satellites.session.owner();
            let access = satellites.access(Site(site), page);
            assert_eq!(access == Access::Refused, owner != Some(Site(site)));
            access != Access::Refused
        }
        Operation::Handover(site) => {
            satellites.session.set_idle(Some(Site((site + 1) % SITES)));
            satellites.session.handover(Site(site));
            satellites.collect();
            false
        }
        Operation::Arrive(place) => {
            satellites.arrive(place);
            false
        }
        Operation::Fail(site) => {
            satellites.fail(Site(site));
            false
        }
        Operation::End => {
            let existing = satellites.session.pages();
            assert_eq!(satellites.session.end(), existing);
            satellites.frames.clear();
            satellites.moving.clear();
            satellites.under_way.clear();
            false
        }
    }
}

fn check_accesses(session: &Session, accesses: u64) {
    let it = session.counters();
    let kinds = it.creations + it.hits + it.waits + it.remote_accesses;
    // A wait for a page that was on its way to another satellite is followed by a fault.
    assert!(kinds + it.faults >= accesses && kinds + it.faults <= accesses + it.waits);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000,
        failure_persistence: None,
        ..Default::default()
    })]

    /// Each page is in one frame, or on its way once, as the messages alone say it.
    #[test]
    fn pages_are_conserved(
        policy in single_copies(),
        operations in vec(operation(4), 0..200),
        after_the_end in vec(operation(4), 0..10),
    ) {
        let mut satellites = Satellites::new(session(PAGES, policy));
        let mut accesses = 0;
        let end = std::iter::once(Operation::End);
        for operation in operations.into_iter().chain(end).chain(after_the_end) {
            accesses += u64::from(perform(&mut satellites, operation));
            check_session(&satellites.session);
            check_books(&satellites);
            check_accesses(&satellites.session, accesses);
        }
    }

    /// Without failures, what was created is what was accessed.
    #[test]
    fn a_page_is_created_once(
        policy in prop_oneof![4 => single_copies(), 1 => replicated()],
        operations in vec(operation(0), 0..200),
    ) {
        let mut satellites = Satellites::new(session(PAGES, policy));
        for operation in operations {
            perform(&mut satellites, operation);
            let distinct = satellites.seen.len() as u64;
            prop_assert_eq!(satellites.session.counters().creations, distinct);
            prop_assert_eq!(satellites.session.pages(), distinct);
            check_session(&satellites.session);
            check_books(&satellites);
        }
    }

    /// With copies, too, a page is in one place, and never at a satellite that has failed
    /// since.
    #[test]
    fn a_page_with_copies_has_one_owner(
        policy in replicated(),
        operations in vec(operation(4), 0..200),
    ) {
        let mut session = session(PAGES, policy);
        let mut under_way = BTreeSet::new();
        for operation in operations {
            match operation {
                Operation::Access(page) => {
                    if let Some(at) = session.owner() {
                        session.access(at, page);
                    }
                }
                Operation::AccessAt(site, page) => {
                    session.access(Site(site), page);
                }
                Operation::Handover(site) => session.handover(Site(site)),
                Operation::Arrive(place) => {
                    let count = under_way.len().max(1);
                    if let Some(number) = under_way.iter().nth(place % count).copied() {
                        under_way.remove(&number);
                        prop_assert!(session.arrived(number).is_some());
                    }
                }
                Operation::Fail(site) => {
                    for number in session.fail(Site(site)) {
                        under_way.remove(&number);
                    }
                    for page in 0..PAGES {
                        if let PageLocation::At(frame) = session.location(page) {
                            prop_assert_ne!(frame.site, Site(site));
                        }
                    }
                }
                Operation::End => {}
            }
            while let Some(transfer) = session.next_transfer() {
                prop_assert_ne!(transfer.from, transfer.to);
                under_way.insert(transfer.number);
            }
            check_session(&session);
        }
    }
}
