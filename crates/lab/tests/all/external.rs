//! Controllers that are written outside: what is made of them, and what becomes of a run
//! whose controller cannot go on.

use std::any::Any;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{FILE, assert_contains, changed};
use windtunnel_controllers::{
    Acknowledgement, AnyController, Congestion, Controller, DESCRIPTIONS, Description, External,
    Failed, Maker, Settings, Start, TransmissionStart, Window,
};
use windtunnel_lab::{Batch, Extensions, Outcome, ScenarioError, Study, tables};

const DESCRIPTION: Description = Description {
    name: "mine",
    title: "Mine",
    source: "this test",
    status: "an example",
    needs: &[],
    parameters: &[],
};

/// Does as a registered controller does, until it has heard of so much congestion.
#[derive(Debug)]
struct Mine {
    of: &'static str,
    gives_up_after: u32,
}

#[derive(Clone, Debug)]
struct Made {
    inner: AnyController,
    patience: u32,
}

impl Maker for Mine {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn make(&self, start: Start) -> Box<dyn External> {
        let of = DESCRIPTIONS.iter().find(|it| it.name == self.of).expect("it is registered");
        let inner = AnyController::new(start, &Settings::defaults(of));
        Box::new(Made { inner, patience: self.gives_up_after })
    }
}

impl Controller for Made {
    fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
        self.inner.on_acknowledgement(acknowledgement);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        if self.patience == 0 {
            resume_unwind(Box::new(Failed("mine gave up".to_owned())));
        }
        self.patience -= 1;
        self.inner.on_congestion(congestion);
    }

    fn on_transmission_start(&mut self, start: &TransmissionStart) {
        self.inner.on_transmission_start(start);
    }

    fn window(&self) -> &Window {
        self.inner.window()
    }

    fn window_mut(&mut self) -> &mut Window {
        self.inner.window_mut()
    }
}

impl External for Made {
    fn copy(&self) -> Box<dyn External> {
        Box::new(self.clone())
    }

    fn undo(&mut self, before: &dyn External) {
        let before = (before as &dyn Any).downcast_ref::<Self>();
        self.inner.on_spurious(&before.expect("one maker makes one type").inner);
    }

    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }
}

fn of(controller: Arc<dyn Maker>) -> Extensions {
    Extensions { controllers: vec![controller], ..Extensions::default() }
}

fn read(text: &str, gives_up_after: u32) -> Result<Study, ScenarioError> {
    let mine: Arc<dyn Maker> = Arc::new(Mine { of: "reno", gives_up_after });
    windtunnel_lab::read_with(FILE, text, &[], &of(mine))
}

/// Two connections over TCP, or two consumers, through links that lose packets.
fn scenario(controller: &str) -> String {
    let text = changed("controller = \"cubic\"", &format!("controller = \"{controller}\""));
    let flows = format!(
        "[flows]\nf = {{ from = \"a\", to = \"c\", controller = \"{controller}\" }}\n\
         [compare.loss]\nlow = {{}}\n\
         high = {{ \"links.second.loss\" = {{ probability = \"3 %\" }} }}\n"
    );
    text.replace("seed = 7", "seed = 7\nruns = 2") + &flows
}

fn run(text: &str, gives_up_after: u32, jobs: usize) -> (Study, Outcome) {
    Batch::start(read(text, gives_up_after).expect("it is valid"), jobs).finish()
}

#[test]
fn a_controller_from_outside_gives_what_the_same_gives_inside_on_any_threads() {
    let tables_of = |controller, jobs| {
        let (study, outcome) = run(&scenario(controller), u32::MAX, jobs);
        assert!(outcome.failures.is_empty() && outcome.runs.len() == 4);
        let mut tables = tables::all(&study, &outcome.runs);
        // The name is another one.
        tables.retain(|(name, _)| *name != "flows" && *name != "runs");
        (tables, outcome.runs.iter().map(|it| it.events).collect::<Vec<_>>())
    };
    let inside = tables_of("reno", 1);
    for jobs in [1, 4] {
        assert_eq!(tables_of("mine", jobs), inside);
    }
}

#[test]
fn where_runs_take_turns_each_with_it_is_simulated_within_one() {
    static TURNS: AtomicUsize = AtomicUsize::new(0);
    fn in_turns(run: &mut (dyn FnMut() + Send)) {
        TURNS.fetch_add(1, Ordering::Relaxed);
        run();
    }
    let compared = "[compare.controller]\nmine = { \"flows.f.controller\" = \"mine\" }\n\
                    reno = { \"flows.f.controller\" = \"reno\" }\n";
    let text = scenario("reno") + compared;
    let mine: Arc<dyn Maker> = Arc::new(Mine { of: "reno", gives_up_after: u32::MAX });
    let extensions = Extensions { in_turns: Some(in_turns), ..of(mine) };
    let study = windtunnel_lab::read_with(FILE, &text, &[], &extensions).expect("it is valid");
    let (study, outcome) = Batch::start(study, 3).finish();
    assert_eq!(TURNS.load(Ordering::Relaxed), 4, "of two controllers, two losses and two runs");
    let (_, without) = run(&text, u32::MAX, 3);
    assert_eq!(tables::all(&study, &outcome.runs), tables::all(&study, &without.runs));
}

#[test]
fn one_that_cannot_go_on_ends_its_run_and_no_other() {
    let compared = "[compare.controller]\nmine = { \"flows.f.controller\" = \"mine\" }\n\
                    reno = { \"flows.f.controller\" = \"reno\" }\n";
    let text = scenario("reno") + compared;
    for jobs in [1, 3] {
        let (study, outcome) = run(&text, 1, jobs);
        let failures = [
            "low, mine, run 0: mine gave up",
            "low, mine, run 1: mine gave up",
            "high, mine, run 0: mine gave up",
            "high, mine, run 1: mine gave up",
        ];
        assert_eq!(outcome.failures, failures);
        assert!(outcome.faults.is_empty() && outcome.unfinished == 0);
        let finished: Vec<&str> =
            outcome.runs.iter().map(|it| study.cases[it.case].names[1].as_str()).collect();
        assert_eq!(finished, ["reno"; 4]);
    }
}

#[test]
fn a_name_near_it_is_told_of_it_and_a_registered_name_is_taken() {
    let error = read(&scenario("mien"), 0).expect_err("nobody is called that");
    assert_contains(&error, &["there is no controller `mien`", "did you mean `mine`?"]);
    #[derive(Debug)]
    struct Taken;
    impl Maker for Taken {
        fn description(&self) -> &'static Description {
            DESCRIPTIONS[0]
        }
        fn make(&self, _: Start) -> Box<dyn External> {
            unreachable!("no scenario is read with it")
        }
    }
    let error = windtunnel_lab::read_with(FILE, &scenario("reno"), &[], &of(Arc::new(Taken)));
    let name = DESCRIPTIONS[0].name;
    let message = format!("there is a controller `{name}` already");
    assert_contains(&error.expect_err("the name is taken"), &[&message]);
}

#[test]
fn nothing_is_set_on_it_in_a_scenario() {
    let table = scenario("reno").replace(
        "to = \"c\", controller = \"reno\"",
        "to = \"c\", controller = { kind = \"mine\", beta = 0.5 }",
    );
    let error = read(&table, 0).expect_err("it has no parameters");
    assert_contains(&error, &["`mine` has no parameter `beta`"]);
}

#[test]
fn one_that_cannot_even_begin_ends_its_run() {
    #[derive(Debug)]
    struct Broken;
    impl Maker for Broken {
        fn description(&self) -> &'static Description {
            &DESCRIPTION
        }
        fn make(&self, _: Start) -> Box<dyn External> {
            resume_unwind(Box::new(Failed("no beginning".to_owned())))
        }
    }
    let read = |text: &str| windtunnel_lab::read_with(FILE, text, &[], &of(Arc::new(Broken)));
    // A consumer has its controller from the first moment, a connection when it opens.
    let flow = "[flows]\nf = { from = \"a\", to = \"c\", controller = \"mine\" }\n";
    for text in [changed("\"cubic\"", "\"mine\""), changed("\"cubic\"", "\"reno\"") + flow] {
        let (_, outcome) = Batch::start(read(&text).expect("it is valid"), 1).finish();
        assert_eq!(outcome.failures, ["no beginning"]);
    }
}
