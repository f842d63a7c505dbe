//! What flows over TCP carry.

use windtunnel_applications::{Workload, WorkloadContext, WorkloadKeys};
use windtunnel_transports::tcp::TcpSettings;
use windtunnel_world::headers;

use super::paths::{FlowContext, Paths};
use crate::reading::error::Mistake;
use crate::reading::files::Files;

/// What a flow between two nodes carries, over connections with these settings.
pub(super) fn plan(
    workload: &WorkloadKeys,
    context: &FlowContext<'_>,
    ends: [usize; 2],
    settings: &TcpSettings,
    files: &mut Files<'_>,
) -> Result<Workload, Mistake> {
    let at_full_load =
        |bytes, segments| at_full_load(&context.paths, ends, settings, bytes, segments);
    workload.workload(&mut WorkloadContext {
        files,
        maximum_segment: settings.maximum_segment,
        rules: &context.controllers.extensions.rules,
        at_full_load: &at_full_load,
    })
}

/// How many transfers of so many bytes, in so many segments, fill the narrowest link on the path in
/// a second, headers included.
fn at_full_load(
    paths: &Paths<'_>,
    ends: [usize; 2],
    settings: &TcpSettings,
    bytes: f64,
    segments: f64,
) -> f64 {
    let path = paths.links(ends);
    let transfers = path.iter().map(|it| {
        let direction = &paths.link(it.link()).directions[it.direction()];
        let in_each = f64::from(headers(settings) + direction.overhead);
        direction.rate.bits_per_second() as f64 / (8.0 * (bytes + segments * in_each))
    });
    transfers.reduce(f64::min).unwrap_or(1.0)
}
