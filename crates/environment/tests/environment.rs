//! A flow that is driven step by step: it is the run that it would be at once, and hears
//! what its sender hears.

use windtunnel_engine::Duration;
use windtunnel_environment::{Agents, Answer, Driver, Environment, Environments, Signals};
use windtunnel_lab::{Batch, ScenarioError, Study, tables};

const FILE: &str = "folder/scenario.toml";
const SEED: u64 = 7;

/// A consumer behind two links.
const CONSUMER: &str = r#"duration = "2 s"
seed = 7
nodes = { a = {}, b = {}, c = {} }
[links]
first = { nodes = ["a", "b"], rate = "10 Mbps", delay = "1 ms" }
second = { nodes = ["b", "c"], rate = "5 Mbps", delay = "2 ms" }
[producers.video]
node = "c"
prefix = "/video"
[consumers.viewer]
node = "a"
prefix = "/video"
controller = "cubic"
"#;

/// What the user sees has all of this in it.
#[track_caller]
fn assert_contains(error: &ScenarioError, expected: &[&str]) {
    let text = error.to_string();
    for part in expected {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}

fn study(text: &str) -> Study {
    windtunnel_lab::read(FILE, text, &[]).expect("it is valid")
}

/// One flow over TCP, over a link that loses packets, and one that does not.
fn scenario(controller: &str) -> String {
    format!(
        "duration = \"5 s\"\nrecording.interval = \"100 ms\"\nseed = {SEED}\nnodes = {{ a = {{}}, b = {{}} }}\n\
         [links.path]\nnodes = [\"a\", \"b\"]\nrate = \"10 Mbps\"\ndelay = \"10 ms\"\n\
         queue = {{ kind = \"drop-tail\", limit = \"60 packets\" }}\n\
         [flows]\nf = {{ from = \"a\", to = \"b\", controller = {controller} }}\n\
         [compare.loss]\nnone = {{}}\n\
         some = {{ \"links.path.loss\" = {{ probability = \"1 %\" }} }}\n"
    )
}

fn environments(text: &str, interval_ms: u64, count: usize, threads: usize) -> Environments {
    let interval = Duration::from_millis(interval_ms);
    Environments::new(study(text), Agents::Only, interval, count, threads).expect("it has one flow")
}

fn answer(cwnd: f64) -> Answer {
    Answer { cwnd, pacing_rate: None }
}

/// Steps the only flow of an environment.
fn step(one: &mut Environment, answer: Answer) -> Result<Signals, String> {
    one.step(&[Some(answer)]).map(|signals| signals[0])
}

/// The signals of an episode, step by step.
fn episode(text: &str, interval_ms: u64, case: usize, driver: Driver, cwnd: f64) -> Vec<Signals> {
    let mut environments = environments(text, interval_ms, 1, 1);
    environments.reset(0, case, SEED, driver).expect("it begins");
    let one = environments.one(0);
    let mut all = Vec::new();
    while !one.is_over() {
        all.push(step(one, answer(cwnd)).expect("it goes on"));
    }
    all
}

fn delivered(signals: &[Signals]) -> f64 {
    signals.iter().map(|it| it.delivered).sum()
}

/// As text, for what is not known is not equal to itself.
fn text_of(signals: &[Signals]) -> String {
    format!("{signals:?}")
}

#[test]
fn a_flow_left_to_its_own_controller_is_the_run_whatever_the_steps() {
    let text = scenario("\"cubic\"");
    let (read, outcome) = Batch::start(study(&text), 1).finish();
    let runs = tables::all(&read, &outcome.runs);
    let series = &runs.iter().find(|(name, _)| *name == "flow_series").expect("it is there").1;
    for case in [0, 1] {
        let at_once = episode(&text, 5_000, case, Driver::Own, 1.0);
        for interval_ms in [10, 37, 100] {
            let steps = episode(&text, interval_ms, case, Driver::Own, 1.0);
            assert_eq!(steps.len() as u64, 5_000_u64.div_ceil(interval_ms));
            assert!((delivered(&steps) - delivered(&at_once)).abs() < 1e-6);
            let last = steps.last().expect("there are steps");
            assert_eq!((last.time_s, last.cwnd), (5.0, at_once[0].cwnd));
        }
        // Steps of the samples' interval end where these were taken.
        let windows = series.column_by_name("cwnd_segments").expect("a column");
        let windows = windows.as_any().downcast_ref::<arrow_array::Float64Array>();
        let sampled = windows.expect("numbers").slice(case * 50, 50);
        let stepped = episode(&text, 100, case, Driver::Own, 1.0);
        for (stepped, sampled) in stepped.iter().zip(sampled.iter()) {
            assert_eq!(Some(stepped.cwnd), sampled);
        }
    }
}

#[test]
fn an_agent_that_never_moves_is_a_fixed_window() {
    let fixed = scenario("{ kind = \"fixed\", window = 12 }");
    let own = episode(&fixed, 50, 0, Driver::Own, 1.0);
    let driven = episode(&scenario("\"cubic\""), 50, 0, Driver::Agent, 12.0);
    assert_eq!(text_of(&own), text_of(&driven));
    assert!(driven.iter().skip(2).all(|it| it.cwnd == 12.0 && it.in_flight <= 12.0));
}

#[test]
fn a_window_holds_what_it_says_while_losses_are_repaired() {
    let steps = episode(&scenario("\"cubic\""), 20, 1, Driver::Agent, 20.0);
    assert!(steps.iter().map(|it| it.lost).sum::<f64>() > 5.0);
    assert!(steps.iter().map(|it| it.congestions).sum::<f64>() > 5.0);
    assert!(steps.iter().skip(5).all(|it| it.cwnd == 20.0));
}

#[test]
fn a_pacing_rate_is_kept() {
    let mut environments = environments(&scenario("\"cubic\""), 100, 1, 1);
    environments.reset(0, 0, SEED, Driver::Agent).expect("it begins");
    let one = environments.one(0);
    // 200 segments a second: 20 in each step, of the 86 that the link could carry.
    let paced = Answer { cwnd: 1000.0, pacing_rate: Some(200.0) };
    let steps: Vec<f64> =
        (0..50).map(|_| step(one, paced).expect("it goes on").delivered).collect();
    assert!(steps[5..].iter().all(|it| (19.0..=21.0).contains(it)), "{steps:?}");
}

#[test]
fn several_on_threads_are_each_what_it_would_be_alone() {
    let text = scenario("\"cubic\"");
    let windows = [3.0, 5.0, 8.0, 13.0, 21.0, 34.0, 55.0];
    for threads in [1, 2, 5] {
        let mut environments = environments(&text, 50, windows.len(), threads);
        for place in 0..windows.len() {
            let seed = SEED + place as u64;
            environments.reset(place, 1, seed, Driver::Agent).expect("it begins");
        }
        // The last is left where it is.
        let mut answers = windows.map(|it| Some(answer(it)));
        answers[6] = None;
        let mut together = vec![Vec::new(); windows.len()];
        for _ in 0..40 {
            let signals = environments.step(&answers).expect("they go on");
            for (all, it) in together.iter_mut().zip(signals) {
                all.extend(it.into_iter().flatten());
            }
        }
        assert!(together[6].is_empty());
        for (place, together) in together.iter().enumerate().take(6) {
            let mut environments = self::environments(&text, 50, 1, 1);
            environments.reset(0, 1, SEED + place as u64, Driver::Agent).expect("it begins");
            let one = environments.one(0);
            let alone: Vec<Signals> =
                (0..40).map(|_| step(one, answer(windows[place])).expect("it goes on")).collect();
            assert_eq!(text_of(together), text_of(&alone));
        }
    }
}

#[test]
fn a_seed_repeats_an_episode_and_another_one_does_not() {
    let mut environments = environments(&scenario("\"cubic\""), 50, 1, 1);
    let mut of = |seed| {
        environments.reset(0, 1, seed, Driver::Agent).expect("it begins");
        let one = environments.one(0);
        let steps: Vec<_> = (0..60).map(|_| step(one, answer(30.0)).expect("it goes on")).collect();
        text_of(&steps)
    };
    let first = of(1);
    assert_ne!(of(2), first);
    assert_eq!(of(1), first);
}

#[test]
fn a_consumer_of_ndn_is_driven_as_a_connection_is() {
    let fixed = CONSUMER.replace("\"cubic\"", "{ kind = \"fixed\", window = 4 }");
    // What it asks for first, before it hears anything, is the scenario's to say.
    let text = CONSUMER.replace("\"cubic\"", "\"cubic\"\nwindow.initial = \"4 segments\"");
    let driven = episode(&text, 100, 0, Driver::Agent, 4.0);
    assert_eq!(driven.len(), 20);
    assert!(driven.iter().skip(1).all(|it| it.delivered > 0.0));
    assert_eq!(text_of(&episode(&fixed, 100, 0, Driver::Own, 1.0)), text_of(&driven));
}

#[test]
fn a_file_that_is_received_is_finished() {
    let text = scenario("\"cubic\"").replace(
        "controller = \"cubic\"",
        "controller = \"cubic\", workload = { kind = \"file\", size = \"200 kB\" }",
    );
    let steps = episode(&text, 50, 0, Driver::Agent, 20.0);
    let finished = steps.iter().position(|it| it.finished > 0.0).expect("it has time enough");
    // 200 kB at 10 Mbps.
    assert!(steps[finished].time_s >= 0.16);
    assert!(steps[finished + 2..].iter().all(|it| it.finished > 0.0 && it.delivered == 0.0));
}

#[test]
fn what_cannot_be_driven_is_refused() {
    let refused = |text: &str, flow: Option<&str>, interval_ms| {
        let interval = Duration::from_millis(interval_ms);
        let named = flow.map(|it| [it.to_owned()]);
        let agents = named.as_ref().map_or(Agents::Only, |it| Agents::Of(it));
        let error = Environments::new(study(text), agents, interval, 1, 1);
        error.expect_err("it cannot be driven")
    };
    let text = scenario("\"cubic\"");
    let error = refused(&text, Some("g"), 10);
    assert_contains(&error, &["there is no flow `g`", "in the case none", "`f`"]);
    assert_contains(&refused(&text, None, 0), &["the step must be greater than zero"]);
    let two = text
        .replace("[compare", "g = { from = \"a\", to = \"b\", controller = \"reno\" }\n[compare");
    assert_contains(&refused(&two, None, 10), &["several flows", "`f`, `g`"]);
    let udp = text.replace("controller = \"cubic\"", "protocol = \"udp\", rate = \"1 Mbps\"");
    assert_contains(&refused(&udp, None, 10), &["no flow with a controller"]);
}

#[test]
fn an_answer_that_is_none_is_refused_and_the_episode_goes_on() {
    let mut environments = environments(&scenario("\"cubic\""), 50, 1, 1);
    let one = environments.one(0);
    assert!(step(one, answer(10.0)).expect_err("nothing has begun").contains("reset first"));
    environments.reset(0, 0, SEED, Driver::Agent).expect("it begins");
    let one = environments.one(0);
    let rate = |rate| Answer { cwnd: 10.0, pacing_rate: Some(rate) };
    for wrong in [answer(f64::NAN), answer(f64::INFINITY), rate(0.0), rate(f64::NAN)] {
        assert!(step(one, wrong).expect_err("it is no answer").contains("finite window"));
    }
    assert!(step(one, answer(10.0)).is_ok());
}

/// Two flows over one link.
fn two() -> String {
    scenario("\"cubic\"")
        .replace("[compare", "g = { from = \"a\", to = \"b\", controller = \"reno\" }\n[compare")
}

/// An episode of all flows, each with a window of its own.
fn episode_of_all(text: &str, seed: u64, windows: [f64; 2]) -> Vec<Vec<Signals>> {
    let interval = Duration::from_millis(50);
    let mut all = Environments::new(study(text), Agents::All, interval, 1, 1).expect("valid");
    all.reset(0, 1, seed, Driver::Agent).expect("it begins");
    let one = all.one(0);
    let answers = windows.map(|it| Some(answer(it)));
    let steps =
        std::iter::from_fn(|| (!one.is_over()).then(|| one.step(&answers).expect("it goes on")));
    steps.collect()
}

fn delivered_by(steps: &[Vec<Signals>], flow: usize) -> f64 {
    steps.iter().map(|it| it[flow].delivered).sum()
}

#[test]
fn agents_of_one_run_share_its_link() {
    let run = |windows| episode_of_all(&two(), SEED, windows);
    let [even, uneven] = [run([30.0, 30.0]), run([60.0, 20.0])];
    let share = |it: &[Vec<Signals>]| delivered_by(it, 0) / delivered_by(it, 1);
    assert!((share(&even) - 1.0).abs() < 0.1, "{}", share(&even));
    assert!((share(&uneven) - 3.0).abs() < 0.6, "{}", share(&uneven));
    assert_eq!(format!("{:?}", run([60.0, 20.0])), format!("{uneven:?}"));
    let other = episode_of_all(&two(), SEED + 1, [60.0, 20.0]);
    assert_ne!(format!("{other:?}"), format!("{uneven:?}"));
}

#[test]
fn an_agent_among_flows_with_their_own_controllers_is_one_of_all() {
    let interval = Duration::from_millis(50);
    let names = ["g".to_owned()];
    let mut one = Environments::new(study(&two()), Agents::Of(&names), interval, 1, 1).unwrap();
    assert_eq!((one.agents(), one.one(0).names()), (1, vec!["g"]));
    let mut all = Environments::new(study(&two()), Agents::All, interval, 1, 1).unwrap();
    assert_eq!((all.agents(), all.one(0).names()), (2, vec!["f", "g"]));
    one.reset(0, 1, SEED, Driver::Own).unwrap();
    all.reset(0, 1, SEED, Driver::Own).unwrap();
    // Left to their own controllers, they are the same run.
    for _ in 0..40 {
        let [one, all] = [&mut one, &mut all].map(|it| {
            let answers = vec![Some(answer(1.0)); it.agents()];
            it.step(&answers).unwrap().remove(0).unwrap()
        });
        assert_eq!(text_of(&one), text_of(&all[1..]));
    }
}

#[test]
fn a_flow_has_one_agent() {
    let refused = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|it| (*it).to_owned()).collect();
        let interval = Duration::from_millis(50);
        let error = Environments::new(study(&two()), Agents::Of(&names), interval, 1, 1);
        error.expect_err("it cannot be driven")
    };
    assert_contains(&refused(&["f", "f"]), &["flow `f` is named twice"]);
    assert_contains(&refused(&[]), &["no flow is named"]);
    assert_contains(&refused(&["f", "h"]), &["there is no flow `h`"]);
}
