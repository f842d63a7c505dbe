//! Links: what all have.

mod changes;
mod impairments;
mod jitter;
mod loss;
mod weight;

use std::ops::RangeInclusive;

use indexmap::IndexSet;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use windtunnel_engine::Duration;
use windtunnel_links::{Duplex, Impairment, LinkKeys, Loss as LossPlan, Pace, Victims};
use windtunnel_networks::ndn::link_service::{LinkService, LinkServiceSettings};
use windtunnel_queues::QueueKeys;
use windtunnel_world::{ChangePlan, DirectionPlan, LinkPlan};

use crate::network::nodes::Names;
use crate::reading::error::Mistake;
use crate::reading::files::Files;
use crate::reading::generators::InTurn;
use crate::reading::located::{Both, Each, Located};
use crate::reading::same_schema::same_schema;
use crate::reading::units::{Bytes, Measured, Share, bytes};
use crate::traffic::tunnels::TcpTunnel;
use changes::Change;
use impairments::{LoadDelay, Reordering};
use jitter::Jitter;
use loss::Loss;
pub(crate) use loss::{Flows, note as loss_note};
pub(crate) use weight::Weight;

/// The most bytes that a link's framing adds to a packet.
const MOST_OVERHEAD: u64 = 1500;

/// A link of some kind.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct Link(Both<Common, LinkKeys>);

same_schema!(Link: Both<Common, LinkKeys>);

/// A duplex link. A value that may differ by direction is one for both, or an array of
/// two: from the first node to the second, and back.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Link")]
pub(crate) struct Common {
    /// The two nodes that it joins.
    #[schemars(with = "[String; 2]")]
    nodes: Located<Ends>,
    /// The propagation delay.
    delay: Each<Measured<Duration>>,
    /// Its cost in a path where `routing.metric` is `weight`, as OSPF's interface cost: a number
    /// greater than 0, to 16777215, of at most three decimals. Default: 1.
    weight: Option<Each<Weight>>,
    /// What it loses at random; default: nothing.
    loss: Option<Each<Loss>>,
    /// Which packets arrive with another byte, as `loss` says which are lost; default: none. Of a UDP
    /// datagram of a real implementation or a real host it is one of the first 50 bytes of its data,
    /// with a checksum that is right for it; of another IP packet of such, one of those behind the
    /// IP header. A packet that has no bytes in a simulation, as those of Windtunnel's own protocols,
    /// is lost: its checksum is wrong.
    corruption: Option<Each<Loss>>,
    /// The probability that it delivers a packet twice; default: none.
    duplication: Option<Each<Measured<Share>>>,
    /// Which packets it delivers late, so that others overtake them; default: none.
    reordering: Option<Each<Reordering>>,
    /// The mean of the exponential time for which it holds each packet, as the mix of an anonymity
    /// network does: any packet may overtake any other. Default: none.
    mixing: Option<Each<Located<Measured<Duration>>>>,
    /// A delay of each packet beside `delay`, drawn at random. Not with `duplication`,
    /// `reordering`, `mixing` or `load_delay`. Default: none.
    jitter: Option<Each<Located<Jitter>>>,
    /// A delay that grows with its load: for studies of hosts that choose their paths, where it
    /// stands for a whole network. Not with `duplication`, `reordering` or `mixing`. Default: none
    /// beside the queueing delay.
    load_delay: Option<Each<Located<LoadDelay>>>,
    /// The shared medium that it uses: of all directions of all links that name the same
    /// one, a single packet is transmitted at a time. When the medium is free, the nodes
    /// with packets that wait take turns, one packet each, without collisions or any time
    /// between two transmissions. A link that shares it with no other one is half-duplex.
    /// Not with a trace of opportunities, nor with time division. Default: each direction has a
    /// medium of its own; both directions of a fixed radio link without time division have one
    /// together.
    medium: Option<Located<String>>,
    /// The queue before it; default: drop-tail of 100 packets.
    queue: Option<Each<QueueKeys>>,
    /// What its own framing adds to each packet.
    #[serde(default = "bytes::<0>")]
    overhead: Located<Measured<Bytes>>,
    /// The most bytes of an NDN packet on it, with its NDNLPv2 headers and without `overhead`:
    /// larger ones are sent in fragments and reassembled at the other end; where one is lost, the
    /// packet is. At least 127 B. Packets between regions, and those of real hosts in an emulation,
    /// that are larger are dropped, and their sender is notified. The packets of flows over IP must
    /// not be larger; beside NDN packets they are not affected. Default: no limit.
    mtu: Option<Located<Measured<Bytes>>>,
    /// The bytes of the PIT token that each NDN packet carries on it (NDNLPv2): 1 to 32.
    /// Default: no token.
    pit_token: Option<Located<Measured<Bytes>>>,
    /// A TCP connection over it, through which the NDN and CCNx forwarders at its ends talk, as
    /// those of NFD and Cefore can; the first node opens it when the run begins. Nothing is lost,
    /// but what follows a lost segment waits until that is sent again. Not with `mtu`. Default:
    /// none; each packet is on the link by itself.
    tcp_face: Option<Located<TcpTunnel>>,
    /// What changes during the run; default: nothing.
    #[serde(default)]
    changes: Vec<Change>,
    /// How many links it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts `#` is
    /// the number. Default: it is one link.
    #[serde(rename = "count")]
    _count: Option<u32>,
    /// For some keys, the values that the links have in turn: the first one has the first value, and
    /// after the last value it is the turn of the first again. Default: all have the same values.
    #[serde(rename = "in_turn")]
    _in_turn: Option<InTurn>,
}

/// Which packets one direction of a link can lose, and corrupt.
pub(crate) struct Affected {
    lost: Victims,
    corrupted: Victims,
}

impl Affected {
    /// Says it to the plan of the direction.
    pub(crate) fn apply(self, direction: &mut DirectionPlan) {
        direction.victims = self.lost;
        direction.impairment.corruptible = self.corrupted;
    }
}

fn victims(loss: Option<&Each<Loss>>, side: usize, flows: &Flows<'_>) -> Result<Victims, Mistake> {
    loss.map_or(Ok(Victims::All), |it| it.0[side].victims(flows))
}

/// The two nodes that a link joins.
#[derive(Clone, Debug)]
pub(crate) struct Ends([Located<String>; 2]);

impl<'de> Deserialize<'de> for Ends {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = Vec::<Located<String>>::deserialize(deserializer)?;
        let count = names.len();
        names.try_into().map(Self).map_err(|_| {
            D::Error::custom(format!("a link joins two nodes, not {count}; write [\"a\", \"b\"]"))
        })
    }
}

impl Link {
    /// Its plan, for a run of that duration.
    pub(crate) fn plan(
        &self,
        name: &str,
        nodes: &Names<'_>,
        files: &mut Files<'_>,
        duration: Duration,
        media: &mut IndexSet<String>,
    ) -> Result<LinkPlan, Mistake> {
        let ends = self.0.common.ends(nodes)?;
        let pace = self.0.own.pace(files, duration)?;
        let directions =
            [self.0.common.direction(&pace, 0, files)?, self.0.common.direction(&pace, 1, files)?];
        let medium = self.0.common.medium(name, &pace, media)?;
        self.0.common.check_shaper(medium.is_some())?;
        let link_service = self.0.common.link_service()?;
        let (name, channel) = (name.to_owned(), pace.channel);
        Ok(LinkPlan { name, nodes: ends, directions, channel, medium, link_service })
    }

    /// Whether it has a weight.
    pub(crate) fn is_weighted(&self) -> bool {
        self.0.common.weight.is_some()
    }

    /// The connection of its faces, if they are over TCP.
    pub(crate) fn tcp_face(&self) -> Option<&Located<TcpTunnel>> {
        self.0.common.tcp_face.as_ref()
    }

    /// Its MTU, if it has one.
    pub(crate) fn mtu(&self) -> Option<&Located<Measured<Bytes>>> {
        self.0.common.mtu.as_ref()
    }

    /// The first of its keys that NDN packets alone need, or others that have an MTU as well.
    pub(crate) fn of_ndn(
        &self,
        uses_mtu: bool,
    ) -> Option<(&'static str, &Located<Measured<Bytes>>)> {
        let Common { mtu, pit_token, .. } = &self.0.common;
        let mtu = if uses_mtu { &None } else { mtu };
        let keys = [("mtu", mtu), ("pit_token", pit_token)];
        keys.into_iter().find_map(|(key, it)| it.as_ref().map(|it| (key, it)))
    }

    /// Which packets it can lose and corrupt, in each direction.
    pub(crate) fn affected(&self, flows: &Flows<'_>) -> Result<[Affected; 2], Mistake> {
        let Common { loss, corruption, .. } = &self.0.common;
        let of = |side: usize| {
            Ok(Affected {
                lost: victims(loss.as_ref(), side, flows)?,
                corrupted: victims(corruption.as_ref(), side, flows)?,
            })
        };
        Ok([of(0)?, of(1)?])
    }

    /// What happens to it during the run.
    pub(crate) fn changes(
        &self,
        link: usize,
        duration: Duration,
        flows: &Flows<'_>,
    ) -> Result<Vec<ChangePlan>, Mistake> {
        let rates = (!self.0.own.is_constant()).then(|| self.0.own.key());
        let reorders = self.0.common.reordering.is_some();
        changes::plans(&self.0.common.changes, link, duration, rates, reorders, flows)
    }
}

impl Common {
    fn ends(&self, nodes: &Names<'_>) -> Result<[usize; 2], Mistake> {
        let [first, second] = &self.nodes.value.0;
        let ends = [nodes.index(first)?, nodes.index(second)?];
        self.nodes.checked(
            |_| ends[0] != ends[1],
            || format!("both ends are node `{}`", first.value),
            "name two different nodes",
        )?;
        Ok(ends)
    }

    /// The number of its medium, if that is shared.
    fn medium(
        &self,
        name: &str,
        pace: &Pace,
        media: &mut IndexSet<String>,
    ) -> Result<Option<usize>, Mistake> {
        let Some(medium) = &self.medium else {
            // No name in a file has that character.
            let own = || media.insert_full(format!("\0{name}")).0;
            return Ok((pace.duplex == Duplex::Half).then(own));
        };
        medium.checked(
            |_| pace.opportunities.iter().all(Option::is_none),
            || format!("a trace of opportunities cannot share the medium `{}`", medium.value),
            "use a trace of rates, or remove `medium`",
        )?;
        medium.checked(
            |_| pace.duplex != Duplex::ByTime,
            || format!("time division cannot share the medium `{}`", medium.value),
            "write medium_access = \"scheduled\" or \"contention\", or remove `medium`",
        )?;
        Ok(Some(media.insert_full(medium.value.clone()).0))
    }

    /// When its turn on a shared medium comes is not up to a node.
    fn check_shaper(&self, is_shared: bool) -> Result<(), Mistake> {
        let shapes = self.queue.as_ref().is_some_and(|it| it.0.iter().any(QueueKeys::shapes));
        let message = "a queue that shapes cannot be before a shared medium";
        if is_shared && shapes {
            let span = self.medium.as_ref().and_then(|it| it.span.clone());
            return Err(Mistake::new(message)
                .at(span.or_else(|| self.nodes.span.clone()))
                .help("put the shaper before another link, or use queue = \"fq-codel\""));
        }
        Ok(())
    }

    fn direction(
        &self,
        pace: &Pace,
        side: usize,
        files: &mut Files<'_>,
    ) -> Result<DirectionPlan, Mistake> {
        let default = QueueKeys::default();
        let queue = self.queue.as_ref().map_or(&default, |it| &it.0[side]);
        let loss = self.loss.as_ref().map(|it| &it.0[side]);
        let corruption = self.corruption.as_ref().map(|it| &it.0[side]);
        let corruption = corruption.map_or(Ok(LossPlan::None), Loss::plan)?;
        let duplication = self.duplication.as_ref().map(|it| it.0[side]);
        let reordering = self.reordering.as_ref().map(|it| &it.0[side]);
        let mixing = self.mixing.as_ref().map(|it| &it.0[side]);
        let jitter = self.jitter.as_ref().map(|it| &it.0[side]);
        let jitter = jitter.map(|it| Ok((it, it.value.plan(files)?))).transpose()?;
        let load_delay = self.load_delay.as_ref().map(|it| &it.0[side]);
        Ok(DirectionPlan {
            rate: pace.rates[side],
            opportunities: pace.opportunities[side].clone(),
            physical_layer: pace.physical_layer[side].clone(),
            delay: self.delay.0[side].0,
            loss: loss.map_or(Ok(LossPlan::None), Loss::plan)?,
            // Those of a flow are known when all flows are.
            victims: Victims::All,
            impairment: Impairment {
                corruption,
                ..impairments::plan(duplication, reordering, mixing, jitter, load_delay)?
            },
            limit: queue.limit(),
            discipline: queue.discipline()?,
            overhead: self.overhead()?,
            weight: self.weight.as_ref().map_or(DirectionPlan::USUAL_WEIGHT, |it| it.0[side].0),
        })
    }

    fn link_service(&self) -> Result<LinkServiceSettings, Mistake> {
        let minimum = LinkService::MINIMUM_MTU;
        let mtu = within(self.mtu.as_ref(), "an MTU", u64::from(minimum)..=u64::from(u16::MAX))?;
        let pit_token = within(self.pit_token.as_ref(), "a PIT token", 1..=32)?;
        if let (Some(_), Some(it)) = (mtu, &self.tcp_face) {
            let message =
                "`mtu` and `tcp_face` cannot both be set: a TCP connection carries no fragments";
            return Err(it.mistake(message).help("remove `mtu` or `tcp_face`"));
        }
        Ok(LinkServiceSettings {
            mtu: mtu.map(|it| it as u16),
            pit_token: pit_token.map_or(0, |it| it as u8),
        })
    }

    fn overhead(&self) -> Result<u32, Mistake> {
        let bytes = self.overhead.value.0.0;
        self.overhead.checked(
            |_| bytes <= MOST_OVERHEAD,
            || format!("an `overhead` of {bytes} B is out of range"),
            &format!("write at most \"{MOST_OVERHEAD} B\""),
        )?;
        Ok(bytes as u32)
    }
}

/// The bytes of something that has this many, if it is there.
fn within(
    bytes: Option<&Located<Measured<Bytes>>>,
    what: &str,
    allowed: RangeInclusive<u64>,
) -> Result<Option<u64>, Mistake> {
    let Some(it) = bytes else { return Ok(None) };
    let bytes = it.value.0.0;
    it.checked(
        |_| allowed.contains(&bytes),
        || format!("{what} of {bytes} B is out of range"),
        &format!("write \"{} B\" to \"{} B\"", allowed.start(), allowed.end()),
    )?;
    Ok(Some(bytes))
}
