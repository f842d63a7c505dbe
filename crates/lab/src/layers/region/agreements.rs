//! What neighbouring regions agree on.

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;
use windtunnel_engine::{Duration, Time};
use windtunnel_networks::region::{self as networks, Relation};
use windtunnel_packets::region::Code;
use windtunnel_reading::choice;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::{Located, Named};
use windtunnel_reading::timers::zero;
use windtunnel_reading::units::Measured;
use windtunnel_scenario::Names;
use windtunnel_world::LinkPlan;

use super::named_region::Region;

/// An agreement between two regions that a link joins: while it lasts, they exchange packets and
/// announce to each other the regions that they reach.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Agreement {
    /// The two regions.
    regions: [Located<String>; 2],
    /// What each carries for the other.
    #[serde(default)]
    kind: Kind,
    /// When it begins.
    #[serde(default = "zero")]
    from: Located<Measured<Duration>>,
    /// When it ends; default: never.
    until: Option<Located<Measured<Duration>>>,
}

choice! {
    /// What two regions carry for each other.
    Kind as Relation {
        /// Each carries what the other sends to any region.
        Transit,
        /// Each carries what the other sends to it and to its customers.
        Peering,
        /// The first pays the second, which carries what it sends to any region; the first
        /// carries what is sent to it and to its own customers.
        CustomerProvider,
    }
}

/// The agreements of a scenario; if it has none, all regions that a link joins agree.
pub(super) fn plans(
    agreements: &Named<Agreement>,
    regions: &Named<Region>,
    links: &[LinkPlan],
    codes: &[Code],
) -> Result<Vec<networks::Agreement>, Mistake> {
    let mut joined: Vec<[u8; 2]> = Vec::new();
    for link in links {
        let pair = link.nodes.map(|it| codes[it].region());
        let reversed = [pair[1], pair[0]];
        if pair[0] != pair[1] && !joined.contains(&pair) && !joined.contains(&reversed) {
            joined.push(pair);
        }
    }
    if agreements.is_empty() {
        let relation = Relation::Transit;
        let (from, until) = (Time::ZERO, Time::NEVER);
        let all = joined.into_iter();
        return Ok(all
            .map(|regions| networks::Agreement { regions, relation, from, until })
            .collect());
    }
    let names = Names::of("region", regions);
    let mut plans: Vec<networks::Agreement> = Vec::new();
    for (name, agreement) in agreements {
        let plan = agreement.plan(name, &names, regions)?;
        agreement.check(name, &plan, &joined, &plans)?;
        plans.push(plan);
    }
    Ok(plans)
}

impl Agreement {
    fn plan(
        &self,
        name: &Spanned<String>,
        names: &Names<'_>,
        regions: &Named<Region>,
    ) -> Result<networks::Agreement, Mistake> {
        let [first, second] = &self.regions;
        let number = |it: &Located<String>| Ok(regions[names.index(it)?].number());
        let pair = [number(first)?, number(second)?];
        second.checked(
            |_| pair[0] != pair[1],
            || format!("agreement `{}` names the same region twice", name.get_ref()),
            "name two different regions",
        )?;
        let from = Time::ZERO + self.from.value.0;
        let until = self.until.as_ref().map_or(Time::NEVER, |it| Time::ZERO + it.value.0);
        if let Some(it) = &self.until {
            it.checked(
                |_| from < until,
                || format!("agreement `{}` ends before it begins", name.get_ref()),
                "write a time after `from`",
            )?;
        }
        Ok(networks::Agreement { regions: pair, relation: self.kind.into(), from, until })
    }

    /// Link-state between regions tells all of all links: whoever knows of one may use it.
    pub(super) fn check_transit(&self, name: &Spanned<String>) -> Result<(), Mistake> {
        if matches!(self.kind, Kind::Transit) {
            return Ok(());
        }
        let name_of = name.get_ref();
        let message =
            format!("agreement `{name_of}` is not for transit, which link-state routing requires");
        Err(Mistake::new(message)
            .at(name.span())
            .help("write kind = \"transit\", or routing = \"path-vector\" in [region_protocol]"))
    }

    /// A link joins the two, and no other agreement is in force between them at once.
    fn check(
        &self,
        name: &Spanned<String>,
        plan: &networks::Agreement,
        joined: &[[u8; 2]],
        others: &[networks::Agreement],
    ) -> Result<(), Mistake> {
        let [first, second] = plan.regions;
        let is_pair = |it: [u8; 2]| it == [first, second] || it == [second, first];
        let [one, other] = [&self.regions[0].value, &self.regions[1].value];
        self.regions[1].checked(
            |_| joined.iter().any(|it| is_pair(*it)),
            || format!("no link joins regions `{one}` and `{other}`"),
            "agreements are between neighbours; add a link",
        )?;
        let overlaps = |it: &&networks::Agreement| {
            is_pair(it.regions) && it.from < plan.until && plan.from < it.until
        };
        if others.iter().any(|it| overlaps(&it)) {
            let message = format!("two agreements of `{one}` and `{other}` hold at the same time");
            return Err(Mistake::new(message)
                .at(name.span())
                .help("let one end before the other begins"));
        }
        Ok(())
    }
}
