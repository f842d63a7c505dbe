//! Probes, by which the policies of flows learn the round trips of paths.

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::scion::{PathReference, Position, ScionContent};
use windtunnel_packets::{Ecn, PacketStore};

use super::data_plane::PROBE;
use super::flows::FlowNumber;
use super::host::{Host, Wanted};
use super::policies::PathId;

/// A probe that is not answered for so long is lost.
pub(super) const PROBE_TIMEOUT: Duration = Duration::from_secs(1);
/// A flow without packets for so long is not probed for.
const IDLE: Duration = Duration::from_secs(10);

/// A probe that was not answered yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    sequence: u16,
    flow: FlowNumber,
    path: PathId,
    pub(super) sent: Time,
}

impl Host {
    /// Sends a probe on each path of a flow, or on the one in use.
    pub(super) fn probe(&mut self, now: Time, number: FlowNumber, packets: &mut PacketStore) {
        let Some(flow) = self.flows.get_mut(&number) else { return };
        let interval = flow.policy.probe_interval().filter(|_| flow.last + IDLE > now);
        flow.probe = interval.map_or(Time::NEVER, |it| now + it.max(Duration::from_millis(1)));
        let (to, hosts, current) = (flow.to, flow.hosts, flow.current);
        let only = current.filter(|_| flow.policy.probes_only_current());
        if interval.is_none() {
            return;
        }
        let system = self.shared.settings.places[to as usize].system;
        let paths = self.paths.entry(system).or_default();
        let ids: Vec<PathId> = paths.live(now).iter().map(|it| it.id).collect();
        for (place, path) in ids.into_iter().enumerate() {
            if only.is_some_and(|it| it != path) {
                continue;
            }
            let handle = paths.handle(place, packets);
            let position = Position::first(packets.path(handle));
            self.sequence = self.sequence.wrapping_add(1);
            let sequence = self.sequence;
            self.probes.push_back(Probe { sequence, flow: number, path, sent: now });
            self.probes_sent += 1;
            self.wanted.push(Wanted::Send {
                content: ScionContent::Echo { is_reply: false, identifier: 0, sequence },
                payload: PROBE,
                to,
                path: (PathReference::Standard(handle), position),
                hosts,
                ecn: Ecn::NotCapable,
            });
        }
    }

    pub(super) fn lose_probes(&mut self, now: Time) {
        while let Some(it) =
            self.probes.front().copied().filter(|it| it.sent + PROBE_TIMEOUT <= now)
        {
            self.probes.pop_front();
            self.tell(now, &it, None);
        }
    }

    /// A probe was answered.
    pub(super) fn on_echo(&mut self, now: Time, sequence: u16) {
        let Some(place) = self.probes.iter().position(|it| it.sequence == sequence) else { return };
        let Some(probe) = self.probes.remove(place) else { return };
        self.probes_answered += 1;
        self.tell(now, &probe, Some(now.since(probe.sent)));
    }

    /// Tells a flow's policy what became of a probe.
    fn tell(&mut self, now: Time, probe: &Probe, rtt: Option<Duration>) {
        let Some(flow) = self.flows.get_mut(&probe.flow) else { return };
        let system = self.shared.settings.places[flow.to as usize].system;
        let Some(paths) = self.paths.get_mut(&system) else { return };
        let info = match rtt {
            Some(rtt) => paths.measure(probe.path, rtt),
            None => paths.info(probe.path),
        };
        if let Some(info) = info {
            flow.policy.on_probe(now, info, rtt);
        }
    }
}
