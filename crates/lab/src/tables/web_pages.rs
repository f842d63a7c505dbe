//! Pages of the web: how they loaded.

use windtunnel_applications::PageLoad;
use windtunnel_engine::Duration;
use windtunnel_tables::{Columns, Table, column};
use windtunnel_world::{FlowPlan, Plan, World};

use super::shared::FLOW;

/// How each page loaded.
pub(super) fn totals(plan: &Plan, world: &World) -> Table {
    let pages = plan.flows.iter().zip(world.pages());
    let rows: Vec<(&FlowPlan, PageLoad)> =
        pages.filter_map(|(flow, page)| Some((flow, *page?))).collect();
    let seconds = |it: Option<Duration>| it.map(Duration::as_seconds);
    Columns::of(
        "web_pages",
        "How each page of the web loaded; times are those since its request.",
        &rows,
    )
    .text(FLOW, |(flow, _)| &flow.name)
    .number(
        column("page_load_s", "Until the last object of the page was received.")
            .title("page load time")
            .less_is_better(),
        |(_, it)| seconds(it.whole),
    )
    .number(
        column("first_byte_s", "Until the first byte of the document was received.")
            .title("time to first byte")
            .less_is_better(),
        |(_, it)| seconds(it.first_byte),
    )
    .number(
        column(
            "first_paint_s",
            "Until everything was received without which a browser shows nothing: the document, \
                 style sheets, and scripts that the document names at its beginning.",
        )
        .title("first paint")
        .less_is_better(),
        |(_, it)| seconds(it.first_paint),
    )
    .number(
        column("largest_paint_s", "Until that and the largest image were received.")
            .title("largest paint")
            .less_is_better(),
        |(_, it)| seconds(it.largest_paint),
    )
    .number(
        column(
            "byte_index_s",
            "The integral over time of the share of the page's bytes that had not been received, \
                 of each object once it was whole; empty of a page that did not load to its end.",
        )
        .title("byte index")
        .less_is_better(),
        |(_, it)| it.byte_index,
    )
    .count(column("page_bytes", "The bytes of its objects.").title("size"), |(_, it)| it.bytes[0])
    .count(
        column("page_objects", "Its objects, the document included.").title("objects").unit(""),
        |(_, it)| it.objects[0],
    )
    .count(column("loaded_objects", "Of them, those that were received.").unit(""), |(_, it)| {
        it.objects[1]
    })
    .table()
}
