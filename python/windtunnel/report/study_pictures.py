"""Pictures of studies: what was measured, compared over any parameter."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import altair as alt
import polars as pl

from windtunnel.report import charts, distributions, study_charts, study_layout, study_measures
from windtunnel.report.cases import BETWEEN, Line
from windtunnel.report.charts import BAR, HEIGHT
from windtunnel.report.colours import Ink
from windtunnel.report.pictures import MOST_BARS, Picture
from windtunnel.report.study_charts import Shading
from windtunnel.report.study_layout import MOST_LINES, MOST_MAPS, Axis, Division, Panel, axis
from windtunnel.report.study_measures import DELAY, GOODPUT
from windtunnel.report.totals import Measure
from windtunnel.report.units import decimals, scale, written
from windtunnel.results import ResultsError
from windtunnel.studies.outcome import Parameter, StudyResults

MOST_POINTS = 300
"""Points of a panel besides those of the front."""

CELL = 30
"""Pixels of a cell's height."""

EVERYTHING = [Line("l0", 0, ("all runs",), None, 0)]
"""The line where no parameter tells lines apart."""

INTERVAL = "95 % confidence interval (Student’s t)"


@dataclass(frozen=True)
class Figure:
    """A picture in panels: as one picture, or as one for each panel."""

    name: str
    title: str
    caption: str
    lines: list[Line]
    """What its legend explains."""
    panels: list[Panel]
    draw: Callable[..., list[alt.Chart]]
    """Draws a frame in an ink, as layers that share their data."""
    height: int
    scattered: bool = False
    """Whether it is points, which have axes of their own in each panel."""

    def whole(self) -> Picture:
        """Give all panels as one picture."""
        legend = self.lines if len(self.lines) > 1 else []
        return Picture(self.name, self.title, self.caption, legend, self.chart)

    def parts(self) -> list[Picture]:
        """Give a picture for each panel, which a page can lay out as it likes."""
        if len(self.panels) == 1:
            return [self.whole()]
        return [
            replace(
                self, name=f"{self.name}-{index}", title=panel.title, caption="", panels=[panel]
            ).whole()
            for index, panel in enumerate(self.panels, start=1)
        ]

    def chart(self, ink: Ink) -> alt.TopLevelMixin:
        """Draw all panels in an ink."""
        if len(self.panels) == 1:
            layers = self.draw(self.panels[0].frame, ink=ink)
            return study_charts.alone(layers, self.lines, self.height, self.scattered, ink)
        titles = [it.title for it in self.panels]
        named = [it.frame.with_columns(panel=pl.lit(it.title)) for it in self.panels]
        layers = self.draw(pl.concat(named), ink=ink)
        return study_charts.beside(layers, self.lines, titles, self.height, self.scattered, ink)


# What users ask for by name.


def compare(
    results: StudyResults, measure: str, by: str | None = None, over: str | None = None
) -> Picture:
    """Draw a measure over a parameter, a line for each value of another.

    Without `over` it is the number with most values; if there is none, bars are
    drawn. Without `by` it is what the report chooses. Raises ResultsError for
    names that there are not, and where nothing was measured.
    """
    chosen = compared(results, by)
    over_which = study_measures.parameter(results, over) if over else None
    return comparison(results, study_measures.named(results, measure), chosen, over_which).whole()


def heat_map(results: StudyResults, measure: str, x: str, y: str) -> Picture:
    """Draw the mean of a measure over two parameters, a panel for the others' values.

    Raises ResultsError for names that there are not.
    """
    across, along = (study_measures.parameter(results, it) for it in (x, y))
    if across == along:
        raise ResultsError(f"a heat map needs two parameters; `{x}` was given twice")
    return map_of_means(results, study_measures.named(results, measure), across, along).whole()


def gain(results: StudyResults, measure: str, of: str, base: str | None = None) -> Picture:
    """Draw how many times a measure is what it is at a parameter's base value.

    Without `base` it is the value that is called plain, none, off or baseline.
    Raises ResultsError for names that there are not.
    """
    parameter = study_measures.parameter(results, of)
    chosen = base or study_layout.base(parameter)
    if chosen not in parameter.values:
        known = ", ".join(parameter.values)
        raise ResultsError(f"`{of}` has no base value; name one of its values: {known}")
    drawn = map_of_gains(results, study_measures.named(results, measure), parameter, chosen)
    if drawn is None:
        raise ResultsError(f"no seed was run at another value of `{of}` and at {chosen} too")
    return drawn.whole()


def pareto(results: StudyResults, by: str | None = None) -> Picture:
    """Draw goodput against delay, a point for each combination of parameters.

    Raises ResultsError for a parameter that there is not, or if either was not measured.
    """
    for measure in (GOODPUT, DELAY):
        study_measures.named(results, measure.column)
    return trade_off(results, compared(results, by)).whole()


def distribution(results: StudyResults, measure: str, by: str | None = None) -> Picture:
    """Draw the distribution functions of a measure over all runs, a line for each value.

    Raises ResultsError for names that there are not.
    """
    found = study_measures.named(results, measure)
    return distribution_of(results.frame, found, compared(results, by), "runs").whole()


def box(results: StudyResults, measure: str, by: str | None = None) -> Picture:
    """Draw a measure's quartiles over all runs, a box for each value of a parameter.

    Raises ResultsError for names that there are not.
    """
    return boxes_of(results, study_measures.named(results, measure), compared(results, by)).whole()


def compared(results: StudyResults, by: str | None) -> Parameter | None:
    """Find what tells lines apart: what was asked for, or what the report would choose."""
    return study_measures.parameter(results, by) if by else study_layout.compared(results)


# Lines over a parameter.


def comparison(
    results: StudyResults, measure: Measure, by: Parameter | None, over: Parameter | None = None
) -> Figure:
    """Draw a measure over a number, a line for each value of `by`, panels by the others.

    Without a number to be the axis, bars are drawn. Where a point stands for several
    combinations of parameters, it is their median.
    """
    if over is None and (over := study_layout.swept(results, by)) is None:
        return bars(results, measure, results.parameters, by)
    if over == by or over.numbers is None:
        return bars(results, measure, [it for it in (over, by) if it], by)
    across = axis(over)
    lines, thinned = lines_of(by)
    shown = [over, *([by] if by else [])]
    divided = study_layout.division(results.frame, results.parameters, shown)
    placed = {"line": line_of(by), "place": across.index()}
    hidden = [*divided.hidden, *(it for it in shown if axis(it).edges)]
    frames = [samples(it.frame, measure, placed, hidden) for it in divided.panels]
    frames = [it.filter(pl.col("line").is_in([line.name for line in lines])) for it in frames]
    pooled = any(several(it, [*placed]) for it in frames)
    spread = study_measures.middle if pooled else study_measures.spread
    spreads = [spread(it, [*placed]).sort("place") for it in frames]
    means, highs = (pl.concat([it[end] for it in spreads]) for end in ("mean", "high"))
    shown_in = scale(measure.unit, means)
    upright = study_charts.from_zero(means / shown_in.size, highs / shown_in.size)
    panels = [
        Panel(
            panel.title,
            frame.with_columns(
                pl.col("mean", "low", "high") / shown_in.size,
                place=pl.col("place").replace_strict(dict(enumerate(across.places))),
                text=pl.col("place").replace_strict(dict(enumerate(across.texts))),
            ),
        )
        for panel, frame in zip(divided.panels, spreads, strict=True)
    ]
    draw = partial(
        study_charts.over_values,
        lines=lines,
        axis=across,
        title=shown_in.title(measure.title),
        scale=upright,
    )
    said = [
        what_points_are(pl.concat([it["runs"] for it in spreads]), pooled, divided),
        f"{over.name} is put into {len(across.places)} intervals." if across.edges else "",
        divided.note,
        thinned,
    ]
    return Figure(
        name=f"{study_measures.short(measure)}-over-{slug(over)}",
        title=f"{capital(measure.title)} over {over.name}",
        caption=" ".join(filter(None, said)),
        lines=lines,
        panels=panels,
        draw=draw,
        height=HEIGHT,
    )


def samples(
    frame: pl.DataFrame, measure: Measure, keys: dict[str, pl.Expr], hidden: list[Parameter]
) -> pl.DataFrame:
    """Give each run's keys and `value`, and the `combination` of what is hidden."""
    names = [it.name for it in hidden]
    combination = pl.struct(names) if names else pl.lit(0)
    value = study_measures.known(measure)
    return frame.select(**keys, value=value, combination=combination).drop_nulls("value")


def several(samples: pl.DataFrame, keys: list[str]) -> bool:
    """Say whether several combinations of what is hidden stand in one place."""
    counts = samples.group_by(keys).agg(pl.col("combination").n_unique())
    return bool((counts["combination"] > 1).any())


def what_points_are(runs: pl.Series, pooled: bool, divided: Division) -> str:
    """Say what a point and a band stand for."""
    hidden = listed([it.name for it in divided.hidden])
    if pooled:
        over = f"all values of {hidden} and the seeds" if hidden else "the runs"
        return f"Lines: median over {over}; bands: the middle half of the runs."
    differing = f" Points differ in {hidden} too." if hidden else ""
    if runs.is_empty() or runs.max() == 1:
        return f"One run each.{differing}"
    each = f"{runs.min()} to {runs.max()}" if runs.min() < runs.max() else f"{runs.max()}"
    return f"Lines: mean over the seeds ({each} runs each); bands: {INTERVAL}.{differing}"


def lines_of(by: Parameter | None) -> tuple[list[Line], str]:
    """Give the lines of a parameter, and a word about those that are left out."""
    if by is None:
        return EVERYTHING, ""
    lines = study_layout.lines(axis(by))
    if by.numbers is None or len(lines) <= MOST_LINES:
        return lines, ""
    chosen = [lines[it] for it in study_layout.thinned(len(lines), MOST_LINES)]
    return chosen, f"{MOST_LINES} of the {len(lines)} values of {by.name} are drawn."


def line_of(by: Parameter | None) -> pl.Expr:
    """Give the name of each run's line."""
    return pl.format("l{}", axis(by).index()) if by else pl.lit(EVERYTHING[0].name)


# Bars and boxes.


def bars(
    results: StudyResults, measure: Measure, shown: list[Parameter], by: Parameter | None
) -> Figure:
    """Draw a measure as bars, one for each combination of what is shown."""
    order = [*(it for it in shown if it != by), *([by] if by else [])]
    axes = [axis(it) for it in order]
    keys = {f"key {index}": it.index() for index, it in enumerate(axes)}
    hidden = [it for it in results.parameters if it not in order]
    frame = samples(results.frame, measure, {"all": pl.lit(0), **keys}, hidden)
    pooled = several(frame, ["all", *keys])
    spread = study_measures.middle if pooled else study_measures.spread
    found = spread(frame, ["all", *keys]).sort(*keys) if keys else spread(frame, ["all"])
    drawn = found.head(MOST_BARS)
    hues = study_layout.controllers(axes[-1]) if by else [None]
    rows = drawn.select(*keys).rows() if keys else [()]
    lines = [
        Line(
            f"l{index}",
            index,
            tuple(study_layout.titled(*it) for it in zip(axes, key, strict=True)),
            hues[key[-1]] if by else None,
            0,
        )
        for index, key in enumerate(rows)
    ]
    shown_in = scale(measure.unit, drawn["mean"])
    values = drawn.select(
        pl.col("mean", "low", "high") / shown_in.size,
        line=pl.Series([it.name for it in lines]),
        published=pl.lit(None, pl.Float64),
    )
    title = shown_in.title(measure.title)
    left_out = f"The first {len(lines)} of {found.height} bars; the table has all."
    said = [what_bars_are(found["runs"], pooled, hidden), left_out * (drawn.height < found.height)]
    return Figure(
        name=f"{study_measures.short(measure)}-bars",
        title=capital(measure.title),
        caption=" ".join(filter(None, said)),
        lines=[],
        panels=[Panel("", values)],
        draw=partial(charts.bar_layers, lines=lines, title=title),
        height=BAR * len(lines),
    )


def what_bars_are(runs: pl.Series, pooled: bool, hidden: list[Parameter]) -> str:
    """Say what a bar and a whisker stand for."""
    if pooled:
        over = listed([it.name for it in hidden])
        return f"Bars: median over all values of {over}; whiskers: the middle half of the runs."
    if runs.is_empty() or runs.max() == 1:
        return "One run each."
    return f"Bars: mean over the seeds; whiskers: {INTERVAL}."


def boxes_of(results: StudyResults, measure: Measure, by: Parameter | None) -> Figure:
    """Draw a box for each value of a parameter, of all its runs."""
    value = pl.col("value")
    drawn = (
        samples(results.frame, measure, {"line": line_of(by)}, [])
        .group_by("line")
        .agg(
            low=value.min(),
            first=value.quantile(0.25, "linear"),
            median=value.median(),
            third=value.quantile(0.75, "linear"),
            high=value.max(),
            runs=pl.len(),
        )
    )
    lines = there(study_layout.lines(axis(by)) if by else EVERYTHING, drawn)
    shown_in = scale(measure.unit, drawn["high"])
    values = drawn.with_columns(pl.exclude("line", "runs") / shown_in.size)
    title = shown_in.title(measure.title)
    return Figure(
        name=f"{study_measures.short(measure)}-boxes",
        title=f"Spread of the {measure.title} over all runs",
        caption="Boxes: the middle half of the runs, and their median; whiskers: all runs.",
        lines=[],
        panels=[Panel("", values)],
        draw=partial(study_charts.boxes, lines=lines, title=title),
        height=BAR * max(len(lines), 2),
    )


# Distributions.


def distribution_of(
    frame: pl.DataFrame, measure: Measure, by: Parameter | None, of_what: str
) -> Figure:
    """Draw distribution functions of a measure over a frame's rows, a line for each value."""
    known = samples(frame, measure, {"line": line_of(by)}, [])
    shown_in = scale(measure.unit, known["value"])
    values = known.select("line", pl.col("value") / shown_in.size)
    quantiles = distributions.quantiles(values)
    lines = there(lines_of(by)[0], quantiles)
    quantiles = quantiles.filter(pl.col("line").is_in([it.name for it in lines]))
    title = shown_in.title(measure.title)
    across = study_charts.from_zero(quantiles["value"], quantiles["value"])

    draw = partial(distributions.layers, lines=lines, title=title, of_what=of_what, scale=across)
    return Figure(
        name=f"{study_measures.short(measure)}-distribution-of-{slug(of_what)}",
        title=f"Distribution of the {measure.title}",
        caption=f"Share of the {of_what} that are not greater.",
        lines=lines,
        panels=[Panel("", quantiles)],
        draw=draw,
        height=HEIGHT,
    )


def there(lines: list[Line], drawn: pl.DataFrame) -> list[Line]:
    """Keep the lines that have values."""
    names = set(drawn["line"])
    return [it for it in lines if it.name in names]


# Goodput against delay.


def trade_off(results: StudyResults, by: Parameter | None) -> Figure:
    """Draw goodput against delay, and the combinations that no other surpasses in both."""
    over = study_layout.swept(results, by)
    shown = [it for it in (over, by) if it]
    divided = study_layout.division(results.frame, results.parameters, shown)
    told = [*([over] if over else []), *divided.hidden]
    means = [combinations(it.frame, results.parameters, by, told) for it in divided.panels]
    found = pl.concat(means)
    lines = there(study_layout.lines(axis(by)) if by else EVERYTHING, found)
    units = {it: scale(it.unit, found[it.column]) for it in (DELAY, GOODPUT)}
    titles = tuple(unit.title(it.title) for it, unit in units.items())
    panels = [
        Panel(
            panel.title,
            marked(
                frame.select(
                    "line",
                    "text",
                    x=pl.col(DELAY.column) / units[DELAY].size,
                    y=pl.col(GOODPUT.column) / units[GOODPUT].size,
                )
            ),
        )
        for panel, frame in zip(divided.panels, means, strict=True)
    ]
    most = max(it.height for it in means)
    said = [
        "A point for each combination of parameters, mean over the seeds. Ringed and joined:"
        " the Pareto front, where no other point has more goodput and less delay.",
        f"Of other points some {MOST_POINTS} are drawn." if most > MOST_POINTS else "",
        divided.note,
    ]
    return Figure(
        name="pareto",
        title="Goodput against delay",
        caption=" ".join(filter(None, said)),
        lines=lines,
        panels=panels,
        draw=partial(study_charts.front, lines=lines, titles=titles),
        height=HEIGHT,
        scattered=True,
    )


def combinations(
    frame: pl.DataFrame, parameters: list[Parameter], by: Parameter | None, told: list[Parameter]
) -> pl.DataFrame:
    """Give the mean goodput and delay of each combination, its line and what it is called."""
    keys = {f"key {index}": pl.col(it.name) for index, it in enumerate(parameters)}
    names = [pl.format(f"{braced(it.name)} {{}}", study_layout.text_of(it)) for it in told]
    text = pl.concat_str(names, separator=BETWEEN) if names else pl.lit("")
    measures = {it.column: study_measures.known(it) for it in (GOODPUT, DELAY)}
    rows = frame.select(**keys, **measures, line=line_of(by), text=text)
    means = rows.group_by("line", "text", *keys, maintain_order=True).agg(
        pl.col([*measures]).mean()
    )
    return means.drop_nulls([*measures])


def braced(text: str) -> str:
    """Keep braces in a text from being taken for places of values."""
    return text.replace("{", "(").replace("}", ")")


def marked(points: pl.DataFrame) -> pl.DataFrame:
    """Mark the front of points: less `x` and more `y` than any other has; thin out the rest."""
    highest_before = pl.col("y").cum_max().shift()
    ranked = points.sort("x", "y", descending=[False, True]).with_columns(
        front=(pl.col("y") > highest_before).fill_null(True)
    )
    others = ranked.filter(~pl.col("front"))
    step = math.ceil(others.height / MOST_POINTS) or 1
    return pl.concat([ranked.filter("front"), others.gather_every(step)]).sort("x", "y")


# Heat maps.


def map_of_means(results: StudyResults, measure: Measure, x: Parameter, y: Parameter) -> Figure:
    """Draw the mean of a measure over two parameters, a panel for the others' values."""
    across, along = axis(x), axis(y)
    divided = study_layout.division(results.frame, results.parameters, [x, y], MOST_MAPS)
    places = {"x": across.index(), "y": along.index()}
    means = [
        study_measures.spread(samples(it.frame, measure, places, []), [*places])
        for it in divided.panels
    ]
    values = pl.concat([it["mean"] for it in means])
    shown_in = scale(measure.unit, values)
    low, high = values.min() / shown_in.size, values.max() / shown_in.size
    logarithmic = low > 0 and high > study_charts.DECADES * low
    shading = Shading(shown_in.title(measure.title), low, high, logarithmic)
    digits = max(decimals(values / shown_in.size) - 1, 0)
    panels = [
        Panel(panel.title, numbered(frame, shown_in.size, digits))
        for panel, frame in zip(divided.panels, means, strict=True)
    ]
    of = what_cells_are(divided, [across, along])
    return Figure(
        name=f"{study_measures.short(measure)}-map",
        title=f"{capital(measure.title)} over {x.name} and {y.name}",
        caption=" ".join(filter(None, [f"Cells: mean over {of}.", divided.note])),
        lines=[],
        panels=panels,
        draw=partial(study_charts.cells, x=across, y=along, shading=shading),
        height=CELL * max(len(along.texts), 2),
    )


def what_cells_are(divided: Division, axes: list[Axis]) -> str:
    """Say over what the mean of a cell is taken."""
    hidden = listed([it.name for it in divided.hidden])
    if any(it.edges for it in axes):
        return "the runs within both intervals"
    return f"all values of {hidden} and the seeds" if hidden else "the seeds"


def numbered(frame: pl.DataFrame, size: float, digits: int) -> pl.DataFrame:
    """Give cells their values in a unit, and the number to be written in each."""
    values = frame.select(
        "x", "y", value=pl.col("mean") / size, low=pl.col("low") / size, high=pl.col("high") / size
    )
    return values.with_columns(number=pl.Series([written(it, digits) for it in values["value"]]))


def map_of_gains(
    results: StudyResults, measure: Measure, of: Parameter, base: str
) -> Figure | None:
    """Draw how many times a measure is what it is at a base value; none without pairs.

    Runs are paired that differ in nothing else, the seed included. The gain is
    the geometric mean of their ratios, so that gain and loss weigh the same;
    its interval is that of the ratios' logarithms.
    """
    ratios = gains(results, measure, of, base)
    if ratios.is_empty():
        return None
    others = [it for it in results.parameters if it != of]
    compared_with = replace(of, values=[it for it in of.values if it != base])
    single = "" if len(compared_with.values) > 1 else f" at {compared_with.values[0]}"
    x, y = axes_of_gains(ratios, others, compared_with)
    shown = [it for it in (x, y) if it]
    rest = others if single else [*others, compared_with]
    divided = study_layout.division(ratios, rest, shown, MOST_MAPS)
    across, along = axis(x), axis(y) if y else None
    places = {"x": across.index(), "y": along.index() if along else pl.lit(0)}
    spreads = [
        study_measures.spread(samples(it.frame, measure, places, []), [*places]).with_columns(
            pl.col("mean", "low", "high").exp()
        )
        for it in divided.panels
    ]
    values = pl.concat([it["mean"] for it in spreads])
    most = max(values.max(), 1 / values.min(), study_charts.LEAST_GAIN)
    shading = Shading(
        title=f"{measure.title} relative to {of.name} {base}",
        low=1 / most,
        high=most,
        logarithmic=True,
        diverging=True,
        reverse=measure not in study_measures.MORE_IS_BETTER,
    )
    panels = [
        Panel(panel.title, bracketed(frame))
        for panel, frame in zip(divided.panels, spreads, strict=True)
    ]
    several_runs = any(it["low"].count() for it in spreads)
    over = what_cells_are(divided, [across, *([along] if along else [])])
    said = [
        f"Cells: geometric mean over {over} of the ratios of runs that differ in nothing else."
        " Orange: better; purple: worse.",
        f"In brackets: the {INTERVAL} has 1 in it." if several_runs else "",
        divided.note,
    ]
    return Figure(
        name=f"{study_measures.short(measure)}-gain-of-{slug(of)}",
        title=f"{capital(measure.title)}{single} relative to {of.name} {base}",
        caption=" ".join(filter(None, said)),
        lines=[],
        panels=panels,
        draw=partial(study_charts.cells, x=across, y=along, shading=shading),
        height=CELL * max(len(along.texts) if along else 1, 2),
    )


def gains(results: StudyResults, measure: Measure, of: Parameter, base: str) -> pl.DataFrame:
    """Pair runs with those at the base value: the measure becomes the ratio's logarithm."""
    keys = [*(it.name for it in results.parameters if it != of), "seed"]
    value = pl.col(measure.column)
    positive = results.frame.select(
        *keys, of.name, study_measures.known(measure).alias(measure.column)
    ).filter(value > 0)
    held = f"{measure.column} at the base value"
    bases = positive.filter(pl.col(of.name) == base).select(*keys, value.alias(held))
    others = positive.filter(pl.col(of.name) != base)
    return others.join(bases, on=keys, maintain_order="left").with_columns(
        (value / pl.col(held)).log().alias(measure.column)
    )


def axes_of_gains(
    ratios: pl.DataFrame, others: list[Parameter], of: Parameter
) -> tuple[Parameter, Parameter | None]:
    """Choose the axes: two numbers that were run with each other, else a number and words."""
    numbers = sorted(
        (it for it in others if it.numbers is not None), key=lambda it: -len(it.values)
    )
    words = sorted(
        (it for it in others if it.numbers is None),
        key=lambda it: not study_layout.is_controllers(it),
    )
    candidates = [*numbers, *words, *([] if others else [of])]
    x = candidates[0]
    crossed = (it for it in candidates[1:] if study_layout.crossed(ratios, axis(x), axis(it)))
    return x, next(crossed, None)


def bracketed(frame: pl.DataFrame) -> pl.DataFrame:
    """Write gains, in brackets where the interval has 1 in it."""
    numbers = [
        f"({number})" if low is not None and low <= 1 <= high else number
        for value, low, high in frame.select("mean", "low", "high").rows()
        for number in [written(value, 2 if value < 10 else 0)]
    ]
    return frame.select("x", "y", "low", "high", value="mean", number=pl.Series(numbers))


# Words.


def listed(names: list[str]) -> str:
    """Write names one after the other."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def capital(text: str) -> str:
    """Begin a title."""
    return text[0].upper() + text[1:]


def slug(it: Parameter | str) -> str:
    """Make a part of a file's name."""
    name = it if isinstance(it, str) else it.name
    return re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")
