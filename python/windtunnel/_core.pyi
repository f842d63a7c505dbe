"""The core: scenarios are read, checked and run by the Rust crates."""

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
    "TransmissionStart",
    "__version__",
    "catalogue",
    "schema",
    "units",
]

class ScenarioError(ValueError):
    """A scenario that cannot be run: the message says where, why, and how to fix it."""

@final
class Table:
    """A table of results; any Arrow library takes it without a copy."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Outcome:
    """The outcome of a batch."""

    finished: int
    unfinished: int
    faults: list[str]
    """Internal errors."""
    failed: list[tuple[int, str]]
    """The cases of these runs, with the error of each."""
    failures: list[str]
    """Errors in controllers written in Python."""
    work: tuple[int, int, float, float]
    """Events, packet-hops, CPU seconds, and the real seconds for routing where nodes move."""

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
        """Finished runs, all runs, simulated seconds done and in total, events."""

    def is_done(self) -> bool: ...
    def cancel(self) -> None: ...
    def finish(self) -> Outcome:
        """Wait for the end. Raises OSError if a capture could not be written."""

@disjoint_base
class Scenario:
    """A scenario, read and checked."""

    @property
    def file(self) -> str:
        """The file that it was read from, as given."""

    @property
    def title(self) -> str | None:
        """Its title, if it has one."""

    @property
    def axes(self) -> list[str]:
        """The axes of its comparison."""

    @property
    def cases(self) -> list[list[str]]:
        """For each case, its name on every axis."""

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
        """The text as run, with all settings applied."""

    @property
    def files(self) -> list[tuple[str, str]]:
        """The files that it names: the name of each in the scenario, and its text."""

    @property
    def controllers(self) -> dict[str, type[Any]]:
        """The controllers written in Python, by their names in the scenario."""

    def __new__(
        cls,
        file: str,
        text: str,
        settings: list[tuple[str, str]] = ...,
        controllers: dict[str, type[Any]] | None = None,
    ) -> Self: ...
    def bounds(self) -> list[tuple[float, float]]:
        """For each case, the bounds for any protocol.

        They are the maximum total goodput of all consumers in bit/s, and the minimum delay in s.
        """

    def positions(self, case: int, times_s: list[float]) -> Table:
        """Give where the nodes of a case that have a place are at some times, in seconds.

        The columns are `time_s`, `node`, `kind` ("station" or "satellite"), `latitude_degrees`,
        `longitude_degrees` and `height_m`; without satellites there are no rows. Raises
        IndexError if there is no such case.
        """

    @property
    def notes(self) -> list[str]:
        """What was decided that the user should know, such as a longer interval of series."""

    def start(
        self, jobs: int, folder: Path | None = None, captured: list[str] = ..., threads: int = 1
    ) -> Batch:
        """Start all runs, each on `threads` threads.

        Series are written into `folder`, with captures at the nodes `captured`; without a
        folder they stay in memory.

        Raises ScenarioError if there is no such node.
        """

COLUMNS: list[str]
"""The columns of all tables, which no axis or parameter may be named after."""

def units() -> list[tuple[str, float, str]]:
    """Return every unit of scenario files, its value in the base unit, and that unit's name."""

@final
class Start:
    """The initial conditions of a connection, set by the transport."""

    initial_window: float
    """The initial window, in segments."""
    minimum_window: float
    """The minimum window after a decrease, in segments."""
    restart_window: float
    """The window after a retransmission timeout, in segments; it may be below the minimum."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class Delivery:
    """A delivery rate sample, from the most recently sent of the newly delivered segments."""

    rate: float | None
    """Segments per second; None if the time was too short."""
    total: float
    """All data delivered on the connection until now, in segments."""
    total_at_send: float
    """The same when the segment was sent."""
    in_flight_at_send: float
    """Data in flight just after the segment was sent, in segments."""
    lost_since_send: float
    """Data considered lost since the segment was sent, in segments."""
    application_limited: bool
    """Whether the application had nothing to send when the segment was sent."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class RadioReport:
    """A radio's report of its channel to the sender."""

    received: int
    """When the sender received it, in nanoseconds."""
    sinr: float
    """The signal-to-interference-plus-noise ratio, in dB."""
    bandwidth: float
    """Segments per second that the channel carries for each bit/s/Hz."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class Acknowledgement:
    """Data was acknowledged. Data is counted in segments, times in nanoseconds."""

    now: int
    """When it arrived, since the start of the connection."""
    acknowledged: float
    """Newly acknowledged data that may open the window: zero during loss recovery and while
    the window does not limit the sender."""
    delivered: float
    """Newly delivered data, whatever the transport is doing."""
    marked: float
    """How much of the delivered data was marked."""
    some_congestion: float
    """How much of the delivered data carried the milder mark."""
    lost: float
    """Data newly considered lost."""
    rtt: int | None
    """The round-trip time; None if it is ambiguous."""
    smoothed_rtt: int | None
    """The transport's smoothed round-trip time, once there is a sample."""
    one_way_delay: int | None
    """The delay from sender to receiver; only changes of it are meaningful."""
    in_flight: float
    """Data in flight after this acknowledgement."""
    delivery: Delivery | None
    """The delivery rate; None if no data was newly delivered."""
    round_ended: bool
    """Whether a round trip ended."""
    recovering: bool
    """Whether the transport is in loss recovery."""
    window_limited: bool
    """Whether the window limited the sender in the last round trip."""
    radio: RadioReport | None
    """The latest report of the radio that the data passes."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class Congestion:
    """Congestion was signalled; the transport has decided that this signal counts."""

    now: int
    """When it was detected, in nanoseconds."""
    signal: Literal["loss", "mark", "nack", "timeout"]
    """The signal."""
    in_flight: float
    """Data in flight at that time, in segments."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class TransmissionStart:
    """Data is about to be sent while none is in flight."""

    now: int
    """When, in nanoseconds."""
    application_limited: bool
    """Whether the application had nothing to send before."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class Environments:
    """Environments of one scenario, each with one flow, stepped in parallel on threads."""

    def __new__(
        cls, scenario: Scenario, flow: str | None, interval_s: float, count: int, threads: int
    ) -> Self:
        """Create `count` environments. Raises ScenarioError if there is no such flow."""

    def reset(self, place: int, case: int, seed: int, own: bool) -> list[float]:
        """Start an episode in one; `own` leaves the flow to the scenario's controller.

        Returns the initial signals, in the order of SIGNALS.
        """

    def step(self, stepped: list[bool], answers: object, signals: object) -> None:
        """Step those that are `stepped`, with the interpreter released.

        `answers` is a contiguous float64 array of shape (count, 2): the window in segments,
        and the pacing rate in segments per second, where NaN leaves pacing to the transport.
        `signals`, of shape (count, len(SIGNALS)), is filled in. Raises ValueError.
        """

    def is_over(self, place: int) -> bool:
        """Whether one has reached the scenario's end."""

SIGNALS: list[str]
"""The names of an environment's signals."""

def schema() -> str: ...
def catalogue(kind: str) -> str: ...

__version__: str
