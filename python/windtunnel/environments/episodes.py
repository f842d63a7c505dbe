"""Episodes: which case of a scenario one is of, and who decides in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

OPTIONS = {"case", "own"}
"""The options of an episode."""


def chosen(
    cases: Sequence[str], generator: np.random.Generator, options: Mapping[str, Any] | None
) -> tuple[int, bool]:
    """Return the place of the case in the options, or of a random one; and the option `own`.

    Raises ValueError for an unknown option or case.
    """
    options = options or {}
    if unknown := set(options) - OPTIONS:
        raise ValueError(f"unknown options {sorted(unknown)}; known: case, own")
    drawn = cases[int(generator.integers(len(cases)))]
    case = str(options.get("case", drawn))
    if case not in cases:
        raise ValueError(f"there is no case {case!r}; known: {', '.join(cases)}")
    return cases.index(case), bool(options.get("own", False))
