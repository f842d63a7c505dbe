//! What flows over TCP carry: one file for each kind.

mod adaptive_video;
mod arrivals;
mod bulk;
mod file;
mod footage;
mod frames;
mod on_off;
mod request_response;
mod rules;
mod sizes;
mod video;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_applications::Workload;
use windtunnel_transports::tcp::TcpSettings;

use super::paths::FlowContext;
use crate::reading::error::Mistake;
use crate::reading::files::Files;
use crate::reading::schema::short_forms;
use adaptive_video::AdaptiveVideo;
use request_response::RequestResponse;
use {arrivals::Arrivals, bulk::Bulk, file::File, video::Video};

pub(super) use bulk::Steady;
pub(super) use frames::Frames;
pub(super) use on_off::OnOff;
pub(crate) use rules::RULES;
pub(crate) use sizes::SizesOfFiles;

/// What a flow over TCP carries.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "TcpWorkload", tag = "kind", transform = short_forms)]
pub(super) enum TcpWorkload {
    /// Data without end.
    Bulk(Bulk),
    /// One file.
    File(File),
    /// The receiver asks and the sender answers, again and again, over one connection for each
    /// worker at the receiver, which opens it.
    RequestResponse(RequestResponse),
    /// At full speed in turns with silence. Two windows of data wait before the sender,
    /// as in Linux: what of them is left when a turn ends is still sent.
    OnOff(OnOff),
    /// Files that arrive by a Poisson process, each over a connection of its own.
    Arrivals(Arrivals),
    /// A video in one file, which the receiver requests and plays while it comes.
    Video(Video),
    /// A video in segments, of which the receiver requests one after another over one
    /// connection, each at a level that a rule chooses.
    AdaptiveVideo(AdaptiveVideo),
    /// Live frames: each is sent when it is made.
    Frames(Frames),
}

impl Default for TcpWorkload {
    fn default() -> Self {
        Self::Bulk(Bulk::default())
    }
}

impl TcpWorkload {
    /// What a flow between two nodes carries, over connections with these settings.
    pub(super) fn plan(
        &self,
        context: &FlowContext<'_>,
        ends: [usize; 2],
        settings: &TcpSettings,
        files: &mut Files<'_>,
    ) -> Result<Workload, Mistake> {
        match self {
            Self::Bulk(it) => Ok(it.plan()),
            Self::File(it) => it.plan(),
            Self::RequestResponse(it) => it.plan(),
            Self::OnOff(it) => it.turns().map(Workload::OnOff),
            Self::Arrivals(it) => it.plan(&context.paths, ends, settings, files),
            Self::Video(it) => it.plan(files),
            Self::AdaptiveVideo(it) => {
                it.plan(settings.maximum_segment, &context.controllers.extensions.rules, files)
            }
            Self::Frames(it) => it.settings(files).map(Workload::Frames),
        }
    }

    /// Whether the receiver opens the connection.
    pub(super) fn is_asked_for(&self) -> bool {
        matches!(self, Self::RequestResponse(_) | Self::Video(_) | Self::AdaptiveVideo(_))
    }
}
