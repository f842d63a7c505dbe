"""Draws docs/home.png: how long a call's packets take from the home, of scenarios/home.toml."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import windtunnel
from windtunnel.pictures.kinds import draw

FOLDER = Path(__file__).parent


def main() -> None:
    """Run the scenario and draw the call that leaves the home."""
    results = windtunnel.run(FOLDER.parent / "scenarios" / "home.toml")
    shown = {name: results[name].filter(flow="call-out") for name in ("flows", "flow_series")}
    call = replace(results, tables={**results.tables, **shown})
    draw(call, "delay", FOLDER / "home.png")


if __name__ == "__main__":
    main()
