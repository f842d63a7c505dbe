"""What the comparisons with the Linux kernel share: the path as a scenario, and a cell."""

from __future__ import annotations

import statistics
from collections.abc import Mapping

from compare_ndnsim import NOTABLE, difference, number

FRAME = 1514
"""Bytes of a full frame as the token bucket counts it."""
CONTROLLERS = {
    "reno": '"new-reno"',
    "cubic": '"cubic"',
    "bbr": '"bbr1"',
}
"""Linux's controllers, and the same in a scenario."""

Case = Mapping[str, object]


def path_settings(case: Case, rate_mbps: int) -> dict[str, str]:
    """Give a scenario's settings for the path of a case, and its controller."""
    return {
        **link_settings("path", case, rate_mbps),
        "flows.one.controller": CONTROLLERS[case["controller"]],
    }


def link_settings(link: str, path: Case, rate_mbps: int) -> dict[str, str]:
    """Give a scenario's settings for the link that is a path: its token bucket and its delay."""
    bucket = (
        f'kind = "shaper", rate = "{rate_mbps} Mbps", burst = "{path["burst_bytes"]} B", '
        f'limit = "{path["limit_bytes"]} B"'
    )
    return {
        f"links.{link}.delay": f'["0 ms", "{path["base_rtt_ms"]} ms"]',
        f"links.{link}.queue": f'[{{ {bucket} }}, {{ kind = "drop-tail" }}]',
    }


def two_path_settings(case: Case) -> dict[str, str]:
    """Give a scenario's settings for the two paths of a case, its controller and its duration."""
    found = {
        "duration": f'"{case["seconds"]} s"',
        "flows.one.controller": CONTROLLERS[case["controller"]],
    }
    for place, path in enumerate(case["paths"], 1):
        found |= link_settings(f"path-{place}", path, path["rate_mbps"])
    return found


def beside(our: float, theirs: list[float]) -> str:
    """Write the kernel's minimum, median and maximum, ours, and the difference from the median.

    It is bold if it is notable and ours is outside the kernel's range.
    """
    median = statistics.median(theirs)
    percent = f"{difference(our, median):+.1%}".replace("%", " %").replace("-", "−")
    emphasis = "**" if is_notable(our, theirs) else ""
    values = " · ".join(number(value) for value in (min(theirs), median, max(theirs)))
    return f"{values} / {number(our)} ({emphasis}{percent}{emphasis})"


def is_notable(our: float, theirs: list[float]) -> bool:
    """Tell whether ours is outside the kernel's range, and far from its median."""
    relative = difference(our, statistics.median(theirs))
    return abs(relative) > NOTABLE and not min(theirs) <= our <= max(theirs)
