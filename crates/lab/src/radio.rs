//! From what a scenario says of a radio to its plan.

pub(crate) mod map;

use windtunnel_engine::{Duration, Rate};
use windtunnel_world::AirPlan;
use windtunnel_world::radio::{
    BlockagePlan, Efficiency, HandoverPlan, LineOfSight, Obstructed, RadioPlan, ReportPlan,
};

use crate::build::{stated, value};
use crate::error::Mistake;
use crate::files::Files;
use crate::scenario::{self as file, EfficiencyKind, Located, RlcKind};
use crate::units::{Decibels, Frequency, Measured, Share};

/// The carriers that TR 38.901 is for, in Hz.
const CARRIERS: [f64; 2] = [0.5e9, 100e9];
/// The most samples of a channel in one run.
pub(crate) const MOST_SAMPLES: u64 = 10_000_000;
/// What passes by more often would take all the simulation's time.
const LEAST_BETWEEN_BLOCKAGES: Duration = Duration::from_millis(1);
/// With more errors than this HARQ would try almost for ever.
const MOST_ERROR: f64 = 0.99;
const MOST_ATTEMPTS: u32 = 100;
/// A SINR in dB above which no efficiency rises any more.
const PERFECT: f64 = 1000.0;

/// A radio's plan, on a run of that duration.
pub(crate) fn plan(
    radio: &file::Radio,
    files: &mut Files,
    duration: Duration,
) -> Result<RadioPlan, Mistake> {
    let carrier = carrier(&radio.carrier)?;
    let period = period(radio, duration)?;
    Ok(RadioPlan {
        carrier,
        bandwidth: bandwidth(&radio.bandwidth, carrier)?,
        transmit_power: radio.transmit_power.0.map(|it| it.0.0),
        antenna_gain: value(&radio.antenna_gain, Decibels(0.0)).0,
        noise_figure: decibels(&radio.noise_figure, 7.0, "a noise figure")?,
        map: files.map(&radio.map)?,
        speed: radio.speed.0.0,
        line_of_sight: match radio.line_of_sight {
            file::LineOfSight::Map => LineOfSight::Map,
            file::LineOfSight::Probability => LineOfSight::Probability,
        },
        obstructed: obstructed(radio)?,
        shadowing: radio.shadowing.unwrap_or(true),
        blockage: radio.blockage.as_ref().map(blockage).transpose()?,
        efficiency: radio.efficiency.as_ref().map_or(Ok(SHANNON), efficiency)?,
        overhead: overhead(radio.overhead.as_ref())?,
        period,
        handover: HandoverPlan {
            margin: decibels(&radio.handover.margin, 3.0, "a margin")?,
            after: value(&radio.handover.after, Duration::from_millis(160)),
            interruption: value(&radio.handover.interruption, Duration::from_millis(50)),
        },
        report: report(&radio.report, period)?,
    })
}

/// The most that a radio sends in each direction.
pub(crate) fn greatest_rates(plan: &RadioPlan) -> Option<[Rate; 2]> {
    let bits_per_hertz = plan.efficiency.at(PERFECT) * (1.0 - plan.overhead);
    let rate = |hertz: f64| Rate::from_bits_per_second((hertz * bits_per_hertz).round() as u64);
    let [there, back] = plan.bandwidth.map(rate);
    Some([there?, back?])
}

/// What HARQ and RLC do to the packets of a radio; none where every attempt succeeds.
pub(crate) fn air(radio: &file::Radio) -> Result<Option<AirPlan>, Mistake> {
    let harq = radio.harq.clone().unwrap_or_default();
    let block_error = stated(&harq.error, Share(0.1)).0;
    if let Some(it) = &harq.error
        && block_error > MOST_ERROR
    {
        return Err(Mistake::new("almost no attempt succeeds")
            .at(it.span.clone())
            .help("write at most \"99 %\""));
    }
    let attempts = match &harq.attempts {
        None => 4,
        Some(it) if (1..=MOST_ATTEMPTS).contains(&it.value) => it.value,
        Some(it) => {
            return Err(Mistake::new(format!("{} attempts", it.value))
                .at(it.span.clone())
                .help(format!("write 1 to {MOST_ATTEMPTS}")));
        }
    };
    let round_trip = value(&harq.round_trip, Duration::from_millis(1));
    let slot = value(&harq.slot, Duration::from_micros(125));
    let status = status(radio.rlc.as_ref())?;
    Ok((block_error > 0.0).then_some(AirPlan { slot, block_error, round_trip, attempts, status }))
}

fn status(rlc: Option<&file::Rlc>) -> Result<Option<Duration>, Mistake> {
    const STATUS: Duration = Duration::from_millis(20);
    match rlc {
        None => Ok(Some(STATUS)),
        Some(it) if it.kind == RlcKind::Acknowledged => Ok(Some(stated(&it.status, STATUS))),
        Some(file::Rlc { status: Some(it), .. }) => {
            Err(Mistake::new("without acknowledgements there is no `status`")
                .at(it.span.clone())
                .help("leave it out, or write kind = \"acknowledged\""))
        }
        Some(_) => Ok(None),
    }
}

fn carrier(carrier: &Located<Measured<Frequency>>) -> Result<f64, Mistake> {
    let [least, most] = CARRIERS;
    match carrier.value.0.0 {
        hertz if (least..=most).contains(&hertz) => Ok(hertz),
        hertz => Err(Mistake::new(format!("a carrier at {} GHz", hertz / 1e9))
            .at(carrier.span.clone())
            .help("write one from \"0.5 GHz\" to \"100 GHz\", for which the path loss holds")),
    }
}

fn bandwidth(
    bandwidth: &Located<file::Each<Measured<Frequency>>>,
    carrier: f64,
) -> Result<[f64; 2], Mistake> {
    let hertz = bandwidth.value.0.map(|it| it.0.0);
    let wrong = |message: &str| {
        Err(Mistake::new(message)
            .at(bandwidth.span.clone())
            .help("write one such as \"100 MHz\", or an array of two"))
    };
    match hertz {
        it if it.contains(&0.0) => wrong("a bandwidth of nothing"),
        it if it.iter().any(|it| *it > carrier) => wrong("more bandwidth than the carrier has"),
        it => Ok(it),
    }
}

/// A number of decibels that is not negative.
fn decibels(
    ratio: &Option<Located<Measured<Decibels>>>,
    default: f64,
    what: &str,
) -> Result<f64, Mistake> {
    ratio.as_ref().map_or(Ok(default), |it| not_negative(it, what))
}

fn not_negative(ratio: &Located<Measured<Decibels>>, what: &str) -> Result<f64, Mistake> {
    match ratio.value.0.0 {
        decibels if decibels >= 0.0 => Ok(decibels),
        decibels => Err(Mistake::new(format!("{what} of {decibels} dB"))
            .at(ratio.span.clone())
            .help("write 0 dB or more")),
    }
}

fn obstructed(radio: &file::Radio) -> Result<Obstructed, Mistake> {
    match &radio.obstructed {
        Some(it) if it.value == file::Obstructed::Diffraction => {
            if radio.line_of_sight == file::LineOfSight::Probability {
                return Err(Mistake::new("chance has no corners to diffract around")
                    .at(it.span.clone())
                    .help("write obstructed = \"scattering\", or line_of_sight = \"map\""));
            }
            Ok(Obstructed::Diffraction)
        }
        _ => Ok(Obstructed::Scattering),
    }
}

fn blockage(blockage: &file::Blockage) -> Result<BlockagePlan, Mistake> {
    let Located { value: Measured(every), span } = &blockage.every;
    if *every < LEAST_BETWEEN_BLOCKAGES {
        return Err(Mistake::new(format!("something passes every {every}"))
            .at(span.clone())
            .help(format!("write {LEAST_BETWEEN_BLOCKAGES} or more")));
    }
    let Located { value: Measured(lasts), span } = &blockage.lasts;
    if *lasts == Duration::ZERO {
        return Err(Mistake::new("what passes lasts no time")
            .at(span.clone())
            .help("write one such as \"300 ms\""));
    }
    Ok(BlockagePlan {
        every: *every,
        lasts: *lasts,
        loss: not_negative(&blockage.loss, "a loss")?,
        edge: value(&blockage.edge, Duration::ZERO),
    })
}

/// TR 36.942, annex A.2: the downlink.
const SHANNON: Efficiency =
    Efficiency::Shannon { share: SHARE, most: MOST_EFFICIENCY, least_sinr: LEAST_SINR };
const SHARE: f64 = 0.6;
const MOST_EFFICIENCY: f64 = 4.4;
const LEAST_SINR: f64 = -10.0;
/// For a bit error rate of 5e-5: `-ln(5 * 5e-5) / 1.5` (Goldsmith and Chua 1997).
const GAP: f64 = 7.43;

fn efficiency(efficiency: &file::Efficiency) -> Result<Efficiency, Mistake> {
    let it = efficiency;
    let is_shannon = it.kind.value == EfficiencyKind::Shannon;
    let keys = [
        (it.gap.as_ref().map(|it| &it.span), "gap", !is_shannon),
        (it.share.as_ref().map(|it| &it.span), "share", is_shannon),
        (it.most.as_ref().map(|it| &it.span), "most", is_shannon),
        (it.least_sinr.as_ref().map(|it| &it.span), "least_sinr", is_shannon),
    ];
    for (span, key, has) in keys {
        if let (Some(span), false) = (span, has) {
            let message = format!("this kind of efficiency has no `{key}`");
            return Err(Mistake::new(message).at(span.clone()));
        }
    }
    let gap = decibels(&it.gap, GAP, "a gap")?;
    Ok(match it.kind.value {
        EfficiencyKind::Cqi => Efficiency::Cqi { gap },
        EfficiencyKind::Cqi256 => Efficiency::Cqi256 { gap },
        EfficiencyKind::Shannon => Efficiency::Shannon {
            share: stated(&it.share, Share(SHARE)).0,
            most: it.most.as_ref().map_or(MOST_EFFICIENCY, |it| it.value.0.0),
            least_sinr: stated(&it.least_sinr, Decibels(LEAST_SINR)).0,
        },
    })
}

fn overhead(overhead: Option<&Located<Measured<Share>>>) -> Result<f64, Mistake> {
    match overhead {
        None => Ok(0.25),
        Some(it) if it.value.0.0 < 1.0 => Ok(it.value.0.0),
        Some(it) => Err(Mistake::new("an overhead that leaves nothing")
            .at(it.span.clone())
            .help("write less than \"100 %\"")),
    }
}

fn period(radio: &file::Radio, duration: Duration) -> Result<Duration, Mistake> {
    const PERIOD: Duration = Duration::from_millis(10);
    let period = stated(&radio.period, PERIOD);
    let samples = duration.as_picos() / period.as_picos().max(1);
    if period != Duration::ZERO && samples <= MOST_SAMPLES {
        return Ok(period);
    }
    let message = format!("more than ten million samples of the channel, one each {period}");
    let span = radio.period.as_ref().map_or(&radio.map.span, |it| &it.span);
    Err(Mistake::new(message).at(span.clone()).help("write a longer period, such as \"10 ms\""))
}

fn report(report: &file::Report, sampling: Duration) -> Result<ReportPlan, Mistake> {
    let period = stated(&report.period, sampling);
    if let Some(it) = &report.period
        && (period == Duration::ZERO || !period.as_picos().is_multiple_of(sampling.as_picos()))
    {
        let message = format!("reports each {period} of a channel that is sampled each {sampling}");
        return Err(Mistake::new(message)
            .at(it.span.clone())
            .help(format!("write a multiple of {sampling}")));
    }
    Ok(ReportPlan { period, delay: value(&report.delay, Duration::from_millis(10)) })
}
