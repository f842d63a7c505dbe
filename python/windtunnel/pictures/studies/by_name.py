"""Pictures of studies by the names of measures and parameters."""

from __future__ import annotations

from windtunnel.measures.columns import GOODPUT
from windtunnel.measures.frame import Parameter, StudyFrame
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.studies import comparisons, fronts, heat_maps, layout, measures, spreads
from windtunnel.tables import ResultsError


def compare(
    results: StudyFrame, measure: str, by: str | None = None, over: str | None = None
) -> Picture:
    """Draw a measure over a parameter, a line for each value of another.

    `over` defaults to the numeric parameter with most values; without one, bars are
    drawn. `by` defaults to what the report chooses. Raises ResultsError for an unknown
    name, and if nothing was measured.
    """
    found = measures.named(results, measure)
    across = measures.parameter(results, over) if over else None
    return comparisons.comparison(results, found, compared(results, by), across).whole()


def heat_map(results: StudyFrame, measure: str, x: str, y: str) -> Picture:
    """Draw the mean of a measure over two parameters, a panel for the others' values.

    Raises ResultsError for an unknown name.
    """
    found = measures.named(results, measure)
    across, along = (measures.parameter(results, it) for it in (x, y))
    if across == along:
        raise ResultsError(f"a heat map needs two different parameters; `{x}` was given twice")
    return heat_maps.map_of_means(results, found, across, along).whole()


def gain(results: StudyFrame, measure: str, of: str, base: str | None = None) -> Picture:
    """Draw how many times a measure is what it is at a parameter's base value.

    `base` defaults to the value named plain, none, off or baseline.
    Raises ResultsError for an unknown name, and if no run has a counterpart at the base
    value.
    """
    found = measures.named(results, measure)
    parameter = measures.parameter(results, of)
    chosen = base or layout.base(parameter)
    if parameter.numbers is not None:
        raise ResultsError(f"`{of}` is numeric; gains need a parameter with named values")
    if chosen not in parameter.values:
        known = ", ".join(parameter.values)
        raise ResultsError(f"`{of}` has no base value; choose one of: {known}")
    drawn = heat_maps.map_of_gains(results, found, parameter, chosen)
    if drawn is None:
        raise ResultsError(f"no seed was run with {of} {chosen} and with another value")
    return drawn.whole()


def pareto(results: StudyFrame, by: str | None = None) -> Picture:
    """Draw goodput against delay, a point for each combination of parameters.

    Raises ResultsError for an unknown parameter, or if either was not measured.
    """
    for measure in (GOODPUT, measures.delay(results)):
        measures.named(results, measure.column)
    return fronts.trade_off(results, compared(results, by)).whole()


def distribution(results: StudyFrame, measure: str, by: str | None = None) -> Picture:
    """Draw the distribution functions of a measure over all runs, a line for each value.

    Raises ResultsError for an unknown name.
    """
    found = measures.named(results, measure)
    chosen = compared(results, by)
    return spreads.distribution_of(results.frame, found, chosen, "runs").whole()


def box(results: StudyFrame, measure: str, by: str | None = None) -> Picture:
    """Draw a measure's quartiles over all runs, a box for each value of a parameter.

    Raises ResultsError for an unknown name.
    """
    found = measures.named(results, measure)
    return spreads.boxes_of(results, found, compared(results, by)).whole()


def compared(results: StudyFrame, by: str | None) -> Parameter | None:
    """Find the parameter of the lines: the one asked for, or what the report chooses."""
    return measures.parameter(results, by) if by else layout.compared(results)
