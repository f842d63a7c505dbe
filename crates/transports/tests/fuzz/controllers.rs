//! Any controller with any sequence of signals: its window stays finite and above
//! its floor, and its rate is one.

use proptest::prelude::*;
use windtunnel_controllers::{
    Acknowledgement, AnyController, Congestion, Controller, DESCRIPTIONS, Delivery, Kind,
    RadioReport, Settings, Signal, Start, Value,
};

/// What may be reported to a controller.
#[derive(Clone, Debug)]
enum Report {
    Acknowledged(Acknowledgement),
    Congested(Signal, f64),
    Recovered,
}

/// From nothing to far more than any path holds, all sizes alike.
fn segments() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), 0.0..10.0, (0.0..20.0_f64).prop_map(|it| it.exp2())]
}

fn nanoseconds() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(1), (0.0..45.0_f64).prop_map(|it| it.exp2() as u64)]
}

fn deliveries() -> impl Strategy<Value = Delivery> {
    let rate = prop::option::of((-10.0..40.0_f64).prop_map(f64::exp2));
    let amounts = [segments(), segments(), segments(), segments()];
    (rate, amounts, any::<bool>()).prop_map(|(rate, amounts, application_limited)| {
        let [delivered, total_at_send, in_flight_at_send, lost_since_send] = amounts;
        Delivery {
            rate,
            total: total_at_send + delivered,
            total_at_send,
            in_flight_at_send,
            lost_since_send,
            application_limited,
        }
    })
}

fn reports() -> impl Strategy<Value = RadioReport> {
    (nanoseconds(), -200.0..=200.0, segments())
        .prop_map(|(received, sinr, bandwidth)| RadioReport { received, sinr, bandwidth })
}

fn acknowledgements() -> impl Strategy<Value = Acknowledgement> {
    let amounts = (segments(), segments(), segments(), 0.0..=1.0, 0.0..=1.0, 0.0..=1.0);
    let times = (
        prop::option::of(nanoseconds()),
        prop::option::of(nanoseconds()),
        prop::option::of(nanoseconds()),
        nanoseconds(),
    );
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    let samples = (prop::option::of(deliveries()), prop::option::of(reports()));
    (amounts, times, samples, flags).prop_map(
        |(amounts, times, (delivery, radio), (round_ended, recovering, window_limited))| {
            let (delivered, lost, in_flight, grows, marked, some) = amounts;
            let (rtt, smoothed_rtt, one_way_delay, next_departure) = times;
            Acknowledgement {
                now: 0,
                acknowledged: grows * delivered,
                delivered,
                marked: marked * delivered,
                some_congestion: some * delivered,
                lost,
                rtt,
                smoothed_rtt,
                one_way_delay,
                in_flight,
                next_departure,
                delivery,
                round_ended,
                recovering,
                window_limited,
                radio,
            }
        },
    )
}

fn signals() -> impl Strategy<Value = Signal> {
    prop::sample::select(vec![Signal::Loss, Signal::Mark, Signal::Nack, Signal::Timeout])
}

fn histories() -> impl Strategy<Value = Vec<(u64, Report)>> {
    let report = prop_oneof![
        8 => acknowledgements().prop_map(Report::Acknowledged),
        2 => (signals(), segments()).prop_map(|(signal, in_flight)| Report::Congested(signal, in_flight)),
        1 => Just(Report::Recovered),
    ];
    let step = prop_oneof![nanoseconds(), 0_u64..100_000_000];
    prop::collection::vec((step, report), 1..200)
}

fn starts() -> impl Strategy<Value = Start> {
    (1.0..100.0, 1.0..4.0, 1.0..4.0).prop_map(|(initial_window, minimum_window, restart_window)| {
        Start { initial_window, minimum_window, restart_window, initial_ssthresh: f64::INFINITY }
    })
}

/// Any controller as it comes, or with every flag on.
fn settings() -> impl Strategy<Value = Settings> {
    (prop::sample::select(DESCRIPTIONS), any::<bool>()).prop_map(|(description, every_flag)| {
        let mut settings = Settings::defaults(description);
        for parameter in description.parameters.iter().filter(|_| every_flag) {
            if let Kind::Flag { .. } = parameter.kind {
                settings.set(parameter.name, Value::Flag(true)).expect("it is a flag");
            }
        }
        settings
    })
}

fn window_stays_sound(
    settings: &Settings,
    start: Start,
    history: &[(u64, Report)],
) -> Result<(), TestCaseError> {
    let mut it = AnyController::new(start, settings);
    let floor = start.minimum_window.min(start.restart_window);
    let mut now = 0;
    for (step, report) in history {
        now += step;
        match report {
            Report::Acknowledged(acknowledgement) => {
                it.on_acknowledgement(&Acknowledgement { now, ..*acknowledgement });
            }
            Report::Congested(signal, in_flight) => {
                it.on_congestion(&Congestion { now, signal: *signal, in_flight: *in_flight });
            }
            Report::Recovered => it.on_recovered(now),
        }
        let (name, cwnd) = (settings.description().name, it.cwnd());
        prop_assert!(cwnd.is_finite() && cwnd >= floor, "{name}: a window of {cwnd}");
        prop_assert!(it.ssthresh() > 0.0, "{name}: a threshold of {}", it.ssthresh());
        if let Some(rate) = it.pacing_rate() {
            prop_assert!(rate.is_finite() && rate > 0.0, "{name}: a rate of {rate}");
        }
    }
    Ok(())
}

fn cases() -> impl Strategy<Value = (Settings, Start, Vec<(u64, Report)>)> {
    (settings(), starts(), histories())
}

#[test]
fn whatever_is_reported_to_a_controller_its_window_stays_sound() {
    super::drive(&cases(), 500, false, |(settings, start, history)| {
        window_stays_sound(&settings, start, &history)
    });
}

#[test]
#[ignore = "runs as long as WINDTUNNEL_FUZZ_SECONDS says"]
fn any_controller_for_long() {
    super::drive(&cases(), 2_000, true, |(settings, start, history)| {
        window_stays_sound(&settings, start, &history)
    });
}
