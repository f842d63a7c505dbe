//! Tables in which the settings of a flow or a consumer are grouped by subject.
//!
//! Such a table may be left out: a value can be set in it by path nevertheless. What it lacks is
//! taken key by key from the same table of `[defaults]`, or of what makes the flow; other tables
//! are replaced as a whole.

use crate::error::Mistake;
use crate::tree::Entry;

/// The keys under which the groups are.
pub const GROUPS: [&str; 6] =
    ["acknowledgements", "buffers", "offload", "socket", "timeout", "window"];

/// Keys that were in no group, and where they are now.
const MOVED: [(&str, &str); 28] = [
    ("acknowledge_every", "acknowledgements.every"),
    ("acknowledge_within", "acknowledgements.within"),
    ("after_idleness", "window.after_idleness"),
    ("after_path_change", "window.after_path_change"),
    ("backoff", "timeout.backoff"),
    ("initial_ssthresh", "window.ssthresh"),
    ("initial_timeout", "timeout.initial"),
    ("initial_window", "window.initial"),
    ("late_data", "timeout.late_data"),
    ("maximum_receive_buffer", "buffers.maximum_receive"),
    ("maximum_timeout", "timeout.maximum"),
    ("minimum_timeout", "timeout.minimum"),
    ("minimum_variation", "timeout.minimum_variation"),
    ("minimum_window", "window.minimum"),
    ("most_doublings", "timeout.most_doublings"),
    ("nagle", "socket.nagle"),
    ("reading", "socket.reading"),
    ("receive_buffer", "buffers.receive"),
    ("receive_coalescing", "offload.coalescing"),
    ("receive_offload", "offload.receive"),
    ("rtt_gain", "timeout.rtt_gain"),
    ("sack_compression", "acknowledgements.sack_compression"),
    ("segmentation_offload", "offload.segmentation"),
    ("send_buffer", "buffers.send"),
    ("timeout_check", "timeout.check"),
    ("timeout_meaning", "timeout.meaning"),
    ("window_fraction", "window.fraction"),
    ("write_size", "socket.write_size"),
];

/// The mistake of a key that is in a group now, in a table that has these keys.
pub fn moved<'a>(key: &str, mut known: impl Iterator<Item = &'a str>) -> Option<Mistake> {
    let (_, now) = MOVED.iter().find(|it| it.0 == key)?;
    let group = now.split('.').next().unwrap_or_default();
    known.any(|it| it == group).then(|| Mistake::new(format!("`{key}` is now `{now}`")))
}

/// Adds to the entries of a table those of another one that it does not have.
pub fn complete(own: &mut Vec<Entry>, other: &[Entry]) {
    for entry in other {
        match own.iter_mut().find(|it| it.key == entry.key) {
            None => own.push(entry.clone()),
            Some(it) if GROUPS.contains(&it.key.as_str()) => {
                let entries = it.node.entries_mut().zip(entry.node.entries());
                entries.into_iter().for_each(|(own, other)| complete(own, other));
            }
            Some(_) => {}
        }
    }
}
