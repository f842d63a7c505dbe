//! What disciplines say of themselves is what they do.

use windtunnel_engine::{Streams, Time};
use windtunnel_packets::Ecn;
use windtunnel_queues::{ActiveDiscipline, AnyQueue, CongestionAction, DESCRIPTIONS, Queue};

use crate::drive::{Packets, packet, queues, random};
use crate::ecn::{Meets, kinds, verdicts};

#[test]
fn a_discipline_marks_if_it_says_so() {
    for (name, discipline, meets) in kinds() {
        assert_eq!(discipline.description().name, name);
        let marks = matches!(meets, Meets::Marks | Meets::MarksThenDrops);
        assert_eq!(discipline.marks(), marks, "{name}");
    }
}

#[test]
fn a_discipline_in_which_nothing_is_random_does_the_same_with_any_stream() {
    for (name, discipline, _) in kinds() {
        let [one, other] = [3, 4].map(|seed| Streams::new(seed, 0).stream("queue"));
        if !discipline.description().is_random {
            let [one, other] = [one, other].map(|it| verdicts(&discipline, Ecn::Capable, it));
            assert_eq!(one, other, "{name}");
        }
    }
}

/// Whether packets that came at once are kept although all may leave.
fn holds_back(mut queue: AnyQueue) -> bool {
    let mut packets = Packets::default();
    for _ in 0..20 {
        let arriving = packet(0, Ecn::Capable, 1500);
        queue.push(packets.waiting(Time::ZERO, &arriving), arriving.flow_key());
    }
    while queue.pop(Time::ZERO).is_some() {}
    queue.backlog().packets > 0
}

#[test]
fn a_queue_holds_packets_back_if_it_says_so() {
    for (name, discipline, _) in kinds() {
        let holds = match discipline.start(random()) {
            ActiveDiscipline::OnArrival(_) => false,
            ActiveDiscipline::OnDeparture(queue) => holds_back(queue),
        };
        assert_eq!(holds, discipline.description().shapes, "{name}");
    }
}

/// The properties of every queue are tested of those in `queues`.
#[test]
fn every_queue_that_decides_on_departure_is_under_test() {
    let on_arrival = |name| {
        let active = kinds().into_iter().find(|it| it.0 == name).map(|it| it.1.start(random()));
        matches!(active, Some(ActiveDiscipline::OnArrival(_)))
    };
    let departing = DESCRIPTIONS.iter().filter(|it| !on_arrival(it.name)).count();
    let tested = queues(CongestionAction::Drop);
    let kinds: std::collections::HashSet<_> = tested.iter().map(std::mem::discriminant).collect();
    assert_eq!(kinds.len(), departing);
}
