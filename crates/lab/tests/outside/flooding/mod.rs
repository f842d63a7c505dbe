//! Flooding: one node sends messages, and each node passes them on to all its neighbours.

mod node;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;
use windtunnel_networks::layer::LayerMaker;
use windtunnel_packets::{Body, ProtocolNumber};
use windtunnel_scenario::{
    Domains, FrameContext, FrameError, FramePayload, LayerKind, Located, Measured, Mistake,
    SectionTypes, Sections,
};
use windtunnel_tables::{Columns, Table, column};
use windtunnel_world::{LinkPlan, NodePlan, Plan, SeenPacket, World};

use node::{Flooder, Network, PROTOCOL, SIZE};

/// The second EtherType for local experiments (RFC 9542, appendix B.1).
const ETHER_TYPE: u16 = 0x88b6;

/// The sections of a scenario.
#[derive(Deserialize, JsonSchema)]
struct File {
    flooding: Option<Section>,
}

/// Messages that one node sends to all others.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Section {
    /// The node that sends them.
    source: Located<String>,
    /// From one message to the next.
    interval: Located<Measured<Duration>>,
}

/// The layer, in one value.
#[derive(Debug)]
pub(crate) struct Flooding;

impl LayerKind for Flooding {
    fn protocol(&self) -> ProtocolNumber {
        PROTOCOL
    }

    fn sections(&self) -> SectionTypes {
        SectionTypes::of::<File>()
    }

    fn plan(
        &self,
        sections: &Sections<'_>,
        nodes: &mut [NodePlan],
        _links: &[LinkPlan],
    ) -> Result<Option<Box<dyn Domains>>, Mistake> {
        let Some(section) = sections.read::<File>()?.flooding else { return Ok(None) };
        section.interval.checked(
            |it| it.0 > Duration::ZERO,
            || "`interval` must be greater than zero".to_owned(),
            "write one such as \"100 ms\"",
        )?;
        let source = sections.nodes().index(&section.source)?;
        let interval = section.interval.value.0;
        let network: Arc<dyn LayerMaker> = Arc::new(Network { source, interval });
        nodes.iter_mut().for_each(|it| it.layers.push(Arc::clone(&network)));
        Ok(None)
    }

    fn tables(&self, plan: &Plan, world: &World) -> Vec<Table> {
        let nodes = plan.nodes.iter().enumerate();
        let rows: Vec<(&str, &Flooder)> = nodes
            .filter_map(|(place, node)| Some((node.name.as_str(), world.layer(place, PROTOCOL)?)))
            .collect();
        let table = Columns::of("flooding", "What each node received.", &rows)
            .text(column("node", "The node, by its name in the scenario."), |it| it.0)
            .count(column("received", "Messages received, copies not counted."), |it| it.1.received)
            .number(column("first_s", "When the first one came; empty: none did."), |it| {
                it.1.first.map(|it| it.as_seconds())
            });
        vec![table.table()]
    }

    fn frame(&self, seen: &SeenPacket, _: &FrameContext<'_>) -> Result<FramePayload, FrameError> {
        let Body::Message(message) = &seen.packet.body else { return Err("no message".into()) };
        let mut bytes = message.words[0].to_be_bytes().to_vec();
        bytes.resize(usize::from(SIZE), 0);
        Ok(FramePayload { ether_type: ETHER_TYPE, bytes })
    }
}
