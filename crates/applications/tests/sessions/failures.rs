//! What satellites that fail take with them.

use windtunnel_applications::sessions::{
    Access, PageLocation, PagingPolicy, Purpose, Session, Site,
};

use crate::carrier::*;

/// The site of a page that is in a frame.
fn site(session: &Session, page: usize) -> Option<u32> {
    match session.location(page) {
        PageLocation::At(frame) => Some(frame.site.0),
        _ => None,
    }
}

/// Page 1 at site 0, page 2 at site 1, page 3 at site 2, which serves.
fn trail(policy: PagingPolicy) -> Session {
    let mut session = session(8, policy);
    for (page, next) in [(1, 1), (2, 2)] {
        access(&mut session, page);
        hand_over(&mut session, next);
    }
    access(&mut session, 3);
    session
}

#[test]
fn a_failed_satellite_takes_single_copies_along() {
    let mut session = trail(PagingPolicy::OnDemand);
    assert!(session.fail(Site(1)).is_empty());
    assert_eq!((session.counters().lost, session.pages()), (1, 2));
    assert_eq!(access(&mut session, 2), Access::Created);
    assert_eq!(access(&mut session, 1), Access::Fault { from: 0 });
}

#[test]
fn a_copy_becomes_the_page() {
    let mut session = trail(PagingPolicy::Replicated { copies: 1 });
    assert_eq!(session.counters().copies, 1, "page 1 has no predecessor to be copied to");
    session.fail(Site(1));
    assert_eq!((session.counters().lost, site(&session, 2)), (0, Some(0)));
    assert_eq!(session.distribution(), [2, 0, 1]);
    assert_eq!(access(&mut session, 2), Access::Fault { from: 0 });
    // It was the only copy, and the page has left another one where it was.
    session.fail(Site(2));
    assert_eq!(site(&session, 2), Some(0));
    assert_eq!((session.counters().lost, site(&session, 3)), (1, None));
}

#[test]
fn a_page_that_moves_leaves_a_copy() {
    let mut session = trail(PagingPolicy::Replicated { copies: 1 });
    access(&mut session, 1);
    session.fail(Site(2));
    assert_eq!(site(&session, 1), Some(0));
}

#[test]
fn so_many_failures_are_survived_as_there_are_copies() {
    let mut session = session(8, PagingPolicy::Replicated { copies: 2 });
    for next in 1..5 {
        hand_over(&mut session, next);
        if next == 3 {
            access(&mut session, 1);
        }
    }
    // Created at site 3, copied to its predecessors 2 and 1.
    let left = [3, 2, 1].map(|failed| {
        session.fail(Site(failed));
        site(&session, 1)
    });
    assert_eq!(left, [Some(2), Some(1), None]);
}

#[test]
fn a_copy_of_the_last_handover_is_better_than_an_older_one_nearby() {
    let mut session = session(8, PagingPolicy::Replicated { copies: 1 });
    hand_over(&mut session, 1);
    access(&mut session, 1);
    hand_over(&mut session, 2);
    // The page moves to site 2 and leaves a copy at site 1, to which the session
    // returns: the copy that is written through goes to site 0.
    access(&mut session, 1);
    hand_over(&mut session, 1);
    session.fail(Site(2));
    assert_eq!(site(&session, 1), Some(0));
}

#[test]
fn a_page_on_its_way_to_a_failed_satellite_stays() {
    let mut session = trail(PagingPolicy::OnDemand);
    session.access(Site(2), 1);
    let transfer = session.next_transfer().expect("a page");
    assert_eq!(session.fail(Site(2)), [transfer.number]);
    assert_eq!(session.arrived(transfer.number), None);
    assert_eq!((site(&session, 1), site(&session, 3)), (Some(0), None));
    assert_eq!(access(&mut session, 1), Access::Fault { from: 0 });
}

#[test]
fn a_page_on_its_way_from_a_failed_satellite_is_lost() {
    let mut session = trail(PagingPolicy::OnDemand);
    session.access(Site(2), 1);
    assert_eq!(session.fail(Site(0)), [2], "after two page tables");
    assert_eq!(session.next_transfer(), None, "it is not to be carried any more");
    assert_eq!(access(&mut session, 1), Access::Created);
}

#[test]
fn transfers_of_other_satellites_go_on_after_a_failure() {
    let mut session = trail(PagingPolicy::OnDemand);
    session.access(Site(2), 1);
    session.access(Site(2), 2);
    assert_eq!(session.fail(Site(0)).len(), 1);
    let transfer = session.next_transfer().expect("page 2");
    assert_eq!((transfer.pages, transfer.from), (vec![2], Site(1)));
}

#[test]
fn the_page_table_survives_on_its_way() {
    let mut session = trail(PagingPolicy::OnDemand);
    session.handover(Site(3));
    assert!(session.fail(Site(3)).is_empty() && session.fail(Site(2)).is_empty());
    carry_all(&mut session);
    assert_eq!(session.owner(), Some(Site(3)));
    assert_eq!(access(&mut session, 1), Access::Fault { from: 0 });
}

#[test]
fn copies_of_a_lost_page_are_none_of_the_next_one() {
    let mut session = session(8, PagingPolicy::Replicated { copies: 1 });
    hand_over(&mut session, 1);
    access(&mut session, 1);
    session.handover(Site(2));
    let table = session.next_transfer().expect("a page table");
    let late = session.next_transfer().expect("a copy");
    assert_eq!((late.purpose, late.from, late.to), (Purpose::Copy, Site(1), Site(0)));
    session.arrived(table.number);
    access(&mut session, 1);
    hand_over(&mut session, 3);
    access(&mut session, 1);
    // The page is at site 3 and its copy at site 2.
    session.fail(Site(2));
    session.fail(Site(3));
    assert_eq!(access(&mut session, 1), Access::Created);
    assert!(session.arrived(late.number).is_some());
    session.fail(Site(3));
    assert_eq!(session.location(1), PageLocation::Nowhere);
}

#[test]
fn of_copies_alike_the_nearer_stays() {
    let mut session = session(8, PagingPolicy::Replicated { copies: 1 });
    hand_over(&mut session, 1);
    access(&mut session, 1);
    // Its copy is at site 0; as it moves, it leaves another at site 1.
    hand_over(&mut session, 2);
    access(&mut session, 1);
    session.fail(Site(2));
    assert_eq!(site(&session, 1), Some(1));
}

#[test]
fn a_copy_lies_where_its_satellite_served_last() {
    let mut session = session(8, PagingPolicy::Replicated { copies: 1 });
    for next in [1, 0, 2] {
        hand_over(&mut session, next);
    }
    access(&mut session, 1);
    hand_over(&mut session, 3);
    session.fail(Site(2));
    assert_eq!(session.distribution(), [0, 0, 1, 0, 0]);
}

/// Page 1 at site 1, its copy on its way to site 0, to which the session returns. There, the
/// page is accessed before or after the copy has arrived, and the satellite fails.
fn returned(copy_is_first: bool) -> Session {
    let mut session = session(8, PagingPolicy::Replicated { copies: 1 });
    hand_over(&mut session, 1);
    access(&mut session, 1);
    session.handover(Site(2));
    let table = session.next_transfer().expect("a page table");
    let copy = session.next_transfer().expect("a copy");
    session.arrived(table.number);
    hand_over(&mut session, 0);
    if copy_is_first {
        session.arrived(copy.number);
    }
    assert_eq!(access(&mut session, 1), Access::Fault { from: 1 });
    session.arrived(copy.number);
    session.fail(Site(0));
    session
}

#[test]
fn a_copy_beside_its_page_takes_no_other_copy_s_place() {
    for copy_is_first in [true, false] {
        assert_eq!(site(&returned(copy_is_first), 1), Some(1), "{copy_is_first}");
    }
}

#[test]
fn a_copy_replaces_the_older_one_at_its_satellite() {
    let mut session = session(8, PagingPolicy::Replicated { copies: 2 });
    for next in 1..3 {
        hand_over(&mut session, next);
        access(&mut session, 1);
    }
    // Copies are at sites 0 and 1; of those that are written, one has arrived.
    session.handover(Site(3));
    let copies: Vec<_> = std::iter::from_fn(|| session.next_transfer()).skip(1).collect();
    assert_eq!(copies.iter().map(|it| it.to.0).collect::<Vec<_>>(), [1, 0]);
    session.arrived(copies[0].number);
    let left = [2, 1].map(|failed| {
        session.fail(Site(failed));
        site(&session, 1)
    });
    assert_eq!(left, [Some(1), Some(0)]);
}

/// Where the next handover, to site 9, sends copies.
fn copies(session: &mut Session) -> Vec<u32> {
    session.handover(Site(9));
    let transfers = std::iter::from_fn(|| session.next_transfer());
    transfers.filter(|it| it.purpose == Purpose::Copy).map(|it| it.to.0).collect()
}

#[test]
fn copies_are_at_different_satellites() {
    let mut session = session(8, PagingPolicy::Replicated { copies: 2 });
    for next in [1, 2, 1, 2] {
        hand_over(&mut session, next);
    }
    access(&mut session, 1);
    assert_eq!(copies(&mut session), [1, 0]);
}

#[test]
fn only_pages_that_are_there_are_written_through() {
    let mut session = trail(PagingPolicy::Replicated { copies: 1 });
    hand_over(&mut session, 3);
    session.access(Site(3), 1);
    assert!(copies(&mut session).is_empty(), "the page is on its way");
    let mut session = trail(PagingPolicy::Replicated { copies: 1 });
    hand_over(&mut session, 3);
    assert!(copies(&mut session).is_empty(), "no page was accessed");
}
