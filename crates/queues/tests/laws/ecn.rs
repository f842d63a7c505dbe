//! What an ECN-capable packet meets in each kind of queue where the queue would otherwise drop
//! it: the table in `docs/queues.md`.

use windtunnel_engine::{Duration, Random, Time};
use windtunnel_packets::Ecn;
use windtunnel_queues::{
    ActiveDiscipline, AnyArrivalDiscipline, AnyQueue, ArrivalDiscipline, Arriving, Backlog, Bands,
    CongestionAction, DESCRIPTIONS, Discipline, DrrSettings, DualPi2Settings, EcElasticQueue,
    LinkService, Pcon, Queue, RedSettings, Verdict,
};

use crate::drive::{
    INTERVAL, Packets, TARGET, bucket, cake_settings, codel_settings, dual_pi2_settings,
    fq_codel_settings, packet, pie_settings, random, rate, red_settings, sce_settings,
};

/// What a queue does to ECN-capable packets under lasting overload, while all find room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meets {
    /// Nothing: only room is lacking, if anything.
    Nothing,
    /// Marks and no drops.
    Marks,
    /// Marks, and drops once marks do not help.
    MarksThenDrops,
    /// Drops and no marks.
    Drops,
}

/// Every kind, set to mark where it can, and what it does.
pub(crate) fn kinds() -> Vec<(&'static str, Discipline, Meets)> {
    let mark = CongestionAction::Mark;
    let red = red_settings(mark);
    let link_service = LinkService::new(65_536, INTERVAL);
    let loosely_coupled = DualPi2Settings { coupling: 0.5, ..dual_pi2_settings() };
    let drr = DrrSettings { flows: 1024, quantum: 1514 };
    vec![
        ("drop-tail", Discipline::DropTail, Meets::Nothing),
        ("red", Discipline::Red(RedSettings { hard_drop: false, ..red.clone() }), Meets::Marks),
        ("red", Discipline::Red(RedSettings { hard_drop: true, ..red }), Meets::MarksThenDrops),
        ("codel", Discipline::CoDel(codel_settings(mark)), Meets::Marks),
        ("fq-codel", Discipline::FqCoDel(fq_codel_settings(mark)), Meets::Marks),
        ("pie", Discipline::Pie(pie_settings(mark)), Meets::MarksThenDrops),
        ("dualpi2", Discipline::DualPi2(dual_pi2_settings()), Meets::MarksThenDrops),
        ("dualpi2", Discipline::DualPi2(loosely_coupled), Meets::MarksThenDrops),
        ("sce", Discipline::Sce(sce_settings(mark)), Meets::Marks),
        ("link-service", Discipline::LinkService(link_service), Meets::Marks),
        ("pcon", Discipline::Pcon(Pcon::new(TARGET, INTERVAL)), Meets::Marks),
        (
            "ec-elastic",
            Discipline::EcElasticQueue(EcElasticQueue::new(TARGET, INTERVAL)),
            Meets::Marks,
        ),
        ("drr", Discipline::Drr(drr), Meets::Nothing),
        ("strict-priority", Discipline::StrictPriority(Bands::new(&[])), Meets::Nothing),
        ("shaper", Discipline::Shaper(bucket(10, 10_000)), Meets::Nothing),
        ("cake", Discipline::Cake(cake_settings(mark, 10)), Meets::Marks),
        ("policer", Discipline::Policer(bucket(10, 10_000)), Meets::Drops),
    ]
}

/// Verdicts of a link of 10 Mbps to which packets come at 12 Mbps.
pub(crate) fn verdicts(discipline: &Discipline, ecn: Ecn, random: Random) -> Vec<Verdict> {
    match discipline.start(random) {
        ActiveDiscipline::OnArrival(judge) => {
            judge.map_or_else(Vec::new, |it| verdicts_on_arrival(it, ecn))
        }
        ActiveDiscipline::OnDeparture(queue) => verdicts_on_departure(queue, ecn),
    }
}

const SIZE: u16 = 1000;
const END: Duration = Duration::from_secs(10);

fn verdicts_on_arrival(mut judge: AnyArrivalDiscipline, ecn: Ecn) -> Vec<Verdict> {
    let (rate, gap) = (rate(10), rate(12).transmission_time(u32::from(SIZE)));
    let sending = rate.transmission_time(u32::from(SIZE));
    let (mut now, mut free) = (Time::ZERO, Time::ZERO);
    let mut verdicts = Vec::new();
    while now < Time::ZERO + END {
        let packets = (free.since(now).as_picos() / sending.as_picos()) as u32;
        let backlog = Backlog { packets, bytes: u64::from(packets) * u64::from(SIZE) };
        let arriving = Arriving { ecn, size: u32::from(SIZE), backlog, free, rate };
        let verdict = judge.judge(now, &arriving).on(ecn);
        if verdict != Verdict::Drop {
            free = free.max(now) + sending;
        }
        verdicts.push(verdict);
        now += gap;
    }
    verdicts
}

fn verdicts_on_departure(mut queue: AnyQueue, ecn: Ecn) -> Vec<Verdict> {
    let sizes = u32::from(SIZE);
    let [coming, sending] = [12, 10].map(|it| rate(it).transmission_time(sizes));
    let (mut packets, mut now, mut next) = (Packets::default(), Time::ZERO, Time::ZERO);
    let mut verdicts = Vec::new();
    while now < Time::ZERO + END {
        while next <= now {
            let arriving = packet(0, ecn, SIZE);
            queue.push(packets.waiting(next, &arriving), arriving.flow_key());
            next += coming;
        }
        while let Some((head, verdict)) = queue.pop(now) {
            let _ = packets.take(head.packet);
            verdicts.push(verdict);
            if verdict != Verdict::Drop {
                break;
            }
        }
        now += sending;
    }
    verdicts
}

#[test]
fn an_ecn_capable_packet_meets_what_the_page_says() {
    let kinds = kinds();
    assert!(DESCRIPTIONS.iter().all(|it| kinds.iter().any(|kind| kind.0 == it.name)));
    for (name, discipline, meets) in kinds {
        let verdicts = verdicts(&discipline, Ecn::Capable, random());
        let [marks, drops] =
            [Verdict::Mark, Verdict::Drop].map(|verdict| verdicts.contains(&verdict));
        let found = match (marks, drops) {
            (false, false) => Meets::Nothing,
            (true, false) => Meets::Marks,
            (true, true) => Meets::MarksThenDrops,
            (false, true) => Meets::Drops,
        };
        assert_eq!(found, meets, "{name}");
    }
}

/// RFC 3168, section 5: to a packet that is not ECN-capable a mark would say nothing.
#[test]
fn a_packet_that_is_not_capable_is_never_marked() {
    for (name, discipline, _) in kinds() {
        let verdicts = verdicts(&discipline, Ecn::NotCapable, random());
        assert!(verdicts.iter().all(|it| *it != Verdict::Mark), "{name}");
    }
}
