"""Tables on a terminal: nothing of a comparison is cut on a line of 80 characters."""

from __future__ import annotations

import io

from rich.console import Console

from windtunnel.terminal_tables import FittingTable

NAMES = ["with-cake", "download", "cubic"]
VALUES = ["30.9 ± 1.4", "17.68 ± 0.73", "0.03 ± 0.00", "681 ± 250", "684 ± 235", "199 ± 156"]
TITLES = ["goodput\nMbps", "active\ns", "lost\n%", "delay\nms", "RTT\nms", "retrans-\nmitted"]


def printed(width: int) -> list[str]:
    table = FittingTable()
    for name in ("home", "flow", "controller"):
        table.add_column(name, no_wrap=True)
    for title in TITLES:
        widest = max(map(len, title.splitlines()))
        table.add_column(title, justify="right", min_width=widest)
    table.add_row(*NAMES, *VALUES)
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    with console.capture() as captured:
        console.print(table)
    return [it for it in captured.get().splitlines() if it.strip()]


def test_a_line_that_is_long_enough_has_means_and_intervals_side_by_side() -> None:
    *_, row = printed(120)
    for it in (*NAMES, *VALUES):
        assert it in row


def test_on_a_narrow_terminal_the_intervals_are_below_the_means_and_nothing_is_cut() -> None:
    *_, means, intervals = lines = printed(80)
    assert max(map(len, lines)) <= 80
    assert means.split() == [*NAMES, *(it.split(" ± ")[0] for it in VALUES)]
    assert intervals.split() == [f"±{it.split(' ± ')[1]}" for it in VALUES]
