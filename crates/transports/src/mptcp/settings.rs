//! How both ends of a multipath connection behave.

use std::sync::Arc;

use windtunnel_engine::Time;
use windtunnel_packets::multipath::{Multipath, Version};

use super::scheduler::SchedulerSettings;
use crate::tcp::{Accounting, BufferLimits, Nagle, Reading, TcpSettings, WindowUnit};

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
    /// Whether data that fills the receiver's window because it is late on a slower subflow is
    /// sent again on a faster one, and the slower one's window is halved.
    pub opportunistic_retransmission: bool,
    /// How subflows count what they send.
    pub accounting: Accounting,
    /// Whether the server knows the protocol; otherwise, both speak plain TCP.
    pub server_is_capable: bool,
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
            receive_buffer: BufferLimits::fixed(UNLIMITED),
            send_buffer: UNLIMITED,
            reading: Reading::AtOnce,
            // Records are not joined: what waits waits in the connection.
            nagle: Nagle::Off,
            write_size: None,
            ..tcp.clone()
        });
        Self {
            tcp: Arc::new(tcp),
            subflow,
            version,
            paths,
            changes: Vec::new(),
            scheduler,
            opportunistic_retransmission: true,
            accounting: Accounting {
                application_limited: true,
                unit: WindowUnit::default(),
                paced_excess: 0,
            },
            server_is_capable: true,
        }
    }

    /// The bytes of options that each segment with data has more than that of plain TCP.
    #[must_use]
    pub fn overhead(version: Version) -> u16 {
        Multipath::mapping_size(version)
    }
}
