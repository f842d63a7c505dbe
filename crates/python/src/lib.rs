//! Python bindings of the lab: thin, with types in `_core.pyi`.

mod bitrate_rules;
mod catalogue;
mod conformance;
mod controllers;
mod dns;
#[cfg(target_os = "linux")]
mod emulation;
mod environment;
mod errors;
mod extensions;
mod fly;
mod lookup;
mod messages;
#[cfg(target_os = "linux")]
mod ndn;
mod objects;
mod outcome;
mod packetdrill;
mod paging_policies;
mod path_policies;
mod plugins;
mod scenario;
mod schedulers;
mod stacks;
#[cfg(target_os = "linux")]
mod tcp;

use pyo3::prelude::*;

use errors::ScenarioError;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("ScenarioError", module.py().get_type::<ScenarioError>())?;
    module.add_class::<scenario::Scenario>()?;
    module.add_class::<scenario::Batch>()?;
    module.add_class::<outcome::Outcome>()?;
    module.add_class::<outcome::Table>()?;
    module.add_class::<dns::DnsServer>()?;
    #[cfg(target_os = "linux")]
    module.add_class::<emulation::Emulation>()?;
    #[cfg(target_os = "linux")]
    module.add_function(wrap_pyfunction!(tcp::tcp_connect, module)?)?;
    module.add_function(wrap_pyfunction!(tcp::tcp_listen, module)?)?;
    module.add_function(wrap_pyfunction!(catalogue::units, module)?)?;
    module.add_function(wrap_pyfunction!(lookup::measure_lookups, module)?)?;
    module.add_class::<conformance::Suite>()?;
    module.add_class::<packetdrill::PacketdrillScript>()?;
    controllers::add(module)?;
    schedulers::add(module)?;
    stacks::add(module)?;
    bitrate_rules::add(module)?;
    paging_policies::add(module)?;
    path_policies::add(module)?;
    module.add_class::<plugins::Plugin>()?;
    module.add_function(wrap_pyfunction!(plugins::serve_stack, module)?)?;
    environment::add(module)?;
    fly::add(module)?;
    #[cfg(target_os = "linux")]
    ndn::add(module)?;
    messages::add(module)?;
    module.add_function(wrap_pyfunction!(catalogue::schema, module)?)?;
    module.add_function(wrap_pyfunction!(catalogue::axis_column, module)?)?;
    module.add_function(wrap_pyfunction!(catalogue::catalogue, module)?)?;
    Ok(())
}
