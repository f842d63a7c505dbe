//! What scenarios say of disciplines.

use windtunnel_queues::{DESCRIPTIONS, QueueKeys};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::reader;
use windtunnel_reading::tree;

fn read(text: &str) -> Result<QueueKeys, Mistake> {
    let file = tree::parse(text)?;
    reader::read(file.get("queue").expect("the file has a queue").clone())
}

/// Nothing but the keys that it requires is wrong with a discipline's name alone.
#[test]
fn every_discipline_is_read_by_the_name_of_its_description() {
    for it in DESCRIPTIONS {
        match read(&format!("queue = {:?}", it.name)) {
            Ok(keys) => assert_eq!(keys.discipline().unwrap().description().name, it.name),
            Err(mistake) => assert!(mistake.message.starts_with("missing key"), "{mistake}"),
        }
    }
}

#[test]
fn a_value_that_does_not_fit_is_shown_where_it_is() {
    let text = "queue = { kind = \"codel\", interval = \"0 ms\" }";
    let mistake = read(text).unwrap().discipline().unwrap_err();
    assert_eq!(mistake.message, "`interval` must be greater than zero");
    assert_eq!(&text[mistake.span.unwrap()], "\"0 ms\"");
}
