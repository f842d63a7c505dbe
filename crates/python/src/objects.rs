//! Objects of classes that are written in Python, as the core drives them.

use std::panic::resume_unwind;
use std::sync::Arc;

use pyo3::call::PyCallArgs;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use windtunnel_controllers::Failed;

/// An argument of a method of such a class; it is immutable, so that a copy is the object itself.
macro_rules! argument {
    ($(#[$of_class:meta])* $name:ident { $($(#[$of_field:meta])* $field:ident: $kind:ty,)+ }) => {
        $(#[$of_class])*
        #[pyclass(frozen, get_all)]
        #[derive(Clone)]
        pub(crate) struct $name { $($(#[$of_field])* pub(crate) $field: $kind,)+ }

        #[pymethods]
        impl $name {
            fn __deepcopy__(this: Py<Self>, _memo: Py<PyAny>) -> Py<Self> {
                this
            }
        }
    };
}
pub(crate) use argument;

/// Ends the run: `method` of the extension `name`, which is `what`, failed.
pub(crate) fn fail(what: &str, name: &str, method: &str, why: &str) -> ! {
    resume_unwind(Box::new(Failed(format!("{what} `{name}`: {method}: {why}"))))
}

/// An object of such a class.
#[derive(Debug)]
pub(crate) struct Object {
    what: &'static str,
    name: Arc<str>,
    object: Py<PyAny>,
}

impl Object {
    /// Of the extension `name`, which is `what`.
    pub(crate) fn new<A: for<'py> PyCallArgs<'py>>(
        what: &'static str,
        name: &Arc<str>,
        class: &Py<PyAny>,
        arguments: A,
    ) -> Self {
        let made = Python::attach(|py| class.call1(py, arguments).map_err(|it| said(py, &it)));
        let object = made.unwrap_or_else(|why| fail(what, name, "__init__", &why));
        Self { what, name: Arc::clone(name), object }
    }

    /// What a method answers.
    pub(crate) fn ask<T, A>(&self, method: &'static str, arguments: A) -> T
    where
        T: for<'a, 'py> FromPyObject<'a, 'py, Error: Into<PyErr>>,
        A: for<'py> PyCallArgs<'py>,
    {
        let answer = Python::attach(|py| {
            let answer = self.object.bind(py).call_method1(PyString::intern(py, method), arguments);
            let answer = answer.and_then(|it| it.extract().map_err(Into::into));
            answer.map_err(|it| said(py, &it))
        });
        answer.unwrap_or_else(|why| self.fail(method, &why))
    }

    /// Calls a method that answers nothing.
    pub(crate) fn tell<A: for<'py> PyCallArgs<'py>>(&self, method: &'static str, arguments: A) {
        let _: Py<PyAny> = self.ask(method, arguments);
    }

    /// Ends the run, because of a method.
    pub(crate) fn fail(&self, method: &str, why: &str) -> ! {
        fail(self.what, &self.name, method, why)
    }
}

impl Clone for Object {
    /// An independent copy, as `copy.deepcopy` makes it.
    fn clone(&self) -> Self {
        let copied = Python::attach(|py| copied(py, &self.object).map_err(|it| said(py, &it)));
        let object = copied.unwrap_or_else(|why| self.fail("copy.deepcopy", &why));
        Self { what: self.what, name: Arc::clone(&self.name), object }
    }
}

/// An independent copy of an object.
pub(crate) fn copied(py: Python<'_>, object: &Py<PyAny>) -> PyResult<Py<PyAny>> {
    let copy = py.import(intern!(py, "copy"))?;
    copy.call_method1(intern!(py, "deepcopy"), (object.bind(py),)).map(Bound::unbind)
}

/// The message of an exception, and where it was raised.
pub(crate) fn said(py: Python<'_>, error: &PyErr) -> String {
    match place(py, error) {
        Some((file, line)) => format!("{error} ({file}, line {line})"),
        None => error.to_string(),
    }
}

/// The innermost line of an exception's traceback.
fn place(py: Python<'_>, error: &PyErr) -> Option<(String, usize)> {
    let mut traceback = error.traceback(py)?.into_any();
    while let Some(next) = traceback.getattr("tb_next").ok().filter(|it| !it.is_none()) {
        traceback = next;
    }
    let code = traceback.getattr("tb_frame").ok()?.getattr("f_code").ok()?;
    let file = code.getattr("co_filename").ok()?.extract().ok()?;
    Some((file, traceback.getattr("tb_lineno").ok()?.extract().ok()?))
}
