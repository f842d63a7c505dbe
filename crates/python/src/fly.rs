//! Controllers in the kernel, for the sockets of a command.

use pyo3::prelude::*;

pyo3::create_exception!(
    _core,
    FlightError,
    pyo3::exceptions::PyValueError,
    "A controller that cannot be used in this kernel."
);

/// Adds flights to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    #[cfg(target_os = "linux")]
    module.add_function(wrap_pyfunction!(clean_leftovers, module)?)?;
    module.add("FlightError", module.py().get_type::<FlightError>())?;
    module.add_class::<Flight>()
}

/// Removes the control groups of processes that were killed; returns their directories.
#[cfg(target_os = "linux")]
#[pyfunction]
fn clean_leftovers() -> PyResult<Vec<String>> {
    let removed = windtunnel_live::kernel::clean().map_err(crate::errors::os_error)?;
    Ok(removed.iter().map(|it| it.display().to_string()).collect())
}

#[cfg(not(all(target_os = "linux", feature = "kernel")))]
mod absent {
    use pyo3::prelude::*;
    use pyo3::types::PyType;

    use super::FlightError;

    /// What a build without the programs has in place of a flight.
    #[pyclass]
    pub(crate) struct Flight(std::convert::Infallible);

    #[cfg(target_os = "linux")]
    fn reason() -> String {
        windtunnel_live::kernel::KernelError::NotBuilt.to_string()
    }

    #[cfg(not(target_os = "linux"))]
    fn reason() -> String {
        "only Linux takes congestion controllers in its kernel".to_owned()
    }

    #[pymethods]
    impl Flight {
        #[new]
        #[pyo3(signature = (controller, settings=Vec::new(), python_class=None))]
        #[expect(unused_variables, reason = "the arguments are those of a flight")]
        fn new(
            controller: &str,
            settings: Vec<(String, String)>,
            python_class: Option<Bound<'_, PyType>>,
        ) -> PyResult<Self> {
            Err(FlightError::new_err(reason()))
        }
    }
}
#[cfg(not(all(target_os = "linux", feature = "kernel")))]
use absent::Flight;

#[cfg(all(target_os = "linux", feature = "kernel"))]
mod present {
    use std::time::Duration;

    use pyo3::exceptions::PyRuntimeError;
    use pyo3::prelude::*;
    use pyo3::types::{PyDict, PyType};
    use windtunnel_controllers::{DESCRIPTIONS, Kind, SettingError, Settings, Value};
    use windtunnel_live::kernel::{self, Delays, KernelError, Totals};

    use super::FlightError;
    use crate::controllers;

    /// An algorithm in the kernel whose decisions a controller makes, until it is finished.
    #[pyclass]
    pub(crate) struct Flight(Option<kernel::Flight>);

    #[pymethods]
    impl Flight {
        /// Registers a controller of that name with these parameters, or one of that class.
        #[new]
        #[pyo3(signature = (controller, settings=Vec::new(), python_class=None))]
        fn new(
            py: Python<'_>,
            controller: &str,
            settings: Vec<(String, String)>,
            python_class: Option<Bound<'_, PyType>>,
        ) -> PyResult<Self> {
            let settings = match python_class {
                Some(class) => {
                    let maker = controllers::maker(controller.to_owned(), class.as_any())?;
                    Settings::external(maker)
                }
                None => read(controller, &settings)?,
            };
            py.detach(|| kernel::Flight::start(&settings)).map(|it| Self(Some(it))).map_err(error)
        }

        /// The algorithm's name in the kernel.
        #[getter]
        fn algorithm(&self) -> PyResult<String> {
            Ok(self.get()?.algorithm().to_owned())
        }

        /// What the kernel has only in part of what the controller needs.
        #[getter]
        fn notes(&self) -> PyResult<Vec<String>> {
            Ok(self.get()?.notes().to_vec())
        }

        /// Starts a command; with `quiet`, its output goes to standard error.
        fn launch(&mut self, command: Vec<String>, quiet: bool) -> PyResult<()> {
            self.get_mut()?.launch(&command, quiet).map_err(error)
        }

        /// Waits so long for its end; its exit code once it has ended.
        fn wait(&mut self, py: Python<'_>, seconds: f64) -> PyResult<Option<i32>> {
            let patience = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
            let flight = self.get_mut()?;
            py.detach(|| flight.wait(patience)).map_err(error)
        }

        /// Ends it, and says what happened.
        fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
            let flight = self.0.take().ok_or_else(ended)?;
            let totals = py.detach(|| flight.finish()).map_err(error)?;
            document(py, &totals)
        }
    }

    impl Flight {
        fn get(&self) -> PyResult<&kernel::Flight> {
            self.0.as_ref().ok_or_else(ended)
        }

        fn get_mut(&mut self) -> PyResult<&mut kernel::Flight> {
            self.0.as_mut().ok_or_else(ended)
        }
    }

    impl Drop for Flight {
        fn drop(&mut self) {
            // Its thread may wait for the interpreter, which this thread has.
            let flight = self.0.take();
            Python::attach(|py| py.detach(|| drop(flight)));
        }
    }

    fn ended() -> PyErr {
        FlightError::new_err("the flight has already been finished")
    }

    fn error(error: KernelError) -> PyErr {
        if error.is_internal() {
            return PyRuntimeError::new_err(error.to_string());
        }
        FlightError::new_err(error.to_string())
    }

    /// The settings of a registered controller.
    fn read(controller: &str, values: &[(String, String)]) -> PyResult<Settings> {
        let Some(description) = DESCRIPTIONS.iter().find(|it| it.name == controller) else {
            return Err(FlightError::new_err(format!(
                "unknown controller `{controller}`; `windtunnel list controllers` prints all"
            )));
        };
        let mut settings = Settings::defaults(description);
        for (name, text) in values {
            let value = match text.parse() {
                Ok(number) => Value::Number(number),
                Err(_) => match text.as_str() {
                    "true" => Value::Flag(true),
                    "false" => Value::Flag(false),
                    word => Value::Choice(word),
                },
            };
            settings.set(name, value).map_err(|why| {
                let right = match why {
                    SettingError::Unknown if description.parameters.is_empty() => {
                        "it has no parameters".to_owned()
                    }
                    SettingError::Unknown => {
                        let known: Vec<_> =
                            description.parameters.iter().map(|it| it.name).collect();
                        format!("its parameters are {}", known.join(", "))
                    }
                    SettingError::Refused(kind) => allowed(kind),
                };
                FlightError::new_err(format!("{controller}: {name}={text}: {right}"))
            })?;
        }
        Ok(settings)
    }

    fn allowed(kind: Kind) -> String {
        match kind {
            Kind::Number { minimum, maximum, .. } => {
                format!("must be a number from {minimum} to {maximum}")
            }
            Kind::Choice(options) => {
                let names: Vec<_> = options.iter().map(|(name, _)| *name).collect();
                format!("must be one of {}", names.join(", "))
            }
            Kind::Flag { .. } => "must be true or false".to_owned(),
        }
    }

    fn document<'py>(py: Python<'py>, it: &Totals) -> PyResult<Bound<'py, PyDict>> {
        let delays = |it: &Delays| -> PyResult<Bound<'py, PyDict>> {
            let of = PyDict::new(py);
            let all = [("median", it.median), ("p90", it.p90), ("p99", it.p99)];
            for (name, delay) in all.into_iter().chain([("longest", it.longest)]) {
                of.set_item(name, delay.as_seconds())?;
            }
            Ok(of)
        };
        let all = PyDict::new(py);
        all.set_item("connections", it.connections)?;
        all.set_item("reports", it.reports)?;
        all.set_item("reports_dropped", it.reports_dropped)?;
        all.set_item("decisions", it.decisions)?;
        all.set_item("fallbacks", it.fallbacks)?;
        all.set_item("undecided", it.undecided)?;
        all.set_item("written_s", delays(&it.written)?)?;
        all.set_item("applied_s", delays(&it.applied)?)?;
        all.set_item("bytes", it.bytes)?;
        all.set_item("cpu_s", it.cpu.as_secs_f64())?;
        Ok(all)
    }
}
#[cfg(all(target_os = "linux", feature = "kernel"))]
use present::Flight;
