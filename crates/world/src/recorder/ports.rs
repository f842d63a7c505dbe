//! Both directions of links.

use windtunnel_engine::Duration;
use windtunnel_queues::Backlog;

use crate::parts::Parts;
use crate::plan::Plan;
use crate::port::Counters;
use crate::port_id::PortId;
use crate::recorder::source::{Interval, Source};
use crate::series::{PortSample, SeriesPlan};

/// What a port had counted, and how long it had been sending.
type Counted = (Counters, Duration);

/// The ports that are sampled, each with what it had counted at the last sample.
#[derive(Clone)]
pub(super) struct Ports(Vec<(PortId, Counted)>);

impl Ports {
    pub(super) fn new(plan: &Plan, series: &SeriesPlan) -> Self {
        let links = series.places(plan.links.len());
        let ports = links.into_iter().flat_map(|link| [0, 1].map(|it| PortId::new(link, it)));
        Self(ports.map(|it| (it, Counted::default())).collect())
    }
}

impl Source for Ports {
    type Row = PortSample;

    fn sample(&mut self, parts: &mut Parts, over: Interval, mut take: impl FnMut(PortSample)) {
        for (id, last) in &mut self.0 {
            let port = parts.port_mut(*id);
            let now = (*port.counters(), port.busy(over.end));
            let backlog = port.backlog(over.end);
            let before = std::mem::replace(last, now);
            take(sample(*id, &before, &now, backlog, over));
        }
    }
}

fn sample(
    port: PortId,
    (before, busy_before): &Counted,
    (counters, busy): &Counted,
    backlog: Backlog,
    over: Interval,
) -> PortSample {
    let seconds = over.seconds();
    // A link that is cut, or a queue that becomes smaller, drops what had its time to be sent already.
    let sent = counters.sent.saturating_sub(before.sent);
    let sojourn = (counters.sojourn_sum - before.sojourn_sum).as_seconds();
    let bytes = counters.delivered_bytes - before.delivered_bytes;
    PortSample {
        port,
        time_s: over.end.as_seconds(),
        utilisation: (*busy - *busy_before).as_seconds() / seconds,
        throughput_bps: bytes as f64 * 8.0 / seconds,
        queue_packets: backlog.packets,
        queue_bytes: backlog.bytes,
        sojourn_s: (sent > 0).then(|| sojourn / sent as f64),
        overlimit_drops: counters.overlimit_drops - before.overlimit_drops,
        discipline_drops: counters.discipline_drops - before.discipline_drops,
        losses: counters.losses - before.losses,
        marks: counters.marks - before.marks,
        some_congestion_marks: counters.some_congestion_marks - before.some_congestion_marks,
    }
}
