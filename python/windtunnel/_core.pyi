"""The core: scenarios read, checked and run by the Rust crates."""

from pathlib import Path
from typing import Any, Literal, Self, final

from typing_extensions import disjoint_base

__all__ = [
    "COLUMNS",
    "SIGNALS",
    "Acknowledgement",
    "Batch",
    "Congestion",
    "Delivery",
    "Environments",
    "Outcome",
    "RadioReport",
    "Scenario",
    "ScenarioError",
    "Start",
    "Table",
    "__version__",
    "catalogue",
    "schema",
    "units",
]

class ScenarioError(ValueError):
    """A scenario that cannot be run: the message says where, why, and what would be right."""

@final
class Table:
    """A table of results; any Arrow library takes it without a copy."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Outcome:
    """What came of a batch."""

    finished: int
    unfinished: int
    faults: list[str]
    """What went wrong on our side."""
    failed: list[tuple[int, str]]
    """The cases of those runs, and what happened in each."""
    failures: list[str]
    """What went wrong in controllers written in Python."""
    work: tuple[int, int, float]
    """Events, packet-hops, and processor seconds, over all runs."""

    def tables(self) -> dict[str, Table]: ...

@final
class Batch:
    """Runs in progress."""

    @staticmethod
    def of_points(points: list[tuple[str, Scenario]], jobs: int) -> Batch:
        """Start one run of each scenario; their tables begin with the column `key`.

        Raises ValueError for a scenario of several cases or runs.
        """

    def progress(self) -> tuple[int, int, float, float, int]:
        """Finished runs, runs, simulated seconds done and in all, events."""

    def is_done(self) -> bool: ...
    def cancel(self) -> None: ...
    def finish(self) -> Outcome:
        """Wait for the end. Raises OSError if a capture could not be written."""

@disjoint_base
class Scenario:
    """A scenario, read and checked."""

    @property
    def file(self) -> str:
        """The file that it was read from, as it was named."""

    @property
    def title(self) -> str | None:
        """Its title, if it has one."""

    @property
    def axes(self) -> list[str]:
        """The axes of its comparison."""

    @property
    def cases(self) -> list[list[str]]:
        """For each case its name on every axis."""

    @property
    def runs(self) -> int:
        """How often each case is run."""

    @property
    def total_simulated_s(self) -> float:
        """Simulated seconds, over all runs."""

    @property
    def seed(self) -> int:
        """The seed of all random streams."""

    @property
    def text(self) -> str:
        """The text as run, with what was set from outside."""

    @property
    def files(self) -> list[tuple[str, str]]:
        """The files beside it that it names: each one's name there, and its text."""

    @property
    def controllers(self) -> dict[str, type[Any]]:
        """The controllers written in Python that it was given, by their names there."""

    def __new__(
        cls,
        file: str,
        text: str,
        settings: list[tuple[str, str]] = ...,
        controllers: dict[str, type[Any]] | None = None,
    ) -> Self: ...
    def bounds(self) -> list[tuple[float, float]]:
        """For each case what no protocol can surpass there.

        The goodput of all consumers together in bit/s, and the least delay in s.
        """

    def start(self, jobs: int, captures: tuple[Path, list[str]] | None = None) -> Batch:
        """Start all runs; `captures` is a folder, and the nodes captured there.

        Raises ScenarioError if there is no such node.
        """

COLUMNS: list[str]
"""The columns of all tables, which no axis or parameter may be named after."""

def units() -> list[tuple[str, float, str]]:
    """Give every unit of scenario files, its worth in a base unit, and the name of that."""

@final
class Start:
    """Where a connection begins; the transport decides."""

    initial_window: float
    """The first window, in segments."""
    minimum_window: float
    """No decrease leads below this, in segments."""
    restart_window: float
    """The window after a retransmission timeout, in segments; it may lie below the minimum."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class Delivery:
    """A delivery rate sample, from the most recently sent of the newly delivered segments."""

    rate: float | None
    """Segments per second; None if the time was too short to tell."""
    total: float
    """All data delivered on the connection until now, in segments."""
    total_at_send: float
    """The same when the segment was sent."""
    in_flight_at_send: float
    """Data in flight just after the segment was sent, in segments."""
    lost_since_send: float
    """Data held to be lost since the segment was sent, in segments."""
    application_limited: bool
    """Whether the application had nothing to send when the segment was sent."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class RadioReport:
    """What a radio tells the sender of its channel."""

    heard: int
    """When the sender heard of it, in nanoseconds."""
    sinr: float
    """Signal to interference and noise, in dB."""
    bandwidth: float
    """Segments per second that the channel carries for each bit/s/Hz."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class Acknowledgement:
    """Data was acknowledged. Data is counted in segments, times in nanoseconds."""

    now: int
    """When it arrived, since the start of the connection."""
    acknowledged: float
    """Newly acknowledged data that may open the window: nothing while a loss is repaired
    or the window does not limit the sender."""
    delivered: float
    """Newly delivered data, whatever the transport is doing."""
    marked: float
    """How much of it a router marked."""
    some_congestion: float
    """How much of it carried the milder mark."""
    lost: float
    """Data newly held to be lost."""
    rtt: int | None
    """The round trip; None where it cannot be told."""
    smoothed_rtt: int | None
    """The transport's smoothed round trip, once there is a sample."""
    one_way_delay: int | None
    """The delay from sender to receiver; only differences of it mean something."""
    in_flight: float
    """Data in flight after this acknowledgement."""
    delivery: Delivery | None
    """The delivery rate; None where no data was newly delivered."""
    round_ended: bool
    """Whether a round trip ended."""
    recovering: bool
    """Whether the transport is repairing a loss."""
    window_limited: bool
    """Whether the window limited what was sent in the last round trip."""
    radio: RadioReport | None
    """What was heard last of the radio that the data goes over."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class Congestion:
    """Congestion was signalled; the transport has decided that this signal counts."""

    now: int
    """When it was noticed, in nanoseconds."""
    signal: Literal["loss", "mark", "nack", "timeout"]
    """What told of it."""
    in_flight: float
    """Data in flight at that moment, in segments."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class Environments:
    """Environments of one scenario, each of one flow, stepped side by side on threads."""

    def __new__(
        cls, scenario: Scenario, flow: str | None, interval_s: float, count: int, threads: int
    ) -> Self:
        """Make `count` of them. Raises ScenarioError if there is no such flow."""

    def reset(self, place: int, case: int, seed: int, own: bool) -> list[float]:
        """Begin an episode in one; `own` leaves the flow to the scenario's controller.

        Gives the signals of its beginning, in the order of SIGNALS.
        """

    def step(self, stepped: list[bool], answers: object, signals: object) -> None:
        """Step those that are `stepped`, with the interpreter released.

        `answers` are float64 in one piece, of shape (count, 2): the window in segments,
        and the pacing rate in segments per second, NaN where the transport is to decide.
        `signals`, of shape (count, len(SIGNALS)), takes what those heard. Raises ValueError.
        """

    def is_over(self, place: int) -> bool:
        """Say whether one has reached the scenario's end."""

SIGNALS: list[str]
"""The names of an environment's signals."""

def schema() -> str: ...
def catalogue(kind: str) -> str: ...

__version__: str
