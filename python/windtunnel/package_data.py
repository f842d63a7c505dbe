"""What comes with the package as files: papers, scenarios, recipes, maps, traces, dissectors and
the certificate of servers.

In the repository they are in `papers/` and `scenarios/`, to which the links in `data/` lead;
a wheel holds copies of them.
"""

from pathlib import Path

DATA = Path(__file__).parent / "data"

PAPERS = (DATA / "papers").resolve()
"""The papers: one folder each."""

SCENARIOS = (DATA / "scenarios").resolve()
"""Scenarios that belong to no paper, with maps, traces and studies."""

RECIPES = DATA / "recipes"
"""Short scenarios to begin with."""

NEW_PAPER = DATA / "paper"
"""The folder of a paper to begin with."""

WIRESHARK = DATA / "wireshark"
"""Dissectors for Wireshark and tshark, of protocols that those do not know."""

IDENTITY = (DATA / "identity").resolve()
"""The certificate of all servers over QUIC, and its key, in DER."""

INCLUDE = (DATA / "include").resolve()
"""The header of stacks in C."""
