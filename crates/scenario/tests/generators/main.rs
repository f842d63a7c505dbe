//! What stands for many things: the same plans as files that write all of them.

mod counts;
mod files;
mod formats;
mod groups;
mod listed;
mod messages;
mod parts;
mod random;
mod topologies;

use windtunnel_scenario::{Extensions, Outside, ScenarioError, Study, Unreadable};

/// Reads a text that names only these files.
fn read_with(text: &str, files: &[(&str, &str)]) -> Result<Study, ScenarioError> {
    let mut text_of = |name: &str| {
        let found = files.iter().find(|it| it.0 == name).map(|it| it.1.to_owned());
        found.ok_or(Unreadable { why: "no such file".into(), help: "there is none".into() })
    };
    let extensions = Extensions::default();
    let outside = Outside { extensions: &extensions, files: &mut text_of };
    Study::read("memory", text, &[], outside)
}

fn read(text: &str) -> Study {
    read_with(text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The plans of all cases: with the same plan, a run gives the same bytes.
fn plans(study: &Study) -> Vec<String> {
    study.cases.iter().map(|it| format!("{:#?}", it.plan)).collect()
}

/// Two files make the same plans, and so does what the first one is expanded to.
fn assert_same(made: &str, written: &str) {
    let made = read(made);
    assert_eq!(plans(&made), plans(&read(written)));
    let expanded = made.expanded().expect("it is valid");
    assert_eq!(plans(&made), plans(&read(&expanded)), "{expanded}");
}

/// The names of the nodes, and for each link its nodes.
fn network(study: &Study) -> (Vec<&str>, Vec<[usize; 2]>) {
    let plan = &study.cases[0].plan;
    let nodes = plan.nodes.iter().map(|it| it.name.as_str()).collect();
    (nodes, plan.links.iter().map(|it| it.nodes).collect())
}

/// Which nodes can be reached from the first one.
fn is_connected(nodes: usize, links: &[[usize; 2]]) -> bool {
    let mut reached = vec![false; nodes];
    let mut next = vec![0];
    while let Some(node) = next.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            let ends = links.iter().filter(|it| it.contains(&node));
            next.extend(ends.map(|[one, other]| if *one == node { *other } else { *one }));
        }
    }
    reached.iter().all(|it| *it)
}
