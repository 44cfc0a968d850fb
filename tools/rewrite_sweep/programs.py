"""Make the programs of the sweep by rule: every row of the table, times what each argument can be."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.rewrite.call_sites import Texts
from tests.table import cases
from tf2jax_port.rewrite.knowledge.bind import signature

LANES = ("eager", "jit", "function", "gradient")
HOLDER = "class Holder:\n    def __init__(self, value):\n        self.value = value\n\n\n"
_OPTIONS = ("name", "dtype", "out_type", "output_type", "out_idx", "seed")


@dataclasses.dataclass(frozen=True, eq=False)
class Program:
    """A function `program` of arrays that calls one operator, with one argument in one context."""

    row: str
    case: str
    parameter: str
    context: str
    code: str
    arrays: dict[str, np.ndarray]

    @property
    def id(self) -> str:
        """The name of the program in records."""
        return f"{self.row}/{self.case}/{self.parameter}/{self.context}"


@dataclasses.dataclass(frozen=True)
class Variant:
    """The text of an argument in a context, lines before the call, and arrays that they read."""

    text: str
    before: tuple[str, ...] = ()
    head: str = ""
    arrays: dict[str, np.ndarray] = dataclasses.field(default_factory=dict)


def _probe(n: int) -> dict[str, np.ndarray]:
    return {"probe": np.zeros((n, 2), np.float32)}


def _selected(n: int) -> dict[str, np.ndarray]:
    return {"probe": np.zeros(n + 1, np.float32), "keep": np.arange(n + 1) < n}


# Each takes a number and gives the variant of a context.
OF_NUMBERS: dict[str, Callable[[int], Variant]] = {
    "Python number": lambda n: Variant("n", (f"n = {n}",)),
    "parameter": lambda n: Variant("(lambda n: n)", (str(n),)),
    "static size": lambda n: Variant("n", ("n = probe.shape[0]",), arrays=_probe(n)),
    "size of an input": lambda n: Variant("n", ("n = tf.shape(probe)[0]",), arrays=_probe(n)),
    "size, computed": lambda n: Variant(
        "n", ("n = tf.minimum(tf.shape(probe)[0], 99)",), arrays=_probe(n)
    ),
    "size of a selection": lambda n: Variant(
        "n", ("n = tf.shape(tf.boolean_mask(probe, keep))[0]",), arrays=_selected(n)
    ),
    "attribute": lambda n: Variant("holder.value", (f"holder = Holder({n})",), HOLDER),
}


def _of_arrays(name: str, array: np.ndarray) -> Iterator[tuple[str, Variant]]:
    """Yield the contexts of an argument that is an array."""
    yield "attribute", Variant("holder.value", (f"holder = Holder({name})",), HOLDER)
    yield "variable", Variant("v", (f"v = tf.identity({name})",))
    if not array.ndim or not array.shape[0]:
        return
    parts = ", ".join(f"{name}[{i}]" for i in range(array.shape[0]))
    yield "list of arrays", Variant(f"[{parts}]")
    yield "list parameter", Variant("parts", (f"parts = list([{parts}])",))
    for context, kept in (("selection", True), ("nothing selected", False)):
        keep = {"keep": np.full(array.shape[0], kept)}
        yield context, Variant("y", (f"y = tf.boolean_mask({name}, keep)",), arrays=keep)


def programs(point: cases.Point) -> Iterator[Program]:
    """Yield the programs of one case: as it is, and with each argument in each context."""
    texts = Texts()
    values = cases.arguments(point)
    given = {name: texts.of(name, value) for name, value in values.items()}
    yield _program(point, given, "-", "literal", Variant(""), texts.arrays)
    for name, value in values.items():
        if name in _OPTIONS:
            continue
        for context, variant, text in _contexts(given[name], value):
            changed = {**given, name: text}
            yield _program(point, changed, name, context, variant, texts.arrays)


def _contexts(text: str, value: Any) -> Iterator[tuple[str, Variant, str]]:
    """Yield each context of an argument, its variant and the text of the argument."""
    if isinstance(value, np.ndarray):
        for context, variant in _of_arrays(text, value):
            yield context, variant, variant.text
        return
    number = _positive(value)
    if number is None:
        return
    for context, make in OF_NUMBERS.items():
        variant = make(number)
        if context == "parameter":
            variant = dataclasses.replace(variant, text="n")
        replaced = variant.text if type(value) is int else _within(value, number, variant.text)
        yield context, variant, replaced


def _positive(value: Any) -> int | None:
    """Return the number of an argument that may be a size: the first positive one of a list."""
    values = value if isinstance(value, list | tuple) else [value]
    return next((v for v in values if type(v) is int and v > 0), None)


def _within(value: Any, number: int, text: str) -> str:
    """Return the text of a list in which the first occurrence of a number has another text."""
    parts = [repr(v) for v in value]
    parts[list(value).index(number)] = text
    return "[" + ", ".join(parts) + "]"


def _program(
    point: cases.Point,
    given: dict[str, str],
    parameter: str,
    context: str,
    variant: Variant,
    arrays: dict[str, np.ndarray],
) -> Program:
    arrays = {**arrays, **variant.arrays}
    arguments = _arguments(point.row.params or "", given)
    name = point.row.name
    call = f"tf.compat.{name}({arguments})" if name.startswith("v1.") else f"tf.{name}({arguments})"
    names = ", ".join(arrays)
    if context == "parameter":
        inner = ", ".join(["n", *arrays])
        passed = ", ".join([variant.before[0], *arrays])
        body = f"def helper({inner}):\n    return {call}\n\n\n"
        body += f"def program({names}):\n    return helper({passed})\n"
    else:
        lines = "".join(f"    {line}\n" for line in variant.before)
        body = f"{variant.head}def program({names}):\n{lines}    return {call}\n"
    code = f"import tensorflow as tf\n\n\n{body}"
    return Program(name, point.case.id, parameter, context, code, arrays)


def _arguments(params: str, given: dict[str, str]) -> str:
    """Return the text of a call's arguments: keywords, unless `*args` is among them."""
    variadic = next((p.name for p in signature(params) if p.variadic), "")
    if variadic not in given:
        return ", ".join(f"{name}={text}" for name, text in given.items())
    flat = {variadic: given[variadic].removeprefix("[").removesuffix("]")}
    return ", ".join({**given, **flat}.values())


def all_programs(one_in: int = 1, only: str = "", first: int = 1) -> list[Program]:
    """Return the programs of the first cases of every row, or every `one_in`-th of them."""
    found: list[Program] = []
    seen: dict[str, int] = {}
    for point in cases.POINTS:
        name = point.row.name
        if not cases.succeeds(point) or seen.get(name, 0) >= first or not name.startswith(only):
            continue
        seen[name] = seen.get(name, 0) + 1
        found += programs(point)
    return found[::one_in]
