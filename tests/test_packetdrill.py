"""Scripts of packetdrill: what `conform tcp` answers, and what it says of wrong input."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

import pages
from conftest import Command
from windtunnel.conformance import assertions, scripts, words
from windtunnel.conformance.suites import names as suites_of_controllers
from windtunnel.texts import name_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="TCP with real bytes needs Linux")

OPEN = """\
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 30000 <mss 1000>
+0 > S. 0:0(0) ack 1 <mss 1460>
+.1 < . 1:1(0) ack 1 win 30000
+0 accept(3, ..., ...) = 4
"""
RIGHT = f"{OPEN}+0 write(4, ..., 500) = 500\n+0 > P. 1:501(500) ack 1\n"
WRONG = f"{OPEN}+0 write(4, ..., 500) = 500\n+0 > P. 1:501(500) ack 2\n"
LATE = f"{OPEN}+0 < P. 1:11(10) ack 1 win 30000\n+0 > . 1:1(0) ack 11\n"
MISSING = f"{OPEN}+0 send(4, ..., 500, MSG_ZEROCOPY) = 500\n"
MISTAKEN = f"{OPEN}+0 > P. 1:501(500) akc 1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write scripts, some of them a folder below."""
    texts = {"right": RIGHT, "wrong": WRONG, "below/late": LATE, "below/missing": MISSING}
    for name, text in texts.items():
        file = tmp_path / "mine" / f"{name}.pkt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path / "mine"


def test_a_script_that_passes_ends_with_zero(windtunnel: Command, folder: Path) -> None:
    passed = windtunnel("conform", "tcp", str(folder / "right.pkt"))
    assert passed.returncode == 0, passed.stderr
    assert passed.stdout.splitlines() == [
        f"  passes  {folder}/right.pkt",
        "1 script: 1 passes",
    ]


CODE = f"{OPEN}+0 write(4, ..., 20000) = 20000\n+0 %{{{{ {{}} }}}}%\n"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("assert tcpi_snd_cwnd == 10, tcpi_snd_cwnd", []),
        ("least = 9\nassert least < tcpi_snd_cwnd <= 10 and not tcpi_total_retrans", []),
        ("assert tcpi_snd_cwnd * 2 - 1 == 19 or tcpi_none", []),
        (
            "assert tcpi_snd_cwnd == 11, 'cwnd=%d' % tcpi_snd_cwnd",
            ["line 9, at 0.1 s: tcpi_snd_cwnd is 10", "expected: assert tcpi_snd_cwnd == 11"],
        ),
        ("assert tcpi_state == TCP_ESTABLISHED == TCPI_ESTABLISHED and not tcpi_lost", []),
        ("assert not tcpi_options & TCPI_OPT_ECN and tcpi_snd_mss > 500", []),
        ("assert tcpi_rto == 200000", ["not checked: line 9: `tcpi_rto` is not known"]),
        ("import os", ["not checked: line 9: `import os` is not run"]),
        ("assert 1 % 0", ["not checked: line 9: "]),
        ("assert [1]", ["not checked: line 9: `[1]` is not evaluated"]),
        (f"assert {'1+' * 20000}1", ["not checked: line 9: "]),
    ],
)
def test_code_of_a_script_is_checked_as_far_as_it_is_known(
    tmp_path: Path, code: str, said: list[str]
) -> None:
    file = tmp_path / "code.pkt"
    file.write_text(CODE.format(code), encoding="utf-8")
    played = scripts.played(scripts.of_paths([file]), name_of(file))
    assert played.verdict == ("fails" if any("expected" in it for it in said) else "passes")
    lines = words.of_script(played)
    assert len(lines) == len(said)
    assert all(it.startswith(wanted) for it, wanted in zip(lines, said, strict=True))


OPERANDS = [
    "tcpi_snd_cwnd",
    "tcpi_rto",
    "x",
    "0",
    "7",
    "1e999",
    "1j",
    "'%d'",
    "f'{x}'",
    "[1]",
    "(1)",
]
OPERATORS = ["==", "<=", "<", "+", "-", "*", "/", "//", "%", "&", "and", "or", "if", ",", "\n"]
SIGNS = ["assert", "print(", "not", "=", "(", ")", ":", ";", "lambda", "\n ", "\\", "#", "\0", "é"]


def test_any_code_is_checked_or_named_or_no_python() -> None:
    draw = random.Random(1)
    seen = Counter[str]()
    for _ in range(10_000):
        pairs = [(draw.choice(OPERATORS), draw.choice(OPERANDS)) for _ in range(draw.randrange(4))]
        tokens = ["assert", draw.choice(OPERANDS), *(it for pair in pairs for it in pair)]
        for _ in range(draw.randrange(3)):
            tokens[draw.randrange(len(tokens))] = draw.choice(SIGNS)
        code = " ".join(tokens)
        read = {"line": 3, "time_s": 0.1, "code": code, "info": {"tcpi_snd_cwnd": 10}}
        try:
            refuted, unchecked = assertions.judge([read])
        except SyntaxError as error:
            assert error.lineno is not None and error.lineno >= 3
            seen["no Python"] += 1
            continue
        assert refuted is None or refuted.line >= 3
        seen["refuted" if refuted else "not checked" if unchecked else "checked"] += 1
    assert len(seen) == 4 and min(seen.values()) > 100, seen


@pytest.mark.parametrize("depth", [10, 200, 500, 2000, 50_000])
def test_a_deep_expression_is_checked_or_named(depth: int) -> None:
    read = {"line": 1, "time_s": 0.0, "code": f"assert {'1 + ' * depth}1 == 0", "info": {}}
    refuted, unchecked = assertions.judge([read])
    assert refuted is not None or unchecked == ["line 1: an expression is nested too deep"]
    assert refuted is not None or depth > 200


def test_lines_of_code_are_counted_from_that_of_its_script() -> None:
    block = "\n  assert a == 1\n  a = 2\n  assert a == 3;\\\n"
    refuted, unchecked = assertions.judge([{"line": 7, "time_s": 0, "code": block, "info": {}}])
    assert unchecked == ["line 8: `a` is not known"]
    assert refuted == assertions.Refuted(10, 0, "assert a == 3", "a is 2")


@pytest.mark.parametrize("code", ["assert tcpi_snd_cwnd =", "assert (", "1" * 5000])
def test_code_that_is_not_python_is_named_with_its_line(
    windtunnel: Command, tmp_path: Path, code: str
) -> None:
    (tmp_path / "code.pkt").write_text(CODE.format(code), encoding="utf-8")
    answered = windtunnel("conform", "tcp", "code.pkt")
    assert answered.returncode == 2
    assert "code.pkt:9: the code in %{ }% is not Python: " in answered.stdout
    assert "Traceback" not in answered.stderr


def test_a_folder_is_played_with_all_below_it(windtunnel: Command, folder: Path) -> None:
    failed = windtunnel("conform", "tcp", str(folder))
    assert failed.returncode == 1
    assert "tcp: 1 script failed" in failed.stderr
    assert "1 differs in time, 1 skipped, 1 passes, 1 fails" in failed.stdout
    assert "line 9, at 0.1 s: the acknowledgement is 1, not 2" in failed.stdout
    assert "expected: > P. 1:501(500) ack 2" in failed.stdout
    assert "sent: 0.100000 > [noecn] P. 1:501(500) ack 1" in failed.stdout
    assert "line 9: expected at 0.1 s, sent at 0.14 s: > . 1:1(0) ack 11" in failed.stdout
    assert "line 8: not here: the flag MSG_ZEROCOPY" in failed.stdout


def test_what_differs_in_time_only_does_not_fail(windtunnel: Command, folder: Path) -> None:
    assert windtunnel("conform", "tcp", str(folder / "below")).returncode == 0


def test_programs_and_continuous_integration_get_the_same(
    windtunnel: Command, folder: Path, tmp_path: Path
) -> None:
    (folder / "mistaken.pkt").write_text(MISTAKEN, encoding="utf-8")
    junit = tmp_path / "found.xml"
    said = windtunnel("conform", "tcp", str(folder), "--json", "--junit", str(junit))
    assert said.returncode == 2
    document = json.loads(said.stdout)
    cases = {Path(it["case"]).stem: it for it in document["cases"]}
    assert document["failed"] == 1
    assert {name: it["verdict"] for name, it in cases.items()} == {
        "right": "passes",
        "wrong": "fails",
        "late": "differs-in-time",
        "missing": "skipped",
        "mistaken": "unreadable",
    }
    assert cases["wrong"]["line"] == 9
    assert cases["late"]["differences"][0]["sent_s"] == pytest.approx(0.14)
    [suite] = ElementTree.parse(junit).getroot()
    numbers = ("tests", "failures", "errors", "skipped")
    assert [suite.get(it) for it in numbers] == ["5", "1", "1", "1"]
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert "the acknowledgement is 1, not 2" in failure.get("message", "")


def test_a_mistake_is_shown_where_it_is(windtunnel: Command, folder: Path) -> None:
    file = folder / "mistaken.pkt"
    file.write_text(MISTAKEN, encoding="utf-8")
    said = windtunnel("conform", "tcp", str(file))
    assert said.returncode == 2
    assert f"{file}:8:20: expected `ack`, `win`, `urg`, options" in said.stdout
    assert "8 | +0 > P. 1:501(500) akc 1\n" in said.stdout
    [line, caret] = said.stdout.split("8 | ")[1].splitlines()[:2]
    assert line.index("akc") == caret.split("| ")[1].index("^^^")
    assert "1 script cannot be read" in said.stderr


def test_a_script_that_is_not_utf_8_is_an_error_with_its_line(
    windtunnel: Command, folder: Path
) -> None:
    (folder / "right.pkt").write_bytes(RIGHT.encode() + b"// caf\xe9\n")
    said = windtunnel("conform", "tcp", str(folder / "right.pkt"))
    assert said.returncode == 2
    assert f"{folder}/right.pkt:10: not text in UTF-8: byte 0xe9" in said.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tcp", "no.pkt"), "no.pkt: No such file or directory"),
        (("tcp", "{empty}"), "{empty}: no scripts in this folder\nhelp: their names end in .pkt"),
        (
            ("tcp", "--suite", "rack-tpl"),
            "unknown suite `rack-tpl` of TCP\nhelp: did you mean `rack-tlp`?",
        ),
        (("tcp", "--suite", "cubic"), "unknown suite `cubic` of TCP"),
        (("tcp", "--case", "nagel"), "unknown case `nagel`"),
        (("tcp", "a.pkt", "--case", "nagle"), "--suite and --case are about suites"),
        (("cubic", "a.pkt"), "scripts are played against TCP: windtunnel conform tcp SCRIPT"),
    ],
)
def test_what_does_not_exist_is_named_with_what_does(
    windtunnel: Command, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    said = windtunnel("conform", *(it.format(empty=tmp_path) for it in arguments))
    assert said.returncode == 2
    assert message.format(empty=tmp_path) in said.stderr


def test_the_suites_pass_and_are_listed(windtunnel: Command) -> None:
    passed = windtunnel("conform", "tcp", "--json")
    assert passed.returncode == 0, passed.stderr
    cases = json.loads(passed.stdout)["cases"]
    assert {it["verdict"] for it in cases} == {"passes"}
    assert {it["suite"] for it in cases} == set(scripts.names())
    listed = windtunnel("list", "suites").stdout
    assert all(f"{it} " in listed for it in (*scripts.names(), *suites_of_controllers()))


def test_one_script_of_a_suite_is_shown_with_what_was_sent(windtunnel: Command) -> None:
    shown = windtunnel("conform", "tcp", "--suite", "tcp", "--case", "nagle")
    assert shown.returncode == 0, shown.stderr
    assert "> [noecn] P. 101:301(200) ack 1" in shown.stdout


def test_the_page_shows_what_the_command_prints(tmp_path: Path) -> None:
    _, section = pages.text("conformance.md").split("\n## TCP\n")
    pages.follow(section, tmp_path)


def test_the_page_counts_the_scripts_of_each_suite() -> None:
    page = pages.text("conformance.md")
    for name in scripts.names():
        [row] = (it for it in page.splitlines() if it.startswith(f"| `{name}` |"))
        assert row.endswith(f"| {len(scripts.read(name).files)} |")
