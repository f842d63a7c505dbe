//! Columns that say the same in several tables.

use windtunnel_tables::{Column, column};

/// The column of a run's number.
pub const RUN: Column = column("run", "The number of the replication, from 0 on.").unit("");
pub(crate) const FLOW: Column =
    column("flow", "The flow or the consumer, by its name in the scenario.");
pub(crate) const SUBFLOW: Column =
    column("subflow", "The subflow of the flow, from 0 on.").unit("");
pub(crate) const NODE: Column = column("node", "The node, by its name in the scenario.");
pub(crate) const LINK: Column = column("link", "The link, by its name in the scenario.");
pub(crate) const FROM: Column = column("from", "The node at which the direction begins.");
pub(crate) const TO: Column = column("to", "The node at which the direction ends.");
pub(crate) const TIME_S: Column = column("time_s", "The end of the interval of the recording.");
pub(crate) const REGION: Column = column("region", "The region, by its name in the scenario.");
pub(crate) const SESSIONS: Column =
    column("sessions", "The sessions, by their name in the scenario.");
pub(crate) const AUTONOMOUS_SYSTEM: Column =
    column("autonomous_system", "The autonomous system, by its name in the scenario.");
pub(crate) const IS_BORDER: Column = column(
    "is_border",
    "Whether a link leads from the node to another region or autonomous system.",
);
pub(crate) const NUMBER: Column =
    column("number", "The number of the row among those of its kind, from 0 on.").unit("");
pub(crate) const RETRANSMISSIONS: Column =
    column("retransmissions", "Interests or segments sent again.").less_is_better();
pub(crate) const TIMEOUTS: Column =
    column("timeouts", "Interests that timed out, or retransmission timeouts of TCP.")
        .less_is_better();
pub(crate) const MARKS: Column = column("marks", "Packets received with a congestion mark.");
pub(crate) const DECREASES: Column = column("decreases", "Decreases of the congestion window.");
pub(crate) const REINJECTED_BYTES: Column = column(
    "reinjected_bytes",
    "Data given to a subflow although another one had been given it before.",
);
pub(crate) const CWND_SEGMENTS: Column = column(
    "cwnd_segments",
    "The congestion window at the end of the interval; empty where there is not just one.",
);
pub(crate) const SSTHRESH_SEGMENTS: Column = column(
    "ssthresh_segments",
    "The slow-start threshold at the end of the interval; empty while it is unlimited, and where \
 there is not just one.",
);
pub(crate) const IN_FLIGHT: Column =
    column("in_flight", "Interests or segments in flight at the end.");
pub(crate) const SMOOTHED_RTT_S: Column = column(
    "smoothed_rtt_s",
    "The smoothed round-trip time at the end of the interval; empty before the first sample, and \
 where there is not just one.",
);
pub(crate) const OVERLIMIT_DROPS: Column =
    column("overlimit_drops", "Packets dropped because the queue was at its limit.")
        .title("dropped at the queue's limit");
pub(crate) const DISCIPLINE_DROPS: Column =
    column("discipline_drops", "Packets dropped by the queue discipline before that.")
        .title("dropped by the queue discipline");
pub(crate) const LOSSES: Column =
    column("losses", "Packets lost on the link, by its loss model or its physical layer.")
        .title("lost on the link");
pub(crate) const SOME_CONGESTION_MARKS: Column = column(
    "some_congestion_marks",
    "Packets marked with the milder mark of SCE (Some Congestion Experienced).",
);
pub(crate) const SOJOURN_S: Column = column(
    "sojourn_s",
    "The mean time from a packet's arrival in the queue to its transmission; empty if none was \
 sent.",
)
.title("sojourn time")
.less_is_better();
pub(crate) const SIZE_BYTES: Column = column("size_bytes", "The size of what was transferred.");
pub(crate) const SLOWDOWN: Column =
    column("slowdown", "The completion time divided by the minimum that the path allows.");
pub(crate) const QUALITY_BPS: Column =
    column("quality_bps", "The bitrate that is played; empty without levels.")
        .title("bitrate played")
        .more_is_better();
pub(crate) const BUFFER_S: Column =
    column("buffer_s", "The media that is received and not yet played.");
pub(crate) const X_M: Column = column("x_m", "The position, eastwards.");
pub(crate) const Y_M: Column = column("y_m", "The position, northwards.");
pub(crate) const PATH: Column =
    column("path", "The path: its nodes, or the systems that it crosses.");
pub(crate) const PATH_LINKS: Column = column(
    "path_links",
    "The path by the interfaces that it crosses, two for each link between systems.",
);
pub(crate) const HOP_LIMIT_EXCEEDED: Column =
    column("hop_limit_exceeded", "Packets dropped because they had passed too many nodes.");
pub(crate) const TOO_LARGE: Column =
    column("too_large", "Packets dropped because they were too large to be sent on.");
pub(crate) const UNMARKABLE: Column = column(
    "unmarkable",
    "Packets dropped because they were marked and what is inside them cannot be.",
);
pub(crate) const MALFORMED: Column =
    column("malformed", "Messages dropped because they could not be read.");
pub(crate) const ERRORS_SENT: Column = column("errors_sent", "Error messages sent by the node.");
pub(crate) const ERRORS_RECEIVED: Column =
    column("errors_received", "Error messages that arrived at the node for its hosts.");
pub(crate) const JITTER_S: Column = column(
    "jitter_s",
    "The interarrival jitter (RFC 3550) of datagrams, or of what a consumer reads; empty for TCP.",
)
.title("jitter (RFC 3550)");
