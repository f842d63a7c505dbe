//! Sessions whose state is paged between the nodes that serve them.

mod carriers;
mod policy;
mod stages;

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;
use windtunnel_applications::sessions::{PagePopularity, PagingPolicy, SessionSettings};
use windtunnel_applications::{Periods, SizesOfFiles};
use windtunnel_engine::{Duration, Time};
use windtunnel_world::{FlowPlan, SessionsPlan};

use self::policy::AnyPaging;
pub(crate) use self::policy::PAGING;
use crate::network::nodes::Names;
use crate::network::reachability;
use crate::network::stages::Network;
use crate::reading::error::Mistake;
use crate::reading::files::Files;
use crate::reading::located::{Located, Named, number};
use crate::reading::sizes::{MOST_FILE, within};
use crate::reading::timers::{above_zero, zero};
use crate::reading::units::{Bytes, Measured, bytes};
use crate::traffic::flows::{self, FlowContext, Tcp};

/// Sessions whose state is paged between the nodes that serve them one after the other, such
/// as satellites. The page table travels with a session at every handover, and its pages as the
/// policy says: as messages over TCP, on a connection from each node to each other one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sessions {
    /// The nodes of the users, each of whom has a session at the satellite that the node uses;
    /// default: all nodes with a place, other than one that keeps the sessions' state.
    users: Option<Located<Vec<Located<String>>>>,
    /// In place of users: the nodes that serve a single session, one after the other; default:
    /// none.
    trail: Option<Located<Vec<Located<String>>>>,
    /// How long each node of a trail serves; default: none, it must be written with a trail.
    stage: Option<Located<Measured<Duration>>>,
    /// When the first sessions start.
    #[serde(default = "zero")]
    start: Located<Measured<Duration>>,
    /// With users: they start at random times, at most this long after `start`.
    #[serde(default = "zero")]
    start_within: Located<Measured<Duration>>,
    /// How long a session lasts, after which the user's next one starts; default: as long as
    /// nodes serve the user.
    length: Option<Located<Measured<Duration>>>,
    /// From one access to the next.
    access_interval: Located<Measured<Duration>>,
    /// Whether `access_interval` and `length` are always as long, or exponentially distributed
    /// with these means.
    #[serde(default)]
    periods: Periods,
    /// The entries of the page table: the maximum number of pages.
    #[serde(default = "number::<1000>")]
    pages: Located<u16>,
    /// How often pages are accessed: that of rank r in proportion to 1/r to this power (Zipf's
    /// law).
    #[serde(default = "one")]
    popularity: Located<f64>,
    /// The size of a page.
    #[serde(default = "bytes::<4096>")]
    page_size: Located<Measured<Bytes>>,
    /// The size of a request for pages.
    #[serde(default = "bytes::<64>")]
    request_size: Located<Measured<Bytes>>,
    /// The size of an entry of the page table.
    #[serde(default = "bytes::<16>")]
    entry_size: Located<Measured<Bytes>>,
    /// The sizes of the elements of the session's state, drawn for each session. Each takes whole
    /// pages, as many as it needs, which move together: `page_size = "1 B"` moves the elements
    /// alone. Written as the `sizes` of arrivals; default: each is a page.
    element_size: Option<Located<SizesOfFiles>>,
    /// Which pages move, and when; default: `on-demand`.
    #[serde(default)]
    policy: Located<AnyPaging>,
    /// When which nodes lose the pages that they hold, while they serve and forward as before;
    /// default: none do.
    failures: Option<Vec<Failure>>,
    /// The connections that carry pages.
    tcp: Box<Tcp>,
}

/// A node loses the pages that it holds.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Failure {
    /// The node.
    node: Located<String>,
    /// When.
    at: Measured<Duration>,
}

fn one() -> Located<f64> {
    1.0.into()
}

/// The sessions of a scenario, and its flows followed by those that carry their pages.
pub(crate) fn plans(
    all: &Named<Sessions>,
    mut flows: Vec<FlowPlan>,
    network: &Network,
    context: &FlowContext<'_>,
    files: &mut Files<'_>,
) -> Result<(Vec<SessionsPlan>, Vec<FlowPlan>), Mistake> {
    let nodes = context.nodes;
    let mut plans = Vec::with_capacity(all.len());
    for (name, sessions) in all {
        let makers = &context.controllers.extensions.paging_policies;
        let policy = AnyPaging::plan(&sessions.policy, nodes, makers)?;
        let added = sessions.plan(name, nodes, network, policy, files)?;
        let ends = carriers::pairs(&added);
        let carriers = flows::of_messages(&sessions.tcp, name, &ends, context)?;
        let first = flows.len();
        flows.extend(carriers);
        if let Some(parted) = reachability::parted_flow(network, &flows) {
            let [from, to] = [flows[parted].from, flows[parted].to].map(|it| nodes.name(it));
            let message =
                format!("there is no path from `{from}` to `{to}`, which serve one session");
            return Err(Mistake::new(message).at(name.span()).help("connect them by links"));
        }
        plans.push(SessionsPlan { flows: first..flows.len(), ..added });
    }
    Ok((plans, flows))
}

impl Sessions {
    fn plan(
        &self,
        name: &Spanned<String>,
        nodes: &Names<'_>,
        network: &Network,
        policy: PagingPolicy,
        files: &mut Files<'_>,
    ) -> Result<SessionsPlan, Mistake> {
        let users = self.users(name, nodes, network)?;
        let interval = above_zero(&self.access_interval, "access_interval")?;
        let length = self.length.as_ref().map(|it| above_zero(it, "length")).transpose()?;
        let failure = |it: &Failure| Ok((Time::ZERO + it.at.0, nodes.index(&it.node)?));
        let failures = self.failures.iter().flatten().map(failure);
        Ok(SessionsPlan {
            name: name.get_ref().clone(),
            users,
            settings: SessionSettings {
                pages: self.pages.value.into(),
                page_size: within(&self.page_size, MOST_FILE, "page_size")?,
                request_size: within(&self.request_size, MOST_FILE, "request_size")?,
                entry_size: within(&self.entry_size, MOST_FILE, "entry_size")?,
                policy: policy.clone(),
            },
            elements: self
                .element_size
                .as_ref()
                .map(|it| SizesOfFiles::plan(it, "element_size", files))
                .transpose()?,
            ahead: self.policy.value.ahead(),
            neighbours: carriers::neighbours(&policy, network),
            popularity: self.popularity()?,
            access_interval: self.periods.of(interval),
            length: length.map(|it| self.periods.of(it)),
            start: Time::ZERO + self.start.value.0,
            start_within: self.start_within.value.0,
            failures: failures.collect::<Result<_, Mistake>>()?,
            flows: 0..0,
        })
    }

    fn popularity(&self) -> Result<PagePopularity, Mistake> {
        self.pages.checked(
            |it| *it > 0,
            || "`pages` must be greater than zero".to_owned(),
            "write one such as pages = 1000",
        )?;
        PagePopularity::new(self.pages.value.into(), self.popularity.value).ok_or_else(|| {
            self.popularity
                .mistake(format!(
                    "`popularity` must be a number of at least 0, not {}",
                    self.popularity.value
                ))
                .help("write 0 for pages that are all alike, 1 for Zipf's law, or more")
        })
    }
}
