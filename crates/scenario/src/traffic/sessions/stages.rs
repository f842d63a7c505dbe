//! Which nodes serve the users of sessions, and when.

use toml::Spanned;
use windtunnel_engine::Time;
use windtunnel_world::{SessionUserPlan, StagePlan};

use super::Sessions;
use crate::network::nodes::Names;
use crate::network::stages::Network;
use crate::reading::error::Mistake;
use crate::reading::located::Located;

impl Sessions {
    /// The users, and the nodes that serve them: satellites, or those of the trail.
    pub(super) fn users(
        &self,
        name: &Spanned<String>,
        nodes: &Names<'_>,
        network: &Network,
    ) -> Result<Vec<SessionUserPlan>, Mistake> {
        match (&self.users, &self.trail) {
            (Some(users), Some(_)) => {
                let message = "`users` and `trail` cannot both be set";
                Err(users.mistake(message).help("remove one of them"))
            }
            (_, Some(trail)) => self.on_trail(name.get_ref(), trail, nodes),
            (Some(users), None) => {
                let user = |it| Self::under_satellites(nodes.index(it)?, it, nodes, network);
                users.value.iter().map(user).collect()
            }
            (None, None) => {
                let keeps = self.policy.value.separate().map(|it| it.value.as_str());
                let stations = network.sky.iter().flat_map(|it| &it.stations);
                let names = stations.map(|(node, _)| nodes.name(*node));
                let users: Vec<Located<String>> =
                    names.filter(|it| Some(*it) != keeps).map(|it| it.to_owned().into()).collect();
                if users.is_empty() {
                    let message = "no node serves these sessions";
                    let help = "write trail = [\"a\", \"b\"] with the nodes that serve one after \
                                the other, or give a node a place from which it uses satellites";
                    return Err(Mistake::new(message).at(name.span()).help(help));
                }
                let user = |it| Self::under_satellites(nodes.index(it)?, it, nodes, network);
                users.iter().map(user).collect()
            }
        }
    }

    fn on_trail(
        &self,
        name: &str,
        trail: &Located<Vec<Located<String>>>,
        nodes: &Names<'_>,
    ) -> Result<Vec<SessionUserPlan>, Mistake> {
        let Some(stage) = &self.stage else {
            return Err(trail.mistake("`trail` requires `stage`").help("write stage = \"10 s\""));
        };
        let length = crate::reading::timers::above_zero(stage, "stage")?;
        let mut from = Time::ZERO + self.start.value.0;
        let mut stages = Vec::with_capacity(trail.value.len());
        for node in &trail.value {
            let until = from + length;
            stages.push(StagePlan { node: nodes.index(node)?, from, until });
            from = until;
        }
        trail.checked(
            |it| !it.is_empty(),
            || "`trail` is empty".to_owned(),
            "name the nodes that serve the session one after the other",
        )?;
        Ok(vec![SessionUserPlan { name: name.to_owned(), stages }])
    }

    /// A user at a node on the ground is served by the satellite that it uses.
    fn under_satellites(
        node: usize,
        written: &Located<String>,
        nodes: &Names<'_>,
        network: &Network,
    ) -> Result<SessionUserPlan, Mistake> {
        let mut stages: Vec<StagePlan> = Vec::new();
        for contact in network.sky.iter().flat_map(|it| &it.contacts) {
            let [station, satellite] = network.links[contact.link].nodes;
            if station != node {
                continue;
            }
            let until = contact.until.unwrap_or(network.end());
            let stage = StagePlan { node: satellite, from: contact.from, until };
            if stages.last().is_some_and(|it| it.until > stage.from) {
                let message = format!("node `{}` uses several satellites at a time", written.value);
                return Err(written.mistake(message).help(
                    "one serves a session: write handover = \"hold-longest\" in `ground_links`",
                ));
            }
            stages.push(stage);
        }
        written.checked(
            |_| !stages.is_empty(),
            || format!("node `{}` uses no satellite", written.value),
            "name a node with a place that a constellation serves",
        )?;
        Ok(SessionUserPlan { name: nodes.name(node).to_owned(), stages })
    }
}
