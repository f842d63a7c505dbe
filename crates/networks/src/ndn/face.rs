//! Faces: where a forwarder receives and sends.

/// A face of a forwarder: a link or an application beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FaceId(pub u16);
