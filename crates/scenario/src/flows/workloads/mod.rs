//! What flows over TCP carry: one file for each kind.

mod arrivals;
mod bulk;
mod file;
mod on_off;
mod request_response;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_applications::Workload;
use windtunnel_transports::tcp::TcpSettings;

use super::paths::Paths;
use crate::error::Mistake;
use crate::schema::short_forms;
use {arrivals::Arrivals, bulk::Bulk, file::File, request_response::RequestResponse};

pub(super) use bulk::Steady;
pub(super) use on_off::OnOff;

/// What a flow over TCP carries.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "TcpWorkload", tag = "kind", transform = short_forms)]
pub(super) enum TcpWorkload {
    /// Data without end.
    Bulk(Bulk),
    /// One file.
    File(File),
    /// The receiver asks and the sender answers, again and again, over one
    /// connection that the receiver opens.
    RequestResponse(RequestResponse),
    /// At full speed in turns with silence. Two windows of data wait before the sender,
    /// as in Linux: what of them is left when a turn ends is still sent.
    OnOff(OnOff),
    /// Files that arrive by a Poisson process, each over a connection of its own.
    Arrivals(Arrivals),
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
        paths: &Paths<'_>,
        ends: [usize; 2],
        settings: &TcpSettings,
    ) -> Result<Workload, Mistake> {
        match self {
            Self::Bulk(it) => Ok(it.plan()),
            Self::File(it) => it.plan(),
            Self::RequestResponse(it) => it.plan(),
            Self::OnOff(it) => it.turns().map(Workload::OnOff),
            Self::Arrivals(it) => it.plan(paths, ends, settings),
        }
    }

    /// Whether the receiver opens the connection.
    pub(super) fn is_asked_for(&self) -> bool {
        matches!(self, Self::RequestResponse(_))
    }
}
