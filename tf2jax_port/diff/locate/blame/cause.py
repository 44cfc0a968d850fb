"""Guess the cause of a difference from the values, the operations and the operator table."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from tf2jax_port.diff.locate.match.matching import flattened, same
from tf2jax_port.diff.locate.watch.places import Place
from tf2jax_port.table import UnknownNameError, find

VARIANCE = "population and sample variance are confused"
DEVIATION = "population and sample standard deviation are confused"
GELU = "the exact GELU and its tanh approximation are confused"
PADDING = "the padding differs for even strides"
EPSILON = "epsilon is added inside the root in only one of the two programs"
AXES = "the axes are in a different order"
MASK = "the mask is applied after the softmax"
INTEGERS = "the integer division rounds the other way"

_MISSING = {
    "AddV2": "a term is missing",
    "BiasAdd": "a bias is missing",
    "Add": "a term is missing",
    "Sub": "a term is missing",
    "Mul": "a factor is missing",
    "RealDiv": "a divisor is missing",
    "Transpose": AXES,
    "Reshape": AXES,
    "Relu": "an activation is missing",
    "Tanh": "an activation is missing",
    "SelectV2": "a mask is missing",
    "Minimum": "an upper limit is missing",
    "Maximum": "a lower limit is missing",
    "StopGradient": "a `stop_gradient` is missing",
}
_WINDOWS = {
    "Conv2D",
    "MaxPool",
    "AvgPool",
    "Conv2DBackpropInput",
    "DepthwiseConv2dNative",
    "Conv1D",
}
_ROUNDING = {"FloorDiv", "FloorMod", "TruncateDiv", "Floor", "Round", "Rint", "Ceil"}


@dataclass(frozen=True, slots=True)
class Evidence:
    """The facts from which the cause of a difference is guessed.

    Attributes:
      old: the original's value.
      new: the port's value.
      old_place: the original's source line.
      new_place: the port's source line.
      old_names: the names of the original's operations.
      new_names: the names of the port's operations.
      omitted: the TensorFlow operation that the port omits; empty if none is omitted.
      sizes: the numbers of elements that may have been reduced over.
    """

    old: np.ndarray | None
    new: np.ndarray | None
    old_place: Place
    new_place: Place
    old_names: Collection[str]
    new_names: Collection[str]
    omitted: str = ""
    sizes: Collection[int] = ()


def cause(evidence: Evidence) -> str | None:
    """Return a short description of the likely cause of a difference, or `None` if there is no guess."""
    return (
        _MISSING.get(evidence.omitted)
        or _by_operations(evidence)
        or _by_relation(evidence)
        or _by_table(evidence)
    )


def _by_relation(e: Evidence) -> str | None:
    if e.old is None or e.new is None:
        return None
    if e.old.size != e.new.size:
        return "the port uses a different axis or size"
    a, b = flattened(e.old), flattened(e.new)
    if a is None or b is None or not (np.isfinite(a).all() and np.isfinite(b).all()):
        return None
    if a.size > 1 and same(np.sort(a), np.sort(b), 1e-5) and np.ptp(a):
        return AXES
    ratio = _constant(a, b)
    if ratio is not None:
        lines = e.old_place.text + e.new_place.text
        sizes = e.sizes if re.search("var|std|moments|mean|sum", lines) else ()
        return _by_ratio(ratio, sizes, e.old_names)
    if e.old.dtype.kind in "iu" and float(np.max(np.abs(a - b))) <= 1:
        return INTEGERS if "FloorDiv" in e.old_names else "the port rounds the other way"
    is_whole = not ((a % 1).any() or (b % 1).any())
    if is_whole and _ROUNDING & set(e.old_names) and float(np.max(np.abs(a - b))) <= 1:
        return "the port rounds the other way"
    return None


def _constant(a: np.ndarray, b: np.ndarray) -> float | None:
    """Return the constant factor between two arrays, or `None` if there is none."""
    top = int(np.argmax(np.abs(a)))
    if a[top] == 0:
        return None
    ratio = float(b[top] / a[top])
    return ratio if same(a * ratio, b, 1e-5) and ratio not in (0.0, 1.0) else None


def _by_ratio(ratio: float, sizes: Collection[int], names: Collection[str]) -> str:
    if abs(ratio + 1) < 1e-5:
        return "the sign is wrong"
    for n in sizes:
        for wanted, words in (
            (n / (n - 1) if n > 1 else 0, VARIANCE),
            ((n / (n - 1)) ** 0.5 if n > 1 else 0, DEVIATION),
        ):
            if wanted and min(abs(ratio / wanted - 1), abs(ratio * wanted - 1)) < 1e-5:
                return words
        if abs(ratio / n - 1) < 1e-5 and n > 1 and "Mean" in names:
            return "the port computes a sum in place of a mean"
        if abs(ratio * n - 1) < 1e-5 and n > 1 and "Sum" in names:
            return "the port computes a mean in place of a sum"
    return f"the values differ by a factor of {ratio:.6g}"


def _by_operations(e: Evidence) -> str | None:
    old, new = set(e.old_names), set(e.new_names)
    lines = e.old_place.text + " " + e.new_place.text
    if ({"Erf", "Erfc"} & old and "tanh" in new) or ("gelu" in lines and "erf" not in new):
        return GELU
    if _WINDOWS & old or {"conv_general_dilated", "reduce_window_max"} & new:
        return PADDING
    if "softmax" in lines and ("Softmax" in old or "mask" in lines):
        masked = {"select_n", "mul"} & new or {"SelectV2", "Mul"} & old
        return MASK if masked else "the port uses a different axis"
    has_root = all(re.search("sqrt|norm|std", p.text) for p in (e.old_place, e.new_place))
    if has_root and {"Rsqrt", "Sqrt"} & old and {"sqrt", "rsqrt"} & new:
        return EPSILON
    return None


def _by_table(e: Evidence) -> str | None:
    """Return the difference documented in the table for a function on the original's line, or `None`."""
    for name in re.findall(r"\btf\.([\w.]+)", e.old_place.text):
        try:
            row = find(name)
        except UnknownNameError:
            continue
        if row.differs and "gradient" not in row.differs:
            return row.differs
    return None
