"""Decide whether a call reaches a corner case, in which JAX's function differs from TensorFlow's.

Most differences that a table row lists are reported at every call. Those in this module depend on the
arguments: JAX's mean of integers is not an integer, while the mean of floats agrees. If the dtype of an
argument is unknown, the call is marked for review; if the call certainly reaches the corner case, it
becomes a call of `shims`. The same holds for ragged tensors, which JAX's functions do not accept, and for
calls whose TensorFlow error is caught, since JAX's functions do not raise it.
"""

from __future__ import annotations

import ast
import functools
import re
from typing import NamedTuple

from tf2jax_port.rewrite.calls.arguments import CallSite
from tf2jax_port.rewrite.reading.neighbors import ALONE, Neighbors
from tf2jax_port.rewrite.values.large_integers import is_large
from tf2jax_port.rewrite.values.numbers import INTEGERS, Numbers, NumbersOf, dtype_numbers
from tf2jax_port.rewrite.values.passed_lists import PassedLists
from tf2jax_port.rewrite.values.ragged_values import is_ragged
from tf2jax_port.rewrite.values.selections import is_selection
from tf2jax_port.rewrite.values.static_sizes import Static
from tf2jax_port.rewrite.values.values import Kind, Values

_NARROW = re.compile(rb"int8|int16")
_INFINITE = re.compile(rb"\binf\b|\bInf\b|infinity")


class Corner(NamedTuple):
    """A difference between JAX and TensorFlow that a call may reach.

    Attributes:
      differs: the difference in words; empty if there is none.
      met: whether the call certainly reaches the corner case.
    """

    differs: str = ""
    met: bool = False


class Corners:
    """Finds the corner cases of the calls in one file."""

    def __init__(self, data: bytes, values: Values, neighbors: Neighbors = ALONE) -> None:
        self.values = values
        self.numbers = NumbersOf(values)
        self.lists = PassedLists(values, neighbors)
        self.ragged = any(word in data for word in (b"agged", b".to_tensor(", b".row_"))
        self.data = data

    def at(self, site: CallSite) -> Corner:
        """Return the corner case that a call reaches, judging by its arguments and the code around it."""
        if self._expects_error and not self._expects_error.isdisjoint(
            self.values.names.ancestors(site.call)
        ):
            return Corner("the code around the call expects a TensorFlow error", met=True)
        if self.ragged and self._holds_ragged(site):
            return Corner("JAX's functions do not accept ragged tensors", met=True)
        if self.values.selects and self._holds_selection(site):
            return Corner(_SELECTION, met=True)
        if any(is_large(argument.node) for argument in site.bound.arguments.values()):
            return Corner(_LARGE, met=True)
        find = _FINDERS.get(site.row.name)
        return find(self, site) if find is not None else _NONE

    @functools.cached_property
    def names_narrow(self) -> bool:
        """Whether the file contains the name of an 8- or 16-bit integer dtype."""
        return _NARROW.search(self.data) is not None

    @functools.cached_property
    def names_infinity(self) -> bool:
        """Whether the file contains a name for infinity."""
        return _INFINITE.search(self.data) is not None

    @functools.cached_property
    def _expects_error(self) -> frozenset[ast.AST]:
        """The `try` and `with` statements that expect a TensorFlow error."""
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

    def _holds_selection(self, site: CallSite) -> bool:
        """Return whether an argument of a call is a selection."""
        nodes = [argument.node for argument in site.bound.arguments.values()]
        return any(is_selection(self.values, node) for node in nodes)


_NONE = Corner()


def depends_on_arguments(name: str) -> bool:
    """Return whether the arguments of a call decide whether the difference that a table row names is reported."""
    return name in _FINDERS


_SELECTION = (
    "under your own `jax.jit`, JAX's functions accept an array with a data-dependent size only inside "
    "`shims.dynamic`"
)
_LARGE = "JAX's functions do not accept integers beyond 32 bits"
_CONVERTED = (
    "the dtype of the numbers differs from that of the array: JAX converts the numbers (0.7 "
    "becomes 0), TensorFlow raises an error"
)


def _argument_numbers(corners: Corners, site: CallSite, name: str) -> Numbers:
    """Infer whether an argument has a floating-point, integer or boolean dtype."""
    argument = site.bound.arguments.get(name)
    return corners.numbers.numbers(argument.node) if argument is not None else Numbers.UNKNOWN


def _of_mean(corners: Corners, site: CallSite) -> Corner:
    """Return the corner case of a mean: for integers, JAX returns a float."""
    passed = _argument_numbers(corners, site, "input_tensor")
    if passed is Numbers.INEXACT:
        return _NONE
    return Corner(site.row.note, met=passed in INTEGERS)


def _of_sum(corners: Corners, site: CallSite) -> Corner:
    """Return the corner case of a sum or product: operands of 8- or 16-bit integers.

    It is ruled out in files that do not mention these dtypes.
    """
    if not corners.names_narrow:
        return _NONE
    passed = _argument_numbers(corners, site, "input_tensor")
    if passed in (Numbers.NARROW, Numbers.UNKNOWN):
        return Corner(site.row.note, met=passed is Numbers.NARROW)
    return _NONE


def _of_position(corners: Corners, site: CallSite) -> Corner:
    """Return the corner case of `argmax` or `argmin`, NaN, which integers and booleans cannot reach."""
    passed = _argument_numbers(corners, site, "input")
    return _NONE if passed in (*INTEGERS, Numbers.BOOL) else Corner(site.row.note)


def _of_range(corners: Corners, site: CallSite) -> Corner:
    """Return the corner case of `range`: the number of floating-point steps may differ by one.

    There is none if all arguments are literal whole numbers.
    """
    if _are_whole(site):
        return _NONE
    steps = [_argument_numbers(corners, site, name) for name in ("start", "limit", "delta")]
    if Numbers.INEXACT in steps:
        return Corner(site.row.note, met=True)
    doubtful = "delta" in site.bound.arguments and steps[2] is Numbers.UNKNOWN
    return Corner(site.row.note) if doubtful else _NONE


def _are_whole(site: CallSite) -> bool:
    """Return whether all arguments of a range, except `dtype`, are literal whole numbers."""
    nodes = [site.bound.arguments[n].node for n in site.bound.arguments if n != "dtype"]
    values = [getattr(node, "value", None) for node in nodes]
    return all(isinstance(v, int | float) and v == int(v) for v in values)


def _of_cast(corners: Corners, site: CallSite) -> Corner:
    """Return the corner case of a cast: floats cast to integers."""
    dtype = site.bound.arguments.get("dtype")
    if dtype is not None and dtype_numbers(dtype.node) not in INTEGERS:
        return _NONE
    whole = _argument_numbers(corners, site, "x") in (*INTEGERS, Numbers.BOOL)
    return _NONE if whole else Corner(site.row.note)


def _of_remainder(corners: Corners, site: CallSite) -> Corner:
    """Return the corner case of a remainder: division of integers by zero, an error in TensorFlow."""
    exact = Numbers.INEXACT in (
        _argument_numbers(corners, site, "x"),
        _argument_numbers(corners, site, "y"),
    )
    return _NONE if exact else Corner(site.row.note)


def _of_softmax(corners: Corners, site: CallSite) -> Corner:
    """Return the corner case of a softmax: infinite operands, only in files that mention infinity."""
    return Corner(site.row.note if corners.names_infinity else "")


def _of_clamp(corners: Corners, site: CallSite) -> Corner:
    """Return the corner case of a minimum or maximum of a static size and what may be a Python number."""
    nodes = [argument.node for name, argument in site.bound.arguments.items() if name in ("x", "y")]
    sizes = [corners.values.sizes.is_size(node) for node in nodes]
    kinds = [corners.values.kind(node) for node in nodes]
    if sizes.count(True) != 1 or Kind.TENSOR in kinds:
        return _NONE
    return Corner(
        "under `jit`, JAX's result cannot be used as a size",
        met=True,
    )


def _of_joined_sizes(corners: Corners, site: CallSite) -> Corner:
    """Return the corner case of sizes joined with a parameter: a list or a tuple of sizes stays one number each."""
    parts = site.bound.arguments["values"].node
    if not isinstance(parts, ast.List | ast.Tuple):
        return _NONE
    sizes = corners.values.sizes
    known = [sizes.of(part) not in (None, Static.LITERAL) for part in parts.elts]
    names = [isinstance(part, ast.Name) and not has for part, has in zip(parts.elts, known)]
    if any(known) and any(names):
        return Corner(
            "JAX's function does not accept a list of sizes, and the result of JAX's function is traced",
            met=True,
        )
    return _NONE


def _of_conversion(corners: Corners, site: CallSite) -> Corner:
    """Return the corner case of `constant` or `convert_to_tensor`: numbers that the given dtype does not hold."""
    dtype, value = (site.bound.arguments.get(name) for name in ("dtype", "value"))
    wanted = dtype_numbers(dtype.node) if dtype is not None else Numbers.UNKNOWN
    if value is None or wanted in (Numbers.UNKNOWN, Numbers.INEXACT):
        return _NONE
    parts = value.node.elts if isinstance(value.node, ast.List | ast.Tuple) else [value.node]
    if all(_counts(corners, part) for part in parts) and wanted is Numbers.WIDE:
        return _NONE
    passed = corners.numbers.numbers(value.node)
    fits = [Numbers.BOOL] if wanted is Numbers.BOOL else [*INTEGERS, Numbers.BOOL]
    if wanted is Numbers.NARROW and not _is_literal(value.node):
        fits.remove(Numbers.WIDE)
    if passed in fits:
        return _NONE
    return Corner(_CONVERTED, met=passed is not Numbers.UNKNOWN)


def _counts(corners: Corners, node: ast.expr) -> bool:
    """Return whether an expression is a size, a length, or the variable of a loop over a `range`."""
    if corners.values.sizes.is_size(node):
        return True
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "len"
    scope = corners.values.scope_of.get(node) if isinstance(node, ast.Name) else None
    home = scope.lookup(node.id) if scope is not None and isinstance(node, ast.Name) else None
    if home is None or not isinstance(node, ast.Name):
        return False
    loops = [corners.values.names.parents.get(b.node) for b in home.bindings[node.id]]
    return all(isinstance(loop, ast.For) and _is_range(loop.iter) for loop in loops)


def _is_range(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range"


def _is_literal(node: ast.expr) -> bool:
    """Return whether an expression consists of literal numbers."""
    parts = (ast.Constant, ast.List, ast.Tuple, ast.UnaryOp, ast.expr_context, ast.unaryop)
    return all(isinstance(part, parts) for part in ast.walk(node))


_FINDERS = {
    "constant": _of_conversion,
    "convert_to_tensor": _of_conversion,
    "argmax": _of_position,
    "argmin": _of_position,
    "cast": _of_cast,
    "concat": _of_joined_sizes,
    "math.floormod": _of_remainder,
    "maximum": _of_clamp,
    "minimum": _of_clamp,
    "nn.softmax": _of_softmax,
    "range": _of_range,
    "reduce_mean": _of_mean,
    "reduce_prod": _of_sum,
    "reduce_sum": _of_sum,
    "truncatemod": _of_remainder,
    "v1.to_int32": _of_cast,
    "v1.to_int64": _of_cast,
}
