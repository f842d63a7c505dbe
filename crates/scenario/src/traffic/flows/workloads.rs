//! What flows over streams carry.

use super::paths::{FlowContext, Paths};
use crate::reading::error::Mistake;
use crate::reading::files::Files;
use windtunnel_applications::{Workload, WorkloadContext, WorkloadKeys};

/// The full segments or datagrams of a flow's connections, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segments {
    /// The data in one.
    pub(super) data: u16,
    /// Its headers, from that of IP on.
    pub(super) headers: u32,
}

/// What a flow between two nodes carries, over connections with such segments.
pub(super) fn plan(
    workload: &WorkloadKeys,
    context: &FlowContext<'_>,
    ends: [usize; 2],
    segments: Segments,
    files: &mut Files<'_>,
) -> Result<Workload, Mistake> {
    let at_full_load =
        |bytes, count| at_full_load(&context.paths, ends, segments.headers, bytes, count);
    workload.workload(&mut WorkloadContext {
        files,
        maximum_segment: segments.data,
        rules: &context.controllers.extensions.rules,
        at_full_load: &at_full_load,
    })
}

/// How many transfers of so many bytes, in so many segments, fill the narrowest link on the path in
/// a second, headers included.
fn at_full_load(
    paths: &Paths<'_>,
    ends: [usize; 2],
    headers: u32,
    bytes: f64,
    segments: f64,
) -> f64 {
    let path = paths.links(ends);
    let transfers = path.iter().map(|it| {
        let direction = &paths.link(it.link()).directions[it.direction()];
        let in_each = f64::from(headers + direction.overhead);
        direction.rate.bits_per_second() as f64 / (8.0 * (bytes + segments * in_each))
    });
    transfers.reduce(f64::min).unwrap_or(1.0)
}
