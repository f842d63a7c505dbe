//! What a node counts.

/// What the border router, or the router inside, of a node counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScionRouterCounters {
    /// Packets forwarded to another system by their hop fields.
    pub forwarded: u64,
    /// Packets forwarded inside the system by the address of the underlay.
    pub forwarded_inside: u64,
    /// Packets that began here: of hosts, of the control service, and error messages.
    pub sent: u64,
    /// Packets of hosts among them.
    pub carried: u64,
    /// Packets that ended here.
    pub received: u64,
    /// Packets of hosts among them.
    pub delivered: u64,
    /// Packets dropped because the authenticator of a hop field was wrong.
    pub invalid_mac: u64,
    /// Packets dropped because a hop field had expired.
    pub expired: u64,
    /// Packets dropped because their path does not lead on from here.
    pub invalid_path: u64,
    /// Packets dropped because the link of their next interface was down.
    pub interface_down: u64,
    /// Packets dropped because a link inside was down.
    pub inside_down: u64,
    /// Packets dropped because they are larger than the next link carries.
    pub too_big: u64,
    /// Packets dropped because they had passed too many nodes of one system.
    pub hop_limit_exceeded: u64,
    /// Packets of hosts dropped because no path is known.
    pub no_path: u64,
    /// Packets dropped because they were marked where their payload cannot be.
    pub unmarkable: u64,
    /// Error messages sent from here.
    pub errors_sent: u64,
    /// Error messages that arrived here.
    pub errors_received: u64,
    /// Probes sent.
    pub probes_sent: u64,
    /// Probes whose answers arrived.
    pub probes_answered: u64,
    /// Messages dropped because their bytes mean nothing.
    pub malformed: u64,
}

/// What the control service of a system counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ControlCounters {
    /// Beacons sent.
    pub beacons_sent: u64,
    /// Their messages, in bytes.
    pub beacon_bytes: u64,
    /// Beacons that came in and were kept.
    pub beacons_kept: u64,
    /// Segments registered with core systems.
    pub registrations: u64,
    /// Requests of hosts.
    pub requests: u64,
    /// Requests that it sent to other systems.
    pub requests_sent: u64,
}
