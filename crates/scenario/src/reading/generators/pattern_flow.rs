//! A flow that a table stands for.

use crate::reading::tree::Entry;

/// The two ends of a flow.
pub(super) type Ends = [String; 2];

/// A flow of a pattern.
#[derive(Clone, Debug)]
pub(super) struct PatternFlow {
    pub(super) ends: Ends,
    /// The keys that it alone has.
    pub(super) own: Vec<Entry>,
}
