//! Controllers and stacks in dynamic libraries, which scenarios name like classes.

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use windtunnel_lab::Extensions;
use windtunnel_plugin::{Library as Controller, LoadError};
use windtunnel_stack::{self as stack, Library as Stack};

/// A dynamic library with a controller or a stack.
#[pyclass(frozen, subclass)]
pub(crate) struct Plugin {
    file: PathBuf,
    library: Library,
    /// The program that each end of a stack is in, if not in this process.
    command: Option<Vec<OsString>>,
}

enum Library {
    Controller(Controller),
    Stack(Stack),
}

#[pymethods]
impl Plugin {
    /// Loads a library. With a command, each end of its stack is in a process of its own that this
    /// starts, with the library's file as the last argument.
    #[new]
    #[pyo3(signature = (file, command=None))]
    fn new(file: PathBuf, command: Option<Vec<OsString>>) -> PyResult<Self> {
        let wrong = |error: String| PyValueError::new_err(format!("{}: {error}", file.display()));
        let library = match Controller::open(&file) {
            Ok(it) => Library::Controller(it),
            Err(LoadError::NoController) => match Stack::open(&file) {
                Ok(it) => Library::Stack(it),
                Err(stack::LoadError::NoStack) => {
                    let error = LoadError::NoController;
                    return Err(wrong(format!("{error}, or windtunnel_stack::export!(…)")));
                }
                Err(error) => return Err(wrong(error.to_string())),
            },
            Err(error) => return Err(wrong(error.to_string())),
        };
        if command.is_some() && matches!(library, Library::Controller(_)) {
            let why = "a controller cannot be in a process of its own, only a stack";
            return Err(wrong(why.to_owned()));
        }
        let command = command.map(|it| it.into_iter().chain([file.clone().into()]).collect());
        Ok(Self { file, library, command })
    }

    /// The library's file.
    #[getter]
    fn file(&self) -> PathBuf {
        self.file.clone()
    }

    /// The name that it gives its controller or its stack.
    #[getter]
    fn name(&self) -> String {
        match &self.library {
            Library::Controller(it) => it.name(),
            Library::Stack(it) => it.name(),
        }
    }

    /// The names of the stack's own controllers; none of a library with a controller.
    #[getter]
    fn controllers(&self) -> Option<Vec<String>> {
        match &self.library {
            Library::Controller(_) => None,
            Library::Stack(it) => Some(it.controllers()),
        }
    }
}

impl Plugin {
    /// Adds what it has, under a name in scenarios.
    pub(crate) fn add_to(&self, all: &mut Extensions, name: &str) {
        match &self.library {
            Library::Controller(it) => all.controllers.push(it.maker(name)),
            Library::Stack(it) => all.stacks.push(self.kind(*it, name)),
        }
    }

    #[cfg(unix)]
    fn kind(&self, library: Stack, name: &str) -> std::sync::Arc<dyn stack::StackKind> {
        match &self.command {
            Some(command) => library.in_processes(name, command.clone()),
            None => library.kind(name),
        }
    }

    #[cfg(not(unix))]
    fn kind(&self, library: Stack, name: &str) -> std::sync::Arc<dyn stack::StackKind> {
        library.kind(name)
    }
}

/// Serves an end of a stack in this process, until the one that started it has none any more.
#[pyfunction]
#[cfg_attr(not(unix), expect(unused_variables, reason = "there are no such processes"))]
pub(crate) fn serve_stack(file: PathBuf) -> PyResult<()> {
    #[cfg(unix)]
    stack::serve(&file).map_err(|it| PyOSError::new_err(it.to_string()))?;
    Ok(())
}
