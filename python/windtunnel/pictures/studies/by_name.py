"""Pictures of studies by name, each as one: what was measured, compared over any parameter."""

from __future__ import annotations

from windtunnel.measures.columns import DELAY, GOODPUT
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.studies import comparisons, fronts, heat_maps, layout, measures, spreads
from windtunnel.studies.frame import Parameter, StudyFrame
from windtunnel.tables import ResultsError


def compare(
    results: StudyFrame, measure: str, by: str | None = None, over: str | None = None
) -> Picture:
    """Draw a measure over a parameter, a line for each value of another.

    Without `over` it is the number with most values; if there is none, bars are
    drawn. Without `by` it is what the report chooses. Raises ResultsError for
    names that there are not, and where nothing was measured.
    """
    found = measures.named(results, measure)
    across = measures.parameter(results, over) if over else None
    return comparisons.comparison(results, found, compared(results, by), across).whole()


def heat_map(results: StudyFrame, measure: str, x: str, y: str) -> Picture:
    """Draw the mean of a measure over two parameters, a panel for the others' values.

    Raises ResultsError for names that there are not.
    """
    found = measures.named(results, measure)
    across, along = (measures.parameter(results, it) for it in (x, y))
    if across == along:
        raise ResultsError(f"a heat map needs two parameters; `{x}` was given twice")
    return heat_maps.map_of_means(results, found, across, along).whole()


def gain(results: StudyFrame, measure: str, of: str, base: str | None = None) -> Picture:
    """Draw how many times a measure is what it is at a parameter's base value.

    Without `base` it is the value that is called plain, none, off or baseline.
    Raises ResultsError for names that there are not, and where no run has its like
    at the base value.
    """
    found = measures.named(results, measure)
    parameter = measures.parameter(results, of)
    chosen = base or layout.base(parameter)
    if parameter.numbers is not None:
        raise ResultsError(f"`{of}` is a number; gains are over a value that is a word")
    if chosen not in parameter.values:
        known = ", ".join(parameter.values)
        raise ResultsError(f"`{of}` has no base value; name one of its values: {known}")
    drawn = heat_maps.map_of_gains(results, found, parameter, chosen)
    if drawn is None:
        raise ResultsError(f"no seed was run both at {of} {chosen} and at another value")
    return drawn.whole()


def pareto(results: StudyFrame, by: str | None = None) -> Picture:
    """Draw goodput against delay, a point for each combination of parameters.

    Raises ResultsError for a parameter that there is not, or if either was not measured.
    """
    for measure in (GOODPUT, DELAY):
        measures.named(results, measure.column)
    return fronts.trade_off(results, compared(results, by)).whole()


def distribution(results: StudyFrame, measure: str, by: str | None = None) -> Picture:
    """Draw the distribution functions of a measure over all runs, a line for each value.

    Raises ResultsError for names that there are not.
    """
    found = measures.named(results, measure)
    chosen = compared(results, by)
    return spreads.distribution_of(results.frame, found, chosen, "runs").whole()


def box(results: StudyFrame, measure: str, by: str | None = None) -> Picture:
    """Draw a measure's quartiles over all runs, a box for each value of a parameter.

    Raises ResultsError for names that there are not.
    """
    found = measures.named(results, measure)
    return spreads.boxes_of(results, found, compared(results, by)).whole()


def compared(results: StudyFrame, by: str | None) -> Parameter | None:
    """Find what tells lines apart: what was asked for, or what the report would choose."""
    return measures.parameter(results, by) if by else layout.compared(results)
