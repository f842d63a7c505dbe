//! Video over byte streams: a player of one file ([`Playout`]), adaptive streaming by a rule that
//! chooses the level of each segment ([`rules`]), and live frames. [`Player`] is what is read of
//! any of them.

mod adaptive;
mod buffer;
mod datagrams;
pub(crate) mod files;
pub(crate) mod footage;
mod frames;
mod ladder;
mod live;
mod player;
mod playout;
mod progressive;
mod quality;
pub mod rules;

pub use adaptive::{AdaptiveSettings, AdaptiveVideoKeys};
pub use buffer::SegmentBuffer;
pub(crate) use datagrams::{FrameSchedule, FrameSink};
pub use frames::{Frames, Picture};
pub use ladder::Ladder;
pub use live::{FramesKeys, LiveSettings};
pub use player::{Playback, Player, PlayerTotals, Segment};
pub use playout::{LateFramePolicy, Playout, PlayoutSettings};
pub use progressive::{ProgressiveSettings, VideoKeys};
pub use quality::{Experience, STALL_PENALTY, SWITCH_PENALTY};
