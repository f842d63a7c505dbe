//! Both edges, over a channel that loses packets, and loses, repeats, delays and
//! reorders acknowledgements, while the source edge may restart at any time.

use std::collections::VecDeque;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use windtunnel_engine::Time;
use windtunnel_networks::bridge::{DestinationEdge, DestinationSettings};

use super::*;

/// What may happen.
#[derive(Clone, Debug)]
enum Step {
    /// A packet with this many bytes of data leaves.
    Leave(u16),
    /// The first packet in transit arrives.
    Arrive { lost: bool },
    /// One of the acknowledgements in transit arrives, and may arrive again.
    Answer { which: Index, lost: bool, again: bool },
    /// The link sends a clone that is due.
    Resend,
    /// The link is idle.
    Idle,
    /// The source edge starts anew, with an empty queue.
    Restart,
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (1..1448_u16).prop_map(Step::Leave),
        6 => prop::bool::weighted(0.3).prop_map(|lost| Step::Arrive { lost }),
        6 => (any::<Index>(), prop::bool::weighted(0.2), prop::bool::weighted(0.2))
            .prop_map(|(which, lost, again)| Step::Answer { which, lost, again }),
        3 => Just(Step::Resend),
        2 => Just(Step::Idle),
        1 => Just(Step::Restart),
    ]
}

/// The stalled queue as figure 8 has it: a list, searched from its head.
#[derive(Default)]
struct Plain {
    held: VecDeque<Clone>,
    acknowledged: u64,
    resent: u64,
    expired: Vec<u32>,
}

struct Clone {
    key: EdgeAcknowledgement,
    size: u64,
    due: bool,
}

impl Plain {
    fn keep(&mut self, packet: &Packet, buffer: u64) {
        let key = acknowledgement(packet);
        let size = u64::from(packet.size());
        let held = |plain: &Self| plain.held.iter().map(|it| it.size).sum::<u64>();
        if size > buffer {
            self.expired.push(key.sequence);
            return;
        }
        while held(self) + size > buffer {
            self.expired.extend(self.held.pop_front().map(|it| it.key.sequence));
        }
        self.held.push_back(Clone { key, size, due: false });
    }

    fn acknowledge(&mut self, key: &EdgeAcknowledgement, keep: Keep) {
        let Some(place) = self.held.iter().position(|it| it.key == *key) else { return };
        self.held.remove(place);
        self.acknowledged += 1;
        self.held.iter_mut().take(place).for_each(|it| it.due |= keep == Keep::Stalled);
    }

    fn send(&mut self, due: bool) -> Option<u32> {
        if self.held.front()?.due != due {
            return None;
        }
        self.resent += 1;
        self.held.pop_front().map(|it| it.key.sequence)
    }
}

/// Both edges and what is between them.
struct World {
    settings: SourceSettings,
    source: SourceEdge,
    destination: DestinationEdge,
    plain: Plain,
    /// Packets in transit, and whether they are clones.
    packets: VecDeque<(Packet, bool)>,
    answers: Vec<EdgeAcknowledgement>,
    next: u32,
    /// By sequence number: what was selected, what arrived, what was sent again,
    /// the clones that were lost in transit, and what a restart forgot.
    selected: Vec<u32>,
    arrived: Vec<u32>,
    resent: Vec<u32>,
    lost_again: Vec<u32>,
    forgotten: Vec<u32>,
}

impl World {
    fn new(settings: SourceSettings) -> Self {
        Self {
            settings,
            source: edge(settings),
            destination: DestinationEdge::new(DestinationSettings::default()),
            plain: Plain::default(),
            packets: VecDeque::new(),
            answers: Vec::new(),
            next: 0,
            selected: Vec::new(),
            arrived: Vec::new(),
            resent: Vec::new(),
            lost_again: Vec::new(),
            forgotten: Vec::new(),
        }
    }

    fn take(&mut self, step: &Step) {
        match *step {
            Step::Leave(length) => self.leave(length),
            Step::Arrive { lost } => self.arrive(lost),
            Step::Answer { which, lost, again } => {
                if self.answers.is_empty() {
                    return;
                }
                let which = which.index(self.answers.len());
                self.answer(which, lost, again);
            }
            Step::Resend => self.send(false),
            Step::Idle => self.send(true),
            Step::Restart => {
                let held = self.plain.held.iter().map(|it| it.key.sequence);
                self.forgotten.extend(held);
                self.forgotten.append(&mut self.plain.expired);
                self.plain = Plain::default();
                self.source = edge(self.settings);
            }
        }
        self.check();
    }

    fn leave(&mut self, length: u16) {
        let mut packet = data(0, self.next, length);
        self.next += u32::from(length);
        self.source.forward(Time::ZERO, &mut packet);
        if packet.ecn == Ecn::NotCapable {
            self.selected.push(sequence(&packet));
            self.plain.keep(&packet, self.settings.buffer);
        }
        self.packets.push_back((packet, false));
    }

    fn arrive(&mut self, lost: bool) {
        let Some((packet, is_clone)) = self.packets.pop_front() else { return };
        if lost {
            self.lost_again.extend(is_clone.then(|| sequence(&packet)));
            return;
        }
        let mut out = Vec::new();
        self.answers.extend(self.destination.receive(Time::ZERO, packet, &mut out));
        self.arrived.extend(out.iter().map(sequence));
    }

    fn answer(&mut self, which: usize, lost: bool, again: bool) {
        let answer = if again { self.answers[which] } else { self.answers.remove(which) };
        if !lost {
            self.source.acknowledge(&answer);
            self.plain.acknowledge(&answer, self.settings.keep);
        }
    }

    fn send(&mut self, idle: bool) {
        let clone = match idle {
            false => self.source.next_resent(Time::ZERO),
            true => self.source.next_idle(Time::ZERO),
        };
        let expected = match (idle, self.settings.keep) {
            (true, Keep::Stalled) => None,
            (true, Keep::LowPriority) => self.plain.send(false),
            (false, _) => self.plain.send(true),
        };
        assert_eq!(clone.as_ref().map(sequence), expected, "not what the plain queue sends");
        self.resent.extend(expected);
        self.packets.extend(clone.map(|it| (it, true)));
    }

    /// What holds at any time.
    fn check(&self) {
        let (counters, backlog) = (self.source.counters(), self.source.backlog());
        let gone = counters.acknowledged + counters.resent + counters.expired;
        assert_eq!(counters.cloned, gone + u64::from(backlog.packets), "clones are conserved");
        assert_eq!(counters.acknowledged, self.plain.acknowledged);
        assert_eq!(counters.resent, self.plain.resent);
        assert_eq!(counters.expired, self.plain.expired.len() as u64);
        assert_eq!(backlog.packets as usize, self.plain.held.len());
        assert!(backlog.bytes <= self.settings.buffer && counters.largest.bytes >= backlog.bytes);
    }

    /// Lets all that is in transit arrive, and the link send all it may.
    fn settle(&mut self) {
        let mut rounds = 0;
        loop {
            let before = self.resent.len();
            while !self.packets.is_empty() {
                self.arrive(false);
            }
            while !self.answers.is_empty() {
                self.answer(0, false, false);
            }
            loop {
                let count = self.resent.len();
                self.send(false);
                self.send(true);
                if self.resent.len() == count {
                    break;
                }
            }
            self.check();
            if self.resent.len() == before {
                return;
            }
            rounds += 1;
            assert!(rounds <= 2, "something is sent for ever");
        }
    }
}

fn has_no_twins(numbers: &[u32]) -> bool {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).all(|it| it[0] != it[1])
}

fn any_settings() -> impl Strategy<Value = SourceSettings> {
    let keep = prop_oneof![Just(Keep::Stalled), Just(Keep::LowPriority)];
    let resend = prop_oneof![Just(Resend::Unchanged), Just(Resend::Capable)];
    let share = prop_oneof![Just(1.0), 0.1..0.9];
    (share, 0..12_000_u64, keep, resend).prop_map(|(selected, buffer, keep, resend)| {
        SourceSettings { selected, buffer, keep, resend, ..everything() }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Each selected packet reaches the far edge, or is known to be lost: its clone
    /// expired, is held, was forgotten by a restart, or was lost in transit too.
    #[test]
    fn each_selected_packet_arrives_or_is_accounted_for(
        settings in any_settings(),
        steps in vec(any_step(), 1..200),
    ) {
        let mut world = World::new(settings);
        steps.iter().for_each(|it| world.take(it));
        world.settle();
        let held: Vec<u32> = world.plain.held.iter().map(|it| it.key.sequence).collect();
        for packet in &world.selected {
            let known = [&world.arrived, &world.plain.expired, &held, &world.forgotten];
            let is_lost_again = world.lost_again.contains(packet);
            prop_assert!(is_lost_again || known.iter().any(|it| it.contains(packet)), "{packet}");
        }
        prop_assert!(has_no_twins(&world.resent), "sent again twice");
    }

    /// One more packet that arrives and is acknowledged frees everything.
    #[test]
    fn nothing_is_stuck_that_an_acknowledgement_could_free(
        settings in any_settings(),
        steps in vec(any_step(), 1..200),
    ) {
        let settings = SourceSettings { selected: 1.0, ..settings };
        let mut world = World::new(settings);
        steps.iter().for_each(|it| world.take(it));
        world.settle();
        world.leave(1);
        world.settle();
        // Where there is no room for even that, the queue is empty anyway.
        prop_assert_eq!(world.source.backlog().packets, 0);
    }

    #[test]
    fn without_losses_nothing_is_sent_again(
        share in 0.0..1.0,
        steps in vec((1..1448_u16, 0..4_usize, 0..4_usize), 1..200),
    ) {
        let mut world = World::new(SourceSettings { selected: share, ..everything() });
        for (length, arrivals, answers) in steps {
            world.take(&Step::Leave(length));
            (0..arrivals).for_each(|_| world.take(&Step::Arrive { lost: false }));
            for _ in 0..answers.min(world.answers.len()) {
                world.answer(0, false, false);
            }
            world.take(&Step::Resend);
        }
        prop_assert_eq!(world.source.counters().resent, 0);
    }

    #[test]
    fn without_acknowledgements_clones_only_expire(
        settings in any_settings(),
        lengths in vec(1..1448_u16, 1..200),
    ) {
        let mut world = World::new(SourceSettings { keep: Keep::Stalled, ..settings });
        for length in lengths {
            for step in [Step::Leave(length), Step::Arrive { lost: false }, Step::Resend, Step::Idle] {
                world.take(&step);
            }
        }
        let counters = world.source.counters();
        let held = u64::from(world.source.backlog().packets);
        prop_assert_eq!((counters.resent, counters.acknowledged), (0, 0));
        prop_assert_eq!(counters.cloned, counters.expired + held);
    }
}
