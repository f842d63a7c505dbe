//! Episodes of flows that start later: each is what it would be if it were simulated from time
//! zero, whether it is or goes on from a copy.

use std::sync::Arc;

use proptest::prelude::*;
use windtunnel_engine::Duration;
use windtunnel_environment::{Agents, Answer, Driver, Environments, Signals, VideoEnvironment};

const STEP_MS: u64 = 20;
/// Between the start of the agent's flow and the end.
const STEPS: usize = 20;
/// The window of what never moves: the initial one.
const INITIAL: f64 = 10.0;

/// A network with flows before that of the agent, `late`.
#[derive(Clone, Debug)]
struct Scene {
    is_ndn: bool,
    start_steps: u64,
    within_ms: u64,
    rate_mbps: u64,
    delay_ms: u64,
    loss_percent: f64,
    queue: &'static str,
    change_ms: u64,
}

fn any_scene() -> impl Strategy<Value = Scene> {
    let queue = prop::sample::select(vec!["drop-tail", "red", "codel", "pie", "fq-codel"]);
    let paths = (any::<bool>(), 1..40_u64, 0..60_u64);
    let link = (2..30_u64, 1..30_u64, 0.0..3.0_f64, queue, 1..1_000_u64);
    (paths, link).prop_map(|((is_ndn, start_steps, within_ms), link)| {
        let (rate_mbps, delay_ms, loss_percent, queue, change_ms) = link;
        Scene {
            is_ndn,
            start_steps,
            within_ms,
            rate_mbps,
            delay_ms,
            loss_percent,
            queue,
            change_ms,
        }
    })
}

impl Scene {
    /// With those controllers of the flows that are there before, and of the agent's.
    fn text(&self, early: &str, late: &str) -> String {
        let start_ms = STEP_MS * self.start_steps;
        let duration_ms = start_ms + STEP_MS * STEPS as u64;
        let Self { within_ms, rate_mbps, delay_ms, loss_percent, queue, change_ms, .. } = self;
        let start = format!("start = \"{start_ms} ms\", start_within = \"{within_ms} ms\"");
        let late = if self.is_ndn {
            format!(
                "producers.video = {{ node = \"b\", prefix = \"/video\" }}\nconsumers.late = {{ \
                 node = \"a\", prefix = \"/video\", controller = {late}, window.initial = \"10 segments\", {start} }}\n"
            )
        } else {
            format!("flows.late = {{ from = \"a\", to = \"b\", controller = {late}, {start} }}\n")
        };
        format!(
            "duration = \"{duration_ms} ms\"\nseed = 7\n\
             nodes.a = {{}}\nnodes.b = {{}}\n\
             [links.path]\nnodes = [\"a\", \"b\"]\nrate = \"{rate_mbps} Mbps\"\n\
             delay = \"{delay_ms} ms\"\nloss = {{ probability = \"{loss_percent} %\" }}\n\
             queue = {{ kind = \"{queue}\", limit = \"60 packets\" }}\n\
             changes = [{{ at = \"{change_ms} ms\", rate = \"3 Mbps\" }}]\n\
             [flows.early]\nfrom = \"a\"\nto = \"b\"\ncontroller = {early}\n\
             [flows.datagrams]\nfrom = \"b\"\nto = \"a\"\nprotocol = \"udp\"\nrate = \"1 Mbps\"\n"
        )
        .replacen("[links", &format!("{late}[links"), 1)
    }
}

fn any_answers() -> impl Strategy<Value = Vec<Answer>> {
    let rate = prop::option::of(10.0..5_000.0_f64);
    let answer = (1.0..80.0_f64, rate);
    let answer = answer.prop_map(|(cwnd, pacing_rate)| Answer { cwnd, pacing_rate });
    prop::collection::vec(answer, STEPS)
}

fn environments(text: &str, agents: &[&str], count: usize) -> Environments {
    let names: Vec<String> = agents.iter().map(|it| (*it).to_owned()).collect();
    let study = windtunnel_lab::read("scenario.toml", text, &[]).expect("it is valid");
    let interval = Duration::from_millis(STEP_MS);
    Environments::new(study, Agents::Of(&names), interval, count, 1).expect("it has these flows")
}

/// The episode of the flow `late` in one of them, which has begun.
fn played(all: &mut Environments, place: usize, answers: &[Answer]) -> Vec<Signals> {
    let one = all.one(place);
    let step = |it: &Answer| one.step(&[Some(*it)]).expect("it goes on")[0];
    answers.iter().map(step).collect()
}

/// The same where what is early has an agent too, which never moves: its episode begins at time
/// zero. What is answered last before the start is in force at the start.
fn from_zero(scene: &Scene, seed: u64, answers: &[Answer]) -> Vec<Signals> {
    let mut all = environments(&scene.text("\"cubic\"", "\"cubic\""), &["early", "late"], 1);
    let begun = all.reset(0, 0, seed, Driver::Agent).expect("it begins");
    assert_eq!(begun[1].time_s, 0.0);
    let still = Some(Answer { cwnd: INITIAL, pacing_rate: None });
    for _ in 1..scene.start_steps {
        all.one(0).step(&[still, None]).expect("it goes on");
    }
    all.one(0).step(&[still, Some(answers[0])]).expect("it goes on");
    let step = |it: &Answer| all.one(0).step(&[still, Some(*it)]).expect("it goes on")[1];
    answers.iter().map(step).collect()
}

/// As text, for what is not known is not equal to itself.
fn text_of(signals: &[Signals]) -> String {
    format!("{signals:?}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn an_episode_is_the_end_of_a_run_from_time_zero(
        scene in any_scene(),
        seed in any::<u64>(),
        answers in any_answers(),
    ) {
        let fixed = "{ kind = \"fixed\", window = 10 }";
        let mut all = environments(&scene.text(fixed, "\"cubic\""), &["late"], 1);
        let begun = all.reset(0, 0, seed, Driver::Agent).expect("it begins");
        prop_assert_eq!(begun[0].time_s, (STEP_MS * scene.start_steps) as f64 / 1e3);
        let simulated = text_of(&played(&mut all, 0, &answers));
        prop_assert!(all.one(0).is_over());
        prop_assert_eq!(&simulated, &text_of(&from_zero(&scene, seed, &answers)));
    }

    #[test]
    fn an_episode_is_the_same_from_a_copy(
        scene in any_scene(),
        seeds in [any::<u64>(), any::<u64>()],
        answers in [any_answers(), any_answers()],
        own in any::<bool>(),
    ) {
        let text = scene.text("\"bbr3\"", "\"vegas\"");
        let driver = if own { Driver::Own } else { Driver::Agent };
        let anew = |seed, answers: &[Answer]| {
            let mut all = environments(&text, &["late"], 1);
            let begun = all.reset(0, 0, seed, driver).expect("it begins");
            text_of(&[begun, played(&mut all, 0, answers)].concat())
        };
        // Three go on from one world, of which the first is left and begun again.
        let mut all = environments(&text, &["late"], 3);
        let mut begin = |place| all.reset(place, 0, seeds[0], driver).expect("it begins");
        let begun = [0, 1, 2].map(&mut begin);
        let part = played(&mut all, 0, &answers[1][..7]);
        let second = played(&mut all, 1, &answers[1]);
        let again = all.reset(0, 0, seeds[0], driver).expect("it begins");
        let first = played(&mut all, 0, &answers[0]);
        let third = played(&mut all, 2, &answers[0]);
        let [one, other] = [&answers[0], &answers[1]].map(|it| anew(seeds[0], it));
        prop_assert_eq!(text_of(&[again, first].concat()), &*one);
        prop_assert_eq!(text_of(&[begun[2].clone(), third].concat()), &*one);
        prop_assert_eq!(text_of(&[begun[1].clone(), second.clone()].concat()), &*other);
        prop_assert_eq!(text_of(&part), text_of(&second[..7]));
        // Another seed is another episode.
        let begun = all.reset(0, 0, seeds[1], driver).expect("it begins");
        let played = played(&mut all, 0, &answers[0]);
        prop_assert_eq!(text_of(&[begun, played].concat()), anew(seeds[1], &answers[0]));
    }
}

/// Two flows over satellites, over which routes change.
const SATELLITES: &str = r#"duration = "2 s"
routing = { interval = "100 ms", spread = "50 ms" }
[nodes]
oslo = { place = "Oslo" }
cairo = { place = "Cairo" }
[constellations.s]
planes = 12
satellites_per_plane = 12
altitude = "1500 km"
inclination = "70°"
inter_satellite_links = { rate = "10 Mbps" }
ground_links = { rate = "5 Mbps", minimum_elevation = "10°" }
[flows.early]
from = "oslo"
to = "cairo"
controller = "cubic"
[flows.late]
from = "cairo"
to = "oslo"
controller = "cubic"
start = "1500 ms"
"#;

#[test]
fn an_episode_over_satellites_is_the_same_from_a_copy() {
    let answers = [40.0, 3.0].map(|cwnd| vec![Answer { cwnd, pacing_rate: None }; STEPS]);
    let mut all = environments(SATELLITES, &["late"], 2);
    let mut play = |place, answers: &[Answer]| {
        let begun = all.reset(place, 0, 3, Driver::Agent).expect("it begins");
        assert_eq!(begun[0].time_s, 1.5);
        text_of(&played(&mut all, place, answers))
    };
    let first = play(0, &answers[0]);
    assert_ne!(play(1, &answers[1]), first);
    assert_eq!(play(0, &answers[0]), first);
    assert_eq!(play(1, &answers[0]), first);
}

/// A video that is requested while a download has the link.
const VIDEO: &str = r#"duration = "60 s"
nodes = { a = {}, b = {} }
links.path = { nodes = ["a", "b"], rate = "4 Mbps", delay = "20 ms", loss = { probability = "1 %" } }
flows.download = { from = "a", to = "b", controller = "cubic" }
[flows.stream]
from = "a"
to = "b"
controller = "cubic"
start = "3 s"
[flows.stream.workload]
kind = "adaptive-video"
levels = ["500 kbps", "1 Mbps", "2 Mbps"]
segment = "2 s"
duration = "20 s"
rule = "bola"
"#;

#[test]
fn a_video_is_the_same_from_a_copy() {
    let study = windtunnel_lab::read("scenario.toml", VIDEO, &[]).expect("it is valid");
    let new = || VideoEnvironment::new(Arc::new(study.clone()), None).expect("it has a video");
    let play = |one: &mut VideoEnvironment, driver, levels: &[usize]| {
        let mut all = vec![one.reset(0, 5, driver).expect("it begins")];
        let mut levels = levels.iter().cycle();
        while !one.is_over() {
            all.push(one.step(*levels.next().expect("for ever")).expect("it goes on"));
        }
        format!("{all:?}")
    };
    let mut one = new();
    for (driver, levels) in [
        (Driver::Agent, &[0, 1, 2]),
        (Driver::Agent, &[2, 2, 2]),
        (Driver::Own, &[0, 0, 0]),
        (Driver::Own, &[0, 0, 0]),
        (Driver::Agent, &[0, 1, 2]),
    ] {
        assert_eq!(play(&mut one, driver, levels), play(&mut new(), driver, levels));
    }
    // One that is left does not go on.
    one.reset(0, 5, Driver::Agent).expect("it begins");
    one.step(1).expect("it goes on");
    assert_eq!(play(&mut one, Driver::Agent, &[2, 1]), play(&mut new(), Driver::Agent, &[2, 1]));
}
