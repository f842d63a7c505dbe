//! How both ends of a multipath connection behave.

use std::sync::Arc;

use windtunnel_engine::Time;
use windtunnel_packets::multipath::{Multipath, Version};

use super::scheduler::SchedulerSettings;
use crate::tcp::{Accounting, Buffers, Nagle, Reading, Socket, TcpSettings, WindowUnit};

/// More than any subflow holds: neither its receive buffer nor its send buffer limits it.
const UNLIMITED: u64 = 1 << 30;

/// A path of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathSettings {
    /// The addresses of the client and of the server that it joins, each as a number that is
    /// unique at its end; 0 is that of the first path.
    pub addresses: [u8; 2],
    /// Whether it is only for when no other is usable.
    pub is_backup: bool,
}

/// What becomes of a subflow during a connection. The client arranges it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathChange {
    /// When.
    pub at: Time,
    /// The place of its path.
    pub path: usize,
    /// What it is from then on.
    pub state: PathState,
}

/// What a subflow is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case"),
    schemars(rename = "SubflowState")
)]
pub enum PathState {
    /// It carries data.
    Active,
    /// It carries data only while no other can; the other end is notified by MP_PRIO.
    Backup,
    /// It is reset under load, and the address is withdrawn by REMOVE_ADDR.
    Removed,
}

/// How both ends share data among subflows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(default, deny_unknown_fields)
)]
pub struct MultipathOptions {
    /// Whether data that fills the receiver's window because it is late on a slower subflow is
    /// sent again on a faster one, and the slower one's window is halved, as Linux's
    /// out-of-tree implementation does.
    pub opportunistic_retransmission: bool,
    /// Whether a lack of data marks the samples of a subflow's delivery rate as limited by the
    /// application. In Linux it does not: BBR takes those of a subflow that the scheduler
    /// leaves without data for the path's.
    pub application_limited: bool,
    /// What windows, data in flight and delivery rates of subflows are counted in.
    pub window_unit: WindowUnit,
    /// Whether rates of sending, which are segments per second, are taken for those of segments
    /// of plain TCP, although the options of Multipath TCP leave less room for data, as in Linux:
    /// subflows are paced faster, by 1448 / 1420. Default: with version `v1`.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub paced_as_plain: Option<bool>,
    /// Whether the end that does not open the connection knows the protocol; otherwise both
    /// speak plain TCP on the first path.
    pub server_is_capable: bool,
}

impl Default for MultipathOptions {
    fn default() -> Self {
        Self {
            opportunistic_retransmission: true,
            application_limited: true,
            window_unit: WindowUnit::default(),
            paced_as_plain: None,
            server_is_capable: true,
        }
    }
}

/// How both ends of a multipath connection behave.
#[derive(Clone, Debug)]
pub struct MultipathSettings {
    /// Each subflow, and the buffers of the connection.
    pub tcp: Arc<TcpSettings>,
    /// The same for a subflow, whose buffers are those of the connection.
    pub(super) subflow: Arc<TcpSettings>,
    /// The version.
    pub version: Version,
    /// The paths; the connection is opened on the first.
    pub paths: Vec<PathSettings>,
    /// What becomes of them during the connection, in the order of time.
    pub changes: Vec<PathChange>,
    /// What chooses among them.
    pub scheduler: SchedulerSettings,
    /// How both ends share data among subflows.
    pub options: MultipathOptions,
}

impl MultipathSettings {
    /// Connections of subflows like that over those paths, the rest as in Linux's out-of-tree
    /// implementation.
    #[must_use]
    pub fn new(
        tcp: TcpSettings,
        version: Version,
        paths: Vec<PathSettings>,
        scheduler: SchedulerSettings,
    ) -> Self {
        let subflow = Arc::new(TcpSettings {
            buffers: Buffers { send: UNLIMITED, ..Buffers::with_receive(UNLIMITED) },
            // Records are not joined: what waits waits in the connection.
            socket: Socket { write_size: None, nagle: Nagle::Off, reading: Reading::AtOnce },
            ..tcp.clone()
        });
        Self {
            tcp: Arc::new(tcp),
            subflow,
            version,
            paths,
            changes: Vec::new(),
            scheduler,
            options: MultipathOptions::default(),
        }
    }

    /// How subflows count what they send.
    pub(super) fn accounting(&self) -> Accounting {
        let MultipathOptions { application_limited, window_unit, paced_as_plain, .. } =
            self.options;
        let is_plain = paced_as_plain.unwrap_or(self.version == Version::V1);
        Accounting {
            application_limited,
            unit: window_unit,
            paced_excess: if is_plain { Self::overhead(self.version) } else { 0 },
        }
    }

    /// The bytes of options that each segment with data has more than that of plain TCP.
    #[must_use]
    pub fn overhead(version: Version) -> u16 {
        Multipath::mapping_size(version)
    }
}
