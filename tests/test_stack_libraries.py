"""Stacks in dynamic libraries: the page's in C, those that misbehave, and in processes."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

import pages
from conftest import Command
from windtunnel import Plugin, Results, Scenario, run
from windtunnel.extensions import UnknownExtension, described, load, stand_ins
from windtunnel.package_data import INCLUDE

pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")

PAGE = pages.text("stacks/c.md")
FILES = {it.name: it.text for it in pages.steps(PAGE) if isinstance(it, pages.File)}
SOURCE = FILES["stop_and_wait.c"]
SCENARIO = FILES["mine.toml"]


def built(folder: Path, source: str = SOURCE, name: str = "toy") -> Path:
    """Build a library, without a warning."""
    (folder / f"{name}.c").write_text(source, encoding="utf-8")
    library = folder / f"{name}.so"
    warnings = ("-Wall", "-Wextra", "-Werror", "-Wno-misleading-indentation", "-std=c99")
    command = ["cc", *warnings, "-fPIC", "-shared", f"-I{INCLUDE}", "-o", str(library)]
    subprocess.run([*command, str(folder / f"{name}.c")], check=True)
    return library


def changed(*pairs: tuple[str, str]) -> str:
    """Give the page's source with something else in places."""
    source = SOURCE
    for old, new in pairs:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return source


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the page's library."""
    return built(tmp_path_factory.mktemp("library"))


def of(extension: object, **settings: object) -> Results:
    """Run the page's scenario with a library or a class."""
    scenario = Scenario.parse(SCENARIO, extensions={"stop-and-wait": extension})  # type: ignore[dict-item]
    return run(scenario, settings=settings, progress=False)


def failure(file: Path, *, own_process: bool) -> str:
    """Give why the flow of a library is over."""
    flows = of(Plugin(file, own_process=own_process))["flows"]
    assert flows["received_bytes"][0] < 100_000
    return str(flows["failure"][0])


def test_the_page_works_as_it_says(tmp_path: Path) -> None:
    pages.follow(PAGE, tmp_path)


@cache
def in_python() -> type:
    """Give the class of the page on stacks in Python, which does the same."""
    text = next(
        it.text
        for it in pages.steps(pages.text("stacks/python.md"))
        if isinstance(it, pages.File) and it.name == "mine.py"
    )
    # In C the offset has the machine's byte order; nothing else looks at it.
    names: dict[str, type] = {}
    exec(text, names)
    return names["StopAndWait"]


@pytest.mark.parametrize("loss", ["0 %", "5 %"])
def test_it_does_what_the_class_in_python_does_in_this_process_and_in_others(
    library: Path, loss: str
) -> None:
    classes = in_python(), Plugin(library), Plugin(library, own_process=True)
    first, *others = (of(it, **{"links.path.loss": loss}) for it in classes)
    assert first["flows"]["received_bytes"].to_list() == [100_000]
    for other in others:
        for name in ("flows", "flow_series", "transfers", "links", "link_series"):
            assert first[name].equals(other[name]), name


def test_what_is_printed_does_not_disturb_the_messages(tmp_path: Path) -> None:
    source = changed(
        ("#include <stdlib.h>", "#include <stdio.h>\n#include <stdlib.h>"),
        ("    (void)end, (void)state;", '    (void)end, (void)state;\n    puts("a line");'),
    )
    results = of(Plugin(built(tmp_path, source), own_process=True))
    assert results["flows"]["failure"].to_list() == [None]


@pytest.mark.parametrize("own_process", [False, True])
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("if (!*end) return -1;", "free(*end); *end = NULL; return -3;", "create: error -3"),
        ("if (!*end) return -1;", "free(*end); *end = NULL; return 0;", "create: it made no end"),
        (
            "    (void)now, (void)host;\n",
            '    (void)now; host->log(host->context, WINDTUNNEL_LOG_ERROR, "no key"); return -1;\n',
            "create: no key",
        ),
        ("departure->length = HEADER + size;", "return -7;", "send: error -7"),
        (
            "departure->length > room) return -1;",
            "departure->length > room) return -1; departure->length = 70000; return 1;",
            "send: it wrote 70000 B, and there is room for 65536 B",
        ),
        (
            "departure->length > room) return -1;",
            "departure->length > room) return -1; departure->length = 0; return 1;",
            "send: it wrote 0 B",
        ),
        (
            "departure->length > room) return -1;",
            "departure->length > room) return -1; departure->length = 65500; return 1;",
            "a datagram of 65500 B, and 65487 B is the most",
        ),
        (
            "departure->length > room) return -1;",
            "departure->length > room) return -1; departure->to.version = 5;",
            "send: it sends to an address of no version of IP",
        ),
        (
            "*time = end->sends_again;",
            "*time = end->sends_again; return -2;",
            "next_wake: error -2",
        ),
        ("event->kind = kind;", "event->kind = kind + 60;", "next_event: there is no event 62"),
        ("*stream = 0;", "*stream = 9;", "it opens stream 9, and 0 is the next one"),
    ],
)
def test_an_error_ends_the_flow_and_says_why(
    tmp_path: Path, old: str, new: str, said: str, own_process: bool
) -> None:
    library = built(tmp_path, changed((old, new)))
    assert said in failure(library, own_process=own_process)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "memset(buffer, 0, departure->length);",
            "memset(buffer, 0, room + 1);",
            r"send: .*SIGSEGV",
        ),
        ("end->answers = 1;", "abort();", r"receive: its process ended: signal: 6 \(SIGABRT\)"),
        ("end->answers = 1;", "exit(7);", r"receive: its process ended: exit status: 7"),
        (
            "end->answers = 1;",
            "extern int close(int), pause(void);"
            "for (int it = 0; it < 20; it++) close(it);\n        pause();",
            r"receive: its process does not answer",
        ),
        ("if (!*end) return -1;", "abort();", r"create: its process ended: signal: 6"),
    ],
)
def test_a_crash_in_a_process_ends_its_flow_alone(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    library = Plugin(built(tmp_path, changed((old, new))), own_process=True)
    other = '\n[flows.other]\nfrom = "sender"\nto = "receiver"\ncontroller = "reno"\n'
    scenario = Scenario.parse(SCENARIO + other, extensions={"stop-and-wait": library})
    flows = run(scenario, progress=False)["flows"]
    failures = dict(flows.select("flow", "failure").iter_rows())
    assert re.match(f"stop-and-wait: {said}", failures["file"])
    assert failures["other"] is None
    assert flows.filter(flow="other")["received_bytes"][0] > 1_000_000


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("WINDTUNNEL_STACK_VERSION,", "7,", "built for version 7 of windtunnel_stack.h, here is 1"),
        (".size = sizeof stack,", ".size = 8,", "its struct windtunnel_stack has 8 bytes"),
        ('"stop-and-wait",', "NULL,", "its `name` is missing"),
        (".wake = wake,", "", "its `wake` is missing"),
        ("HEADER + PAYLOAD,", "70000,", "its `largest_datagram` is missing or not valid"),
        ("return &stack;", "(void)stack; return NULL;", "windtunnel_stack() returned NULL"),
    ],
)
def test_what_is_not_a_stack_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    # What is not used is no error here.
    source = '#pragma GCC diagnostic ignored "-Wunused-function"\n' + changed((old, new))
    library = built(tmp_path, source)
    for written in (str(library), f"process:{library}"):
        with pytest.raises(UnknownExtension, match=re.escape(said)):
            load([written])


def test_what_is_no_library_is_refused_in_a_process_as_well(tmp_path: Path) -> None:
    (tmp_path / "text.so").write_text("text", encoding="utf-8")
    with pytest.raises(UnknownExtension, match=r"text\.so: not a dynamic library"):
        load([f"process:{tmp_path / 'text.so'}"])
    empty = built(tmp_path, "int nothing;\n", "empty")
    with pytest.raises(UnknownExtension, match=r"windtunnel_stack::export!"):
        load([str(empty)])


def test_controllers_random_numbers_secrets_and_the_state_are_passed_on(tmp_path: Path) -> None:
    source = changed(
        (
            "(*end)->is_client = place->role == WINDTUNNEL_CLIENT;",
            "(*end)->is_client = place->role == WINDTUNNEL_CLIENT;\n"
            '    host->log(host->context, WINDTUNNEL_LOG_SECRET, "LABEL 00 11");\n'
            '    if (strcmp(place->controller, "wide")) return -1;\n'
            "    host->random(host->context, (uint8_t *)&drawn, sizeof drawn);\n"
            "    drawn %= 1000000000;",
        ),
        ("    (void)now, (void)host;\n", "    (void)now;\n"),
        ("    (void)end, (void)state;", "    (void)end;\n    state->cwnd = drawn;"),
        (
            '.name = "stop-and-wait",',
            '.name = "stop-and-wait", .controllers = names,',
        ),
        (
            "struct windtunnel_end {",
            "static uint64_t drawn;\n"
            'static const char *const names[] = {"narrow", "wide", NULL};\n'
            "struct windtunnel_end {",
        ),
    )
    file = built(tmp_path, source)
    windows = []
    for own_process in (False, True):
        library = Plugin(file, own_process=own_process)
        extensions = {"stop-and-wait": library}
        assert library.controllers == ["narrow", "wide"]
        text = SCENARIO.replace('wait" }', 'wait", controller = "wide" }')
        # Results can be read without it.
        Scenario.parse(text, extensions=stand_ins(described(extensions)))
        results = run(Scenario.parse(text, extensions=extensions), progress=False)
        assert results["flows"]["flow_controller"].to_list() == ["stop-and-wait's wide"]
        windows.append(results["flow_series"]["cwnd_segments"].drop_nulls().unique().to_list())
        refused = run(Scenario.parse(SCENARIO, extensions=extensions), progress=False)
        assert refused["flows"]["failure"].to_list() == ["stop-and-wait: create: error -1"]
    assert windows[1] and windows[1][0] > 0


def test_the_command_says_which_flow_failed_and_why(windtunnel: Command, tmp_path: Path) -> None:
    source = changed(("    if (!*end) return -1;", "    if (*end) return -1;"))
    library = built(tmp_path, source)
    (tmp_path / "mine.toml").write_text(SCENARIO, encoding="utf-8")
    ran = windtunnel("run", "mine.toml", "--extension", library)
    assert ran.returncode == 0
    assert "flow `file` failed in 1 run: stop-and-wait: create: error -1" in ran.stderr


# -- ngtcp2 ------------------------------------------------------------------

QUIC = pages.text("quic.md")
DOWNLOAD = next(it.text for it in pages.steps(QUIC) if isinstance(it, pages.File))

needs_ngtcp2 = pytest.mark.skipif(
    subprocess.run(
        ["pkg-config", "--exists", "libngtcp2 < 1", "libngtcp2_crypto_gnutls"], check=False
    ).returncode
    != 0
    if shutil.which("pkg-config")
    else True,
    reason="needs ngtcp2 0.12",
)


@pytest.fixture(scope="session")
def ngtcp2(tmp_path_factory: pytest.TempPathFactory) -> Plugin:
    """Build the library of ngtcp2."""
    out = tmp_path_factory.mktemp("ngtcp2")
    folder = pages.ROOT / "stacks" / "ngtcp2"
    subprocess.run(["make", "-s", "-C", str(folder), f"out={out}"], check=True)
    return Plugin(out / "ngtcp2.so")


def download(ngtcp2: Plugin, controller: str, size: str = "10 MB") -> Results:
    """Run the download of the page on QUIC with it."""
    stack = f'{{ stack = "ngtcp2", controller = "{controller}" }}'
    text = DOWNLOAD.replace('{ stack = "quinn" }', stack).replace("10 MB", size)
    return run(Scenario.parse(text, extensions={"ngtcp2": ngtcp2}), progress=False)


@needs_ngtcp2
@pytest.mark.parametrize("controller", ["cubic", "reno", "bbr", "bbr2"])
def test_ngtcp2_fills_the_link_and_repeats_itself(ngtcp2: Plugin, controller: str) -> None:
    first, second = (download(ngtcp2, controller) for _ in range(2))
    # 10 MB at 10 Mbps with headers of 5 %; the link is rarely empty.
    assert 8.39 < first["transfers"]["completion_s"][0] < 8.8
    for name in ("flows", "flow_series", "transfers", "links", "link_series"):
        assert first[name].equals(second[name]), name


@needs_ngtcp2
def test_ngtcp2_takes_what_it_takes_alone(ngtcp2: Plugin) -> None:
    # A program that runs it over the same path without Windtunnel took 8.448453 s.
    taken = download(ngtcp2, "cubic")["transfers"]["completion_s"][0]
    assert taken == pytest.approx(8.448453, rel=1e-3)


@needs_ngtcp2
@pytest.mark.parametrize("ends", [("ngtcp2", "quinn"), ("quinn", "ngtcp2")])
def test_ngtcp2_talks_with_quinn(ngtcp2: Plugin, ends: tuple[str, str]) -> None:
    stack = '{{ stack = "{}", receiver = "{}" }}'.format(*ends)
    text = DOWNLOAD.replace('{ stack = "quinn" }', stack)
    results = run(Scenario.parse(text, extensions={"ngtcp2": ngtcp2}), progress=False)
    assert results["flows"]["failure"].to_list() == [None]
    assert 8.39 < results["transfers"]["completion_s"][0] < 8.8


@needs_ngtcp2
def test_ngtcp2_notices_other_bytes_than_were_sent(ngtcp2: Plugin) -> None:
    aioquic = pytest.importorskip("windtunnel.stacks.aioquic")

    class Zeros(aioquic.Aioquic):  # type: ignore[misc,name-defined]
        def write(self, now: int, stream: int, count: int) -> int:
            self.connection.send_stream_data(4 * stream, bytes(count))
            return count

    text = DOWNLOAD.replace('{ stack = "quinn" }', '{ stack = "zeros", receiver = "ngtcp2" }')
    text = text.replace("10 MB", "1 MB")
    scenario = Scenario.parse(text, extensions={"ngtcp2": ngtcp2, "zeros": Zeros})
    [failure] = run(scenario, progress=False)["flows"]["failure"]
    assert "brought other bytes than were sent" in failure
