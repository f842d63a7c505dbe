//! What a plan says of times after its run has ended.

use std::collections::BTreeSet;

use windtunnel_engine::Time;
use windtunnel_scenario::Study;
use windtunnel_world::Plan;

/// What does not happen in a case of a study because its run ends before, each once.
#[must_use]
pub fn after_the_end(study: &Study) -> Vec<String> {
    let mut told = BTreeSet::new();
    let all = study.cases.iter().flat_map(|it| of_plan(&it.plan));
    all.filter(|it| told.insert(it.clone())).collect()
}

fn of_plan(plan: &Plan) -> Vec<String> {
    let end = Time::ZERO + plan.duration;
    let late = starts(plan).chain(changes(plan)).filter(|it| it.1 >= end);
    let words = late.map(|(what, time, so)| {
        let [time, end] = [time, end].map(|it| it.since(Time::ZERO).as_seconds());
        format!("{what} at {time} s, and the run ends at {end} s: {so}")
    });
    words.collect()
}

/// What happens, when, and what it means if that is too late.
type Happening = (String, Time, &'static str);

fn starts(plan: &Plan) -> impl Iterator<Item = Happening> {
    let flows = plan.flows.iter().map(|it| ("flow", &it.name, it.start));
    let consumers = plan.consumers.iter().map(|it| ("consumer", &it.name, it.settings.start));
    let all = flows.chain(consumers);
    all.map(|(kind, name, start)| (format!("{kind} `{name}` starts"), start, "it sends nothing"))
}

fn changes(plan: &Plan) -> impl Iterator<Item = Happening> {
    let link = |port: usize| &plan.links[port].name;
    let links = plan
        .changes
        .iter()
        .map(move |it| (format!("link `{}` changes", link(it.port.link())), it.time));
    let subflows = plan.flows.iter().flat_map(|flow| {
        let settings = flow.multipath.iter().map(|it| &it.settings);
        let changes = settings.flat_map(|it| &it.changes);
        changes.map(|it| (format!("subflow {} of flow `{}` changes", it.path, flow.name), it.at))
    });
    let failures = plan.sessions.iter().flat_map(|it| &it.failures);
    let failures = failures
        .map(|(time, node)| (format!("node `{}` loses its pages", plan.nodes[*node].name), *time));
    let all = links.chain(subflows).chain(failures);
    all.map(|(what, time)| (what, time, "it does not happen"))
}
