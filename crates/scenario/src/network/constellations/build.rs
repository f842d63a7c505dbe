//! From constellations to nodes, links, and when those can be used.

use std::ops::Range;
use std::sync::Arc;

use indexmap::IndexMap;
use toml::Spanned;
use windtunnel_engine::{Duration, Rate, Time};
use windtunnel_orbits::{
    self as orbits, ATMOSPHERE, DVec3, Epoch, GridLink, GroundPath, Reach, SatelliteChoice, Sky,
    VisibilityWindow, elevation, in_sight, longest_link,
};
use windtunnel_queues::QueueKeys;
use windtunnel_world::{ContactPlan, LinkPlan, NodePlan, SkyPlan};

use super::satellites::{Layout, Members};
use super::{Constellation, link};
use crate::network::nodes::Node;
use crate::reading::error::{Mistake, suggestion};
use crate::reading::files::Files;
use crate::reading::located::{Each, Located, Named};
use crate::reading::units::Measured;

/// What surrounds constellations in a scenario.
pub(crate) struct ConstellationContext<'a> {
    /// When it starts, if that is written.
    pub(crate) epoch: Option<&'a Located<String>>,
    /// From one computation of routes to the next.
    pub(crate) interval: &'a Located<Measured<Duration>>,
    /// How much later nodes forward by new ones, at the most.
    pub(crate) spread: Duration,
    /// How long it runs.
    pub(crate) duration: Duration,
    /// The nodes with a place, by their number.
    pub(crate) stations: IndexMap<usize, GroundPath>,
}

/// Satellites that pass each other at this distance or less would collide, in km.
const COLLISION: f64 = 1.0;
/// Elements this many days from the start are said to be old.
const OLD: f64 = 30.0;

/// Adds the satellites of all constellations to the nodes of a scenario, and the links to and
/// between them to its links; says where all are and when those links can be used, and what the
/// user should know. None if there are no constellations.
pub(crate) fn plan(
    constellations: &Named<Constellation>,
    nodes: &mut Vec<NodePlan>,
    links: &mut Vec<LinkPlan>,
    files: &mut Files<'_>,
    context: ConstellationContext<'_>,
) -> Result<Option<(SkyPlan, Vec<String>)>, Mistake> {
    if constellations.is_empty() {
        return Ok(None);
    }
    let interval = context.interval.value.0;
    context.interval.checked(
        |it| it.0 > Duration::ZERO,
        || "the interval must be greater than zero".to_owned(),
        "write one such as \"100 ms\"",
    )?;
    let all = constellations.iter().map(|(name, it)| it.own.members(name.get_ref(), files));
    let all: Vec<Members> = all.collect::<Result<_, _>>()?;
    let epoch = start(&all, context.epoch)?;
    let mut build = Build {
        own: nodes.len(),
        nodes,
        links,
        files,
        sky: Sky { epoch, orbits: Vec::new() },
        moving: Vec::new(),
        intermittent: Vec::new(),
        contacts: Vec::new(),
        notes: notes_of_age(&all, epoch),
        interval,
        steps: context.duration.as_picos() / interval.as_picos(),
        stations: context.stations,
    };
    for ((name, constellation), members) in constellations.iter().zip(all) {
        build.add(name, constellation, members)?;
    }
    Ok(Some(build.finish(context.spread)))
}

/// The instant at which a scenario starts: as written, or that of the latest elements.
fn start(all: &[Members], written: Option<&Located<String>>) -> Result<Epoch, Mistake> {
    if let Some(text) = written {
        return Epoch::parse(&text.value).ok_or_else(|| {
            text.mistake(format!("\"{}\" is not a time", text.value))
                .help("write one such as \"2022-09-14T12:00:00Z\"")
        });
    }
    let epochs = all.iter().filter_map(|it| match &it.layout {
        Layout::Elements(it) => Some(it.records.iter().map(|it| it.epoch)),
        Layout::Patterns(_) => None,
    });
    let latest = epochs.flatten().max_by(|one, other| one.days_since(*other).total_cmp(&0.0));
    Ok(latest.unwrap_or_default())
}

/// What to tell of elements that are far from the start.
fn notes_of_age(all: &[Members], epoch: Epoch) -> Vec<String> {
    let oldest = |it: &Members| match &it.layout {
        Layout::Elements(elements) => {
            let days = elements.records.iter().map(|it| epoch.days_since(it.epoch).abs());
            let oldest = days.enumerate().max_by(|one, other| one.1.total_cmp(&other.1));
            oldest.filter(|it| it.1 > OLD).map(|(place, days)| {
                format!(
                    "the elements of `{}` are {days:.0} days from the start of the scenario: SGP4 \
                     is off by about a kilometre a day, more where satellites manoeuvre; set \
                     `epoch` to a time near theirs",
                    it.names[place]
                )
            })
        }
        Layout::Patterns(_) => None,
    };
    all.iter().filter_map(oldest).collect()
}

/// What grows constellation by constellation.
struct Build<'a, 'text> {
    nodes: &'a mut Vec<NodePlan>,
    links: &'a mut Vec<LinkPlan>,
    files: &'a mut Files<'text>,
    /// How many nodes are the scenario's own.
    own: usize,
    sky: Sky,
    moving: Vec<usize>,
    intermittent: Vec<usize>,
    contacts: Vec<ContactPlan>,
    notes: Vec<String>,
    interval: Duration,
    steps: u64,
    stations: IndexMap<usize, GroundPath>,
}

impl Build<'_, '_> {
    fn add(
        &mut self,
        name: &Spanned<String>,
        constellation: &Constellation,
        members: Members,
    ) -> Result<(), Mistake> {
        let sky = Sky { epoch: self.sky.epoch, orbits: members.orbits };
        self.check_names(name, &members.names)?;
        let end = self.time(self.steps).as_seconds();
        if let Some(decayed) = sky.decayed(0.0).or_else(|| sky.decayed(end)) {
            let message =
                format!("satellite `{}` decays before the end of the run", members.names[decayed]);
            return Err(Mistake::new(message).at(name.span()).help(
                "set `epoch` to a time near that of its elements, or remove it from the file",
            ));
        }
        let first = self.nodes.len();
        let pattern = self.nodes.first().cloned();
        let pattern = pattern.unwrap_or_else(|| Node::default().plan(""));
        self.nodes.extend(members.names.iter().map(|it| NodePlan {
            name: it.clone(),
            cached: 0,
            processing_time: Duration::ZERO,
            ..pattern.clone()
        }));
        let satellites = first..self.nodes.len();
        self.join(name, constellation, &members.layout, &sky, &satellites)?;
        self.join_the_ground(name, constellation, members.elevation, &sky, &satellites)?;
        self.sky.orbits.extend(sky.orbits);
        Ok(())
    }

    fn check_names(&self, of: &Spanned<String>, names: &[String]) -> Result<(), Mistake> {
        let known: std::collections::HashSet<&str> =
            self.nodes.iter().map(|it| it.name.as_str()).collect();
        match names.iter().find(|it| known.contains(it.as_str())) {
            Some(name) => Err(Mistake::new(format!("two nodes are named `{name}`"))
                .at(of.span())
                .help("give the constellation or the node another name")),
            None => Ok(()),
        }
    }

    fn time(&self, step: u64) -> Time {
        Time::ZERO + self.interval * step
    }

    /// Joins satellites.
    fn join(
        &mut self,
        name: &Spanned<String>,
        constellation: &Constellation,
        layout: &Layout,
        sky: &Sky,
        satellites: &Range<usize>,
    ) -> Result<(), Mistake> {
        let of = &constellation.common.inter_satellite_links;
        let mut joined = Vec::new();
        let mut are_hidden = matches!(layout, Layout::Elements(_));
        match layout {
            Layout::Elements(it) => {
                let (partner, seam) = (of.partner.unwrap_or(0), of.seam.unwrap_or(true));
                joined = it.links(self.sky.epoch, partner, seam);
            }
            Layout::Patterns(shells) => {
                let mut before = 0;
                for shell in shells {
                    let links = of.grid(shell).links(shell);
                    are_hidden |= self.check_pattern(name, shell, &links, before, satellites)?;
                    joined.extend(links.into_iter().map(|it| GridLink {
                        satellites: it.satellites.map(|satellite| before + satellite),
                        ..it
                    }));
                    before += shell.satellites();
                }
            }
        }
        let limit = of.maximum_latitude.as_ref().map(|it| it.value.0.0);
        let base = self.links.len();
        let mut positions = Vec::new();
        sky.positions(0.0, &mut positions);
        for it in &joined {
            let ends = it.satellites.map(|satellite| satellites.start + satellite);
            let distance = positions[it.satellites[0]].distance(positions[it.satellites[1]]);
            self.lay(ends, [of.rate.0; 2], of.queue.as_ref(), distance)?;
        }
        if are_hidden || limit.is_some() {
            let step = self.interval.as_seconds();
            let windows = in_sight(sky, &joined, limit, step, self.steps);
            self.add_windows(base, joined.len(), &windows);
        }
        Ok(())
    }

    /// Checks the links of a pattern; returns whether the Earth is in the way of some.
    fn check_pattern(
        &mut self,
        name: &Spanned<String>,
        shell: &orbits::Walker,
        links: &[GridLink],
        before: usize,
        satellites: &Range<usize>,
    ) -> Result<bool, Mistake> {
        let called = |it: usize| self.nodes[satellites.start + before + it].name.clone();
        let orbits = shell.orbits();
        // All links of a plane that lead to the same one are alike.
        let of_first = |it: &&GridLink| it.satellites[0].is_multiple_of(shell.per_plane);
        let longest = links.iter().filter(of_first).map(|it| (longest_link(&orbits, it), it));
        let longest: Vec<_> = longest.filter(|([longest, most], _)| longest > most).collect();
        let worst = longest.iter().max_by(|one, other| one.0[0].total_cmp(&other.0[0]));
        if let Some(([longest, most], link)) = worst {
            let planes = link.satellites.map(|it| it / shell.per_plane);
            let between = match link.is_between_planes {
                true => format!("between planes {} and {}", planes[0], planes[1]),
                false => format!("along plane {}", planes[0]),
            };
            let message = format!(
                "links of `{}` {between} pass through the Earth or its atmosphere: they become \
                 {longest:.0} \
                 km long, {:.0} km more than the {most:.0} km that clear {ATMOSPHERE} km",
                name.get_ref(),
                longest - most
            );
            if !link.is_between_planes {
                return Err(Mistake::new(message)
                    .at(name.span())
                    .help("write more satellites per plane, or a higher altitude"));
            }
            self.notes.push(format!("{message}; they are down during that time"));
        }
        if let Some((least, pair)) = shell.separation().filter(|it| it.0 < COLLISION) {
            let [one, other] = pair.map(called);
            self.notes.push(format!(
                "`{one}` and `{other}` come within {least:.1} km of each other, as do others of \
                 `{}`; another `phase` separates them",
                name.get_ref()
            ));
        }
        Ok(worst.is_some())
    }

    /// Lays a link between two moving nodes.
    fn lay(
        &mut self,
        ends: [usize; 2],
        rates: [Rate; 2],
        queue: Option<&QueueKeys>,
        distance: f64,
    ) -> Result<(), Mistake> {
        let name = ends.map(|it| self.nodes[it].name.as_str()).join("--");
        self.moving.push(self.links.len());
        self.links.push(link(name, ends, rates, queue, SkyPlan::delay(distance))?);
        Ok(())
    }

    /// Has links be used only in windows, if they are not open all the time.
    fn add_windows(&mut self, base: usize, count: usize, windows: &[VisibilityWindow]) {
        let mut is_always_open = vec![false; count];
        for it in windows.iter().filter(|it| it.from == 0 && it.until.is_none()) {
            is_always_open[it.link] = true;
        }
        let closed = (0..count).filter(|it| !is_always_open[*it]);
        self.intermittent.extend(closed.map(|it| base + it));
        for it in windows.iter().filter(|it| !is_always_open[it.link]) {
            self.contacts.push(ContactPlan {
                link: base + it.link,
                from: self.time(it.from),
                until: it.until.map(|it| self.time(it)),
                cut: None,
            });
        }
    }

    /// Joins the nodes on the ground with the satellites that they use at any time.
    fn join_the_ground(
        &mut self,
        name: &Spanned<String>,
        constellation: &Constellation,
        usual: f64,
        sky: &Sky,
        satellites: &Range<usize>,
    ) -> Result<(), Mistake> {
        let of = &constellation.common.ground_links;
        let policy = of.policy(usual, self.interval)?;
        let (gap, cut) = of.break_of()?;
        let users = self.users(name, of.nodes.as_deref())?;
        let paths: Vec<GroundPath> = users.iter().map(|it| self.stations[it].clone()).collect();
        let step = self.interval.as_seconds();
        let steps = self.steps;
        // Most cases of a study have the same satellites over the same places.
        let plan = self.files.make_once((sky.clone(), paths.clone(), policy, step, steps), || {
            Arc::new(orbits::Contacts::of(sky, &paths, &policy, step, steps))
        });
        for (station, node) in users.iter().enumerate() {
            if !plan.contacts.iter().any(|it| it.station == station) {
                return Err(self.never_seen(name, *node, &paths[station], policy.reach, sky));
            }
        }
        let mut known: IndexMap<(usize, usize), usize> = IndexMap::new();
        for contact in &plan.contacts {
            let pair = (contact.station, contact.satellite);
            let link = match known.get(&pair) {
                Some(link) => *link,
                None => {
                    let ends = [users[contact.station], satellites.start + contact.satellite];
                    let rates = of.rate.0.map(|it| it.0);
                    let link = self.links.len();
                    self.lay_up(ends, rates, of.queue.as_ref(), sky, contact)?;
                    self.intermittent.push(link);
                    known.insert(pair, link);
                    link
                }
            };
            let is_handover = contact.from > 0 && policy.choice != SatelliteChoice::Any;
            let gap = if is_handover { gap } else { Duration::ZERO };
            let (from, until) =
                (self.time(contact.from) + gap, contact.until.map(|it| self.time(it)));
            if until.is_none_or(|until| from < until) {
                self.contacts.push(ContactPlan { link, from, until, cut });
            }
        }
        Ok(())
    }

    /// Lays a link between the ground and a satellite.
    fn lay_up(
        &mut self,
        ends: [usize; 2],
        rates: [Rate; 2],
        queue: Option<&Each<QueueKeys>>,
        sky: &Sky,
        contact: &orbits::Contact,
    ) -> Result<(), Mistake> {
        let time = self.time(contact.from).as_seconds();
        let ground = self.stations[&ends[0]].place(time).position();
        let angle = sky.epoch.sidereal_angle(time);
        let above = sky.orbits[contact.satellite].position(sky.epoch, time, angle);
        let distance = above.unwrap_or(DVec3::ZERO).distance(ground);
        self.lay(ends, rates, queue.map(|it| &it.0[0]), distance)?;
        if let Some(queue) = queue {
            let down = &mut self.links.last_mut().expect("it was laid").directions[1];
            (down.limit, down.discipline) = (queue.0[1].limit(), queue.0[1].discipline()?);
        }
        Ok(())
    }

    /// The nodes that use a constellation.
    fn users(
        &self,
        name: &Spanned<String>,
        written: Option<&[Located<String>]>,
    ) -> Result<Vec<usize>, Mistake> {
        let Some(written) = written else {
            if self.stations.is_empty() {
                let message = format!("no node with a place uses `{}`", name.get_ref());
                return Err(Mistake::new(message)
                    .at(name.span())
                    .help("write one such as nodes.london.place = \"London\""));
            }
            return Ok(self.stations.keys().copied().collect());
        };
        let node = |it: &Located<String>| {
            let own = &self.nodes[..self.own];
            let Some(node) = own.iter().position(|node| node.name == it.value) else {
                let known: Vec<&str> = own.iter().map(|it| it.name.as_str()).collect();
                return Err(it
                    .mistake(format!("there is no node `{}`", it.value))
                    .help(suggestion(&it.value, &known)));
            };
            it.checked(
                |_| self.stations.contains_key(&node),
                || format!("node `{}` has no place", it.value),
                "write one such as place = \"London\" in its table",
            )?;
            Ok(node)
        };
        written.iter().map(node).collect()
    }

    /// What to say of a node that never sees a satellite.
    fn never_seen(
        &self,
        name: &Spanned<String>,
        node: usize,
        path: &GroundPath,
        reach: Reach,
        sky: &Sky,
    ) -> Mistake {
        let mut positions = Vec::new();
        let (mut highest, mut nearest) = (-90.0_f64, f64::INFINITY);
        for step in 0..=self.steps.min(1_000) {
            let time = self.time(step * (self.steps / 1_000).max(1)).as_seconds();
            let place = path.place(time);
            let (ground, up) = (place.position(), place.up());
            sky.positions(time, &mut positions);
            for seen in &positions {
                highest = highest.max(elevation(ground, up, *seen));
                nearest = nearest.min(ground.distance(*seen));
            }
        }
        let wanted = match reach {
            Reach::Elevation(least) => format!(
                "rises to {least}° above `{}`: the highest is at {highest:.1}°",
                self.nodes[node].name
            ),
            Reach::Range(most) => format!(
                "comes within {most} km of `{}`: the nearest is {nearest:.0} km away",
                self.nodes[node].name
            ),
        };
        Mistake::new(format!("no satellite of `{}` ever {wanted}", name.get_ref()))
            .at(name.span())
            .help("write another place, or another limit in `ground_links`")
    }

    fn finish(mut self, spread: Duration) -> (SkyPlan, Vec<String>) {
        self.contacts.sort_by_key(|it| (it.from, it.link));
        let sky = SkyPlan {
            sky: self.sky.into(),
            satellites: (self.own..self.nodes.len()).collect(),
            stations: self.stations.into_iter().collect(),
            links: self.moving,
            intermittent: self.intermittent,
            contacts: self.contacts,
            interval: self.interval,
            spread,
        };
        (sky, self.notes)
    }
}
