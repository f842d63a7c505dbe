//! The ports of an end that opens a connection of TCP for each stream: one for each, which says its
//! number to the other end.

/// The first port that is not a well-known one (RFC 6335, section 6).
const FIRST: u64 = 1024;
/// How many there are from there on.
const COUNT: u64 = 65_536 - FIRST;

/// The port of a connection, where the first one has `base`.
#[must_use]
pub fn port(base: u16, number: u64) -> u16 {
    let place = u64::from(base) + COUNT - FIRST;
    (FIRST + (place + number) % COUNT) as u16
}

/// The number of the connection from a port, of all that have it the one nearest to `near`.
#[must_use]
pub fn number(base: u16, port: u16, near: u64) -> u64 {
    let place = |it: u16| u64::from(it) + COUNT - FIRST;
    let number = (place(port) + COUNT - place(base) % COUNT) % COUNT;
    let round = (near + COUNT / 2).saturating_sub(number) / COUNT;
    number + round * COUNT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_say_which_connection_it_is_also_after_all_were_used() {
        for base in [40_000, 65_535, 1024, 80, 0] {
            for expected in [0, 1, 999, COUNT - 1, COUNT, 3 * COUNT + 7] {
                let port = port(base, expected);
                assert!(u64::from(port) >= FIRST);
                for near in [expected.saturating_sub(1000), expected, expected + 1000] {
                    assert_eq!(number(base, port, near), expected, "{base}, near {near}");
                }
            }
        }
    }
}
