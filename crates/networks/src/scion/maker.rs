//! A network of autonomous systems as a scenario's plan has it: what makes the layers of nodes.

use std::sync::{Arc, OnceLock};

use windtunnel_packets::ProtocolNumber;
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::scion::PROTOCOL;

use super::combination::Combined;
use super::discovery::{Known, discover, paths};
use super::flows::FlowPolicies;
use super::node::ScionNode;
use super::settings::ScionSettings;
use crate::layer::{LayerMaker, NetworkLayer, NodeSetting};

/// A host's packets have this many bytes at most, with all headers.
const FULL_PACKET: u16 = 1500;

/// Makes the layers of a network of autonomous systems.
#[derive(Debug)]
pub struct ScionMaker {
    settings: Arc<ScionSettings>,
    known: OnceLock<Arc<Vec<Known>>>,
}

impl ScionMaker {
    /// Of a network.
    #[must_use]
    pub fn new(settings: ScionSettings) -> Self {
        Self { settings: Arc::new(settings), known: OnceLock::new() }
    }

    /// The network.
    #[must_use]
    pub fn settings(&self) -> &Arc<ScionSettings> {
        &self.settings
    }

    /// The same network, whose flows choose their paths so.
    #[must_use]
    pub fn with_flows(&self, flows: FlowPolicies) -> Self {
        let settings = ScionSettings { flows, ..ScionSettings::clone(&self.settings) };
        Self { settings: Arc::new(settings), known: self.known.clone() }
    }

    /// What control services know once the network has been there for long.
    pub fn known(&self) -> &Arc<Vec<Known>> {
        self.known.get_or_init(|| Arc::new(discover(&self.settings)))
    }

    /// The paths from one node's system to another's that hosts hold once the network has been
    /// there for long.
    #[must_use]
    pub fn paths(&self, ends: [usize; 2]) -> Vec<Combined> {
        let ends = ends.map(|it| self.settings.nodes[it].system);
        let found = paths(&self.settings, self.known(), ends);
        super::paths::kept(found, self.settings.beaconing.most_paths)
    }
}

impl LayerMaker for ScionMaker {
    fn protocol(&self) -> ProtocolNumber {
        PROTOCOL
    }

    fn layer(&self, setting: NodeSetting) -> Box<dyn NetworkLayer> {
        let known = self.settings.beaconing.is_known.then(|| Arc::clone(self.known()));
        Box::new(ScionNode::new(Arc::clone(&self.settings), known.as_deref(), setting))
    }

    /// What is left of 1,500 bytes on the path of those that hosts hold with the least room: it
    /// has the longest header, or the smallest MTU.
    fn overhead(&self, ends: [usize; 2], ip: IpVersion) -> u16 {
        let paths = self.paths(ends);
        let lost = paths.iter().map(|it| {
            let headers = self.settings.headers(ip, &it.path);
            let packet = it.mtu.saturating_add(self.settings.underlay_header()).min(FULL_PACKET);
            headers - ip.header() + FULL_PACKET - packet
        });
        lost.max().unwrap_or(0)
    }

    fn hosts_choose_paths(&self) -> bool {
        true
    }
}
