//! What runs at a host.

use windtunnel_applications::Application;
use windtunnel_applications::udp::{UdpSink, UdpSource};
use windtunnel_packets::Route;

/// What runs at one host of a flow.
#[derive(Clone, Debug)]
pub(super) enum Running {
    /// On streams; none while it is called, or waits for an address.
    Streams(Option<Box<dyn Application>>),
    /// A source of datagrams, and their path.
    Source(Box<UdpSource>, Route),
    Sink(Box<UdpSink>),
}
