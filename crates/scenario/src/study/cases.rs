//! From a file's text to the cases that it compares, each a checked plan.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use indexmap::IndexSet;
use toml_edit::{DocumentMut, Key};
use windtunnel_packets::ndn::PacketFormat;
use windtunnel_world::{ConsumerPlan, Plan, RecordingPlan};

use crate::network::layers::LayerKind;
use crate::network::links::loss_note;
use crate::reading::error::{Mistake, ScenarioError};
use crate::reading::extensions::{Extensions, InTurns};
use crate::reading::files::{Files, Unreadable};
use crate::reading::tree::{self, Entry, Node};
use crate::study::beginning::beginning;
use crate::study::build;
use crate::study::comparison::{self, Assignment, Chosen};
use crate::study::scenario::{expanded, outline, parse};
use crate::study::settings;
use crate::study::trace::{self, Origin};

/// The largest scenario file that is read.
const MOST_BYTES: usize = 16 << 20;

/// One combination of what a scenario compares.
#[derive(Clone, Debug)]
pub struct Case {
    /// For each axis of the comparison, the case's name on it.
    pub names: Vec<String>,
    /// The plan of run 0; the others differ in their run number alone, unless each sets values of
    /// its own.
    pub plan: Arc<Plan>,
    /// The plans of the runs from 1 on that set values of their own; empty if none does.
    later: Vec<Arc<Plan>>,
    /// As text, the prefix that each consumer asks for.
    pub prefixes: Vec<String>,
    /// What was decided that the user should know.
    pub notes: Vec<String>,
    /// What of each file of a topology is used, and what is not.
    pub imports: Vec<String>,
    /// The first case of the study that differs from this one in nothing but its names, if there
    /// is an earlier one.
    pub same_as: Option<usize>,
    /// What decides how its worlds begin. Of two cases with the same one, the plans are the same
    /// but for changes of links, and controllers, starts and stops of flows, in all but the first
    /// tenth of the run. None where that is not known: runs set values of their own, or nothing
    /// changes and starts at a time that is given.
    pub beginning: Option<Arc<str>>,
}

impl Case {
    /// The plan of a run. That of run 0 is not copied: it may have a million flows.
    #[must_use]
    pub fn of_run(&self, number: usize) -> Arc<Plan> {
        let place = number % (1 + self.later.len());
        let plan = place.checked_sub(1).map_or(&self.plan, |place| &self.later[place]);
        let run = number as u64;
        if plan.run == run { Arc::clone(plan) } else { Plan { run, ..Plan::clone(plan) }.into() }
    }

    /// The same under the names of another combination; it is the study's case `place`.
    fn renamed(&self, combination: &[Chosen<'_>], place: usize) -> Self {
        Self { names: names(combination), same_as: Some(place), ..self.clone() }
    }
}

/// For each axis, the chosen case's name.
fn names(combination: &[Chosen<'_>]) -> Vec<String> {
    combination.iter().map(|it| it.name.to_owned()).collect()
}

/// A scenario, read and checked.
#[derive(Clone, Debug)]
pub struct Study {
    /// The file that it was read from, as it was named.
    pub file: String,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// The axes of its comparison.
    pub axes: Vec<String>,
    /// All combinations, in the file's order.
    pub cases: Vec<Case>,
    /// How often each is run.
    pub runs: u32,
    /// The seed of all random streams.
    pub seed: u64,
    /// The most real time that one run may take.
    pub real_time_limit: Option<std::time::Duration>,
    /// The text as run, with what was set from outside.
    pub text: Arc<str>,
    /// The files beside it that it names: each one's name there, and its text.
    pub files: Vec<(String, Arc<str>)>,
    /// The kinds of network layers that it may have beside IP and NDN.
    pub layers: Vec<Arc<dyn LayerKind>>,
    /// As [`Extensions::in_turns`].
    pub in_turns: Option<InTurns>,
}

/// What a scenario may name that is not in its own text.
pub struct Outside<'a> {
    /// What is written outside these crates.
    pub extensions: &'a Extensions,
    /// Gives the text of a file by the name that the scenario has for it.
    pub files: &'a mut dyn FnMut(&str) -> Result<String, Unreadable>,
}

impl fmt::Debug for Outside<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Outside")
            .field("extensions", &self.extensions)
            .finish_non_exhaustive()
    }
}

impl Study {
    /// Reads a scenario's text. `settings` are paths with values that replace
    /// what the file says, such as `("links.access.rate", "50 Mbps")`; `file` is
    /// the name that errors give.
    ///
    /// # Errors
    /// [`ScenarioError`] says what is wrong, where, and what would be right.
    pub fn read(
        file: &str,
        text: &str,
        settings: &[(String, String)],
        outside: Outside<'_>,
    ) -> Result<Self, ScenarioError> {
        let Outside { extensions, files } = outside;
        extensions.check().map_err(|it| it.locate(file, "", None))?;
        let (given, tree) = Given::new(file, text, settings)?;
        let refuse = |it| given.refuse(it, None);
        let scenario = outline(tree, &extensions.layers).map_err(refuse)?;
        let axes = comparison::axes(&scenario).map_err(refuse)?;
        comparison::check_runs(&scenario, &axes).map_err(refuse)?;
        let mut files = Files::new(files);
        let combinations = comparison::combinations(&axes);
        let mut each_run = comparison::each_run(&scenario);
        each_run.truncate(scenario.runs.value as usize);
        let mut cases: Vec<Case> = Vec::with_capacity(combinations.len());
        let mut first_with = HashMap::new();
        for combination in &combinations {
            let stated = given.stated(combination, &[])?;
            let first = *first_with.entry(Arc::clone(&stated.text)).or_insert(cases.len());
            cases.push(match cases.get(first) {
                Some(same) => same.renamed(combination, first),
                None => given.case(combination, stated, &each_run, &mut files, extensions)?,
            });
        }
        let limit = scenario.real_time_limit.map(|it| it.0.as_nanos());
        Ok(Self {
            file: file.to_owned(),
            title: scenario.title,
            axes: axes.into_iter().map(|it| it.name).collect(),
            cases,
            runs: scenario.runs.value,
            seed: scenario.seed,
            real_time_limit: limit.map(std::time::Duration::from_nanos),
            text: given.text,
            files: files.into_texts(),
            layers: extensions.layers.clone(),
            in_turns: extensions.in_turns,
        })
    }

    /// The study, if something is simulated in each of its cases. Where real packets cross its
    /// network, nothing needs to be.
    ///
    /// # Errors
    /// [`ScenarioError`] of the first case without flows, consumers, sessions and layers of nodes.
    pub fn if_busy(self) -> Result<Self, ScenarioError> {
        let is_idle = |it: &&Case| {
            it.plan.flows.is_empty()
                && it.plan.consumers.is_empty()
                && it.plan.sessions.is_empty()
                && it.plan.nodes.iter().all(|it| it.layers.is_empty())
        };
        let Some(idle) = self.cases.iter().find(is_idle) else { return Ok(self) };
        let case = (!idle.names.is_empty()).then(|| idle.names.join(", "));
        let help = "write a table such as [flows.f1] for TCP or UDP, or [consumers.c1] for NDN; \
            `windtunnel emulate` needs none";
        let mistake = Mistake::new("the scenario has no flows and no consumers").help(help);
        Err(mistake.locate(&self.file, &self.text, case))
    }

    /// The points of a study as cases of one, so that they run together: each is a
    /// scenario with one case and one run, and has a name on the axis `key`. The limit of
    /// real time is the first one's.
    #[must_use]
    pub fn of_points(points: Vec<(String, Self)>) -> Self {
        let mut all = Self {
            file: String::new(),
            title: None,
            axes: vec!["key".into()],
            cases: Vec::with_capacity(points.len()),
            runs: 1,
            seed: 0,
            real_time_limit: points.first().and_then(|(_, it)| it.real_time_limit),
            text: Arc::default(),
            files: Vec::new(),
            layers: points.first().map(|(_, it)| it.layers.clone()).unwrap_or_default(),
            in_turns: points.iter().find_map(|(_, it)| it.in_turns),
        };
        for (key, point) in points {
            let case = point.cases.into_iter().next();
            all.cases.extend(case.map(|mut case| {
                // Of a point only totals are kept.
                Arc::make_mut(&mut case.plan).recording = RecordingPlan::default();
                Case { names: vec![key], ..case }
            }));
        }
        all
    }

    /// What was decided in any case that the user should know.
    #[must_use]
    pub fn notes(&self) -> Vec<&str> {
        once(self.cases.iter().flat_map(|it| &it.notes))
    }

    /// What of each file of a topology is used in any case, and what is not.
    #[must_use]
    pub fn imports(&self) -> Vec<&str> {
        once(self.cases.iter().flat_map(|it| &it.imports))
    }

    /// The text as run, with plain nodes, links, producers, consumers and flows in place of
    /// tables that stand for many. It makes the same plans; a comparison that sets such a table is
    /// left out.
    ///
    /// # Errors
    /// [`ScenarioError`] if the text is complete only with what a comparison sets.
    pub fn expanded(&self) -> Result<String, ScenarioError> {
        let texts = &self.files;
        let mut text_of = |name: &str| {
            let text = texts.iter().find(|it| it.0 == name).map(|it| it.1.to_string());
            text.ok_or_else(|| Unreadable { why: "not read".into(), help: "name it".into() })
        };
        let text = expanded(&self.text, &mut Files::new(&mut text_of));
        text.map_err(|it| it.locate(&self.file, &self.text, None))
    }

    /// How many runs there are in all.
    #[must_use]
    pub fn total_runs(&self) -> usize {
        self.cases.len() * self.runs as usize
    }

    /// How much time is simulated, in seconds, over all runs.
    #[must_use]
    pub fn total_simulated_s(&self) -> f64 {
        let all: f64 = self.cases.iter().map(|case| case.plan.duration.as_seconds()).sum();
        all * f64::from(self.runs)
    }
}

/// A scenario's text with what is set from outside.
struct Given<'a> {
    file: &'a str,
    /// The text before anything is set.
    original: &'a str,
    text: Arc<str>,
    /// The same, so that values can be set in it: made only if there are some, since it takes many
    /// times the memory of the text.
    document: OnceCell<Result<DocumentMut, Mistake>>,
    /// What is set.
    set: Vec<(Vec<Key>, Origin)>,
    /// What of that the user should know.
    notes: Vec<String>,
}

impl<'a> Given<'a> {
    /// With the text as a tree.
    fn new(
        file: &'a str,
        original: &'a str,
        settings: &[(String, String)],
    ) -> Result<(Self, Node), ScenarioError> {
        check_size(original).map_err(|it| it.locate(file, "", None))?;
        let refuse = |it: Mistake| it.locate(file, original, None);
        let tree = tree::parse(original).map_err(refuse)?;
        check_kind(&tree).map_err(refuse)?;
        let (set, notes) = (Vec::new(), Vec::new());
        let document = OnceCell::new();
        let mut given = Self { file, original, text: original.into(), document, set, notes };
        if settings.is_empty() {
            return Ok((given, tree));
        }
        drop(tree);
        given.set_from_outside(settings)?;
        let tree = tree::parse(&given.text).map_err(|it| given.refuse(it, None))?;
        Ok((given, tree))
    }

    /// Sets values at paths.
    fn set_from_outside(&mut self, settings: &[(String, String)]) -> Result<(), ScenarioError> {
        let refuse = |it: Mistake| it.locate(self.file, self.original, None);
        let mut document = settings::parse(self.original).map_err(refuse)?;
        for (path, value) in settings {
            let what = format!("{path}={value}");
            let value = settings::value(value);
            self.notes.extend(settings::note_of_both(&document, path, &value));
            let keys = settings::set(&mut document, path, value);
            let keys = keys.map_err(|it| refuse(it.named(&what)))?;
            self.set.push((keys, Origin::Outside(what)));
        }
        self.text = document.to_string().into();
        self.document = Ok(document).into();
        Ok(())
    }

    /// The error of a mistake in the text, in a case of the comparison if only there.
    fn refuse(&self, mistake: Mistake, case: Option<String>) -> ScenarioError {
        let mistake = trace::back(mistake, &self.text, self.original, &self.set);
        mistake.locate(self.file, self.original, case)
    }

    /// One combination of what is compared, which is `stated`, and what each run sets beside it.
    fn case(
        &self,
        combination: &[Chosen<'_>],
        stated: Stated,
        each_run: &[Vec<Assignment>],
        files: &mut Files<'_>,
        extensions: &Extensions,
    ) -> Result<Case, ScenarioError> {
        let mut planned = |stated| self.plan(combination, stated, files, extensions);
        let own = |own: &Vec<Assignment>| self.stated(combination, own);
        let is_given = ["changes", "start"].iter().any(|it| stated.text.contains(it));
        let text = (each_run.is_empty() && is_given).then(|| stated.text.clone());
        let (plan, notes, imports) = planned(each_run.first().map_or(Ok(stated), own)?)?;
        let beginning = text.and_then(|it| beginning(&it, &plan));
        let later = each_run.iter().skip(1).map(|it| Ok(planned(own(it)?)?.0.into()));
        let later = later.collect::<Result<_, _>>()?;
        let prefixes = prefixes(&plan);
        let names = names(combination);
        let plan = Arc::new(plan);
        Ok(Case { names, plan, later, prefixes, notes, imports, same_as: None, beginning })
    }

    /// The text with what a combination sets, and what a run sets beside it.
    fn stated(
        &self,
        combination: &[Chosen<'_>],
        own: &[Assignment],
    ) -> Result<Stated, ScenarioError> {
        let mut assignments =
            combination.iter().flat_map(|it| it.assignments).chain(own).peekable();
        let mut set = Vec::new();
        if assignments.peek().is_none() {
            return Ok(Stated { text: Arc::clone(&self.text), set });
        }
        let mut document = self.document()?.clone();
        for it in assignments {
            let keys = settings::set(&mut document, &it.path, it.value.clone());
            let refused =
                |wrong: Mistake| self.refuse(wrong.at(it.span.clone()), label(combination));
            set.push((keys.map_err(refused)?, Origin::Inside(it.span.clone())));
        }
        Ok(Stated { text: document.to_string().into(), set })
    }

    fn document(&self) -> Result<&DocumentMut, ScenarioError> {
        let document = self.document.get_or_init(|| settings::parse(&self.text));
        document.as_ref().map_err(|it| self.refuse(it.clone(), None))
    }

    /// The plan of a run, what was decided, and what of files is used.
    fn plan(
        &self,
        combination: &[Chosen<'_>],
        Stated { text, set }: Stated,
        files: &mut Files<'_>,
        extensions: &Extensions,
    ) -> Result<(Plan, Vec<String>, Vec<String>), ScenarioError> {
        let plan = parse(&text, files, &extensions.layers).and_then(|(it, imports)| {
            let (plan, of_plan) = build::plan(&it, files, extensions)?;
            let mut notes = [self.notes.clone(), of_plan].concat();
            notes.extend(it.recording.notes(&plan));
            notes.extend(loss_note(&plan.links));
            notes.extend(files.notes());
            Ok((plan, notes, imports))
        });
        plan.map_err(|it| {
            let label = label(combination).filter(|_| !self.has(&it, files, extensions));
            self.refuse(trace::back(it, &text, &self.text, &set), label)
        })
    }

    /// Whether a mistake of a case is there without it.
    fn has(&self, mistake: &Mistake, files: &mut Files<'_>, extensions: &Extensions) -> bool {
        parse(&self.text, files, &extensions.layers).is_err_and(|it| it.message == mistake.message)
    }
}

/// A text with what is set in it, and where that comes from.
struct Stated {
    text: Arc<str>,
    set: Vec<(Vec<Key>, Origin)>,
}

/// What errors call a combination: nothing if nothing is compared.
fn label(combination: &[Chosen<'_>]) -> Option<String> {
    (!combination.is_empty()).then(|| names(combination).join(", "))
}

fn check_size(text: &str) -> Result<(), Mistake> {
    if text.len() <= MOST_BYTES {
        return Ok(());
    }
    let most = MOST_BYTES >> 20;
    Err(Mistake::new(format!("too large for a scenario: more than {most} MiB"))
        .help("name a scenario file; there are examples in scenarios/"))
}

/// Refuses the file of a study, which names a scenario.
fn check_kind(file: &Node) -> Result<(), Mistake> {
    let entry = |key| file.entries()?.iter().find(|it| it.key == key);
    let Some(entry) = ["scenario", "vary"].into_iter().find_map(entry) else { return Ok(()) };
    let Entry { key, span, .. } = entry;
    Err(Mistake::new(format!("`{key}` is a key of studies, and this must be a scenario"))
        .at(span.clone())
        .help("`windtunnel study FILE` runs a study"))
}

/// Each of these texts once.
fn once<'a>(texts: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    texts.map(String::as_str).collect::<IndexSet<_>>().into_iter().collect()
}

/// As text, the prefix that each consumer asks for.
fn prefixes(plan: &Plan) -> Vec<String> {
    let prefix = |it: &ConsumerPlan| {
        let name = &plan.prefixes[it.settings.prefix.index()];
        match it.settings.prefix.format() {
            PacketFormat::Ndn => name.to_string(),
            PacketFormat::Ccnx => format!("ccnx:{name}"),
        }
    };
    plan.consumers.iter().map(prefix).collect()
}
