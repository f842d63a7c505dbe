"""Derived values: formulas of parameters, in base units."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping

OPERATORS: dict[type, Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}

FUNCTIONS: dict[str, Callable[..., float]] = {
    "min": min,
    "max": max,
    "sqrt": math.sqrt,
    "floor": math.floor,
    "ceil": math.ceil,
    "round": round,
}


class Formula:
    """A formula of parameters: + - * / **, and `FUNCTIONS`."""

    def __init__(self, text: str) -> None:
        """Parse it. Raises ValueError, with the error and the fix."""
        self.text = text
        try:
            self.tree = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise ValueError(f"`{text}` is not a valid formula; {HELP}") from None
        self.names = sorted(set(self._check(self.tree)))

    def _check(self, node: ast.expr) -> list[str]:
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return []
            case ast.Name(id=name):
                return [name]
            case ast.UnaryOp(op=op, operand=operand) if type(op) in OPERATORS:
                return self._check(operand)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                return [*self._check(left), *self._check(right)]
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
                return [found for arg in args for found in self._check(arg)]
        part = ast.get_source_segment(self.text, node)
        raise ValueError(f"`{part}` is not a valid formula; {HELP}")

    def __call__(self, values: Mapping[str, float]) -> float:
        """Evaluate it. Raises ValueError if the value is not finite."""
        try:
            value = float(self._value(self.tree, values))
        except (ArithmeticError, TypeError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            given = ", ".join(f"{name} = {values[name]:g}" for name in self.names)
            raise ValueError(f"`{self.text}` has no finite value for {given}")
        return value

    def _value(self, node: ast.expr, values: Mapping[str, float]) -> float:
        match node:
            case ast.Constant(value=value):
                return value  # type: ignore[return-value]
            case ast.Name(id=name):
                return values[name]
            case ast.UnaryOp(op=op, operand=operand):
                return OPERATORS[type(op)](self._value(operand, values))
            case ast.BinOp(left=left, op=op, right=right):
                return OPERATORS[type(op)](self._value(left, values), self._value(right, values))
            case ast.Call(func=ast.Name(id=name), args=args):
                return FUNCTIONS[name](*(self._value(arg, values) for arg in args))
        raise AssertionError("checked when it was parsed")


HELP = (
    "use names of parameters and numbers with + - * / ** and "
    f"{', '.join(FUNCTIONS)}, such as 0.5 * rate * rtt / 8"
)
