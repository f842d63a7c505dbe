//! Controllers in dynamic libraries, which scenarios name like classes.

use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use windtunnel_plugin::Library;

/// A dynamic library with a controller.
#[pyclass(frozen, subclass)]
pub(crate) struct Plugin {
    file: PathBuf,
    pub(crate) library: Library,
}

#[pymethods]
impl Plugin {
    /// Loads a library.
    #[new]
    fn new(file: PathBuf) -> PyResult<Self> {
        let library = Library::open(&file)
            .map_err(|error| PyValueError::new_err(format!("{}: {error}", file.display())))?;
        Ok(Self { file, library })
    }

    /// The library's file.
    #[getter]
    fn file(&self) -> PathBuf {
        self.file.clone()
    }

    /// The name that it gives its controller.
    #[getter]
    fn name(&self) -> String {
        self.library.name()
    }
}
