//! From a queue in a scenario file to its limit and its discipline.

use std::ops::Range;

use windtunnel_engine::Duration;
use windtunnel_queues::{
    CoDelSettings, CongestionAction, Discipline, DualPi2Settings, FqCoDelSettings, LinkService,
    Pcon, PieSettings, QueueLimit, Ramp, RedSettings, SceSettings, Thresholds,
};

use crate::build::stated;
use crate::error::{Mistake, list};
use crate::scenario::QueueKind::{
    Codel, DropTail, Dualpi2, FqCodel, LinkService as Service, Pcon as PconQueue, Pie, Red, Sce,
};
use crate::scenario::{Located, Queue, QueueAction, QueueKind};
use crate::units::{Frequency, Measured};

/// The RFCs speak of one MTU; Ethernet's.
const MAXIMUM_PACKET: u64 = 1500;
/// What RED counts idle time by, in octets.
const TYPICAL_PACKET: u32 = 1000;
/// Below it a flow would need many turns for one packet, in octets.
const LEAST_QUANTUM: u64 = 64;
/// A probability that moves more often only costs time.
const LEAST_UPDATE: Duration = Duration::from_micros(10);

/// How much may wait in a queue.
pub(crate) fn limit(queue: Option<&Queue>) -> QueueLimit {
    let stated = queue.and_then(|it| it.limit.as_ref()).map(|it| it.0);
    stated.unwrap_or(match queue.map(|it| it.kind) {
        Some(FqCodel) => QueueLimit::Packets(10_240),
        Some(Dualpi2) => QueueLimit::Packets(10_000),
        _ => QueueLimit::Packets(100),
    })
}

/// What is dropped and marked in a queue.
pub(crate) fn discipline(queue: Option<&Queue>) -> Result<Discipline, Mistake> {
    let Some(queue) = queue else { return Ok(Discipline::DropTail) };
    check_keys(queue)?;
    Ok(match queue.kind {
        DropTail => Discipline::DropTail,
        Service => {
            let threshold = queue.threshold.as_ref().map_or(65_536, |it| it.value.0.0);
            Discipline::LinkService(LinkService::new(threshold, interval(queue)?))
        }
        Red => Discipline::Red(red(queue)?),
        Codel => Discipline::CoDel(codel(queue, CongestionAction::Drop)?),
        FqCodel => Discipline::FqCoDel(fq_codel(queue)?),
        Pie => Discipline::Pie(pie(queue)?),
        Dualpi2 => Discipline::DualPi2(dual_pi2(queue)?),
        Sce => Discipline::Sce(sce(queue)?),
        PconQueue => {
            let target = stated(&queue.target, Duration::from_millis(5));
            Discipline::Pcon(Pcon::new(target, interval(queue)?))
        }
    })
}

/// A key that only some kinds of queue have.
struct SpecialKey<'a> {
    stated: Option<&'a Range<usize>>,
    name: &'static str,
    kinds: &'static [QueueKind],
}

fn special_keys(queue: &Queue) -> Vec<SpecialKey<'_>> {
    macro_rules! keys {
        ($($key:ident: $($kind:ident)+,)+) => {
            vec![$(SpecialKey {
                stated: queue.$key.as_ref().map(|it| &it.span),
                name: stringify!($key),
                kinds: &[$($kind),+],
            },)+]
        };
    }
    keys! {
        action: Red Codel FqCodel Pie Sce,
        target: Codel FqCodel Pie Dualpi2 Sce PconQueue,
        interval: Codel FqCodel Sce PconQueue Service,
        ce_threshold: Codel FqCodel,
        threshold: Service,
        minimum_threshold: Red,
        maximum_threshold: Red,
        weight: Red,
        max_probability: Red,
        gentle: Red,
        adaptive: Red,
        flows: FqCodel,
        quantum: FqCodel,
        update: Pie Dualpi2,
        alpha: Pie Dualpi2,
        beta: Pie Dualpi2,
        burst: Pie,
        coupling: Dualpi2,
        classic_share: Dualpi2,
        step: Dualpi2,
        ramp_start: Dualpi2 Sce,
        ramp_end: Dualpi2 Sce,
    }
}

/// Whether the kind of queue has the keys that are stated.
fn check_keys(queue: &Queue) -> Result<(), Mistake> {
    let keys = special_keys(queue);
    let (own, foreign): (Vec<_>, Vec<_>) =
        keys.iter().partition(|it| it.kinds.contains(&queue.kind));
    let Some((name, span)) = foreign.iter().find_map(|it| Some((it.name, it.stated?))) else {
        return Ok(());
    };
    let own: Vec<&str> =
        ["kind", "limit"].into_iter().chain(own.iter().map(|it| it.name)).collect();
    Err(Mistake::new(format!("this kind of queue has no `{name}`"))
        .at(span.clone())
        .help(format!("its keys: {}", list(&own))))
}

/// A stated quantity that `fits`, or else the default.
fn fitting<T: Copy>(
    key: &Option<Located<Measured<T>>>,
    default: T,
    fits: impl Fn(T) -> bool,
    mistake: &str,
    help: &str,
) -> Result<T, Mistake> {
    match key {
        Some(it) if !fits(it.value.0) => {
            Err(Mistake::new(mistake).at(it.span.clone()).help(help.to_owned()))
        }
        _ => Ok(stated(key, default)),
    }
}

fn interval(queue: &Queue) -> Result<Duration, Mistake> {
    let default = Duration::from_millis(100);
    let fits = |it| it > Duration::ZERO;
    fitting(&queue.interval, default, fits, "an interval of no time", "write \"100 ms\", say")
}

fn target(queue: &Queue) -> Result<Duration, Mistake> {
    let default = Duration::from_millis(15);
    let fits = |it| it > Duration::ZERO;
    fitting(&queue.target, default, fits, "a target of no time", "write \"15 ms\", say")
}

fn update(queue: &Queue, default: Duration) -> Result<Duration, Mistake> {
    let fits = |it| it >= LEAST_UPDATE;
    let mistake = "the probability would move more often than every 10 us";
    fitting(&queue.update, default, fits, mistake, "write \"15 ms\", say")
}

fn alpha(queue: &Queue, default: f64) -> Result<f64, Mistake> {
    let mistake = "without `alpha` the delay would never come to its target";
    let fits = |it: Frequency| it.0 > 0.0;
    fitting(&queue.alpha, Frequency(default), fits, mistake, "write \"0.125 Hz\", say")
        .map(|it| it.0)
}

fn action(queue: &Queue, default: CongestionAction) -> CongestionAction {
    queue.action.as_ref().map_or(default, |it| match it.value {
        QueueAction::Mark => CongestionAction::Mark,
        QueueAction::Drop => CongestionAction::Drop,
    })
}

fn codel(queue: &Queue, default: CongestionAction) -> Result<CoDelSettings, Mistake> {
    Ok(CoDelSettings {
        action: action(queue, default),
        target: stated(&queue.target, Duration::from_millis(5)),
        interval: interval(queue)?,
        maximum_packet: MAXIMUM_PACKET,
        ce_threshold: queue.ce_threshold.as_ref().map(|it| it.value.0),
    })
}

fn fq_codel(queue: &Queue) -> Result<FqCoDelSettings, Mistake> {
    let flows = match &queue.flows {
        Some(it) if it.value == 0 => {
            return Err(Mistake::new("no queue for any flow")
                .at(it.span.clone())
                .help("write flows = 1024, say"));
        }
        it => it.as_ref().map_or(1024, |it| it.value),
    };
    let quantum = match &queue.quantum {
        None => 1514,
        Some(it) => u32::try_from(it.value.0.0)
            .ok()
            .filter(|it| (LEAST_QUANTUM..1 << 20).contains(&u64::from(*it)))
            .ok_or_else(|| {
                Mistake::new("a quantum is 64 B to 1 MiB")
                    .at(it.span.clone())
                    .help("write \"1514 B\", say")
            })?,
    };
    Ok(FqCoDelSettings { codel: codel(queue, CongestionAction::Mark)?, flows, quantum })
}

fn red(queue: &Queue) -> Result<RedSettings, Mistake> {
    let weight = match &queue.weight {
        Some(it) if !(it.value > 0.0 && it.value <= 1.0) => {
            return Err(Mistake::new("a weight is above 0 and at most 1")
                .at(it.span.clone())
                .help("write weight = 0.002, say"));
        }
        it => it.as_ref().map_or(0.002, |it| it.value),
    };
    Ok(RedSettings {
        action: action(queue, CongestionAction::Drop),
        thresholds: thresholds(queue)?,
        weight,
        max_probability: queue.max_probability.as_ref().map_or(0.1, |it| it.value.0.0),
        gentle: queue.gentle.as_ref().is_none_or(|it| it.value),
        adaptive: queue.adaptive.as_ref().is_some_and(|it| it.value),
        typical_packet: TYPICAL_PACKET,
    })
}

/// The upper threshold is three times the lower one unless stated.
fn thresholds(queue: &Queue) -> Result<Thresholds, Mistake> {
    let minimum = stated(&queue.minimum_threshold, QueueLimit::Packets(5));
    let threefold = match minimum {
        QueueLimit::Packets(it) => QueueLimit::Packets(it.saturating_mul(3)),
        QueueLimit::Bytes(it) => QueueLimit::Bytes(it.saturating_mul(3)),
    };
    let maximum = stated(&queue.maximum_threshold, threefold);
    Thresholds::new(minimum, maximum).ok_or_else(|| {
        let keys = [&queue.maximum_threshold, &queue.minimum_threshold];
        let span = keys.into_iter().flatten().next().expect("the defaults fit").span.clone();
        Mistake::new("the maximum threshold is not above the minimum one, in the same unit")
            .at(span)
            .help("write \"5 packets\" and \"15 packets\", or \"5 kB\" and \"15 kB\", say")
    })
}

fn pie(queue: &Queue) -> Result<PieSettings, Mistake> {
    Ok(PieSettings {
        action: action(queue, CongestionAction::Drop),
        target: target(queue)?,
        update: update(queue, Duration::from_millis(15))?,
        alpha: alpha(queue, 0.125)?,
        beta: stated(&queue.beta, Frequency(1.25)).0,
        burst: stated(&queue.burst, Duration::from_millis(150)),
        maximum_packet: MAXIMUM_PACKET,
    })
}

fn dual_pi2(queue: &Queue) -> Result<DualPi2Settings, Mistake> {
    let coupling = match &queue.coupling {
        Some(it) if !(it.value > 0.0 && it.value.is_finite()) => {
            return Err(Mistake::new("a coupling factor is above 0")
                .at(it.span.clone())
                .help("write coupling = 2, say"));
        }
        it => it.as_ref().map_or(2.0, |it| it.value),
    };
    Ok(DualPi2Settings {
        target: target(queue)?,
        update: update(queue, Duration::from_millis(16))?,
        alpha: alpha(queue, 0.16)?,
        beta: stated(&queue.beta, Frequency(3.2)).0,
        coupling,
        ramp: step_or_ramp(queue)?,
        classic_share: queue.classic_share.as_ref().map_or(0.1, |it| it.value.0.0),
    })
}

fn step_or_ramp(queue: &Queue) -> Result<Ramp, Mistake> {
    let ramp_keys = [&queue.ramp_start, &queue.ramp_end];
    let Some(of_ramp) = ramp_keys.into_iter().flatten().next() else {
        return Ok(Ramp::step(stated(&queue.step, Duration::from_millis(1))));
    };
    if queue.step.is_some() {
        return Err(Mistake::new("both a step and a ramp")
            .at(of_ramp.span.clone())
            .help("write step, or ramp_start and ramp_end"));
    }
    ramp(queue, Duration::from_micros(800), Duration::from_micros(1200))
}

fn ramp(queue: &Queue, start: Duration, end: Duration) -> Result<Ramp, Mistake> {
    let (start, end) = (stated(&queue.ramp_start, start), stated(&queue.ramp_end, end));
    if start <= end {
        return Ok(Ramp { start, end });
    }
    let keys = [&queue.ramp_end, &queue.ramp_start];
    let span = keys.into_iter().flatten().next().expect("the defaults fit").span.clone();
    let help = format!("it is from {start} to {end}; write both, the first not above the other");
    Err(Mistake::new("the ramp ends before it starts").at(span).help(help))
}

fn sce(queue: &Queue) -> Result<SceSettings, Mistake> {
    let codel = codel(queue, CongestionAction::Mark)?;
    let ramp = ramp(queue, codel.target.scaled(0.25), codel.target.scaled(0.5))?;
    Ok(SceSettings { codel, ramp })
}
