"""What this paper measures and no other: pages that exist, move and wait, and people."""

from __future__ import annotations

from functools import partial

import polars as pl

from windtunnel.measures.measure import Measure, Tables, of_runs

from . import location, people

SATELLITES = range(6)
"""The satellites of table I."""


def pages(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Count the pages at the end of the last stage."""
    return of_runs(at_the_end(results, keys), keys, pl.col("pages").sum())


def pages_at(results: Tables, keys: list[str], satellite: int) -> pl.DataFrame:
    """Count those of them that a satellite holds; there are none at later ones."""
    held = at_the_end(results, keys).filter(pl.col("held_since") == satellite)
    return of_runs(held, keys, pl.col("pages").sum())


def at_the_end(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give the rows of the last stage."""
    stages = results["session_stages"]
    return stages.filter(pl.col("stage") == pl.col("stage").max().over(keys))


def of_the_sessions(results: Tables, keys: list[str], column: pl.Expr) -> pl.DataFrame:
    """Give a column of the sessions of each run, which are of one kind."""
    return of_runs(results["sessions"], keys, column.cast(pl.Float64).first())


def of_sessions(title: str, unit: str, column: str | pl.Expr) -> Measure:
    """Measure a column of sessions, or what is computed from their columns."""
    expression = pl.col(column) if isinstance(column, str) else column
    return Measure(title, unit, partial(of_the_sessions, column=expression))


MOVED = pl.col("page_bytes") + pl.col("page_table_bytes") + pl.col("request_bytes")
"""What sessions hand over to be sent, without headers, in bytes."""


def link_bytes(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Add what all links between satellites delivered, with headers, in MB."""
    return of_runs(between_satellites(results), keys, pl.col("delivered_bytes").sum() / 1e6)


def busiest_link(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Find the greatest throughput of a direction of a link between satellites, in Mbps."""
    return of_runs(between_satellites(results), keys, pl.col("throughput_bps").max() / 1e6)


def between_satellites(results: Tables) -> pl.DataFrame:
    """Give the links both ends of which are satellites, which are called after their shell."""
    is_satellite = [pl.col(it).str.starts_with("shell-") for it in ("from", "to")]
    return results["links"].filter(pl.all_horizontal(is_satellite))


def concentration(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Find the share of these bytes that the busiest tenth of the links' directions carries."""
    sent = pl.col("delivered_bytes").sort(descending=True)
    busiest = sent.head((pl.len() / 10).ceil().cast(pl.UInt32)).sum()
    return of_runs(between_satellites(results), keys, busiest / sent.sum())


def busiest_satellite(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Find the most pages that a satellite holds at a time."""
    return of_runs(results["session_nodes"], keys, pl.col("maximum_pages").max())


def lost_with_the_busiest(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Find the most pages that are lost if one satellite fails: those that it alone holds."""
    return of_runs(results["session_nodes"], keys, pl.col("maximum_only_copies").max())


def lost_with_any(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Average the pages that are lost if a satellite fails, over those that serve and time."""
    return of_runs(results["session_nodes"], keys, pl.col("only_copies").mean())


def of_people(title: str, unit: str, take: people.Take) -> Measure:
    """Measure the people under satellites."""
    return Measure(title, unit, partial(people.by_case, take=take))


def without_idle_neighbour(busy: str, share: float, words: str) -> Measure:
    """Measure how often a busy satellite has no neighbour with less than a share of its people."""
    take = partial(people.without_idle_neighbour, busy=busy, share=share)
    title = f"satellites with more people than {words}: share without a neighbour that has less"
    return of_people(f"{title} than {share:.0%} of theirs", "share", take)


MEASURES = {
    "pages": Measure("pages that exist at the end", "", pages),
    **{
        f"pages-at-{it}": Measure(
            f"pages at satellite {it} at the end", "", partial(pages_at, satellite=it)
        )
        for it in SATELLITES
    },
    "page-hops": of_sessions("page movements over single links of the trail", "", "page_hops"),
    "page-transfers": of_sessions("page movements, however far", "", "page_transfers"),
    "faults": of_sessions("accesses that wait for a page", "", "faults"),
    "sent": of_sessions("what sessions send, without headers", "MB", MOVED / 1e6),
    "link-bytes": Measure("bytes over all links between satellites", "MB", link_bytes),
    "access-latency": of_sessions(
        "mean latency of all accesses", "ms", 1e3 * pl.col("access_latency_s")
    ),
    "latency-99": of_sessions(
        "99th percentile of the latency of all accesses", "ms", 1e3 * pl.col("access_latency_p99_s")
    ),
    "longest-latency": of_sessions(
        "longest wait for a page", "s", pl.col("latency_maximum_s").fill_null(0.0)
    ),
    "page-size": of_sessions(
        "bytes moved by page movement", "B", pl.col("page_bytes") / pl.col("page_transfers")
    ),
    "unaccounted": of_sessions(
        "pages created that are neither in one place until the end nor lost",
        "",
        (pl.col("creations") - pl.col("dropped") - pl.col("lost")).cast(pl.Float64),
    ),
    "unfinished": of_sessions("accesses without an answer", "", "unfinished"),
    "delayed": of_sessions(
        "share of the accesses that wait", "share", pl.col("delayed") / pl.col("accesses")
    ),
    "busiest-link": Measure("throughput of the busiest link", "Mbps", busiest_link),
    "concentration": Measure(
        "share of the bytes on the busiest tenth of the links", "share", concentration
    ),
    "bytes-near-mean": location.near_the_mean("bytes of the same number of users", False),
    "load-near-mean": location.near_the_mean("bytes in proportion to the people there", True),
    "busiest-satellite": Measure("most pages at one satellite", "", busiest_satellite),
    "lost-with-the-busiest": Measure(
        "pages lost if that satellite fails which alone holds most", "", lost_with_the_busiest
    ),
    "peak-people": of_people("most people under a satellite", "millions", people.peak),
    "mean-people": of_people("mean over time", "millions", people.mean),
    "idle-time": of_people("share of time below a tenth of the most", "share", people.idle_time),
    "without-idle-neighbour": without_idle_neighbour("tenth", 0.1, "nine tenths of all"),
    "without-less-busy-neighbour": without_idle_neighbour("tenth", 0.5, "nine tenths of all"),
    "without-idle-neighbour-mean": without_idle_neighbour("mean", 0.1, "the mean"),
    "without-idle-neighbour-half": without_idle_neighbour("half", 0.1, "half of the most"),
    "lost-with-any": Measure("pages lost if a satellite fails, mean", "", lost_with_any),
}
"""Each by its name in the paper's files."""
