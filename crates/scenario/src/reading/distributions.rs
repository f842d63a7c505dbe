//! Distributions of delays that are in files.

use crate::reading::error::Mistake;
use crate::reading::lines::{lines, shown, words};

/// The most entries of a table of delays; those of netem have 4096.
const MOST_ENTRIES: usize = 1 << 20;

/// Reads a table of delays as netem has them: whole numbers, of which 8192 are a deviation.
pub(crate) fn delays(text: &str) -> Result<Vec<i16>, Mistake> {
    let mut entries = Vec::new();
    for line in lines(text) {
        for word in words(&line) {
            entries.push(word.parse().map_err(|_| {
                line.mistake(format!("\"{}\" is not an entry of a table of delays", shown(word)))
                    .help("write whole numbers from -32768 to 32767, of which 8192 are a deviation")
            })?);
        }
        if entries.len() > MOST_ENTRIES {
            return Err(line.mistake("more than 1048576 entries").help("use a coarser table"));
        }
    }
    if entries.is_empty() {
        return Err(Mistake::new("the table is empty")
            .help("write whole numbers, of which 8192 are a deviation"));
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "([0-9#., \t\r\n-]|\\PC){0,60}") {
            let _ = delays(&text);
        }
    }
}
