//! Whether flows over implementations of protocols do the same in each run of a seed, in words.

use windtunnel_scenario::Study;
use windtunnel_stack::Role;
use windtunnel_stack::trace::{Difference, Sent};
use windtunnel_world::{Transport, caught, repeats};

/// What two runs of a flow with the same seed had in common.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowRepeat {
    /// The case of the comparison, by its place.
    pub case: usize,
    /// The name of the flow.
    pub flow: String,
    /// Its implementation and controller.
    pub stack: String,
    /// When the first datagram that differs was sent, in seconds, and what differs; none if all
    /// had the same times and sizes.
    pub difference: Option<(f64, String)>,
    /// Whether all had the same bytes too.
    pub has_same_bytes: bool,
}

/// Runs each case with flows over implementations of protocols twice, and compares what they sent:
/// of each case the flow that differed first is the first.
///
/// # Errors
/// Why something written outside could not go on.
pub fn flow_repeats(study: &Study) -> Result<Vec<FlowRepeat>, String> {
    let mut all = Vec::new();
    for (place, case) in study.cases.iter().enumerate().filter(|it| it.1.uses_stacks()) {
        let repeats =
            caught(|| repeats(&case.plan))?.expect("the plan was checked when it was read");
        for it in repeats {
            let flow = &case.plan.flows[it.flow];
            let Transport::Stack { settings, .. } = &flow.transport else { continue };
            all.push(FlowRepeat {
                case: place,
                flow: flow.name.clone(),
                stack: settings.controller.clone(),
                difference: it.difference.map(|it| (it.at().as_secs_f64(), described(&it))),
                has_same_bytes: it.has_same_bytes,
            });
        }
    }
    Ok(all)
}

fn described(difference: &Difference) -> String {
    let end = match difference.end {
        Role::Client => "the end that connects",
        Role::Server => "the end that waits",
    };
    let sent = |it: Option<Sent>| match it {
        Some(Sent { at, size, .. }) => format!("has {size} B at {:.9} s", at.as_secs_f64()),
        None => "is not sent".to_owned(),
    };
    let [first, second] = difference.sent.map(sent);
    format!("datagram {} of {end} {first}, and in the second run {second}", difference.number)
}
