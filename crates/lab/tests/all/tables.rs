//! Tables describe themselves, and the columns of comparisons are beside theirs.

use crate::common;
use std::collections::BTreeSet;

use crate::common::{Ran, with};
use proptest::prelude::*;
use windtunnel_lab::tables::{Column, RUN, axis_column, descriptions};

fn columns() -> impl Iterator<Item = &'static Column> {
    descriptions().flat_map(|it| &it.columns)
}

#[test]
fn what_a_run_gives_is_what_is_described_after_its_number() {
    let ran = Ran::new(common::VALID);
    let described: Vec<_> = descriptions().map(|it| it.name).collect();
    assert_eq!(ran.0.iter().map(|it| it.0).collect::<Vec<_>>(), described);
    for ((_, values), table) in ran.0.iter().zip(descriptions()) {
        let names: Vec<_> = values.schema().fields().iter().map(|it| it.name().clone()).collect();
        let own = [&RUN].into_iter().chain(&table.columns);
        assert_eq!(names, own.map(|it| it.name).collect::<Vec<_>>(), "{}", table.name);
    }
}

#[test]
fn a_table_has_each_column_once_and_definitions_are_sentences() {
    for table in descriptions() {
        let names: BTreeSet<_> = table.columns.iter().map(|it| it.name).collect();
        assert_eq!(names.len(), table.columns.len(), "{}", table.name);
        for text in table.columns.iter().map(|it| it.definition).chain([table.about]) {
            assert!(text.ends_with('.') && !text.contains("  "), "{}: {text}", table.name);
        }
    }
}

#[test]
fn a_column_has_one_title_and_one_unit_wherever_it_says_the_same() {
    for one in columns() {
        let same = columns().filter(|it| it.name == one.name && it.definition == one.definition);
        same.for_each(|it| assert_eq!(it, one));
    }
}

#[test]
fn an_axis_keeps_its_name_unless_a_column_has_it() {
    let compare = |axis: &str| {
        let case = r#"none = { "links.first.rate" = "9 Mbps" }"#;
        Ran::new(&with(&format!("[compare.{axis}]\n{case}\n")))
    };
    let first = |ran: &Ran| ran.table("flows").schema().field(0).name().clone();
    assert_eq!(first(&compare("loss")), "loss");
    for taken in ["rtt_s", "run", "from"] {
        let ran = compare(taken);
        assert_eq!(first(&ran), format!("axis.{taken}"));
        assert_eq!(ran.texts("flows", &format!("axis.{taken}")), ["none"]);
    }
}

proptest! {
    #[test]
    fn no_axis_is_named_as_a_column_or_as_another_axis(
        one in "(axis\\.){0,2}(run|rtt_s|flow|[a-z]{1,3})",
        other in "(axis\\.){0,2}(run|rtt_s|flow|[a-z]{1,3})",
    ) {
        let column = axis_column(&one);
        prop_assert!(columns().chain([&RUN]).all(|it| it.name != column));
        prop_assert_eq!(column == axis_column(&other), one == other);
        prop_assert_eq!(column.strip_prefix("axis.").unwrap_or(&column), one);
    }
}
