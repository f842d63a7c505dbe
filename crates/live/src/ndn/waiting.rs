//! Who waits for what: the pending Interests of each face, with their PIT tokens, and how many of
//! them a face may have.

use std::collections::BTreeMap;

use windtunnel_engine::Time;
use windtunnel_networks::ndn::FaceId;
use windtunnel_packets::ndn::Name;

use super::link::Token;

/// An Interest that a face waits with.
#[derive(Debug)]
struct Waits {
    token: Option<Token>,
    until: Time,
    /// Those of its name.
    bytes: usize,
}

/// What one face waits for.
#[derive(Debug, Default)]
struct OfFace {
    interests: BTreeMap<Name, Waits>,
    /// Those of their names.
    bytes: usize,
}

/// The pending Interests of all faces.
///
/// A face may have as many as there is room left for (dynamic thresholds: Choudhury and Hahne,
/// "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches", 1998): one alone gets half
/// of the room, the next half of the rest, and so on.
#[derive(Debug)]
pub(super) struct Waiting {
    faces: BTreeMap<FaceId, OfFace>,
    interests: usize,
    bytes: usize,
    most_interests: usize,
    most_bytes: usize,
}

impl Waiting {
    /// Room for so many Interests, whose names have so many bytes together.
    pub(super) fn new(most_interests: usize, most_bytes: usize) -> Self {
        Self { faces: BTreeMap::new(), interests: 0, bytes: 0, most_interests, most_bytes }
    }

    /// Whether a face may wait for a name of so many bytes: also if it does already.
    pub(super) fn has_room(&self, face: FaceId, name: Option<Name>, bytes: usize) -> bool {
        let of_face = self.faces.get(&face);
        let has = |name| of_face.is_some_and(|it| it.interests.contains_key(&name));
        let [interests, own_bytes] = of_face.map_or([0; 2], |it| [it.interests.len(), it.bytes]);
        name.is_some_and(has)
            || interests + self.interests < self.most_interests
                && own_bytes + self.bytes + bytes <= self.most_bytes
    }

    /// A face waits for a name until a time; returns whether it did not before.
    pub(super) fn insert(
        &mut self,
        face: FaceId,
        name: Name,
        bytes: usize,
        until: Time,
        token: Option<Token>,
    ) -> bool {
        let before = self.remove(face, name);
        // As long as the entry in the pending Interest table, whose name this is.
        let until = before.as_ref().map_or(until, |it| it.until.max(until));
        let of_face = self.faces.entry(face).or_default();
        of_face.interests.insert(name, Waits { token, until, bytes });
        of_face.bytes += bytes;
        self.interests += 1;
        self.bytes += bytes;
        before.is_none()
    }

    /// A face waits for a name no longer; its token, if it waited.
    pub(super) fn take(&mut self, face: FaceId, name: Name) -> Option<Option<Token>> {
        self.remove(face, name).map(|it| it.token)
    }

    fn remove(&mut self, face: FaceId, name: Name) -> Option<Waits> {
        let of_face = self.faces.get_mut(&face)?;
        let waits = of_face.interests.remove(&name)?;
        of_face.bytes -= waits.bytes;
        if of_face.interests.is_empty() {
            self.faces.remove(&face);
        }
        self.interests -= 1;
        self.bytes -= waits.bytes;
        Some(waits)
    }

    /// The token of a face that goes on waiting.
    pub(super) fn token(&self, face: FaceId, name: Name) -> Option<Token> {
        self.faces.get(&face)?.interests.get(&name)?.token.clone()
    }

    /// A face is gone: the names that it waited for.
    pub(super) fn remove_face(&mut self, face: FaceId) -> Vec<Name> {
        let gone = self.faces.remove(&face).unwrap_or_default();
        self.interests -= gone.interests.len();
        self.bytes -= gone.bytes;
        gone.interests.into_keys().collect()
    }

    /// The names that were waited for until now, once for each face.
    pub(super) fn expire(&mut self, now: Time) -> Vec<Name> {
        let all = self.faces.iter().flat_map(|(face, it)| {
            it.interests.iter().map(move |(name, it)| (*face, *name, it.until))
        });
        let over: Vec<_> = all.filter(|it| it.2 <= now).collect();
        for (face, name, _) in &over {
            self.take(*face, *name);
        }
        over.into_iter().map(|it| it.1).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn name(segment: u64) -> Name {
        Name { segment, ..super::super::names::unnamed() }
    }

    /// How many a face gets when it asks for all there is.
    fn fill(waiting: &mut Waiting, face: FaceId) -> usize {
        let mut count = 0;
        while waiting.has_room(face, Some(name(count)), 10) {
            waiting.insert(face, name(count), 10, Time::NEVER, None);
            count += 1;
        }
        count as usize
    }

    #[test]
    fn each_greedy_face_leaves_half_of_the_room_to_others() {
        let mut waiting = Waiting::new(1024, usize::MAX);
        let got = [0, 1, 2, 3].map(|it| fill(&mut waiting, FaceId(it)));
        assert_eq!(got, [512, 256, 128, 64]);
        let mut short = Waiting::new(usize::MAX, 10_240);
        assert_eq!([0, 1].map(|it| fill(&mut short, FaceId(it))), [512, 256]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn shares_are_those_of_the_interests_that_are_there(
            steps in prop::collection::vec((0_u16..4, 0_u64..6, 1_usize..50, 0_u8..5), 1..100),
        ) {
            let mut waiting = Waiting::new(40, 600);
            for (now, (face, segment, bytes, step)) in (0..).zip(steps) {
                let (face, name, now) = (FaceId(face), name(segment), Time::from_picos(now));
                match step {
                    0 => drop(waiting.take(face, name)),
                    1 => drop(waiting.remove_face(face)),
                    2 => drop(waiting.expire(now)),
                    _ if waiting.has_room(face, Some(name), bytes) => {
                        let until = now + windtunnel_engine::Duration::from_picos(10);
                        waiting.insert(face, name, bytes, until, None);
                    }
                    _ => {}
                }
                let all = || waiting.faces.values().flat_map(|it| it.interests.values());
                prop_assert_eq!(waiting.interests, all().count());
                prop_assert_eq!(waiting.bytes, all().map(|it| it.bytes).sum::<usize>());
                prop_assert!(waiting.interests <= 40);
                for it in waiting.faces.values() {
                    let bytes: usize = it.interests.values().map(|it| it.bytes).sum();
                    prop_assert_eq!(it.bytes, bytes);
                }
            }
        }
    }
}
