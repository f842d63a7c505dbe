//! What a scenario may say: its schema, its units, and what can be named in it.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use windtunnel_controllers::{DESCRIPTIONS, Kind, Need};
use windtunnel_lab as lab;
use windtunnel_networks::ndn::strategy;

/// Every unit of scenario files: its value in the base unit, and the base unit's name.
#[pyfunction]
pub(crate) fn units() -> Vec<(&'static str, f64, &'static str)> {
    lab::units()
}

/// The JSON Schema of scenario files, as text.
#[pyfunction]
pub(crate) fn schema() -> String {
    lab::schema().to_string()
}

/// The column of an axis of a comparison, or of a parameter of a study.
#[pyfunction]
pub(crate) fn axis_column(axis: &str) -> String {
    lab::tables::axis_column(axis)
}

/// What can be named in a scenario, and the tables of results, as JSON text: `kind` is
/// `controllers`, `queues`, `strategies` or `tables`.
#[pyfunction]
pub(crate) fn catalogue(kind: &str) -> PyResult<String> {
    let entries: Vec<serde_json::Value> = match kind {
        "controllers" => DESCRIPTIONS.iter().map(|it| controller(it)).collect(),
        "queues" => windtunnel_queues::DESCRIPTIONS
            .iter()
            .map(|it| entry(it.name, it.meaning, it.source))
            .collect(),
        "strategies" => {
            strategy::DESCRIPTIONS.iter().map(|it| entry(it.name, it.meaning, it.source)).collect()
        }
        "tables" => lab::tables::descriptions().map(table).collect(),
        _ => {
            return Err(PyValueError::new_err(format!(
                "unknown catalogue `{kind}`: use controllers, queues, strategies or tables"
            )));
        }
    };
    Ok(serde_json::Value::from(entries).to_string())
}

fn entry(name: &str, meaning: &str, source: &str) -> serde_json::Value {
    serde_json::json!({ "name": name, "meaning": meaning, "source": source })
}

/// A table with its columns; the first is the run's number.
fn table(table: &lab::tables::Table) -> serde_json::Value {
    let columns = [&lab::tables::RUN].into_iter().chain(&table.columns).map(|it| {
        serde_json::json!({
            "name": it.name,
            "definition": it.definition,
            "title": it.title,
            "unit": it.unit,
            "better": it.better.map(|it| match it {
                lab::tables::Better::More => "more",
                lab::tables::Better::Less => "less",
            }),
        })
    });
    serde_json::json!({
        "name": table.name,
        "about": table.about,
        "columns": columns.collect::<Vec<_>>(),
    })
}

fn controller(description: &windtunnel_controllers::Description) -> serde_json::Value {
    let parameters = description.parameters.iter().map(|parameter| {
        let (default, allowed, needs): (_, _, &[Need]) = match parameter.kind {
            Kind::Number { default, minimum, maximum } => {
                (default.into(), serde_json::json!([minimum, maximum]), &[])
            }
            Kind::Flag { default, needs } => {
                (default.into(), serde_json::json!([false, true]), needs)
            }
            Kind::Choice(options) => {
                let names: Vec<_> = options.iter().map(|(name, _)| *name).collect();
                (serde_json::Value::from(names[0]), names.into(), &[])
            }
        };
        serde_json::json!({
            "name": parameter.name,
            "meaning": parameter.meaning,
            "default": default,
            "allowed": allowed,
            "needs": names(needs),
        })
    });
    serde_json::json!({
        "name": description.name,
        "title": description.title,
        "look": windtunnel_controllers::look(description.name),
        "source": description.source,
        "needs": names(description.needs),
        "status": description.status,
        "parameters": parameters.collect::<Vec<_>>(),
    })
}

fn names(needs: &[Need]) -> Vec<&'static str> {
    needs.iter().map(|it| it.name()).collect()
}
