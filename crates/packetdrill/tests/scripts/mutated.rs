//! Whatever bytes a script has, it is read or refused, and played, without a panic.

use std::fs;

use proptest::collection::vec;
use proptest::prelude::*;
use windtunnel_packetdrill::{Script, play};

use crate::suites::files;

/// A change to a text.
#[derive(Clone, Debug)]
enum Change {
    Remove(usize, usize),
    Insert(usize, Vec<u8>),
    Copy(usize, usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let pieces =
        ["(", ")", "<", ">", "[", "]", "`", "%{", "*", "...", "~", "4294967295", "-1", "é"];
    let piece = prop_oneof![
        proptest::sample::select(pieces.to_vec()).prop_map(|it| it.as_bytes().to_vec()),
        vec(any::<u8>(), 1..4),
    ];
    prop_oneof![
        (any::<usize>(), 1_usize..20).prop_map(|(at, count)| Change::Remove(at, count)),
        (any::<usize>(), piece).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        (any::<usize>(), any::<usize>(), 1_usize..60)
            .prop_map(|(from, to, count)| Change::Copy(from, to, count)),
    ]
}

fn apply(text: &mut Vec<u8>, change: &Change) {
    let place = |it: usize| it % (text.len() + 1);
    match change {
        Change::Remove(at, count) => {
            let at = place(*at);
            let end = (at + count).min(text.len());
            text.drain(at..end);
        }
        Change::Insert(at, bytes) => {
            let at = place(*at);
            text.splice(at..at, bytes.iter().copied());
        }
        Change::Copy(from, to, count) => {
            let (from, to) = (place(*from), place(*to));
            let piece = text[from..(from + count).min(text.len())].to_vec();
            text.splice(to..to, piece);
        }
    }
}

proptest! {
    #[test]
    fn a_script_that_was_changed_is_played_or_refused(
        which in any::<prop::sample::Index>(),
        changes in vec(change(), 1..8),
    ) {
        let files = files();
        let mut text = fs::read(&files[which.index(files.len())]).unwrap();
        changes.iter().for_each(|it| apply(&mut text, it));
        match Script::read("script.pkt", &String::from_utf8_lossy(&text)) {
            Ok(script) => drop(play(&script)),
            Err(mistake) => {
                prop_assert!(mistake.place.is_some());
                prop_assert!(mistake.to_string().starts_with("script.pkt:"));
            }
        }
    }
}
