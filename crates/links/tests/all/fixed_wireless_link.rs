//! Laws of fixed radio links as a whole: what is received, which scheme is chosen, and how
//! packets get on the air.

use std::sync::Arc;

use proptest::prelude::*;
use windtunnel_engine::{Duration, Rate, Streams, Time};
use windtunnel_links::atmosphere::{Air, Polarisation};
use windtunnel_links::fixed_wireless::mcs::SCHEMES;
use windtunnel_links::fixed_wireless::timing::{CAPACITY, FRAME, TERRAGRAPH_OVERHEAD};
use windtunnel_links::fixed_wireless::{
    Access, Adaptation, Antenna, AntennaPattern, Beam, Codebook, End, ExchangePlan,
    FixedWirelessPlan, Ladder, Mcs, MediumAccess, Rain, RainExtent, RateAdaptation, Reflection,
    SnrThresholds, TimeDivisionPlan,
};
use windtunnel_links::{
    ChannelMaker, ChannelSetting, Course, Frame, PhysicalLayerMaker, Reception, Slot,
};

const STANDARD: SnrThresholds = SnrThresholds::Standard;
const SUPERFRAMES_OF_A_STEP: usize = 200;
const BY_ERROR: Adaptation = Adaptation::ByError { minimum_eirp: None };
const SUPERFRAME: Duration = Duration::from_micros(1600);

fn assert_near(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within, "{found} of {expected}");
}

/// A dish of 40 dBi whose beam is 2° wide.
fn end(pointing_error: f64, beam: Option<Beam>) -> End {
    let antenna = Antenna { gain: 40.0, pattern: AntennaPattern::Gaussian { width: 2.0 } };
    End { antenna, pointing_error, beam }
}

fn plan() -> FixedWirelessPlan {
    FixedWirelessPlan {
        carrier: 60.48e9,
        distance: 1000.0,
        eirp: [56.0; 2],
        ends: [end(0.0, None); 2],
        air: Air::default(),
        rain: Rain {
            rate: Arc::new(Course::constant(0.0)),
            polarisation: Polarisation::Horizontal,
            extent: RainExtent::Whole,
        },
        fog: Arc::new(Course::constant(0.0)),
        reflection: None,
        noise_figure: 10.0,
        ladder: Ladder::new(STANDARD, [2, 12]),
        adaptation: Adaptation::BySnr,
        access: MediumAccess::TimeDivision,
        period: Duration::from_millis(10),
    }
}

fn received(plan: &FixedWirelessPlan) -> f64 {
    plan.budgets()[0].received().expect("powers are known")[0]
}

#[test]
fn rain_and_fog_take_what_was_published() {
    let plan = plan();
    for (rate, loss) in [(5.0, 3.0), (12.5, 6.0), (25.0, 10.2), (50.0, 17.3)] {
        assert_near(plan.rain_loss(rate), loss, 0.06);
    }
    let cold = FixedWirelessPlan { air: Air { temperature: 283.15, ..Air::default() }, ..plan };
    for (water, loss) in [(0.05, 0.11), (0.5, 1.06)] {
        assert_near(cold.fog_loss(water), loss, 0.01);
    }
}

/// Over calm water, 7.5 m and 16 m high and 1 km apart.
#[test]
fn a_ray_over_water_is_where_geometry_has_it() {
    let reflection = Reflection { heights: [7.5, 16.0], coefficient: 1.0, roughness: 0.0 };
    let ray = reflection.ray(1000.0);
    assert_near(ray.detour, 0.240, 0.001);
    assert_near(ray.grazing, 1.35, 0.005);
    assert_near(ray.below[0], 1.83, 0.005);
    assert_near(ray.below[1], 0.86, 0.005);
}

/// With the height of the lower end the phase goes round, and the received power between +1.9
/// and −2.4 dB; 7.7 cm are half a wavelength.
#[test]
fn a_ray_over_water_lets_the_power_ripple_as_far_as_both_antennas_see_it() {
    let ends = [end(0.0, None); 2];
    let gain = |height: f64| {
        let heights = [height, 16.0];
        Reflection { heights, coefficient: 1.0, roughness: 0.0 }.gain(1000.0, 60.48e9, &ends)
    };
    let gains = (0..160).map(|it| gain(7.42 + f64::from(it) * 0.001));
    let (least, most) = gains.fold((0.0_f64, 0.0_f64), |(a, b), it| (a.min(it), b.max(it)));
    assert_near(most, 1.9, 0.1);
    assert_near(least, -2.4, 0.1);
    assert_near(gain(7.5), gain(7.5 + 2.0 * 0.077), 0.2);
    // Waves of 26 mm and more scatter it.
    let heights = [7.5, 16.0];
    let rough = Reflection { heights, coefficient: 1.0, roughness: 0.1 };
    assert_near(rough.gain(1000.0, 60.48e9, &ends), 0.0, 0.05);
}

/// A beam in the opposite direction of the error brings the power back except for the scan loss.
#[test]
fn a_steered_beam_makes_good_for_an_antenna_that_looks_aside() {
    let beam = |index| Some(Beam { codebook: Codebook::Line, scan: 3.0, scan_loss: 2.0, index });
    let scan_loss = 2.0 * (2.5_f64 / 3.0).powi(2);
    assert_near(end(2.5, beam(Some(5))).loss(0.0), scan_loss, 1e-9);
    // The one that is chosen loses no more than any other.
    let least = (0..=60).map(|it| end(2.5, beam(Some(it))).loss(0.0)).fold(99.0, f64::min);
    assert_near(end(2.5, beam(None)).loss(0.0), least, 1e-9);
    assert!(least <= scan_loss);
    assert_eq!(end(0.0, beam(None)).index(), Some(30));
    // Beam 5 of an antenna that looks straight points 2.5° aside.
    assert_near(end(0.0, beam(Some(5))).angle(), 2.5, 1e-9);
    // In the codebook with rows, 1.5° to the side and 3° below.
    let rows = Beam { codebook: Codebook::Rows, scan: 3.0, scan_loss: 2.0, index: Some(5) };
    assert_near(end(0.0, Some(rows)).angle(), 1.5_f64.hypot(3.0), 1e-9);
}

#[test]
fn each_decibel_lost_anywhere_is_one_received_less() {
    let dry = received(&plan());
    let less = |plan: FixedWirelessPlan| dry - received(&plan);
    let aside = end(1.0, None);
    assert_near(less(FixedWirelessPlan { ends: [aside, end(0.0, None)], ..plan() }), 3.0, 1e-9);
    assert_near(less(FixedWirelessPlan { ends: [aside; 2], ..plan() }), 6.0, 1e-9);
    assert_near(less(FixedWirelessPlan { eirp: [50.0; 2], ..plan() }), 6.0, 1e-9);
    let rain = Rain { rate: Arc::new(Course::constant(12.5)), ..plan().rain };
    assert_near(less(FixedWirelessPlan { rain, ..plan() }), plan().rain_loss(12.5), 1e-9);
    // Twice as far: 6 dB of free space, and the air of another kilometre.
    let far = FixedWirelessPlan { distance: 2000.0, ..plan() };
    assert_near(less(far), 6.02 + 14.96 + 0.157, 0.01);
}

// -- Rate adaptation ----------------------------------------------------------

fn adaptation(of: Adaptation) -> Box<dyn RateAdaptation> {
    let random = Streams::new(3, 0).stream("adaptation");
    of.start(&Ladder::new(STANDARD, [1, 12]), 56.0, random)
}

/// What a scheme brings across of packets of 1,500 bytes.
fn brings(scheme: &Mcs, snr: f64) -> f64 {
    scheme.rate().bits_per_second() as f64 * (1.0 - scheme.error(STANDARD, snr, 1548))
}

#[test]
fn by_snr_a_constant_snr_has_one_scheme_and_the_gap_keeps_it() {
    for tenths in 0..300 {
        let snr = f64::from(tenths) / 10.0;
        let mut it = adaptation(Adaptation::BySnr);
        let first = it.choose(snr);
        assert!((0..50).all(|_| it.choose(snr) == first), "{snr}");
    }
    let mut it = adaptation(Adaptation::BySnr);
    let needed = Mcs::of(8).expect("a scheme").needed(STANDARD);
    let mut index = |above: f64| it.choose(needed + above).index;
    assert_eq!([0.9, 1.1, 0.0, -0.4, 0.9, -0.6, 0.9].map(&mut index), [7, 8, 8, 8, 8, 7, 7]);
}

#[test]
fn mcs_five_is_never_adapted_to() {
    for of in [Adaptation::BySnr, BY_ERROR, Adaptation::Minstrel] {
        let mut it = adaptation(of);
        let snr = (0..4000).map(|step| f64::from(step % 400) / 15.0);
        assert!(snr.map(|snr| it.choose(snr).index).all(|index| index != 5), "{of:?}");
    }
}

#[test]
fn terragraphs_rule_climbs_a_step_in_two_hundred_superframes_without_errors() {
    let mut it = adaptation(BY_ERROR);
    assert_eq!(it.choose(6.6).index, 3);
    let steps: Vec<u8> = (0..3 * SUPERFRAMES_OF_A_STEP).map(|_| it.choose(60.0).index).collect();
    let changes = |steps: &[u8]| steps.windows(2).filter(|it| it[0] != it[1]).count();
    assert_eq!((steps[SUPERFRAMES_OF_A_STEP - 2], steps[SUPERFRAMES_OF_A_STEP - 1]), (3, 4));
    assert_eq!((changes(&steps), steps.last()), (3, Some(&7)));
    assert_eq!(it.period(), Some(Duration::from_micros(1600)));
}

#[test]
fn terragraphs_rule_falls_a_step_in_one_superframe_of_loss() {
    let mut it = adaptation(BY_ERROR);
    it.choose(60.0);
    let steps: Vec<u8> = (0..4).map(|_| it.choose(-20.0).index).collect();
    assert_eq!(steps, [11, 10, 9, 8]);
}

/// In balance, (1 − p)/200 = p: one packet of 201.
#[test]
fn terragraphs_rule_rests_where_one_packet_of_201_is_wrong() {
    let scheme = Mcs::of(8).expect("a scheme");
    let (mut low, mut high) = (scheme.needed(STANDARD) - 5.0, scheme.needed(STANDARD) + 5.0);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        let is_wrong = scheme.error(STANDARD, middle, 1548) > 1.0 / 201.0;
        (low, high) = if is_wrong { (middle, high) } else { (low, middle) };
    }
    let mut it = adaptation(BY_ERROR);
    (0..=SUPERFRAMES_OF_A_STEP).for_each(|_| _ = it.choose(low));
    assert!((0..5000).all(|_| it.choose(low).index == 8));
}

#[test]
fn an_idle_link_uses_mcs_nine_at_most_and_climbs_when_traffic_returns() {
    let mut it = adaptation(BY_ERROR);
    assert_eq!(it.choose(60.0).index, 12);
    it.on_traffic(false);
    let steps: Vec<u8> = (0..150).map(|_| it.choose(60.0).index).collect();
    assert!(steps[..124].iter().all(|it| *it == 12));
    assert!(steps[124..].iter().all(|it| *it == 9), "after 125 superframes");
    it.on_traffic(true);
    let back: Vec<u8> = (0..3 * SUPERFRAMES_OF_A_STEP).map(|_| it.choose(60.0).index).collect();
    let ends = [1, 2, 3].map(|step| back[step * SUPERFRAMES_OF_A_STEP - 1]);
    assert_eq!((back[0], ends), (9, [10, 11, 12]), "a step in 0.32 s");
}

#[test]
fn an_idle_link_follows_the_snr() {
    let mut it = adaptation(BY_ERROR);
    it.on_traffic(false);
    (0..200).for_each(|_| _ = it.choose(60.0));
    for index in [9, 8, 7, 6, 4, 3, 2, 1] {
        let needed = Mcs::of(index).expect("a scheme").needed(STANDARD);
        assert_eq!(it.choose(needed + 0.01).index, index);
    }
    assert_eq!(it.choose(-20.0).index, 1);
}

#[test]
fn short_pauses_of_traffic_change_nothing() {
    let (mut paused, mut steady) = (adaptation(BY_ERROR), adaptation(BY_ERROR));
    for superframe in 0..3000 {
        paused.on_traffic(superframe % 125 == 0);
        let snr = 10.0 + f64::from(superframe) / 300.0;
        assert_eq!(paused.choose(snr), steady.choose(snr));
    }
}

/// What is received of the first direction after a minute of traffic, and its SNR above what the
/// scheme needs.
fn settled(plan: &FixedWirelessPlan) -> (f64, f64, u8) {
    let rates = [Rate::from_bits_per_second(1); 2].map(|it| it.expect("above zero"));
    let streams = Streams::new(1, 0);
    let mut channel = plan.channel(ChannelSetting { link: "roof", streams: &streams, rates });
    let mut now = Time::ZERO;
    let mut last = (0.0, 0.0, 0);
    for _ in 0..40_000 {
        channel.on_traffic([true; 2]);
        let state = channel.sample(now);
        let power = state.power.expect("it says");
        let scheme = state.reception.expect("it says")[0].scheme.index;
        last = (power.received.expect("it says")[0], power.margin[0], scheme);
        now = state.next.expect("it adapts in each superframe");
    }
    assert_eq!(now, Time::ZERO + SUPERFRAME * 40_000);
    last
}

/// From 300 m to 1 km the path loss grows by 21 dB. The SNR is just enough: within a step of 1 dB of
/// the one at which a packet of 201 is wrong.
#[test]
fn with_power_control_what_is_received_hardly_depends_on_the_path_loss() {
    let adaptation = Adaptation::ByError { minimum_eirp: Some(20.0) };
    let at = |distance| FixedWirelessPlan { distance, adaptation, ..plan() };
    let scheme = Mcs::of(12).expect("a scheme");
    let is_enough =
        |above: &f64| scheme.error(STANDARD, scheme.needed(STANDARD) + above, 1548) <= 1.0 / 201.0;
    let enough = (-200..200).map(|it| f64::from(it) / 100.0).find(is_enough).expect("some is");
    let losses = [300.0, 500.0, 1000.0].map(|it| received(&at(it)));
    assert!(losses[0] - losses[2] > 20.0);
    for (distance, without) in [300.0, 500.0, 1000.0].into_iter().zip(losses) {
        let (received, margin, scheme) = settled(&at(distance));
        assert_eq!(scheme, 12);
        assert!((margin - enough).abs() <= 1.0, "{margin} dB more than needed at {distance} m");
        assert!(received < without - 3.0, "{received} of {without} dBm");
    }
    // Not below the least.
    let least = Adaptation::ByError { minimum_eirp: Some(50.0) };
    let (received, ..) = settled(&FixedWirelessPlan { adaptation: least, ..at(300.0) });
    assert_near(received, losses[0] - 6.0, 1e-9);
}

/// Where even all power is not enough for the fastest scheme, the scheme follows as without.
#[test]
fn power_control_takes_no_more_than_there_is() {
    let adaptation = Adaptation::ByError { minimum_eirp: Some(20.0) };
    let weak = FixedWirelessPlan { eirp: [44.0; 2], adaptation, ..plan() };
    let (power, _, scheme) = settled(&weak);
    let (_, _, without) = settled(&FixedWirelessPlan { adaptation: BY_ERROR, ..weak.clone() });
    assert!(received(&weak) - power <= 1.0 && without - scheme <= 1, "{scheme}, {power} dBm");
}

/// Of all schemes, or of those that each rule allows: with at most one packet of 201 wrong, or
/// 1 dB more than they need.
#[test]
fn on_a_static_channel_each_adaptation_brings_nine_tenths_of_the_best_scheme() {
    for of in [Adaptation::BySnr, BY_ERROR, Adaptation::Minstrel] {
        for snr in [5.0, 8.7, 12.0, 14.6, 17.2, 18.3, 25.0] {
            let mut it = adaptation(of);
            (0..1000).for_each(|_| _ = it.choose(snr));
            let mean = (0..1000).map(|_| brings(it.choose(snr), snr)).sum::<f64>() / 1000.0;
            let is_allowed = |scheme: &&Mcs| match of {
                Adaptation::BySnr => scheme.needed(STANDARD) + 1.0 <= snr,
                Adaptation::ByError { .. } => scheme.error(STANDARD, snr, 1548) <= 1.0 / 201.0,
                _ => true,
            };
            let allowed = SCHEMES.iter().filter(is_allowed);
            let best = allowed.map(|it| brings(it, snr)).fold(0.0, f64::max);
            assert!(mean >= 0.9 * best, "{of:?} at {snr}: {mean} of {best}");
        }
    }
}

/// After a fall by 10 dB, Minstrel needs intervals to see it, Terragraph's rule superframes.
#[test]
fn minstrel_finds_another_scheme_after_a_fall() {
    let mut it = adaptation(Adaptation::Minstrel);
    (0..100).for_each(|_| _ = it.choose(20.0));
    assert_eq!(it.choose(20.0).index, 12);
    let steps: Vec<u8> = (0..40).map(|_| it.choose(10.0).index).collect();
    assert_eq!(steps[0], 12, "one interval is not enough");
    assert_eq!(steps.last(), Some(&8));
}

// -- On the air ---------------------------------------------------------------

/// With that scheme, this many dB above what it needs.
fn reception(index: u8, above: f64) -> Reception {
    let scheme = Mcs::of(index).expect("a scheme");
    Reception { snr: scheme.needed(STANDARD) + above, scheme }
}

fn frame(free: Time, size: u32, reception: Reception) -> Frame {
    let rate = reception.scheme.rate();
    Frame { size, rate, was_free: false, free, reception: Some(reception) }
}

fn time_division(half: u64, retransmissions: u32) -> TimeDivisionPlan {
    TimeDivisionPlan { half, thresholds: STANDARD, retransmissions }
}

/// The slots of packets that follow each other, and whether each is lost.
fn slots(plan: TimeDivisionPlan, packets: usize, reception: Reception) -> Vec<(Slot, bool)> {
    let (mut layer, mut random) = (plan.layer(), Streams::new(9, 0).stream("air"));
    let mut free = Time::ZERO;
    let each = (0..packets).map(|_| {
        let outcome = layer.send(&frame(free, 1500, reception), &mut random);
        let slot = layer.slot().expect("it has slots");
        free = slot.ends;
        (slot, outcome.lost)
    });
    each.collect()
}

/// In which frame a time is, and how far in its own half.
fn place(half: u64, time: Time) -> (u64, u64) {
    let picos = time.as_picos() - half * 200_000_000;
    (picos / FRAME.as_picos(), picos % FRAME.as_picos())
}

#[test]
fn each_end_keeps_to_its_half_of_the_frames() {
    for half in [0, 1] {
        for index in [2, 9, 12] {
            let slots = slots(time_division(half, 7), 2000, reception(index, 0.0));
            let mut free = Time::ZERO;
            for (slot, _) in slots {
                let [starts, ends] = [slot.starts, slot.ends].map(|it| place(half, it));
                assert_eq!(starts.0, ends.0, "a packet is in one frame");
                assert!(ends.1 <= 190_000_000, "{slot:?}");
                assert!(slot.starts >= free && slot.across >= slot.ends);
                free = slot.ends;
            }
        }
    }
}

#[test]
fn at_most_sixty_four_packets_are_in_a_half_frame() {
    let slots = slots(time_division(0, 7), 64 * 50, reception(12, 20.0));
    let mut counts = [0; 50];
    slots.iter().for_each(|it| counts[place(0, it.0.starts).0 as usize] += 1);
    assert_eq!(counts, [64; 50]);
}

/// A lost packet comes a frame later, and with the window that stalls on it less than the share
/// of packets that are right gets across of the rate.
#[test]
fn errors_cost_a_frame_each_and_stall_the_window() {
    let reception = reception(12, -0.4);
    let error = reception.scheme.error(STANDARD, reception.snr, 1548);
    let packets = 64 * 1000;
    let with_errors = slots(time_division(0, 30), packets, reception);
    assert!(with_errors.iter().all(|it| !it.1));
    for (slot, _) in with_errors.iter().filter(|it| it.0.across > it.0.ends) {
        assert!(slot.across.since(slot.ends) >= FRAME - CAPACITY);
    }
    let frames = place(0, with_errors[packets - 1].0.ends).0 + 1;
    let of_all = 1000.0 / frames as f64;
    assert!(of_all < 1.0 - error && of_all > 0.3, "{of_all} with errors of {error}");
}

/// (1 − p) of all packets at once, and pⁿ are lost after n attempts.
#[test]
fn packets_are_lost_when_every_attempt_fails() {
    let reception = reception(8, -0.5);
    let error = reception.scheme.error(STANDARD, reception.snr, 1548);
    for retransmissions in 0..3 {
        let slots = slots(time_division(0, retransmissions), 200_000, reception);
        let lost = slots.iter().filter(|it| it.1).count() as f64 / 200_000.0;
        let expected = error.powi(retransmissions as i32 + 1);
        let deviation = (expected / 200_000.0).sqrt();
        assert_near(lost, expected, 5.0 * deviation);
    }
}

/// Nine of ten aggregates of 64 have a loss among them when 2.94 % of packets have.
#[test]
fn in_an_exchange_most_aggregates_have_a_loss_though_few_packets_do() {
    let access = Access::Scheduled;
    let plan = ExchangePlan { access, aggregation: 64, thresholds: STANDARD, retransmissions: 0 };
    let (mut layer, mut random) = (plan.layer(), Streams::new(9, 0).stream("air"));
    let scheme = Mcs::of(9).expect("a scheme");
    let snr = (0..4000).map(|it| 8.0 + f64::from(it) * 0.002);
    let snr = snr.filter(|it| scheme.error(STANDARD, *it, 1538) < 0.0294).fold(99.0, f64::min);
    let reception = Reception { snr, scheme };
    let outcomes: Vec<_> = (0..64 * 10_000)
        .map(|_| layer.send(&frame(Time::ZERO, 1500, reception), &mut random))
        .collect();
    let aggregates: Vec<_> = outcomes.chunks(64).collect();
    assert!(aggregates.iter().all(|it| it[0].begins && it[1..].iter().all(|it| !it.begins)));
    let with_loss = aggregates.iter().filter(|it| it.iter().any(|it| it.lost)).count();
    assert_near(with_loss as f64 / 10_000.0, 1.0 - 0.9706_f64.powi(64), 0.015);
}

proptest! {
    /// Whatever comes when, with whichever scheme: packets keep to the half and do not overlap.
    #[test]
    fn no_packets_make_time_division_leave_its_half(
        half in 0_u64..2,
        packets in prop::collection::vec((0_u64..2_000_000, 40_u32..9000, 1_u8..=12, -3.0..3.0_f64), 1..200),
    ) {
        let (mut layer, mut random) = (time_division(half, 7).layer(), Streams::new(9, 0).stream("air"));
        let mut now = Time::ZERO;
        for (wait, size, index, above) in packets {
            now += Duration::from_nanos(wait);
            layer.send(&frame(now, size, reception(index, above)), &mut random);
            let slot = layer.slot().expect("it has slots");
            prop_assert!(slot.starts >= now && slot.ends > slot.starts && slot.across >= slot.ends);
            prop_assert_eq!(place(half, slot.starts).0, place(half, slot.ends).0);
            prop_assert!(place(half, slot.ends).1 <= 190_000_000);
            now = slot.ends;
        }
    }
}

#[test]
fn the_rate_of_a_direction_is_what_its_turns_leave_of_the_scheme() {
    let scheme = Rate::from_bits_per_second(4_620_000_000).expect("above zero");
    let share = CAPACITY.as_seconds() / FRAME.as_seconds();
    let most = MediumAccess::TimeDivision.most(scheme).bits_per_second() as f64;
    assert_near(most / 4.62e9, share, 1e-9);
    let of_packets = MediumAccess::TimeDivision.of_packets(scheme, 1500);
    assert!(of_packets * f64::from(1500 + TERRAGRAPH_OVERHEAD) / 1500.0 <= most);
}
