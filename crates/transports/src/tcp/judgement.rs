//! What is to be done with a segment.

/// What is to become of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judgement {
    /// It is taken in. What came already is acknowledged again, and nothing else than what it
    /// acknowledges counts: that may have come with no other segment.
    Acceptable,
    /// It was sent long ago; its data came already or will come again. It is dropped, and
    /// acknowledged at once.
    Outdated,
    /// It is dropped, and answered by what is expected instead, but not each time: anyone can
    /// send it.
    NotAcceptable,
}
