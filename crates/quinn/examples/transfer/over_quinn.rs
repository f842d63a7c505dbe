//! The client over quinn.

#[path = "client.rs"]
pub(crate) mod client;

use quinn as stack;

use crate::PathFigures;

fn figures(connection: &stack::Connection) -> PathFigures {
    let path = connection.stats().path;
    PathFigures {
        rtt: path.rtt,
        sent_packets: path.sent_packets,
        lost_packets: path.lost_packets,
        congestion_events: path.congestion_events,
        mtu: path.current_mtu,
    }
}
