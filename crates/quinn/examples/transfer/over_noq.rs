//! The client over noq, on its first path.

#[expect(clippy::duplicate_mod, reason = "the same code over another stack")]
#[path = "client.rs"]
pub(crate) mod client;

use noq as stack;

use crate::PathFigures;

fn figures(connection: &stack::Connection) -> PathFigures {
    let path = connection.path_stats(stack::PathId::ZERO).unwrap_or_default();
    PathFigures {
        rtt: path.rtt,
        sent_packets: path.sent_packets,
        lost_packets: path.lost_packets,
        congestion_events: path.congestion_events,
        mtu: path.current_mtu,
    }
}
