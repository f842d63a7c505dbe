//! What is written in Python: classes whose objects the core drives like its own parts. A
//! scenario names each; what it is follows from its base class.

use std::cell::Cell;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use windtunnel_lab::{Extensions, Study};

use crate::plugins::Plugin;
use crate::{bitrate_rules, controllers, paging_policies, path_policies, schedulers, stacks};

thread_local! {
    static HAS_TURN: Cell<bool> = const { Cell::new(false) };
}

/// How runs that something in Python starts take turns: not at all, if it is called by one whose
/// turn it is, which waits for them.
pub(crate) fn turns_of(study: &mut Study) {
    study.in_turns = study.in_turns.filter(|_| !HAS_TURN.get());
}

/// Simulates a run that calls Python, beside no other. Two would wait for each other at each call,
/// which takes longer than one after the other. And the thread is known to the interpreter from
/// beginning to end: else each call would make it known, and forget it.
fn in_turns(run: &mut (dyn FnMut() + Send)) {
    static TURN: Mutex<()> = Mutex::new(());
    Python::attach(|py| {
        py.detach(|| {
            let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
            HAS_TURN.set(true);
            run();
            HAS_TURN.set(false);
        });
    });
}

/// What the classes and libraries of a dictionary make, by their names in scenarios.
pub(crate) fn of(classes: &Bound<'_, PyDict>) -> PyResult<Extensions> {
    let py = classes.py();
    let base = |module: &str, name: &str| py.import(module)?.getattr(name);
    let controller = base("windtunnel.controllers", "Controller")?;
    let scheduler = base("windtunnel.schedulers", "Scheduler")?;
    let rule = base("windtunnel.bitrate_rules", "BitrateRule")?;
    let policy = base("windtunnel.path_policies", "PathPolicy")?;
    let paging = base("windtunnel.paging_policies", "PagingPolicy")?;
    let stack = base("windtunnel.stacks.stack", "Stack")?;
    let mut all = Extensions { stacks: vec![stacks::included()], ..Extensions::default() };
    for (name, class) in classes {
        let name: String = name.extract()?;
        if let Ok(plugin) = class.cast::<Plugin>() {
            plugin.get().add_to(&mut all, &name);
            continue;
        }
        all.in_turns = Some(in_turns);
        let is = |base: &Bound<'_, PyAny>| {
            class.cast::<PyType>().is_ok_and(|it| matches!(it.is_subclass(base), Ok(true)))
        };
        if is(&controller) {
            all.controllers.push(controllers::maker(name, &class)?);
        } else if is(&scheduler) {
            all.schedulers.push(schedulers::maker(name, &class)?);
        } else if is(&rule) {
            all.rules.push(bitrate_rules::maker(name, &class));
        } else if is(&policy) {
            all.path_policies.push(path_policies::maker(name, &class)?);
        } else if is(&paging) {
            all.paging_policies.push(paging_policies::maker(name, &class));
        } else if is(&stack) {
            all.stacks.push(stacks::kind(name, &class));
        } else {
            return Err(PyTypeError::new_err(format!(
                "extension `{name}` is not a subclass of windtunnel.Controller, \
                 windtunnel.Scheduler, windtunnel.BitrateRule, windtunnel.PathPolicy, \
                 windtunnel.PagingPolicy or windtunnel.Stack, nor a windtunnel.Plugin"
            )));
        }
    }
    Ok(all)
}
