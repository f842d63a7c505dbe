//! What neighbouring autonomous systems are to each other.

use std::collections::BTreeMap;

use toml::Spanned;
use windtunnel_engine::Rate;
use windtunnel_networks::scion::{Relation, SystemLinkPlan};
use windtunnel_packets::scion::IsdAs;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::{Located, Named};
use windtunnel_scenario::Names;
use windtunnel_world::{self as world, Metric};

use super::autonomous_system::{AutonomousSystem, ETHERNET};

/// By two systems, what the second is to the first.
pub(super) struct Relations<'a> {
    of: BTreeMap<[usize; 2], (Relation, Option<&'a Located<String>>)>,
}

impl<'a> Relations<'a> {
    /// Those that a scenario names, and those of the core.
    pub(super) fn of(
        systems: &'a Named<AutonomousSystem>,
        numbers: &[IsdAs],
    ) -> Result<Self, Mistake> {
        let names = Names::of("autonomous system", systems);
        let mut relations = Self { of: BTreeMap::new() };
        for (own, (name, system)) in systems.iter().enumerate() {
            for (named, relation) in
                [(&system.parents, Relation::Parent), (&system.peers, Relation::Peer)]
            {
                for other in named {
                    let place = names.index(other)?;
                    if relation == Relation::Parent {
                        check_outside_core(system, name, other)?;
                    }
                    let message =
                        |what: &str| format!("`{}` is {what} of `{}`", other.value, name.get_ref());
                    other.checked(
                        |_| place != own,
                        || {
                            format!(
                                "autonomous system `{}` cannot be its own neighbour",
                                other.value
                            )
                        },
                        "name another autonomous system",
                    )?;
                    other.checked(
                        |_| {
                            relation != Relation::Parent
                                || numbers[own].isd() == numbers[place].isd()
                        },
                        || format!("{}, which is in another isolation domain", message("a parent")),
                        "name one of the same isolation domain",
                    )?;
                    relations.add([own, place], relation, other)?;
                }
            }
        }
        relations.check_loops(systems)?;
        for (own, (name, system)) in systems.iter().enumerate() {
            let is_core =
                |it: &usize| systems[*it].core && numbers[*it].isd() == numbers[own].isd();
            if !(0..systems.len()).any(|it| is_core(&it)) {
                let message = format!(
                    "isolation domain {} has no autonomous system in its core",
                    numbers[own].isd()
                );
                return Err(Mistake::new(message)
                    .at(name.span())
                    .help("write core = true for one of its autonomous systems"));
            }
            if !system.core && system.parents.is_empty() {
                let message = format!("autonomous system `{}` has no parents", name.get_ref());
                return Err(Mistake::new(message)
                    .at(name.span())
                    .help("name them under `parents`, or write core = true"));
            }
        }
        Ok(relations)
    }

    fn add(
        &mut self,
        pair: [usize; 2],
        relation: Relation,
        name: &'a Located<String>,
    ) -> Result<(), Mistake> {
        let [own, other] = pair;
        let both = [(pair, relation), ([other, own], relation.reversed())];
        for (pair, relation) in both {
            let known = self.of.entry(pair).or_insert((relation, Some(name)));
            name.checked(
                |_| known.0 == relation,
                || format!("`{}` is named in two different relations", name.value),
                "name it once, as a parent or as a peer",
            )?;
        }
        Ok(())
    }

    /// No system is above itself.
    fn check_loops(&self, systems: &Named<AutonomousSystem>) -> Result<(), Mistake> {
        let names = Names::of("autonomous system", systems);
        let parents = |it: usize| {
            let named = systems[it].parents.iter();
            named.filter_map(|it| names.index(it).ok()).collect::<Vec<usize>>()
        };
        // Systems are taken away once all their parents are.
        let mut left: Vec<usize> = (0..systems.len()).collect();
        loop {
            let before = left.len();
            let rest = left.clone();
            left.retain(|it| parents(*it).iter().any(|it| rest.contains(it)));
            if left.is_empty() {
                return Ok(());
            }
            if left.len() == before {
                break;
            }
        }
        let mut path = vec![left[0]];
        loop {
            let last = path[path.len() - 1];
            let next = parents(last).into_iter().find(|it| left.contains(it)).unwrap_or(last);
            if let Some(begin) = path.iter().position(|it| *it == next) {
                let cycle: Vec<&str> =
                    path[begin..].iter().chain([&next]).map(|it| names.name(*it)).collect();
                let message = format!("parents form a loop: `{}`", cycle.join("` → `"));
                let first = &systems[next].parents[0];
                return Err(first.mistake(message).help("remove one of these parents"));
            }
            path.push(next);
        }
    }

    /// The links, with what they are to the systems at their ends.
    pub(super) fn links(
        &self,
        systems: &Named<AutonomousSystem>,
        links: &[world::LinkPlan],
        places: &[u32],
        metric: Metric,
    ) -> Result<Vec<SystemLinkPlan>, Mistake> {
        let mut joined = Vec::new();
        let mut plans = Vec::with_capacity(links.len());
        for link in links {
            let pair = link.nodes.map(|it| places[it] as usize);
            let relation = self.relation(systems, pair, &link.name)?;
            joined.extend(relation.map(|_| pair));
            let slower = |a: Rate, b: Rate| if a < b { a } else { b };
            let [forth, back] = &link.directions;
            plans.push(SystemLinkPlan {
                nodes: link.nodes.map(|it| it as u32),
                relation,
                costs: link.directions.each_ref().map(|it| metric.cost(it.delay, it.weight)),
                latency: forth.delay.max(back.delay),
                bandwidth: slower(forth.rate, back.rate),
                mtu: link.link_service.mtu.unwrap_or(ETHERNET),
            });
        }
        self.check_joined(systems, &joined)?;
        Ok(plans)
    }

    /// What the second of two systems is to the first, which a link joins.
    fn relation(
        &self,
        systems: &Named<AutonomousSystem>,
        pair: [usize; 2],
        link: &str,
    ) -> Result<Option<Relation>, Mistake> {
        let [a, b] = pair;
        if a == b {
            return Ok(None);
        }
        if let Some((relation, _)) = self.of.get(&pair) {
            return Ok(Some(*relation));
        }
        if systems[a].core && systems[b].core {
            return Ok(Some(Relation::Core));
        }
        let name = |it: usize| systems.get_index(it).map_or("", |it| it.0.get_ref());
        let message = format!(
            "link `{link}` joins autonomous systems `{}` and `{}`, which are neither parent and \
             child nor peers",
            name(a),
            name(b)
        );
        let span = systems.get_index(b).map(|it| it.0.span());
        Err(Mistake::new(message).at(span).help("name one under `parents` or `peers` of the other"))
    }

    /// Parents and peers are neighbours, and each system has one.
    fn check_joined(
        &self,
        systems: &Named<AutonomousSystem>,
        joined: &[[usize; 2]],
    ) -> Result<(), Mistake> {
        let name = |it: usize| systems.get_index(it).map_or("", |it| it.0.get_ref());
        for (pair, (_, named)) in &self.of {
            let [a, b] = *pair;
            if !joined.contains(&[a, b]) && !joined.contains(&[b, a]) {
                let message = format!(
                    "no link joins autonomous systems `{}` and `{}`",
                    name(a.max(b)),
                    name(a.min(b))
                );
                let mistake = named.map_or_else(
                    || Mistake::new(message.clone()),
                    |it| it.mistake(message.clone()),
                );
                return Err(mistake.help("parents and peers must be neighbours; add a link"));
            }
        }
        let alone = (0..systems.len()).find(|it| !joined.iter().any(|pair| pair.contains(it)));
        match alone.filter(|_| systems.len() > 1) {
            None => Ok(()),
            Some(it) => {
                let message = format!("no link leads out of autonomous system `{}`", name(it));
                let help = "connect one of its nodes to a node of another one";
                Err(systems[it].nodes.mistake(message).help(help))
            }
        }
    }
}

/// A system in the core has no parents.
fn check_outside_core(
    system: &AutonomousSystem,
    name: &Spanned<String>,
    parent: &Located<String>,
) -> Result<(), Mistake> {
    parent.checked(
        |_| !system.core,
        || format!("autonomous system `{}` is in the core and has parents", name.get_ref()),
        "remove `parents`, or `core`",
    )
}
