//! The folder of a run, below folders named after its case.

use std::path::{Path, PathBuf};

use windtunnel_scenario::Case;

/// The folder of a run of a case, below another.
pub(crate) fn of_run(folder: &Path, case: &Case, number: u64) -> PathBuf {
    let mut path = folder.to_path_buf();
    path.extend(case.names.iter().map(|it| file_name(it)));
    path.push(format!("run-{number}"));
    path
}

/// A name as a file's name: what could mean something there is escaped as in a
/// URI.
pub(crate) fn file_name(name: &str) -> String {
    let escape = |(place, byte): (usize, u8)| match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'_' => char::from(byte).to_string(),
        b'.' if place > 0 => ".".to_owned(),
        _ => format!("%{byte:02X}"),
    };
    name.bytes().enumerate().map(escape).collect()
}
