"""The code in scripts of packetdrill, which asserts what `tcp_info` says of a connection."""

from __future__ import annotations

import ast
import operator
import textwrap
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

CONGESTION = ["Open", "Disorder", "CWR", "Recovery", "Loss"]
LINUX = [
    *("ESTABLISHED", "SYN_SENT", "SYN_RECV", "FIN_WAIT1", "FIN_WAIT2", "TIME_WAIT"),
    *("CLOSE", "CLOSE_WAIT", "LAST_ACK", "LISTEN", "CLOSING"),
]
FREEBSD = [
    *("ESTABLISHED", "SYN_SENT", "SYN_RECEIVED", "FIN_WAIT_1", "FIN_WAIT_2", "TIME_WAIT"),
    *("CLOSED", "CLOSE_WAIT", "LAST_ACK", "LISTEN", "CLOSING"),
]
OPTIONS = ["TIMESTAMPS", "SACK", "WSCALE", "ECN", "ECN_SEEN", "SYN_DATA"]
CONSTANTS = {
    prefix + name: number
    for prefix, names, first in [
        ("TCP_CA_", CONGESTION, 0),
        ("TCP_", LINUX, 1),
        ("TCPI_", FREEBSD, 1),
    ]
    for number, name in enumerate(names, first)
} | {f"TCPI_OPT_{name}": 1 << bit for bit, name in enumerate(OPTIONS)}
"""Names of values that packetdrill gives to code, by both systems; the numbers are Linux's."""

TOO_DEEP = "an expression is nested too deep"

OPERATIONS: Mapping[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


class NotHere(Exception):
    """The code uses what is not known here."""


@dataclass(frozen=True)
class Refuted:
    """An assertion that does not hold."""

    line: int
    time_s: float
    expected: str
    """The assertion, as it is written."""
    reason: str


def judge(assertions: Sequence[Mapping[str, Any]]) -> tuple[Refuted | None, list[str]]:
    """Run the code of a script: the first assertion that does not hold, and what was not checked.

    Only expressions of numbers and of what is known of the connection are evaluated. Each other
    part is not checked, and is named with its line and why. Raises SyntaxError, whose line is that
    of the script.
    """
    known: dict[str, Any] = dict(CONSTANTS)
    unchecked = []
    for it in assertions:
        line, info = it["line"], it["info"]
        # More follows where packetdrill runs it, as behind a backslash.
        source = textwrap.dedent(it["code"].rstrip()).lstrip(" \t") + "\n\n"
        try:
            statements = parsed(source, line)
        except (RecursionError, MemoryError):
            unchecked.append(f"line {line}: {TOO_DEEP}")
            continue
        for statement in statements:
            at = line + statement.lineno - 1
            try:
                reason = run(statement, known, info)
            except (NotHere, RecursionError) as why:
                told = why if isinstance(why, NotHere) else TOO_DEEP
                unchecked.append(f"line {at}: {told}")
                continue
            if reason is not None:
                text = ast.get_source_segment(source, statement) or ""
                return Refuted(at, it["time_s"], text, reason), unchecked
    return None, unchecked


def parsed(source: str, line: int) -> list[ast.stmt]:
    """Read code that begins in a line of its script.

    Raises SyntaxError, and RecursionError or MemoryError where an expression is too deep.
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(source).body
    except SyntaxError as error:
        error.lineno = line + (error.lineno or 1) - 1
        raise
    except ValueError as error:
        raise SyntaxError(str(error), ("", line, None, None)) from None


def run(statement: ast.stmt, known: dict[str, Any], info: Mapping[str, int]) -> str | None:
    """Run a statement; why it does not hold, if it asserts something that does not.

    Raises NotHere.
    """
    there = {**known, **info}
    match statement:
        case ast.Assert(test=test):
            if value(test, there):
                return None
            names = {it.id for it in ast.walk(test) if isinstance(it, ast.Name)}
            said = [f"{name} is {it}" for name, it in there.items() if name in names]
            return ", ".join(said) or "it is false"
        case ast.Assign(targets=[ast.Name(id=name)], value=expression):
            known[name] = value(expression, there)
            return None
        case ast.Pass() | ast.Expr(value=ast.Call(func=ast.Name(id="print"))):
            return None
        case _:
            raise NotHere(f"`{ast.unparse(statement)}` is not run")


def value(expression: ast.expr, known: Mapping[str, Any]) -> Any:
    """Evaluate an expression. Raises NotHere for what is not known or has no value."""
    match expression:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name):
            if name not in known:
                raise NotHere(f"`{name}` is not known")
            return known[name]
        case ast.UnaryOp(op=op, operand=operand) if type(op) in OPERATIONS:
            return OPERATIONS[type(op)](value(operand, known))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATIONS:
            return applied(OPERATIONS[type(op)], value(left, known), value(right, known))
        case ast.BoolOp(op=op, values=values):
            together = all if isinstance(op, ast.And) else any
            return together(value(it, known) for it in values)
        case ast.Compare(left=left, ops=ops, comparators=comparators) if all(
            type(op) in OPERATIONS for op in ops
        ):
            sides = [value(it, known) for it in (left, *comparators)]
            pairs = zip(ops, sides, sides[1:], strict=False)
            return all(OPERATIONS[type(op)](one, other) for op, one, other in pairs)
        case _:
            raise NotHere(f"`{ast.unparse(expression)}` is not evaluated")


def applied(operation: Callable[[Any, Any], Any], one: Any, other: Any) -> Any:
    """Apply an operation to numbers. Raises NotHere where it has no value."""
    try:
        return operation(one, other)
    except (ArithmeticError, TypeError) as error:
        raise NotHere(str(error)) from None
