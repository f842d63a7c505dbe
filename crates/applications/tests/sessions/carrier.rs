//! Carries a session's transfers, and keeps books of its own of which site holds what.

use std::collections::{BTreeMap, BTreeSet};

use windtunnel_applications::sessions::{
    Access, PageTransfer, PagingPolicy, Purpose, Session, SessionSettings, Site,
};

pub(crate) const PAGE_SIZE: u64 = 4096;
pub(crate) const REQUEST_SIZE: u64 = 64;
pub(crate) const ENTRY_SIZE: u64 = 8;

pub(crate) fn settings(pages: usize, policy: PagingPolicy) -> SessionSettings {
    SessionSettings {
        pages,
        page_size: PAGE_SIZE,
        request_size: REQUEST_SIZE,
        entry_size: ENTRY_SIZE,
        policy,
    }
}

/// A session at site 0.
pub(crate) fn session(pages: usize, policy: PagingPolicy) -> Session {
    Session::new(settings(pages, policy), Site(0))
}

/// Carries everything that is to be carried, at once.
pub(crate) fn carry_all(session: &mut Session) -> Vec<PageTransfer> {
    let mut carried = Vec::new();
    while let Some(transfer) = session.next_transfer() {
        assert_eq!(session.arrived(transfer.number).as_ref(), Some(&transfer));
        carried.push(transfer);
    }
    carried
}

/// An access by the satellite that has the token, done to its end.
pub(crate) fn access(session: &mut Session, page: usize) -> Access {
    let at = session.owner().expect("a token that is not on its way");
    let access = session.access(at, page);
    carry_all(session);
    access
}

pub(crate) fn hand_over(session: &mut Session, to: u32) -> Vec<PageTransfer> {
    session.handover(Site(to));
    carry_all(session)
}

/// A session with its satellites' frames, as its messages alone fill and empty them.
#[derive(Debug)]
pub(crate) struct Satellites {
    pub(crate) session: Session,
    pub(crate) frames: BTreeMap<usize, Site>,
    pub(crate) moving: BTreeMap<usize, PageTransfer>,
    pub(crate) under_way: BTreeMap<u64, PageTransfer>,
    pub(crate) seen: BTreeSet<usize>,
}

impl Satellites {
    pub(crate) fn new(session: Session) -> Self {
        Self {
            session,
            frames: BTreeMap::new(),
            moving: BTreeMap::new(),
            under_way: BTreeMap::new(),
            seen: BTreeSet::new(),
        }
    }

    /// Takes the transfers that the session has made; a page leaves its frame once.
    pub(crate) fn collect(&mut self) {
        while let Some(transfer) = self.session.next_transfer() {
            assert_ne!(transfer.from, transfer.to);
            if transfer.purpose == Purpose::Move {
                for page in &transfer.pages {
                    if let Some(site) = self.frames.remove(page) {
                        assert_eq!(site, transfer.from, "a page leaves the frame that it is in");
                        self.moving.insert(*page, transfer.clone());
                    } else {
                        assert!(!self.moving.contains_key(page), "a page moves twice");
                    }
                }
            }
            self.under_way.insert(transfer.number, transfer);
        }
    }

    pub(crate) fn access(&mut self, at: Site, page: usize) -> Access {
        let access = self.session.access(at, page);
        if access != Access::Refused {
            self.seen.insert(page);
        }
        if access == Access::Created {
            assert!(!self.moving.contains_key(&page));
            assert_eq!(self.frames.insert(page, at), None, "a page is created once");
        }
        self.collect();
        if let Access::Remote { transfer, .. } = access {
            // One that creates its page does so where the answer comes from.
            let from = self.under_way[&transfer].from;
            assert_eq!(*self.frames.entry(page).or_insert(from), from);
        }
        access
    }

    /// The transfer under way in this place arrives, if there are any.
    pub(crate) fn arrive(&mut self, place: usize) {
        let count = self.under_way.len().max(1);
        let Some(number) = self.under_way.keys().nth(place % count).copied() else { return };
        self.under_way.remove(&number);
        assert!(self.session.arrived(number).is_some());
        assert!(self.session.arrived(number).is_none(), "it arrives once");
        let (arrived, moving) =
            std::mem::take(&mut self.moving).into_iter().partition(|it| it.1.number == number);
        self.moving = moving;
        let arrived: BTreeMap<usize, PageTransfer> = arrived;
        self.frames.extend(arrived.into_iter().map(|(page, transfer)| (page, transfer.to)));
        self.collect();
    }

    /// What a failure does to single copies.
    pub(crate) fn fail(&mut self, site: Site) {
        for number in self.session.fail(site) {
            let transfer = self.under_way.remove(&number).expect("one that is under way");
            assert!(transfer.from == site || transfer.to == site);
            assert!(self.session.arrived(number).is_none(), "it was ended");
        }
        self.frames.retain(|_, it| *it != site);
        for (page, transfer) in std::mem::take(&mut self.moving) {
            if transfer.to == site && transfer.from != site {
                self.frames.insert(page, transfer.from);
            } else if transfer.from != site {
                self.moving.insert(page, transfer);
            }
        }
        self.collect();
    }
}
