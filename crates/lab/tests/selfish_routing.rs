//! Hosts that choose their paths for themselves, packet by packet: where they end, and at what
//! cost.

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use windtunnel_lab::{Batch, tables};

const PIGOU: &str = include_str!("../../../scenarios/pigou.toml");
const BRAESS: &str = include_str!("../../../scenarios/braess.toml");

/// The tables of a scenario with these settings.
struct Ran(Vec<(&'static str, RecordBatch)>);

impl Ran {
    #[track_caller]
    fn new(text: &str, settings: &[(&str, &str)]) -> Self {
        let owned = |(path, value): &(&str, &str)| ((*path).to_owned(), (*value).to_owned());
        let settings: Vec<_> = settings.iter().map(owned).collect();
        let study = windtunnel_lab::read("scenario.toml", text, &settings);
        let study = study.unwrap_or_else(|it| panic!("{it}"));
        let (study, outcome) = Batch::start(study, 2).finish();
        assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
        Self(tables::all(&study, &outcome.runs))
    }

    fn table(&self, name: &str) -> &RecordBatch {
        &self.0.iter().find(|it| it.0 == name).expect("the table is there").1
    }
}

#[test]
fn show() {
    for text in [PIGOU, BRAESS] {
        let ran = Ran::new(text, &[]);
        for name in ["paths", "flow_series", "links"] {
            let table = ran.table(name);
            println!("{name}: {:?} {}", table.schema().fields().iter().map(|it| it.name().clone()).collect::<Vec<_>>(), table.num_rows());
        }
        let table = ran.table("paths");
        let _ = table["path_links"].as_string::<i32>();
        for row in 0..table.num_rows().min(12) {
            println!("{} {} {} {}", table["flow"].as_string::<i32>().value(row), table["path_links"].as_string::<i32>().value(row), table["packets"].as_primitive::<UInt64Type>().value(row), table["last_s"].as_primitive::<Float64Type>().value(row));
        }
        let table = ran.table("flows");
        println!("{:?}", table["delay_s"].as_primitive::<Float64Type>().values());
        let table = ran.table("links");
        println!("{:?}", table);
    }
}
