//! The segments that a sender has sent and that are not acknowledged in order:
//! which were delivered, which are lost, which are in flight.
//!
//! The cost of an acknowledgement does not depend on what is in flight: segments are
//! in a ring buffer in order of sequence, runs of delivered ones are skipped in one
//! step, and those in flight form a list in order of sending, in which losses are found
//! at the old end.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use windtunnel_engine::Time;

use crate::delivery::Snapshot;

/// No segment: the end of a list.
const NONE: u32 = u32::MAX;

/// The segments that there is room for first: an initial window (RFC 6928).
const FIRST_ROOM: usize = 10;

/// What a segment of `length` bytes counts for, in bytes: `least` at least, but nothing without data.
#[inline]
pub(super) fn counted(length: u16, least: u16) -> u64 {
    if length == 0 { 0 } else { u64::from(length.max(least)) }
}

/// What is known of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    InFlight,
    /// Considered lost, and to be sent again.
    Lost,
    Delivered,
}

/// A segment that was sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    /// The byte after its last one.
    pub(super) end: u64,
    pub(super) first_sent: Time,
    pub(super) last_sent: Time,
    pub(super) snapshot: Snapshot,
    /// The place of its last sending among all sendings.
    pub(super) order: u64,
    /// Neighbours among those in flight, in order of sending.
    before: u32,
    after: u32,
    /// For a delivered one: how many from here on are known to be delivered.
    run: u32,
    pub(super) length: u16,
    pub(super) state: State,
    /// How often it was sent again, at most 255.
    pub(super) retransmissions: u8,
}

/// All segments from the first that is not acknowledged in order.
#[derive(Clone, Debug)]
pub(super) struct Scoreboard {
    ring: VecDeque<Sent>,
    /// The number of the first segment in the ring buffer; numbers wrap.
    base: u32,
    /// The first byte not acknowledged in order.
    unacknowledged: u64,
    /// The segments in flight that were sent longest ago and last.
    oldest: u32,
    newest: u32,
    in_flight: u64,
    /// What a segment counts for at least, in bytes.
    least: u16,
    /// Segments delivered out of order.
    delivered: u32,
    /// One past the highest segment that was delivered out of order.
    highest: u32,
    /// Every segment that was considered lost, until it is sent again: by its first
    /// byte, so that the lowest goes first. Some were delivered since.
    lost: BinaryHeap<Reverse<(u64, u32)>>,
    sendings: u64,
}

impl Scoreboard {
    pub(super) fn new(first: u64) -> Self {
        Self {
            ring: VecDeque::new(),
            base: 0,
            unacknowledged: first,
            oldest: NONE,
            newest: NONE,
            in_flight: 0,
            least: 0,
            delivered: 0,
            highest: 0,
            lost: BinaryHeap::new(),
            sendings: 0,
        }
    }

    /// The first byte not acknowledged in order.
    #[inline]
    pub(super) fn unacknowledged(&self) -> u64 {
        self.unacknowledged
    }

    /// From now on a segment counts for this many bytes at least; nothing may be on the board.
    pub(super) fn count_at_least(&mut self, bytes: u16) {
        debug_assert!(self.is_empty());
        self.least = bytes;
    }

    #[inline]
    pub(super) fn least(&self) -> u16 {
        self.least
    }

    /// What a segment of `length` bytes counts for, in bytes.
    #[inline]
    pub(super) fn counted(&self, length: u16) -> u64 {
        counted(length, self.least)
    }

    /// Bytes in flight (RFC 6675's pipe), as they are counted.
    #[inline]
    pub(super) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Segments delivered out of order.
    #[inline]
    pub(super) fn delivered(&self) -> u32 {
        self.delivered
    }

    /// Whether everything sent is acknowledged in order.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.ring.is_empty()
    }

    /// Segments sent and not acknowledged in order.
    #[inline]
    pub(super) fn len(&self) -> u32 {
        self.ring.len() as u32
    }

    /// The number that the next new segment will get.
    #[inline]
    pub(super) fn next(&self) -> u32 {
        self.base.wrapping_add(self.len())
    }

    #[inline]
    fn index(&self, number: u32) -> usize {
        number.wrapping_sub(self.base) as usize
    }

    /// A segment that is known to be kept.
    #[inline]
    pub(super) fn at(&self, number: u32) -> &Sent {
        &self.ring[self.index(number)]
    }

    #[inline]
    fn at_mut(&mut self, number: u32) -> &mut Sent {
        let index = self.index(number);
        &mut self.ring[index]
    }

    /// The number of the first segment, and of each after it.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> + use<> {
        let base = self.base;
        (0..self.len()).map(move |it| base.wrapping_add(it))
    }

    /// The first segment.
    #[inline]
    pub(super) fn first(&self) -> Option<(u32, &Sent)> {
        self.ring.front().map(|it| (self.base, it))
    }

    /// The last segment.
    #[inline]
    pub(super) fn last(&self) -> Option<(u32, &Sent)> {
        self.ring.back().map(|it| (self.next().wrapping_sub(1), it))
    }

    /// The segment in flight that was sent longest ago.
    #[inline]
    pub(super) fn oldest(&self) -> Option<(u32, &Sent)> {
        (self.oldest != NONE).then(|| (self.oldest, self.at(self.oldest)))
    }

    /// Forgets all segments: what they had is to be sent in others.
    pub(super) fn clear(&mut self) {
        let next = self.next();
        let Self { unacknowledged, sendings, least, .. } = *self;
        *self = Self { base: next, highest: next, sendings, least, ..Self::new(unacknowledged) };
    }

    /// A new segment of `length` bytes of data is sent, which count for `counted`; it ends before
    /// `end`.
    #[inline]
    pub(super) fn send(
        &mut self,
        now: Time,
        end: u64,
        length: u16,
        counted: u64,
        snapshot: Snapshot,
    ) {
        debug_assert_eq!(counted, self.counted(length));
        let number = self.next();
        self.make_room();
        self.ring.push_back(Sent {
            end,
            first_sent: now,
            last_sent: now,
            snapshot,
            order: 0,
            before: NONE,
            after: NONE,
            run: 0,
            length,
            state: State::InFlight,
            retransmissions: 0,
        });
        self.put_in_flight(number, counted);
    }

    /// Room for another segment. The ring buffer grows by half, not to twice its size: with many
    /// connections, most memory is in these.
    #[inline]
    fn make_room(&mut self) {
        let length = self.ring.len();
        if length == self.ring.capacity() {
            self.ring.reserve_exact((length / 2).max(FIRST_ROOM));
        }
    }

    /// A segment is sent again, whether it was lost or is still in flight.
    #[inline]
    pub(super) fn resend(&mut self, now: Time, number: u32, snapshot: Snapshot) {
        match self.at(number).state {
            State::InFlight => self.take_out_of_flight(number),
            State::Lost => {}
            // The receiver reported it and gave it up again (RFC 2018, section 8).
            State::Delivered => self.delivered -= 1,
        }
        let sent = self.at_mut(number);
        sent.state = State::InFlight;
        sent.last_sent = now;
        sent.snapshot = snapshot;
        sent.retransmissions = sent.retransmissions.saturating_add(1);
        let length = sent.length;
        self.put_in_flight(number, self.counted(length));
    }

    #[inline]
    fn put_in_flight(&mut self, number: u32, counted: u64) {
        self.at_mut(number).order = self.sendings;
        self.sendings += 1;
        self.append(number, counted);
    }

    /// Makes a segment in flight the newest of the list.
    #[inline]
    fn append(&mut self, number: u32, counted: u64) {
        let newest = self.newest;
        let sent = self.at_mut(number);
        sent.before = newest;
        sent.after = NONE;
        if newest == NONE {
            self.oldest = number;
        } else {
            self.at_mut(newest).after = number;
        }
        self.newest = number;
        self.in_flight += counted;
    }

    #[inline(always)]
    fn take_out_of_flight(&mut self, number: u32) {
        let sent = self.at(number);
        let (before, after, length) = (sent.before, sent.after, sent.length);
        if before == NONE {
            self.oldest = after;
        } else {
            self.at_mut(before).after = after;
        }
        if after == NONE {
            self.newest = before;
        } else {
            self.at_mut(after).before = before;
        }
        self.in_flight -= self.counted(length);
    }

    /// A segment in flight is considered lost.
    pub(super) fn lose(&mut self, number: u32) {
        self.take_out_of_flight(number);
        let sent = self.at_mut(number);
        sent.state = State::Lost;
        let end = sent.end;
        self.lost.push(Reverse((end, number)));
    }

    /// The lowest lost segment.
    #[inline]
    pub(super) fn lowest_lost(&mut self) -> Option<u32> {
        while let Some(Reverse((end, number))) = self.lost.peek() {
            if *end > self.unacknowledged && self.at(*number).state == State::Lost {
                return Some(*number);
            }
            self.lost.pop();
        }
        None
    }

    /// What was considered lost is in flight after all, each in its place in the
    /// order of sending. This is rare, and costs as much as there are segments.
    pub(super) fn find_again(&mut self) {
        while let Some(number) = self.lowest_lost() {
            self.lost.pop();
            self.at_mut(number).state = State::InFlight;
        }
        let in_flight = |it: &u32| self.at(*it).state == State::InFlight;
        let mut numbers: Vec<u32> = self.numbers().filter(in_flight).collect();
        numbers.sort_unstable_by_key(|it| self.at(*it).order);
        (self.oldest, self.newest, self.in_flight) = (NONE, NONE, 0);
        for number in numbers {
            self.append(number, self.counted(self.at(number).length));
        }
    }

    /// Everything up to `up_to` is acknowledged in order; `newly` is called
    /// with each segment that had not been delivered before.
    #[inline]
    pub(super) fn acknowledge(&mut self, up_to: u64, mut newly: impl FnMut(&Sent)) {
        while let Some(first) = self.ring.front() {
            if first.end > up_to {
                break;
            }
            match first.state {
                State::Delivered => self.delivered -= 1,
                State::InFlight => {
                    self.take_out_of_flight(self.base);
                    newly(&self.ring[0]);
                }
                State::Lost => newly(first),
            }
            self.ring.pop_front();
            self.base = self.base.wrapping_add(1);
        }
        self.unacknowledged = self.unacknowledged.max(up_to);
        if self.highest.wrapping_sub(self.base) > self.len() {
            self.highest = self.base;
        }
    }

    /// The bytes from `start` to before `end` were delivered out of order;
    /// `newly` is called with each segment that had not been delivered before.
    #[inline]
    pub(super) fn deliver(&mut self, start: u64, end: u64, mut newly: impl FnMut(&Sent)) {
        let Some(first) = self.starting_at(start) else { return };
        let mut index = first;
        while let Some(sent) = self.ring.get(index) {
            if sent.end > end {
                break;
            }
            if sent.state == State::Delivered {
                index += sent.run as usize;
                continue;
            }
            let number = self.base.wrapping_add(index as u32);
            if sent.state == State::InFlight {
                self.take_out_of_flight(number);
            }
            let sent = &mut self.ring[index];
            sent.state = State::Delivered;
            sent.run = 1;
            newly(sent);
            self.delivered += 1;
            index += 1;
        }
        if index > first {
            let end = self.base.wrapping_add(index as u32);
            self.ring[first].run = (index - first) as u32;
            if self.index(self.highest) < index {
                self.highest = end;
            }
        }
    }

    /// Whether the segment that starts at `start` was sent again.
    pub(super) fn was_resent(&self, start: u64) -> bool {
        self.starting_at(start).is_some_and(|it| self.ring[it].retransmissions > 0)
    }

    /// The place of the first segment that starts at `start` or later.
    #[inline]
    fn starting_at(&self, start: u64) -> Option<usize> {
        let first = self.ring.front()?;
        let starts_at = |index: usize| match index {
            0 => self.unacknowledged.min(first.end),
            _ => self.ring[index - 1].end,
        };
        // With segments of one size, the place is a quotient.
        let distance = start.checked_sub(self.unacknowledged)?;
        let guess = (distance / u64::from(first.length).max(1)) as usize;
        if guess < self.ring.len() && starts_at(guess) == start {
            return Some(guess);
        }
        let place = self.ring.partition_point(|it| it.end <= start);
        let place =
            if starts_at(place.min(self.ring.len() - 1)) < start { place + 1 } else { place };
        (place < self.ring.len()).then_some(place)
    }

    /// The number after the highest segment delivered out of order.
    #[inline]
    pub(super) fn highest_delivered(&self) -> u32 {
        self.highest
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use windtunnel_engine::Duration;

    use super::*;
    use crate::delivery::Account;

    #[test]
    fn what_is_found_again_has_its_place_in_the_order_of_sending() {
        let mut board = Scoreboard::new(0);
        let mut account = Account::new();
        let at = |milliseconds| Time::ZERO + Duration::from_millis(milliseconds);
        for number in 0..5 {
            let now = at(number);
            let snapshot = account.send(now, number == 0, 0);
            board.send(now, 100 * (number + 1), 100, 100, snapshot);
        }
        let snapshot = account.send(at(5), false, 0);
        board.resend(at(5), 1, snapshot);
        for lost in [3, 0, 2] {
            board.lose(lost);
        }
        assert_eq!(board.in_flight(), 200);
        board.find_again();
        assert_eq!(board.in_flight(), 500);
        assert_eq!(board.lowest_lost(), None);
        let mut order = Vec::new();
        while let Some((number, _)) = board.oldest() {
            order.push(number);
            board.lose(number);
        }
        assert_eq!(order, [0, 2, 3, 4, 1]);
    }

    /// A segment as a plain list has it.
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Plain {
        number: u32,
        start: u64,
        end: u64,
        length: u64,
        state: State,
        order: u64,
        resent: bool,
    }

    /// A scoreboard, and beside it a list of segments that is searched from its head.
    struct Both {
        board: Scoreboard,
        list: Vec<Plain>,
        next: u64,
        sendings: u64,
        /// One past the highest segment that was delivered out of order.
        highest: u32,
    }

    impl Both {
        fn new() -> Self {
            Self { board: Scoreboard::new(0), list: vec![], next: 0, sendings: 0, highest: 0 }
        }

        /// Of `length` bytes, and one more for a FIN.
        fn send(&mut self, length: u16, fin: bool) {
            let (number, start) = (self.board.next(), self.next);
            self.next += u64::from(length) + u64::from(fin);
            let snapshot = Account::new().send(Time::ZERO, false, 0);
            let counted = u64::from(length);
            self.board.send(Time::ZERO, self.next, length, counted, snapshot);
            let (state, order) = (State::InFlight, self.sendings);
            let (end, length) = (self.next, u64::from(length));
            self.list.push(Plain { number, start, end, length, state, order, resent: false });
            self.sendings += 1;
        }

        fn lose(&mut self, place: usize) {
            if let Some(it) = self.list.get_mut(place)
                && it.state == State::InFlight
            {
                it.state = State::Lost;
                self.board.lose(it.number);
            }
        }

        fn resend(&mut self, place: usize) {
            let Some(it) = self.list.get_mut(place) else { return };
            if it.state != State::Delivered {
                (it.state, it.order, it.resent) = (State::InFlight, self.sendings, true);
                self.sendings += 1;
                let snapshot = Account::new().send(Time::ZERO, false, 0);
                self.board.resend(Time::ZERO, it.number, snapshot);
            }
        }

        /// Which segments are newly delivered, by the board and by the list.
        fn acknowledge(&mut self, up_to: u64) -> (Vec<u64>, Vec<u64>) {
            let mut newly = Vec::new();
            self.board.acknowledge(up_to, |it| newly.push(it.end));
            let (acknowledged, left) = self.list.iter().partition(|it| it.end <= up_to);
            self.list = left;
            if let Some(first) = self.list.first_mut() {
                first.start = first.start.max(up_to);
            }
            let undelivered: Vec<Plain> = acknowledged;
            let new = undelivered.iter().filter(|it| it.state != State::Delivered);
            (newly, new.map(|it| it.end).collect())
        }

        fn deliver(&mut self, start: u64, end: u64) -> (Vec<u64>, Vec<u64>) {
            let mut newly = Vec::new();
            self.board.deliver(start, end, |it| newly.push(it.end));
            let mut expected = Vec::new();
            for it in self.list.iter_mut().filter(|it| it.start >= start && it.end <= end) {
                if it.state != State::Delivered {
                    it.state = State::Delivered;
                    expected.push(it.end);
                }
                self.highest = self.highest.max(it.number + 1);
            }
            (newly, expected)
        }

        fn check(&mut self) -> Result<(), TestCaseError> {
            let Self { board, list, .. } = self;
            for it in list.iter() {
                let sent = board.at(it.number);
                let seen = (sent.end, sent.state, sent.order, sent.retransmissions > 0);
                prop_assert_eq!(seen, (it.end, it.state, it.order, it.resent));
                prop_assert_eq!(board.was_resent(it.start), it.resent);
            }
            let of = |state| list.iter().filter(move |it| it.state == state);
            let in_flight: u64 = of(State::InFlight).map(|it| it.length).sum();
            prop_assert_eq!(board.in_flight(), in_flight);
            prop_assert_eq!(board.delivered() as usize, of(State::Delivered).count());
            prop_assert_eq!(
                (board.len() as usize, board.is_empty()),
                (list.len(), list.is_empty())
            );
            let oldest = of(State::InFlight).min_by_key(|it| it.order);
            prop_assert_eq!(board.oldest().map(|it| it.0), oldest.map(|it| it.number));
            prop_assert_eq!(board.first().map(|it| it.0), list.first().map(|it| it.number));
            prop_assert_eq!(board.last().map(|it| it.0), list.last().map(|it| it.number));
            let lowest = of(State::Lost).map(|it| it.number).next();
            prop_assert_eq!(board.lowest_lost(), lowest);
            let base = board.next() - board.len();
            prop_assert_eq!(board.highest_delivered().max(base), self.highest.max(base));
            prop_assert!(board.numbers().eq(list.iter().map(|it| it.number)));
            Ok(())
        }
    }

    #[derive(Clone, Debug)]
    enum Step {
        Send { length: u16, fin: bool },
        Acknowledge(u64),
        Deliver(u64, u64),
        Lose(usize),
        Resend(usize),
        FindAgain,
    }

    fn any_step() -> impl Strategy<Value = Step> {
        // Mostly segments of one size, at whose ends acknowledgements come.
        let length = prop_oneof![4 => Just(100_u16), 1 => 1_u16..200];
        let byte = prop_oneof![4 => (0_u64..30).prop_map(|it| 100 * it), 1 => 0_u64..3000];
        prop_oneof![
            6 => (length, prop::bool::weighted(0.05))
                .prop_map(|(length, fin)| Step::Send { length, fin }),
            1 => byte.clone().prop_map(Step::Acknowledge),
            4 => (byte.clone(), byte).prop_map(|(one, other)| Step::Deliver(one, other)),
            2 => (0_usize..30).prop_map(Step::Lose),
            2 => (0_usize..30).prop_map(Step::Resend),
            1 => Just(Step::FindAgain),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn the_scoreboard_keeps_what_a_plain_list_keeps(
            steps in prop::collection::vec(any_step(), 1..80),
        ) {
            let mut both = Both::new();
            for step in steps {
                let (newly, expected) = match step {
                    Step::Send { length, fin } => {
                        both.send(length, fin);
                        Default::default()
                    }
                    Step::Acknowledge(up_to) if up_to <= both.next => both.acknowledge(up_to),
                    Step::Deliver(start, end)
                        if both.board.unacknowledged() <= start && end <= both.next =>
                    {
                        both.deliver(start, end)
                    }
                    Step::Acknowledge(_) | Step::Deliver(..) => continue,
                    Step::Lose(place) => {
                        both.lose(place);
                        Default::default()
                    }
                    Step::Resend(place) => {
                        both.resend(place);
                        Default::default()
                    }
                    Step::FindAgain => {
                        both.board.find_again();
                        for it in both.list.iter_mut().filter(|it| it.state == State::Lost) {
                            it.state = State::InFlight;
                        }
                        Default::default()
                    }
                };
                prop_assert_eq!(newly, expected);
                both.check()?;
            }
        }
    }
}
