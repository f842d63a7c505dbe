//! Faces: where a forwarder's packets come from and go to. The interfaces of its node are
//! its first faces, with the same numbers; behind them come the applications beside it.

pub use crate::layer::Interface as FaceId;
