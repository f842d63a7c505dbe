//! Times of lookups in the tables of routers.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use windtunnel_lookup::Lookup;

/// Times lookups of the codes of regions and in tables of prefixes: for each table its name and
/// how many prefixes it has of each length from 0 to 32.
#[pyfunction]
pub(crate) fn measure_lookups<'py>(
    py: Python<'py>,
    tables: Vec<(String, [u32; 33])>,
    seed: u64,
    evictions: usize,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let found = py.detach(|| windtunnel_lookup::measure_lookups(&tables, seed, evictions));
    let unfit = |name| format!("table `{name}` is empty, or has more addresses than IPv4");
    let found = found.map_err(|name| PyValueError::new_err(unfit(name)))?;
    found.iter().map(|it| row(py, it)).collect()
}

fn row<'py>(py: Python<'py>, lookup: &Lookup) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("table", &lookup.table)?;
    row.set_item("structure", lookup.structure)?;
    row.set_item("destinations", lookup.destinations)?;
    row.set_item("entries", lookup.entries)?;
    row.set_item("warm_ns", lookup.warm_ns)?;
    row.set_item("cold_ns", lookup.cold_ns)?;
    Ok(row)
}
