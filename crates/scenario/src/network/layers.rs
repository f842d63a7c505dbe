//! Network layers beside IP and NDN: what each brings to scenarios, results and captures.

use std::error::Error;
use std::fmt::Debug;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use windtunnel_networks::scion::policies::PolicySettings;
use windtunnel_packets::ProtocolNumber;
use windtunnel_packets::ndn::PacketFormat;
use windtunnel_tables::Table;
use windtunnel_world::{
    DomainsPlan, FlowPlan, LinkPlan, Metric, NameLookupPlan, NodePlan, Plan, RootPlan, SeenPacket,
    World,
};

use crate::network::nodes::Names;
use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::reader;
use crate::reading::tree::{Node, Value};

/// A kind of network layer: all that it adds to a scenario, to the results and to captures. What
/// it does on nodes is in the [`LayerMaker`] that it puts into a plan.
///
/// [`LayerMaker`]: windtunnel_networks::layer::LayerMaker
pub trait LayerKind: Debug + Send + Sync {
    /// The protocol of its packets.
    fn protocol(&self) -> ProtocolNumber;

    /// The sections of a scenario that are its own; default: none.
    fn sections(&self) -> SectionTypes {
        SectionTypes::default()
    }

    /// Puts what its sections say onto the nodes of a network; its domains, if it carries the IP
    /// packets of hosts between some.
    ///
    /// # Errors
    /// [`Mistake`] says what is wrong there, and what would be right.
    fn plan(
        &self,
        _sections: &Sections<'_>,
        _nodes: &mut [NodePlan],
        _links: &[LinkPlan],
    ) -> Result<Option<Box<dyn Domains>>, Mistake> {
        Ok(None)
    }

    /// The tables of a run. Those of all runs have the same names and columns: where the layer is
    /// on no node, they are empty.
    fn tables(&self, plan: &Plan, world: &World) -> Vec<Table>;

    /// A packet of its protocol as an Ethernet frame carries it.
    ///
    /// # Errors
    /// [`FrameError`] if it has no encoding.
    fn frame(
        &self,
        seen: &SeenPacket,
        context: &FrameContext<'_>,
    ) -> Result<FramePayload, FrameError>;
}

/// The domains of a scenario, between which a layer carries the IP packets of hosts.
pub trait Domains: Debug {
    /// As they are before the flows are known.
    fn plan(&self) -> DomainsPlan;

    /// Checks what NDN's packets go over between domains; default: all of it is carried.
    ///
    /// # Errors
    /// [`Mistake`] says what the layer cannot carry.
    fn check_ndn(&self, _ndn: &NdnBetweenDomains<'_>) -> Result<(), Mistake> {
        Ok(())
    }

    /// Checks a flow whose ends are joined by links; default: it is carried.
    ///
    /// # Errors
    /// [`Mistake`] says why the layer does not carry it.
    fn check_flow(&self, _flow: &FlowPlan) -> Result<(), Mistake> {
        Ok(())
    }

    /// The domains, with what flows ask of them: `flows` are those of the scenario, and then those
    /// that carry the messages of sessions; `requests` is what each of the former asks.
    ///
    /// # Errors
    /// [`Mistake`] of the first request that cannot be met.
    fn serve(
        &self,
        _flows: &[FlowPlan],
        _requests: &[FlowRequest<'_>],
        _nodes: &Names<'_>,
    ) -> Result<ServedDomains, Mistake> {
        Ok(ServedDomains { plan: self.plan(), roots: Vec::new(), lookups: Vec::new() })
    }
}

/// What NDN's packets go over in a network of several domains.
pub struct NdnBetweenDomains<'a> {
    /// All links.
    pub links: &'a [LinkPlan],
    /// The formats of the packets.
    pub formats: &'a [PacketFormat],
    /// Whether the faces at the ends of the link in that place are joined by a TCP connection.
    pub is_over_tcp: &'a dyn Fn(usize) -> bool,
}

/// What a flow asks of the layer that carries its packets between domains.
pub struct FlowRequest<'a> {
    /// What chooses the path of each of its packets, if it says so.
    pub path_policy: Option<PolicySettings>,
    /// The name of the other end, for the end that opens it, if that asks for the address.
    pub peer_name: Option<&'a Located<String>>,
    /// The node that opens the flow, and the other end.
    pub ends: [usize; 2],
}

/// Domains, with what flows asked of them.
pub struct ServedDomains {
    /// The domains, whose carrier knows the flows.
    pub plan: DomainsPlan,
    /// The roots that names are asked of.
    pub roots: Vec<RootPlan>,
    /// What is asked of these, with the place of the flow that waits for the answer.
    pub lookups: Vec<(usize, NameLookupPlan)>,
}

/// What an Ethernet frame carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FramePayload {
    /// The number of its protocol in IEEE's registry.
    pub ether_type: u16,
    /// The packet.
    pub bytes: Vec<u8>,
}

/// Why a packet has no frame.
pub type FrameError = Box<dyn Error + Send + Sync>;

/// What a packet's bytes depend on besides the packet.
pub struct FrameContext<'a> {
    /// The plan of the run.
    pub plan: &'a Plan,
    /// By node, the number that its addresses are made from ([`Plan::address_numbers`]).
    pub address_numbers: &'a [usize],
    /// Encodes a packet that is inside of another one.
    pub inside: &'a dyn Fn(&SeenPacket) -> Result<FramePayload, FrameError>,
}

/// The types of the sections of a layer.
#[derive(Clone, Copy, Debug)]
pub struct SectionTypes {
    pub(crate) keys: &'static [&'static str],
    pub(crate) schema: fn(&mut SchemaGenerator) -> Schema,
}

impl Default for SectionTypes {
    /// No sections.
    fn default() -> Self {
        Self { keys: &[], schema: |_| Schema::default() }
    }
}

impl SectionTypes {
    /// Those of a structure: each of its fields is a section of the scenario, and may be absent.
    #[must_use]
    pub fn of<T: DeserializeOwned + JsonSchema>() -> Self {
        Self { keys: reader::keys::<T>(), schema: T::json_schema }
    }
}

/// The sections of a layer in a scenario.
pub struct Sections<'a> {
    all: Node,
    nodes: &'a Names<'a>,
    metric: Metric,
}

impl Sections<'_> {
    /// Reads them.
    ///
    /// # Errors
    /// [`Mistake`] of the first key or value that `T` does not have.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Mistake> {
        reader::read(self.all.clone())
    }

    /// The names of the nodes, by which sections refer to them.
    #[must_use]
    pub fn nodes(&self) -> &Names<'_> {
        self.nodes
    }

    /// What a path over links costs.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.metric
    }
}

/// The keys of the sections of all layers.
pub(crate) fn keys(layers: &[Arc<dyn LayerKind>]) -> Vec<&'static str> {
    layers.iter().flat_map(|it| it.sections().keys).copied().collect()
}

/// Takes the sections of all layers out of a scenario.
pub(crate) fn take_sections(file: &mut Node, layers: &[Arc<dyn LayerKind>]) -> Node {
    let (span, known) = (file.span.clone(), keys(layers));
    let entries = file.entries_mut().map(std::mem::take).unwrap_or_default();
    let (taken, left) = entries.into_iter().partition(|it| known.contains(&it.key.as_str()));
    if let Some(entries) = file.entries_mut() {
        *entries = left;
    }
    Node { span, value: Value::Table(taken) }
}

/// Puts what the sections of all layers say onto nodes; the domains of the one that has them.
pub(crate) fn plan(
    sections: &Node,
    layers: &[Arc<dyn LayerKind>],
    (names, metric): (&Names<'_>, Metric),
    nodes: &mut [NodePlan],
    links: &[LinkPlan],
) -> Result<Option<Box<dyn Domains>>, Mistake> {
    let mut domains = None;
    for layer in layers {
        let (mut all, own) = (sections.clone(), layer.sections().keys);
        let entries = all.entries_mut().expect("sections are a table");
        entries.retain(|it| own.contains(&it.key.as_str()));
        let first = entries.first().map(|it| it.span.clone());
        let of_layer = layer.plan(&Sections { all, nodes: names, metric }, nodes, links)?;
        if domains.is_some() && of_layer.is_some() {
            return Err(Mistake::new("only one network layer can carry packets between domains")
                .at(first)
                .help("remove the sections of the others"));
        }
        domains = domains.or(of_layer);
    }
    Ok(domains)
}
