//! Video over byte streams: a player of one file ([`Playout`]), adaptive streaming by a rule that
//! chooses the level of each segment ([`rules`]), and live frames. [`Player`] is what is read of
//! any of them.

mod adaptive;
mod buffer;
mod datagrams;
mod frames;
mod ladder;
mod live;
mod player;
mod playout;
mod progressive;
mod quality;
pub mod rules;

pub use adaptive::AdaptiveSettings;
pub(crate) use adaptive::{AdaptivePlayer, SegmentServer};
pub use buffer::SegmentBuffer;
pub(crate) use datagrams::{FrameSchedule, FrameSink};
pub use frames::{Frames, Picture};
pub use ladder::Ladder;
pub use live::LiveSettings;
pub(crate) use live::{LiveReceiver, LiveSender};
pub use player::{Playback, Player, PlayerTotals, Segment};
pub use playout::{LateFramePolicy, Playout, PlayoutSettings};
pub use progressive::ProgressiveSettings;
pub(crate) use progressive::{FileServer, ProgressivePlayer};
pub use quality::{Experience, STALL_PENALTY, SWITCH_PENALTY};
