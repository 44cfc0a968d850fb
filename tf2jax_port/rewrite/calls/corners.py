"""Decide from the context of a call whether it meets a case in which JAX's spelling differs.

Most differences of a row are reported at every call. Those here depend on the arguments: JAX's mean of
integers is not an integer, while the mean of floats agrees. Where the surrounding code does not show the
dtype of an argument, the call is marked for review; where it shows that the case is met, the function of
`shims` is called. The same holds for ragged tensors, which JAX's functions do not take, and where an
error of TensorFlow is expected, which JAX's functions do not raise.
"""

from __future__ import annotations

import ast
import functools
import re
from typing import NamedTuple

from tf2jax_port.rewrite.calls.arguments import CallSite
from tf2jax_port.rewrite.values.numbers import INTEGERS, Numbers, NumbersOf, dtype_numbers
from tf2jax_port.rewrite.values.passed_lists import PassedLists
from tf2jax_port.rewrite.values.ragged_values import is_ragged
from tf2jax_port.rewrite.values.values import Values

_NARROW = re.compile(rb"int8|int16")
_INFINITE = re.compile(rb"\binf\b|\bInf\b|infinity")


class Corner(NamedTuple):
    """The difference at one call, and whether the call is known to meet it."""

    differs: str = ""
    met: bool = False


class Corners:
    """Finds the corner cases of the calls of one file."""

    def __init__(self, data: bytes, values: Values) -> None:
        self.values = values
        self.numbers = NumbersOf(values)
        self.lists = PassedLists(values)
        self.ragged = b"agged" in data
        self.data = data

    def at(self, site: CallSite) -> Corner:
        """Return the corner case of a call, given its arguments and context."""
        if self._expects_error and not self._expects_error.isdisjoint(
            self.values.names.ancestors(site.call)
        ):
            return Corner("the code around it expects an error of TensorFlow", met=True)
        if self.ragged and self._holds_ragged(site):
            return Corner("JAX's functions do not take ragged tensors", met=True)
        find = _FINDERS.get(site.row.name)
        return find(self, site) if find is not None else _NONE

    @functools.cached_property
    def names_narrow(self) -> bool:
        """Whether the file mentions integers of 8 or 16 bits."""
        return _NARROW.search(self.data) is not None

    @functools.cached_property
    def names_infinity(self) -> bool:
        """Whether the file mentions infinite numbers."""
        return _INFINITE.search(self.data) is not None

    @functools.cached_property
    def _expects_error(self) -> frozenset[ast.AST]:
        """The statements that catch TensorFlow's errors: `try`, `with pytest.raises(...)`."""
        found = set()
        for node, reference in self.values.by_node.items():
            if reference.path.startswith("errors."):
                for outer in self.values.names.ancestors(node):
                    if isinstance(outer, ast.ExceptHandler | ast.withitem):
                        found.add(self.values.names.parents[outer])
        return frozenset(found)

    def _holds_ragged(self, site: CallSite) -> bool:
        """Return whether an argument of a call is a ragged tensor."""
        nodes = [argument.node for argument in site.bound.arguments.values()]
        return any(is_ragged(self.values, node) for node in nodes)


_NONE = Corner()


def _argument_numbers(corners: Corners, site: CallSite, name: str) -> Numbers:
    """Infer the kind of numbers that an argument holds."""
    argument = site.bound.arguments.get(name)
    return corners.numbers.numbers(argument.node) if argument is not None else Numbers.UNKNOWN


def _of_mean(corners: Corners, site: CallSite) -> Corner:
    """Return the corner of a mean: JAX's mean of integers is not an integer."""
    passed = _argument_numbers(corners, site, "input_tensor")
    if passed is Numbers.INEXACT:
        return _NONE
    return Corner(site.row.note, met=passed in INTEGERS)


def _of_sum(corners: Corners, site: CallSite) -> Corner:
    """Return the corner of a sum or product of 8- or 16-bit integers.

    Few files use such integers, and those that do mention their dtypes.
    """
    if not corners.names_narrow:
        return _NONE
    passed = _argument_numbers(corners, site, "input_tensor")
    if passed in (Numbers.NARROW, Numbers.UNKNOWN):
        return Corner(site.row.note, met=passed is Numbers.NARROW)
    return _NONE


def _of_position(corners: Corners, site: CallSite) -> Corner:
    """Return the corner of `argmax` and `argmin`, which integers and booleans do not meet."""
    passed = _argument_numbers(corners, site, "input")
    return _NONE if passed in (*INTEGERS, Numbers.BOOL) else Corner(site.row.note)


def _of_range(corners: Corners, site: CallSite) -> Corner:
    """Return the corner of `range`; ranges with whole-number steps agree for every dtype."""
    if _are_whole(site):
        return _NONE
    steps = [_argument_numbers(corners, site, name) for name in ("start", "limit", "delta")]
    if Numbers.INEXACT in steps:
        return Corner(site.row.note, met=True)
    doubtful = "delta" in site.bound.arguments and steps[2] is Numbers.UNKNOWN
    return Corner(site.row.note) if doubtful else _NONE


def _are_whole(site: CallSite) -> bool:
    """Return whether all arguments of a range are literal integers."""
    nodes = [site.bound.arguments[n].node for n in site.bound.arguments if n != "dtype"]
    values = [getattr(node, "value", None) for node in nodes]
    return all(isinstance(v, int | float) and v == int(v) for v in values)


def _of_cast(corners: Corners, site: CallSite) -> Corner:
    """Return the corner of a cast to integers, which only floats meet."""
    dtype = site.bound.arguments.get("dtype")
    if dtype is not None and dtype_numbers(dtype.node) not in INTEGERS:
        return _NONE
    whole = _argument_numbers(corners, site, "x") in (*INTEGERS, Numbers.BOOL)
    return _NONE if whole else Corner(site.row.note)


def _of_remainder(corners: Corners, site: CallSite) -> Corner:
    """Return the corner of a remainder, which floats do not meet."""
    exact = Numbers.INEXACT in (
        _argument_numbers(corners, site, "x"),
        _argument_numbers(corners, site, "y"),
    )
    return _NONE if exact else Corner(site.row.note)


def _of_softmax(corners: Corners, site: CallSite) -> Corner:
    """Return the corner of a softmax, which only files that mention infinity meet."""
    return Corner(site.row.note if corners.names_infinity else "")


_FINDERS = {
    "argmax": _of_position,
    "argmin": _of_position,
    "cast": _of_cast,
    "math.floormod": _of_remainder,
    "nn.softmax": _of_softmax,
    "range": _of_range,
    "reduce_mean": _of_mean,
    "reduce_prod": _of_sum,
    "reduce_sum": _of_sum,
    "truncatemod": _of_remainder,
    "v1.to_int32": _of_cast,
    "v1.to_int64": _of_cast,
}
