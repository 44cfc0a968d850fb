"""Generate small programs that use a size as a number, from lists of sizes, operands and expressions.

Each program is ordinary Python that also runs on concrete arrays, where a size is an `int`; that run is the
reference.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

from tests.sizes.python_sweep.expressions import ONE_SIZE, STATEMENTS

SIZES = {
    "input": "x.shape[0]",
    "fresh": "y.shape[0]",
    "sum": "x.shape[0] + y.shape[0]",
    "difference": "y.shape[0] - 2",
    "product": "2 * y.shape[0]",
}
# Sizes that are numbers in a trace of known shapes.
STATIC = ("input",)

OPERANDS = {
    "int": "2",
    "zero": "0",
    "negative": "-3",
    "float": "2.5",
    "half": "0.5",
    "bool": "True",
    "complex": "1j",
    "none": "None",
    "text": "'a'",
    "numpy int32": "np.int32(3)",
    "numpy int64": "np.int64(2)",
    "numpy int16": "np.int16(3)",
    "numpy float32": "np.float32(1.5)",
    "numpy bool": "np.bool_(True)",
    "numpy 0-d": "np.array(3)",
    "numpy 1-d": "np.array([1, 2, 3])",
    "numpy floats": "np.array([0.5, 2.0, 3.0], np.float32)",
    "array": "jnp.array([1, 2, 3])",
    "array 0-d": "jnp.array(3)",
    "traced int": "k",
    "traced float": "v[1]",
    "traced bool": "v[0] > 1",
    "traced vector": "v",
    "traced ints": "jnp.arange(3) * k",
    "input size": "x.shape[0]",
    "fresh size": "y.shape[0]",
    "other size": "x[x > 1].shape[0]",
}
_SYMBOLS = (
    *("+", "-", "*", "/", "//", "%", "**", "@", "<<", ">>", "&", "|", "^"),
    *("==", "!=", "<", "<=", ">", ">=", "and", "or"),
)
_FUNCTIONS = ("divmod", "min", "max", "pow", "math.gcd", "math.atan2", "jnp.maximum", "np.minimum")
_CHOICES = (
    "({a} if {a} > 1 else {b})",
    "({b} if {a} else {a})",
    "(0 < {a} <= {b})",
    "({a} in ({b}, 5))",
    "jnp.where({a} == {b}, 1.0, 2.0)",
    "jnp.where({a} > {b}, {a}, {b})",
    "jnp.sum({a} != {b})",
)


@dataclasses.dataclass(frozen=True)
class Case:
    """A program: the kind of its size, a group for the page, and the source of its body."""

    size: str
    group: str
    shown: str
    body: str


def _expressions() -> Iterator[tuple[str, str, str]]:
    """Yield `(group, shown, body)` of every program, with `n` for the size."""
    for symbol, (kind, text) in itertools.product(_SYMBOLS, OPERANDS.items()):
        for a, b in (("n", "o"), ("o", "n")):
            yield "binary", f"{a} {symbol} {b}, o: {kind}", f"o = {text}\nr = {a} {symbol} {b}"
    for name, (kind, text) in itertools.product(_FUNCTIONS, OPERANDS.items()):
        for a, b in (("n", "o"), ("o", "n")):
            yield "functions", f"{name}({a}, {b}), o: {kind}", f"o = {text}\nr = {name}({a}, {b})"
    for form, (kind, text) in itertools.product(_CHOICES, OPERANDS.items()):
        for a, b in (("n", "o"), ("o", "n")):
            shown = form.format(a=a, b=b)
            yield "choices", f"{shown}, o: {kind}", f"o = {text}\nr = {shown}"
    for group, expressions in ONE_SIZE.items():
        for expression in expressions:
            yield group, expression, f"r = {expression}"
    for name, body in STATEMENTS.items():
        yield "statements", name, body


# What an operator does with another operand depends on the size only in being known or not.
_OF_TWO_OPERANDS = ("binary", "functions", "choices")
_WITH_OPERANDS = ("input", "fresh")


def cases() -> list[Case]:
    """Return every program."""
    return [
        Case(size, group, shown, f"n = {text}\n{body}")
        for size, text in SIZES.items()
        for group, shown, body in _expressions()
        if group not in _OF_TWO_OPERANDS or size in _WITH_OPERANDS
    ]


_HEADER = """
import collections, decimal, fractions, functools, itertools, math, numbers, operator, statistics
import jax, jax.numpy as jnp, numpy as np
from jax import lax
import shims
"""


def source(programs: list[Case]) -> str:
    """Return a module that defines the programs as `program_0`, `program_1`, ..."""
    parts = [_HEADER]
    for number, case in enumerate(programs):
        body = "\n".join(f"    {line}" for line in case.body.split("\n"))
        parts.append(f"def program_{number}(x, k, v):\n    y = x[x > 0]\n{body}\n    return r\n\n")
    return "\n".join(parts)
