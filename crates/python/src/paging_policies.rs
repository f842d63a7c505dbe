//! Policies of paging written in Python.

use std::sync::Arc;

use pyo3::prelude::*;
use windtunnel_applications::sessions::{self as applications, PagingMaker};

use crate::objects::{Object, argument};

argument! {
    /// A page that exists.
    Page {
        number: usize,
        is_here: bool,
        is_moving: bool,
        held_since: usize,
        uses: u64,
        last_used: usize,
        bytes: u64,
    }
}

argument! {
    /// What a policy decides on.
    PagingView {
        stage: usize,
        entries: usize,
        pages: Vec<Page>,
    }
}

impl PagingView {
    fn of(view: &applications::PagingView) -> Self {
        let page = |it: &applications::PageView| Page {
            number: it.number,
            is_here: it.is_here,
            is_moving: it.is_moving,
            held_since: it.held_since,
            uses: it.uses,
            last_used: it.last_used,
            bytes: it.bytes,
        };
        Self {
            stage: view.stage,
            entries: view.entries,
            pages: view.pages.iter().map(page).collect(),
        }
    }
}

/// A class, with its name in a scenario.
#[derive(Debug)]
struct Class {
    name: Arc<str>,
    class: Py<PyAny>,
}

/// The maker of a class's policies.
pub(crate) fn maker(name: String, class: &Bound<'_, PyAny>) -> Arc<dyn PagingMaker> {
    Arc::new(Class { name: name.into(), class: class.clone().unbind() })
}

impl PagingMaker for Class {
    fn name(&self) -> &str {
        &self.name
    }

    fn make(&self) -> Box<dyn applications::Paging> {
        Box::new(PagingPolicy(Object::new("paging policy", &self.name, &self.class, ())))
    }
}

/// The policy of a session.
#[derive(Clone, Debug)]
struct PagingPolicy(Object);

impl PagingPolicy {
    /// The pages of an answer, which the page table must have.
    fn checked(
        &self,
        method: &str,
        pages: Vec<usize>,
        view: &applications::PagingView,
    ) -> Vec<usize> {
        if let Some(page) = pages.iter().find(|it| **it >= view.entries) {
            let entries = view.entries;
            let why = format!("there is no page {page}; there are {entries}, counted from 0");
            self.0.fail(method, &why);
        }
        pages
    }
}

impl applications::Paging for PagingPolicy {
    fn on_fault(&mut self, view: &applications::PagingView, page: usize) -> Vec<usize> {
        let pages = self.0.ask("on_fault", (PagingView::of(view), page));
        self.checked("on_fault", pages, view)
    }

    fn on_handover(&mut self, view: &applications::PagingView) -> Vec<usize> {
        let pages = self.0.ask("on_handover", (PagingView::of(view),));
        self.checked("on_handover", pages, view)
    }
}

/// Adds the arguments of policies' methods to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Page>()?;
    module.add_class::<PagingView>()
}
