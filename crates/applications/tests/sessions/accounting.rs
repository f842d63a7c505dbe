//! Short sessions whose counters can be found by hand.

use windtunnel_applications::sessions::{
    Access, PagingPolicy, ProactivePages, Purpose, Session, SessionCounters, Site,
};

use crate::carrier::*;

/// Stages with these accesses, on sites 0, 1, …; the rows before each handover.
fn rows(session: &mut Session, stages: &[&[usize]]) -> Vec<Vec<u64>> {
    let mut rows = Vec::new();
    for (site, pages) in (0..).zip(stages) {
        hand_over(session, site);
        for page in *pages {
            access(session, *page);
        }
        rows.push(session.distribution());
    }
    rows
}

const SHORT: [&[usize]; 3] = [&[1, 2, 3, 1], &[1, 1], &[1, 2, 4, 2]];
const LONG: [&[usize]; 5] = [&[1, 2, 3, 4, 5], &[2, 3], &[3, 1], &[5, 3, 6], &[5, 5]];

#[test]
fn pages_form_a_wake_along_the_trail() {
    let mut session = session(8, PagingPolicy::OnDemand);
    assert_eq!(rows(&mut session, &SHORT), [vec![3], vec![2, 1], vec![1, 0, 3]]);
    let expected = SessionCounters {
        handovers: 2,
        creations: 4,
        hits: 3,
        faults: 3,
        page_transfers: 3,
        page_hops: 4,
        requests: 3,
        request_bytes: 3 * REQUEST_SIZE,
        page_bytes: 3 * PAGE_SIZE,
        page_table_bytes: 2 * 8 * ENTRY_SIZE,
        ..SessionCounters::default()
    };
    assert_eq!(*session.counters(), expected);
}

#[test]
fn a_transfer_counts_once_and_its_hops_by_the_distance() {
    let mut session = session(8, PagingPolicy::OnDemand);
    let rows = rows(&mut session, &LONG);
    assert_eq!(rows[4], [1, 1, 1, 2, 1]);
    let counters = session.counters();
    assert_eq!((counters.creations, counters.page_transfers, counters.page_hops), (6, 7, 10));
}

#[test]
fn remote_pages_stay_where_they_were_created() {
    let mut session = session(8, PagingPolicy::Remote);
    assert_eq!(rows(&mut session, &SHORT), [vec![3], vec![3, 0], vec![3, 0, 1]]);
    let counters = session.counters();
    assert_eq!((counters.remote_accesses, counters.hits, counters.page_transfers), (5, 1, 0));
    assert_eq!(counters.requests, 5);
    assert_eq!(counters.page_bytes, 5 * PAGE_SIZE);
    assert!(matches!(access(&mut session, 3), Access::Remote { at: 0, .. }));
}

#[test]
fn proactive_pages_move_under_three_readings() {
    let moved = |pages| {
        let mut session = session(8, PagingPolicy::Proactive(pages));
        rows(&mut session, &SHORT);
        (session.counters().page_transfers, session.counters().faults)
    };
    // Three pages exist at both handovers, and page 1 is used in the second stage.
    assert_eq!(moved(ProactivePages::Existing), (6, 0));
    assert_eq!(moved(ProactivePages::Entries), (16, 0));
    // Page 2, left at the first satellite's successor, moves by a fault.
    assert_eq!(moved(ProactivePages::UsedInLastStage), (3 + 1 + 1, 1));
}

#[test]
fn proactive_pages_are_pushed_without_a_request() {
    let mut session = session(8, PagingPolicy::Proactive(ProactivePages::Existing));
    rows(&mut session, &LONG);
    let counters = session.counters();
    assert_eq!((counters.requests, counters.request_bytes), (0, 0));
    assert_eq!(counters.page_transfers, counters.page_hops);
}

#[test]
fn a_fault_reads_ahead_what_exists_elsewhere() {
    let mut session = session(16, PagingPolicy::ReadAhead { pages: 2 });
    rows(&mut session, &[&[2, 4, 6, 8], &[4]]);
    // The fault on 4 has brought 6 and 8; 2 is before it.
    assert_eq!(session.distribution(), [1, 3]);
    assert_eq!(session.counters().requests, 1);
    assert_eq!([8, 6].map(|page| access(&mut session, page)), [Access::Hit; 2]);
    assert_eq!(access(&mut session, 2), Access::Fault { from: 0 });
    assert_eq!(session.counters().page_transfers, 4);
}

#[test]
fn reading_ahead_asks_each_satellite_once() {
    let mut session = session(16, PagingPolicy::ReadAhead { pages: 9 });
    rows(&mut session, &[&[1, 2, 3, 4], &[], &[]]);
    access(&mut session, 9);
    session.handover(Site(3));
    carry_all(&mut session);
    session.access(Site(3), 1);
    let carried = carry_all(&mut session);
    let messages: Vec<_> = carried.iter().map(|it| (it.from.0, it.pages.clone())).collect();
    assert_eq!(messages, [(0, vec![1, 2, 3, 4]), (2, vec![9])]);
    assert_eq!((session.counters().requests, session.counters().faults), (2, 1));
    assert_eq!(carried[0].bytes, 4 * PAGE_SIZE);
    assert_eq!(session.counters().page_hops, 4 * 3 + 1);
}

#[test]
fn a_handover_prefetches_what_was_used_most_often() {
    let mut session = session(8, PagingPolicy::Prefetch { top: 2, is_ahead: false });
    rows(&mut session, &[&[1, 2, 2, 3, 3, 4]]);
    let carried = hand_over(&mut session, 1);
    assert_eq!(carried[0].purpose, Purpose::PageTable);
    assert_eq!(carried[1].pages, [2, 3]);
    access(&mut session, 1);
    access(&mut session, 1);
    access(&mut session, 1);
    // Page 1 has been used four times, and is at the satellite that hands over.
    let carried = hand_over(&mut session, 2);
    assert_eq!(carried[1].pages, [1, 2]);
    assert_eq!(session.distribution(), [1, 1, 2]);
}

#[test]
fn prefetching_from_a_third_satellite_takes_a_request() {
    let mut session = session(8, PagingPolicy::Prefetch { top: 1, is_ahead: false });
    session.access(Site(0), 1);
    session.handover(Site(1));
    let table = session.next_transfer().expect("a page table");
    let page = session.next_transfer().expect("a page");
    assert_eq!((page.requested_by, page.request_bytes), (None, 0));
    session.arrived(table.number);
    session.fail(Site(1));
    // The page did not get to site 1, so site 1 asks for it on behalf of site 2.
    session.handover(Site(2));
    let carried = carry_all(&mut session);
    assert_eq!((carried[1].from, carried[1].to), (Site(0), Site(2)));
    assert_eq!(carried[1].requested_by, Some(Site(1)));
    assert_eq!(session.counters().requests, 1);
}

#[test]
fn a_satellite_that_serves_again_still_has_its_pages() {
    let mut session = session(8, PagingPolicy::OnDemand);
    access(&mut session, 1);
    access(&mut session, 2);
    hand_over(&mut session, 1);
    access(&mut session, 2);
    hand_over(&mut session, 0);
    assert_eq!(access(&mut session, 1), Access::Hit);
    assert_eq!(access(&mut session, 2), Access::Fault { from: 1 });
    assert_eq!(session.distribution(), [0, 0, 2]);
}

#[test]
fn an_access_to_a_page_on_its_way_is_no_second_fault() {
    let mut session = session(8, PagingPolicy::OnDemand);
    access(&mut session, 1);
    hand_over(&mut session, 1);
    assert_eq!(session.access(Site(1), 1), Access::Fault { from: 0 });
    assert_eq!(session.distribution(), [0, 0]);
    assert_eq!(session.access(Site(1), 1), Access::Waiting);
    carry_all(&mut session);
    assert_eq!(session.access(Site(1), 1), Access::Hit);
    let counters = session.counters();
    assert_eq!((counters.faults, counters.waits, counters.page_transfers), (1, 1, 1));
}

#[test]
fn a_page_on_its_way_to_the_satellite_before_is_fetched_on() {
    let mut session = session(8, PagingPolicy::OnDemand);
    access(&mut session, 1);
    hand_over(&mut session, 1);
    session.access(Site(1), 1);
    let late = session.next_transfer().expect("a page");
    hand_over(&mut session, 2);
    assert_eq!(session.access(Site(2), 1), Access::Waiting);
    assert!(session.next_transfer().is_none(), "nobody has the page");
    session.arrived(late.number);
    let on = carry_all(&mut session);
    assert_eq!((on[0].from, on[0].to), (Site(1), Site(2)));
    assert_eq!(session.distribution(), [0, 0, 1]);
    let counters = session.counters();
    assert_eq!((counters.faults, counters.page_transfers, counters.page_hops), (2, 2, 2));
}

#[test]
fn a_page_that_comes_late_counts_for_the_stage_that_waits() {
    let mut session = session(8, PagingPolicy::OnDemand);
    access(&mut session, 1);
    hand_over(&mut session, 1);
    session.access(Site(1), 1);
    let late = session.next_transfer().expect("a page");
    hand_over(&mut session, 2);
    hand_over(&mut session, 1);
    assert_eq!(session.access(Site(1), 1), Access::Waiting);
    session.arrived(late.number);
    assert_eq!(session.distribution(), [0, 0, 0, 1]);
}

#[test]
fn a_page_for_which_only_the_stage_before_waits_is_not_fetched_on() {
    let mut session = session(8, PagingPolicy::OnDemand);
    access(&mut session, 1);
    hand_over(&mut session, 1);
    session.access(Site(1), 1);
    let late = session.next_transfer().expect("a page");
    assert_eq!(session.access(Site(1), 1), Access::Waiting);
    hand_over(&mut session, 2);
    session.arrived(late.number);
    assert_eq!(session.next_transfer(), None);
    assert_eq!(session.distribution(), [0, 1, 0]);
}

#[test]
fn a_full_page_table_has_no_empty_frames_to_move() {
    let mut session = session(2, PagingPolicy::Proactive(ProactivePages::Entries));
    access(&mut session, 0);
    assert_eq!(hand_over(&mut session, 1).len(), 3, "a table, a page, an empty frame");
    access(&mut session, 1);
    assert_eq!(hand_over(&mut session, 2).len(), 2, "a table, two pages at once");
}

#[test]
fn only_the_satellite_with_the_token_may_access_pages() {
    let mut session = session(8, PagingPolicy::OnDemand);
    assert_eq!(session.access(Site(1), 1), Access::Refused);
    session.handover(Site(1));
    let refused = [Site(0), Site(1)].map(|site| session.access(site, 1));
    assert_eq!(refused, [Access::Refused; 2], "the token is on its way");
    session.handover(Site(2));
    let tables = carry_all(&mut session);
    let trail: Vec<_> = tables.iter().map(|it| (it.from.0, it.to.0)).collect();
    assert_eq!(trail, [(0, 1), (1, 2)]);
    assert_eq!(session.access(Site(1), 1), Access::Refused);
    assert_eq!(session.access(Site(2), 1), Access::Created);
    assert_eq!(session.counters().refusals, 4);
}

#[test]
fn a_handover_to_the_serving_satellite_is_none() {
    let mut session = session(8, PagingPolicy::OnDemand);
    session.handover(Site(0));
    assert_eq!((session.stage(), session.next_transfer()), (0, None));
    session.handover(Site(1));
    session.handover(Site(1));
    carry_all(&mut session);
    assert_eq!((session.stage(), session.owner()), (1, Some(Site(1))));
}

#[test]
fn the_end_drops_all_pages() {
    let mut session = session(8, PagingPolicy::OnDemand);
    rows(&mut session, &LONG);
    assert_eq!((session.end(), session.pages()), (6, 0));
    assert_eq!(session.end(), 0);
    assert_eq!(session.counters().dropped, 6);
    assert_eq!(session.access(Site(4), 1), Access::Refused);
    session.handover(Site(5));
    assert_eq!((session.next_transfer(), session.owner()), (None, None));
}

#[test]
fn an_entry_that_the_page_table_does_not_have_is_refused() {
    let mut session = session(8, PagingPolicy::OnDemand);
    assert_eq!(session.access(Site(0), 8), Access::Refused);
    assert_eq!(session.access(Site(0), 7), Access::Created);
}
