//! The control service of an autonomous system: beacons, registrations, and the segments that
//! hosts ask for.

use std::collections::BTreeMap;
use std::sync::Arc;

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::scion::{
    ControlMessage, IsdAs, Path, PathHandle, PathSegment, SegmentKind,
};

use super::beacons::Beacons;
use super::combination::combine;
use super::counters::ControlCounters;
use super::discovery::Known;
use super::lookups::{Lookup, Question, Segments};
use super::settings::{ScionSettings, System};

/// Where a message of a control service goes.
#[derive(Clone, Debug)]
pub(super) enum To {
    /// Through an interface to the neighbour's control service.
    Neighbour(u16),
    /// To another one, by a path.
    Service(IsdAs, Arc<Path>),
    /// To a host here.
    Host(u32),
}

/// What was found before.
#[derive(Clone, Debug)]
struct Cached {
    segments: Segments,
    until: Time,
}

/// A path to another control service, and where packets have it.
#[derive(Clone, Debug)]
pub(super) struct ServiceRoute {
    pub(super) path: Arc<Path>,
    pub(super) handle: Option<PathHandle>,
    until: Time,
}

/// The control service.
#[derive(Clone, Debug)]
pub(super) struct ControlService {
    settings: Arc<ScionSettings>,
    system: u32,
    pub(super) beacons: Beacons,
    down: BTreeMap<IsdAs, Vec<Arc<PathSegment>>>,
    lookups: Vec<Lookup>,
    cache: BTreeMap<IsdAs, Cached>,
    pub(super) routes: BTreeMap<IsdAs, ServiceRoute>,
    identifier: u32,
    tick: Time,
    pub(super) output: Vec<(To, ControlMessage)>,
    pub(super) counters: ControlCounters,
}

impl ControlService {
    /// Of a system, with what it knows at the start, and when it first sends beacons.
    pub(super) fn new(
        settings: Arc<ScionSettings>,
        system: u32,
        known: Option<&Known>,
        tick: Time,
    ) -> Self {
        let known = known.cloned();
        let known =
            known.unwrap_or_else(|| Known { beacons: Beacons::new(system), down: BTreeMap::new() });
        Self {
            settings,
            system,
            beacons: known.beacons,
            down: known.down,
            lookups: Vec::new(),
            cache: BTreeMap::new(),
            routes: BTreeMap::new(),
            identifier: 0,
            tick,
            output: Vec::new(),
            counters: ControlCounters::default(),
        }
    }

    fn own(&self) -> &System {
        &self.settings.systems[self.system as usize]
    }

    /// How many segments it knows: its own, and those registered.
    pub(super) fn segments(&self) -> usize {
        self.beacons.segments().len() + self.down.values().map(Vec::len).sum::<usize>()
    }

    /// When it is to be called.
    pub(super) fn next(&self) -> Time {
        self.lookups.iter().map(|it| it.deadline).min().unwrap_or(Time::NEVER).min(self.tick)
    }

    pub(super) fn wake(&mut self, now: Time) {
        if now >= self.tick {
            self.tick = now + self.settings.beaconing.interval;
            self.send_beacons(now);
            self.register(now);
        }
        self.go_on(now);
    }

    fn send_beacons(&mut self, now: Time) {
        self.beacons.expire(now);
        let current = u64::from(super::beacons::seconds(now));
        self.down.values_mut().for_each(|it| it.retain(|it| it.expires() > current));
        let output = &mut self.output;
        let mut send = |interface, segment| {
            output.push((To::Neighbour(interface), ControlMessage::Beacon(segment)));
        };
        self.beacons.originate(now, &self.settings, &mut send);
        self.beacons.propagate(&self.settings, &mut send);
    }

    /// Makes segments, and outside the core registers them where they begin.
    fn register(&mut self, now: Time) {
        let settings = Arc::clone(&self.settings);
        self.beacons.register(&settings);
        if self.own().is_core {
            return;
        }
        for segment in self.beacons.segments().to_vec() {
            if let Some(path) = self.path(now, segment.first(), &[]) {
                self.counters.registrations += 1;
                let message = ControlMessage::Registration(PathSegment::clone(&segment));
                self.output.push((To::Service(segment.first(), path), message));
            }
        }
    }

    /// A path to another control service. One that was used before stays until half of its time
    /// is over.
    fn path(&mut self, now: Time, to: IsdAs, core: &[Arc<PathSegment>]) -> Option<Arc<Path>> {
        if let Some(it) = self.routes.get(&to).filter(|it| it.until > now) {
            return Some(Arc::clone(&it.path));
        }
        let segments = self.beacons.segments();
        let (up, own) = if self.own().is_core { (&[][..], segments) } else { (segments, &[][..]) };
        let core = [own, core].concat();
        let found = combine([self.own().isd_as, to], up, &core, &[]);
        let path = Arc::new(found.into_iter().next()?.path);
        let expires = Time::ZERO + Duration::from_millis(path.expires_ms());
        let half = Duration::from_nanos(expires.since(now.min(expires)).as_nanos() / 2);
        let route = ServiceRoute { path: Arc::clone(&path), handle: None, until: now + half };
        self.routes.insert(to, route);
        Some(path)
    }

    /// A path does not work.
    pub(super) fn on_error(&mut self, handle: PathHandle) {
        self.routes.retain(|_, it| it.handle != Some(handle));
    }

    /// A beacon has come in.
    pub(super) fn on_beacon(&mut self, ingress: u16, segment: PathSegment) {
        let settings = Arc::clone(&self.settings);
        let is_kept = self.beacons.receive(&settings, ingress, segment);
        self.counters.beacons_kept += u64::from(is_kept);
    }

    /// A segment was registered here.
    pub(super) fn on_registration(&mut self, segment: PathSegment) {
        let own = self.own().isd_as;
        if !self.own().is_core || segment.first() != own {
            return;
        }
        let known = self.down.entry(segment.last()).or_default();
        match known.iter_mut().find(|it| it.interfaces().eq(segment.interfaces())) {
            Some(it) if it.timestamp <= segment.timestamp => *it = Arc::new(segment),
            Some(_) => {}
            None => known.push(Arc::new(segment)),
        }
    }

    /// What it answers another control service.
    pub(super) fn answer(&self, kind: SegmentKind, to: IsdAs) -> Segments {
        let found: Vec<&Arc<PathSegment>> = match kind {
            SegmentKind::Core if self.own().is_core => {
                self.beacons.segments().iter().filter(|it| it.first().isd() == to.isd()).collect()
            }
            SegmentKind::Down => self.down.get(&to).into_iter().flatten().collect(),
            _ => Vec::new(),
        };
        found.into_iter().map(|it| (kind, Arc::clone(it))).collect()
    }

    /// A host of a node asks for all segments to a system.
    pub(super) fn look_up(&mut self, now: Time, to: IsdAs, asker: (u32, u32)) {
        self.counters.requests += 1;
        if let Some(cached) = self.cache.get(&to).filter(|it| it.until > now) {
            let segments = cached.segments.clone();
            return self.reply(&[asker], &segments);
        }
        if let Some(it) = self.lookups.iter_mut().find(|it| it.to == to) {
            return it.askers.push(asker);
        }
        let own = if self.own().is_core { SegmentKind::Core } else { SegmentKind::Up };
        let segments = self.beacons.segments().iter().map(|it| (own, Arc::clone(it))).collect();
        let mut lookup = Lookup::new(to, segments);
        lookup.askers.push(asker);
        let cores = if self.own().is_core { Vec::new() } else { self.cores_above() };
        // Number 0: all of the isolation domain.
        let wanted = IsdAs(u64::from(to.isd()) << 48);
        let questions =
            cores.into_iter().map(|it| self.question(it, SegmentKind::Core, wanted)).collect();
        lookup.ask(now, questions);
        self.send_questions(now, &lookup.open, &[]);
        self.lookups.push(lookup);
        self.go_on(now);
    }

    /// The core systems that its segments lead to.
    fn cores_above(&self) -> Vec<IsdAs> {
        let mut cores: Vec<IsdAs> = self.beacons.segments().iter().map(|it| it.first()).collect();
        cores.sort_unstable();
        cores.dedup();
        cores
    }

    fn question(&mut self, core: IsdAs, kind: SegmentKind, to: IsdAs) -> Question {
        self.identifier += 1;
        Question { identifier: self.identifier, core, kind, to }
    }

    fn send_questions(&mut self, now: Time, open: &[Question], core: &[Arc<PathSegment>]) {
        for Question { identifier, core: at, kind, to } in open.iter().copied() {
            if let Some(path) = self.path(now, at, core) {
                self.counters.requests_sent += 1;
                let message = ControlMessage::Request { identifier, kind, to };
                self.output.push((To::Service(at, path), message));
            }
        }
    }

    /// Another control service has answered.
    pub(super) fn on_answer(&mut self, now: Time, identifier: u32, segments: &Segments) {
        for lookup in &mut self.lookups {
            if lookup.answer(now, identifier, segments.clone()) {
                break;
            }
        }
        self.go_on(now);
    }

    /// Goes on with the searches that have got their answers, or wait no longer.
    fn go_on(&mut self, now: Time) {
        while let Some(place) = self.lookups.iter().position(|it| it.deadline <= now) {
            let mut lookup = self.lookups.swap_remove(place);
            if !lookup.open.is_empty() {
                let open = lookup.again(now);
                self.send_questions(now, &open, &lookup.of(SegmentKind::Core));
                self.lookups.push(lookup);
            } else if lookup.has_core {
                self.finish(now, lookup);
            } else {
                lookup.has_core = true;
                self.ask_down(now, &mut lookup);
                self.lookups.push(lookup);
            }
        }
    }

    /// Asks the core systems of the destination's isolation domain for segments down to it.
    fn ask_down(&mut self, now: Time, lookup: &mut Lookup) {
        let core = lookup.of(SegmentKind::Core);
        let own = self.own().isd_as;
        let begins = core.iter().map(|it| it.first()).chain(self.cores_above());
        let own_core = Some(own).filter(|_| self.own().is_core);
        let mut cores: Vec<IsdAs> =
            begins.chain(own_core).filter(|it| it.isd() == lookup.to.isd()).collect();
        cores.sort_unstable();
        cores.dedup();
        if cores.contains(&lookup.to) {
            return lookup.ask(now, Vec::new());
        }
        if own_core.is_some() {
            lookup.segments.extend(self.answer(SegmentKind::Down, lookup.to));
        }
        cores.retain(|it| Some(*it) != own_core);
        let to = lookup.to;
        let questions =
            cores.into_iter().map(|it| self.question(it, SegmentKind::Down, to)).collect();
        lookup.ask(now, questions);
        self.send_questions(now, &lookup.open, &core);
    }

    fn finish(&mut self, now: Time, lookup: Lookup) {
        let expires = lookup.segments.iter().map(|it| it.1.expires()).min().unwrap_or(0);
        let expires = Time::ZERO + Duration::from_secs(expires);
        let half = Duration::from_nanos(expires.since(now.min(expires)).as_nanos() / 2);
        let until = now + self.settings.beaconing.refresh.min(half);
        self.reply(&lookup.askers, &lookup.segments);
        let of = |kind| lookup.of(kind);
        let [up, core, down] = [SegmentKind::Up, SegmentKind::Core, SegmentKind::Down].map(of);
        // What leads nowhere is not kept.
        if !combine([self.own().isd_as, lookup.to], &up, &core, &down).is_empty() {
            self.cache.insert(lookup.to, Cached { segments: lookup.segments, until });
        }
    }

    fn reply(&mut self, askers: &[(u32, u32)], segments: &Segments) {
        for (node, identifier) in askers {
            let segments = segments.iter().map(|it| (it.0, PathSegment::clone(&it.1))).collect();
            let message = ControlMessage::Reply { identifier: *identifier, segments };
            self.output.push((To::Host(*node), message));
        }
    }
}
