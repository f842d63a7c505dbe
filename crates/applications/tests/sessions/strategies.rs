//! Strategies beside paging on demand: an object kept apart, pages copied ahead, idle neighbours,
//! elements of variable size, and policies written outside.

use std::sync::Arc;

use windtunnel_applications::sessions::{
    Access, PageLocation, Paging, PagingMaker, PagingPolicy, PagingView, Purpose, Session, Site,
};

use crate::carrier::{PAGE_SIZE, REQUEST_SIZE, access, carry_all, hand_over, session, settings};

/// Section V-A: the object stays in one place, and the client has a reference to it.
#[test]
fn an_object_kept_apart_costs_a_message_each_way_and_its_handovers_nothing() {
    let mut session = session(4, PagingPolicy::Separate(Some(Site(9))));
    for site in [1, 2] {
        for page in [0, 1, 0] {
            assert!(matches!(access(&mut session, page), Access::Remote { .. }));
        }
        assert_eq!(hand_over(&mut session, site), []);
        assert_eq!(session.owner(), Some(Site(site)));
    }
    let counters = session.counters();
    assert_eq!((counters.creations, counters.remote_accesses, counters.page_transfers), (2, 4, 0));
    assert_eq!((counters.page_bytes, counters.page_table_bytes), (6 * PAGE_SIZE, 0));
    assert_eq!(counters.request_bytes, 6 * REQUEST_SIZE);
    assert_eq!(session.held().map(|(site, it)| (site.0, it.pages)).collect::<Vec<_>>(), [(9, 2)]);
}

/// Section II: "in one dedicated satellite", which needs no message while it serves itself.
#[test]
fn an_object_at_the_first_satellite_is_local_there() {
    let mut session = session(4, PagingPolicy::Separate(None));
    assert_eq!(access(&mut session, 0), Access::Created);
    hand_over(&mut session, 1);
    assert!(matches!(access(&mut session, 0), Access::Remote { .. }));
    assert!(matches!(access(&mut session, 1), Access::Remote { .. }));
    hand_over(&mut session, 0);
    assert_eq!(access(&mut session, 1), Access::Hit);
    session.fail(Site(0));
    assert_eq!((session.pages(), session.counters().lost), (0, 2));
}

fn ahead() -> Session {
    let mut session = session(8, PagingPolicy::Prefetch { top: 3, is_ahead: true });
    for page in [0, 0, 0, 1, 1, 2, 2, 3] {
        access(&mut session, page);
    }
    session
}

fn moved(carried: &[windtunnel_applications::sessions::PageTransfer]) -> Vec<usize> {
    let moves = carried.iter().filter(|it| it.purpose == Purpose::Move);
    moves.flat_map(|it| it.pages.clone()).collect()
}

#[test]
fn pages_copied_ahead_are_there_at_the_handover_unless_accessed_since() {
    let mut session = ahead();
    session.prepare(Site(1));
    let copied = carry_all(&mut session);
    assert_eq!((copied[0].purpose, &copied[0].pages[..]), (Purpose::Ahead, &[0, 1, 2][..]));
    access(&mut session, 1);
    assert_eq!(moved(&hand_over(&mut session, 1)), [1]);
    let counters = session.counters();
    assert_eq!((counters.copies, counters.page_transfers, counters.page_hops), (3, 3, 3));
    let at = |page| session.location(page);
    assert!((0..3).all(|page| matches!(at(page), PageLocation::At(it) if it.site == Site(1))));
    assert!(matches!(at(3), PageLocation::At(it) if it.site == Site(0)));
}

#[test]
fn copies_that_come_late_or_go_elsewhere_are_of_no_use() {
    let mut late = ahead();
    late.prepare(Site(1));
    late.handover(Site(1));
    let mut carried = Vec::new();
    while let Some(transfer) = late.next_transfer() {
        late.arrived(transfer.number);
        carried.push(transfer);
    }
    assert_eq!(moved(&carried), [0, 1, 2]);
    let mut elsewhere = ahead();
    elsewhere.prepare(Site(2));
    carry_all(&mut elsewhere);
    assert_eq!(moved(&hand_over(&mut elsewhere, 1)), [0, 1, 2]);
    let mut failed = ahead();
    failed.prepare(Site(1));
    carry_all(&mut failed);
    failed.fail(Site(1));
    assert_eq!(moved(&hand_over(&mut failed, 1)), [0, 1, 2]);
}

/// Section V-D: what stays at a busy satellite goes to an idle one, and comes back on demand.
#[test]
fn pages_left_behind_go_to_the_idle_neighbour() {
    let mut session = session(4, PagingPolicy::IdleNeighbour);
    (0..3).for_each(|page| assert_eq!(access(&mut session, page), Access::Created));
    session.set_idle(Some(Site(7)));
    assert_eq!(moved(&hand_over(&mut session, 1)), [0, 1, 2]);
    assert_eq!(session.held().map(|(site, it)| (site.0, it.pages)).collect::<Vec<_>>(), [(7, 3)]);
    assert_eq!(access(&mut session, 1), Access::Fault { from: 0 });
    assert_eq!(moved(&hand_over(&mut session, 2)), [0_usize; 0]);
    let counters = session.counters();
    assert_eq!((counters.page_transfers, counters.page_hops), (4, 4));
}

/// Section VII-B: elements do not fit pages, of which each takes whole ones.
#[test]
fn elements_take_whole_pages() {
    let elements = vec![1, PAGE_SIZE, PAGE_SIZE + 1, 0];
    let session = Session::new(settings(4, PagingPolicy::OnDemand), Site(0));
    let mut session = session.with_elements(elements);
    (0..4).for_each(|page| assert_eq!(access(&mut session, page), Access::Created));
    hand_over(&mut session, 1);
    (0..4).for_each(|page| assert_eq!(access(&mut session, page), Access::Fault { from: 0 }));
    assert_eq!(session.counters().page_bytes, (1 + 1 + 2 + 1) * PAGE_SIZE);
    assert_eq!(session.counters().page_transfers, 4);
}

/// Takes the next page along, and all pages that were accessed twice, and keeps what it saw.
#[derive(Clone, Debug)]
struct Greedy;

impl Paging for Greedy {
    fn on_fault(&mut self, _view: &PagingView, page: usize) -> Vec<usize> {
        vec![page, page + 1, 1000]
    }

    fn on_handover(&mut self, view: &PagingView) -> Vec<usize> {
        assert!(view.pages.iter().all(|it| it.is_here && it.bytes == PAGE_SIZE));
        assert_eq!((view.stage, view.entries), (0, 8));
        view.pages.iter().filter(|it| it.uses > 1).map(|it| it.number).collect()
    }
}

impl PagingMaker for Greedy {
    fn name(&self) -> &str {
        "greedy"
    }

    fn make(&self) -> Box<dyn Paging> {
        Box::new(Self)
    }
}

#[test]
fn a_policy_written_outside_chooses_what_moves_beside() {
    let mut session = session(8, PagingPolicy::External(Arc::new(Greedy)));
    for page in [0, 1, 2, 2, 3] {
        access(&mut session, page);
    }
    assert_eq!(moved(&hand_over(&mut session, 1)), [2]);
    assert_eq!(access(&mut session, 0), Access::Fault { from: 0 });
    assert_eq!(access(&mut session, 1), Access::Hit);
    assert_eq!(access(&mut session, 3), Access::Fault { from: 0 });
    assert_eq!(session.counters().page_transfers, 4);
}
