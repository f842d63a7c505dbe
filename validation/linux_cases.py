"""The cases in which the Linux kernel's TCP and Windtunnel's are compared, in virtual time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

FRAME = 1514
"""Bytes of a full frame on the path."""
CONTROLLERS = {
    "reno": '{ kind = "new-reno", window = "whole-segments" }',
    "cubic": '{ kind = "cubic", curve = "linux", hystart-variant = "linux" }',
    "bbr": '"bbr1"',
    "dctcp": '{ kind = "dctcp", window = "whole-segments" }',
    "bic": '"bic"',
    "highspeed": '"highspeed"',
    "htcp": '"h-tcp"',
    "illinois": '"illinois"',
    "scalable": '"scalable"',
    "vegas": '"vegas"',
    "veno": '"veno"',
    "westwood": '"westwood"',
    "yeah": '"yeah"',
}
"""Linux's controllers, and the same in a scenario."""
THREE = ("reno", "cubic", "bbr")


@dataclass(frozen=True)
class Second:
    """A second path: its rate, and its round trip without queues and transmission."""

    rate_mbps: float
    rtt_ms: float


@dataclass(frozen=True)
class Case:
    """A path, what it carries, and Linux's name of the controller."""

    group: str
    controller: str
    rate_mbps: float
    rtt_ms: float
    """The round trip without queues and transmission."""
    queue_packets: int
    what: str
    """What is said of it in the table."""
    seconds: float = 20.0
    workload: str = '"bulk"'
    marks_beyond: int | None = None
    """The queue, in packets, beyond which each packet is marked; None: none is."""
    late: str | None = None
    """A model of packets that come late."""
    lost: str | None = None
    """A model of packets that are lost."""
    second: Second | None = None
    """The second path of a connection of Multipath TCP."""

    def settings(self) -> dict[str, str]:
        """Give the scenario's settings of the path and the workload."""
        if self.second:
            return self.settings_of_both(self.second)
        queue = f'kind = "drop-tail", limit = "{self.queue_packets} packets"'
        if self.marks_beyond:
            beyond = f'"{self.marks_beyond} packets"'
            queue = (
                f'kind = "red", action = "mark", limit = "{self.queue_packets} packets", '
                f"minimum_threshold = {beyond}, maximum_threshold = {beyond}, weight = 1, "
                'max_probability = "100 %", gentle = false'
            )
        back = '{ kind = "drop-tail", limit = "100000 packets" }'
        found = {
            "duration": f'"{self.seconds} s"',
            "links.path.rate": f'["{self.rate_mbps} Mbps", "10 Gbps"]',
            "links.path.delay": f'"{self.rtt_ms / 2} ms"',
            "links.path.queue": f"[{{ {queue} }}, {back}]",
            "flows.one.workload": self.workload,
        }
        if self.late:
            none = '{ probability = "0 %", lateness = "1 ms" }'
            found["links.path.reordering"] = f"[{self.late}, {none}]"
        if self.lost:
            found["links.path.loss"] = f'[{self.lost}, "0 %"]'
        return found

    def settings_of_both(self, second: Second) -> dict[str, str]:
        """Give the settings of two paths and the workload."""
        queue = f'{{ kind = "drop-tail", limit = "{self.queue_packets} packets" }}'
        back = '{ kind = "drop-tail", limit = "100000 packets" }'
        both = enumerate(((self.rate_mbps, self.rtt_ms), (second.rate_mbps, second.rtt_ms)), 1)
        found = {"duration": f'"{self.seconds} s"', "flows.one.workload": self.workload}
        for number, (rate, rtt) in both:
            found |= {
                f"links.path-{number}.rate": f'["{rate} Mbps", "10 Gbps"]',
                f"links.path-{number}.delay": f'"{rtt / 2} ms"',
                f"links.path-{number}.queue": f"[{queue}, {back}]",
            }
        return found

    def longer(self, percent: float) -> Case:
        """Give the case over paths that are longer by some percent."""
        by = 1 + percent / 100
        second = self.second and replace(self.second, rtt_ms=self.second.rtt_ms * by)
        return replace(self, rtt_ms=self.rtt_ms * by, second=second)

    @property
    def path(self) -> str:
        """The path in words."""
        rates, times = f"{self.rate_mbps:g}", f"{self.rtt_ms:g}"
        if self.second:
            rates += f" and {self.second.rate_mbps:g}"
            times += f" and {self.second.rtt_ms:g}"
        return f"{rates} Mbps, {times} ms, {self.what}"

    @property
    def name(self) -> str:
        """What tells it from all others."""
        return f"{self.group}: {self.path}, {self.controller}"

    @property
    def base_ms(self) -> float:
        """The round trip of a full segment over an empty path: also its transmission."""
        return self.rtt_ms + FRAME * 8 / self.rate_mbps / 1e3


def packets(rate_mbps: float, rtt_ms: float, products: float) -> int:
    """Give how many full frames bandwidth-delay products are, at least 4."""
    return max(4, round(rate_mbps * 1e3 * rtt_ms / 8 / FRAME * products))


def cases() -> Iterator[Case]:
    """Give all cases."""
    yield from bulk()
    yield from marked()
    yield from odd_queues()
    yield from limited()
    yield from short()
    yield from late()
    yield from lost()
    yield from others()
    yield from two_paths()


def bulk() -> Iterator[Case]:
    """Give data without end: rates, delays, queues and controllers."""
    for rate, seconds in ((2, 30), (10, 15)):
        for rtt in (10, 40, 160):
            for products in (0.5, 1, 4):
                yield from three("bulk", rate, rtt, products, seconds)
    for rtt in (10, 40):
        yield from three("bulk", 50, rtt, 1, 5)


def three(group: str, rate: float, rtt: float, products: float, seconds: float) -> Iterator[Case]:
    """Give one path with each of three controllers."""
    for controller in THREE:
        queue = packets(rate, rtt, products)
        yield Case(group, controller, rate, rtt, queue, f"{products:g} BDP", seconds)


def marked() -> Iterator[Case]:
    """Give DCTCP over a queue that marks."""
    for rate, rtt, seconds in ((20, 1, 5), (20, 10, 5), (50, 1, 3), (10, 40, 10)):
        for threshold in (10, 30):
            what = f"marks beyond {threshold} packets"
            yield Case("marks", "dctcp", rate, rtt, 400, what, seconds, marks_beyond=threshold)


def odd_queues() -> Iterator[Case]:
    """Give queues much too short, and much too long."""
    for controller in THREE:
        for queue in (5, 10, 1000):
            yield Case("queues", controller, 10, 40, queue, f"{queue} packets")


def limited() -> Iterator[Case]:
    """Give applications that do not always have data."""
    path = Case("limited", "", 10, 40, packets(10, 40, 1), "")
    steady = '{ kind = "bulk", rate = "5 Mbps" }'
    turns = '{ kind = "on-off", on = "500 ms", off = "1 s" }'
    for controller in THREE:
        yield replace(path, controller=controller, what="5 Mbps offered", workload=steady)
        yield replace(path, controller=controller, what="on 0.5 s, off 1 s", workload=turns)


def short() -> Iterator[Case]:
    """Give answers of one size over one connection, a second apart."""
    for controller in THREE:
        for size in ("10 kB", "100 kB", "1 MB"):
            answers = f'{{ kind = "request-response", response = "{size}", think = "1 s" }}'
            yield Case("answers", controller, 20, 40, 66, f"{size} each", workload=answers)


def late() -> Iterator[Case]:
    """Give packets that come late."""
    for controller in THREE:
        for every, lateness in ((100, 4), (100, 20)):
            model = f'{{ kind = "periodic", every = {every}, lateness = "{lateness} ms" }}'
            what = f"one in {every} comes {lateness} ms late"
            yield Case("late", controller, 10, 40, packets(10, 40, 2), what, late=model)


def lost() -> Iterator[Case]:
    """Give packets that are lost, the same for both."""
    for controller in THREE:
        for every in (1000, 200, 50):
            model = f'{{ kind = "listed", packets = {[*range(every, 60_000, every)]} }}'
            what = f"one in {every} lost"
            yield Case("lost", controller, 10, 40, packets(10, 40, 2), what, lost=model)


def others() -> Iterator[Case]:
    """Give the other controllers that both have."""
    for controller in [it for it in CONTROLLERS if it not in (*THREE, "dctcp")]:
        for rtt, products in ((40, 1), (160, 0.5)):
            queue = packets(10, rtt, products)
            yield Case("others", controller, 10, rtt, queue, f"{products:g} BDP", 15)


def two_paths() -> Iterator[Case]:
    """Give connections of Multipath TCP over two paths, with data without end and with answers."""
    answers = '{ kind = "request-response", response = "1 MB", think = "1 s" }'
    for second in (Second(10, 20), Second(3, 60)):
        for controller in THREE:
            path = Case("multipath", controller, 10, 20, 50, "50 packets", second=second)
            yield path
        yield replace(path, controller="cubic", what="answers of 1 MB", workload=answers)
