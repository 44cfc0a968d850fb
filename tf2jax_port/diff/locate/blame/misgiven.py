"""Find the wrong argument of a convolution or pooling call whose array operands are correct.

Such calls often span several lines, so the line of the argument is reported instead of the line of the call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tf2jax_port.diff.locate.blame.cause import PADDING
from tf2jax_port.diff.locate.match.matching import Index, Values, flattened
from tf2jax_port.diff.locate.watch.applied import Applied
from tf2jax_port.diff.locate.watch.places import Place
from tf2jax_port.diff.locate.watch.reading import calls
from tf2jax_port.diff.locate.watch.trail import Step
from tf2jax_port.diff.values.attempt import Failure, attempt

_POOLS = {"reduce_window_max", "reduce_window_min", "reduce_window_sum"}
# The most calls of one line that are tried.
_CALLS = 4
_PADDING, KERNEL = "padding", "rhs"
# The positional arguments of JAX's functions.
_IN_ORDER = {
    "conv_general_dilated": ("lhs", "rhs", "window_strides", "padding"),
    "conv_general_dilated_local": ("lhs", "rhs", "window_strides", "padding"),
    "conv_with_general_padding": ("lhs", "rhs", "window_strides", "padding"),
    "conv": ("lhs", "rhs", "window_strides", "padding"),
    "conv_transpose": ("lhs", "rhs", "strides", "padding"),
    "reduce_window": ("operand", "init_value", "computation", "dimensions", "strides", "padding"),
}


@dataclass(frozen=True, slots=True)
class Misgiven:
    """A wrong argument of a call.

    Attributes:
      argument: the argument's name.
      words: a description of what is wrong with it.
    """

    argument: str
    words: str


def misgiven(new: Values, step: Step, old: Index) -> Misgiven | None:
    """Return the argument whose replacement gives the original's result, or `None`.

    Args:
      new: the values of the port's run.
      step: the operation. Several of its calls are tried, because some may have wrong operands
        already.
      old: a search index of the values in the original's run.
    """
    for call in new.trail.passes(step)[-1][:_CALLS]:
        if not isinstance(call.again, Applied):
            return None
        operands = [new.trail.values[n] for n in call.operands]
        tolerance = new.tolerance(call.results[0])
        if old.has(flattened(new.trail.values[call.results[0]]), tolerance):
            continue
        for found, again, given in _others(call.name, call.again, operands):
            result = attempt(again, given)
            if isinstance(result, Failure):
                continue
            if old.has(flattened(np.asarray(result[0])), tolerance):
                return found
    return None


def place_of(argument: str, call: Place) -> Place:
    """Return the line of an argument of a call; the line of the call if the argument is not found."""
    for node in calls(call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        order = _IN_ORDER.get(name, ())
        given = {k.arg: k.value.lineno for k in node.keywords if k.arg}
        given |= {known: a.lineno for known, a in zip(order, node.args)}
        if argument in given:
            return replace(call, line=given[argument])
    return call


def _others(
    name: str, applied: Applied, operands: Sequence[Any]
) -> Iterator[tuple[Misgiven, Applied, Sequence[Any]]]:
    if name == "conv_general_dilated":
        numbers = applied.params["dimension_numbers"]
        size = [np.shape(operands[0])[a] for a in numbers.lhs_spec[2:]]
        kernel = [np.shape(operands[1])[a] for a in numbers.rhs_spec[2:]]
        size = _dilated(size, applied.params["lhs_dilation"])
        kernel = _dilated(kernel, applied.params["rhs_dilation"])
        strides = applied.params["window_strides"]
        yield from _other_kernels(applied, operands, numbers.rhs_spec)
    elif name in _POOLS:
        size = list(np.shape(operands[0]))
        kernel = _dilated(applied.params["window_dimensions"], applied.params["window_dilation"])
        strides = applied.params["window_strides"]
    else:
        return
    found = Misgiven(_PADDING, PADDING)
    for padding in _other_paddings(size, kernel, strides, applied.params["padding"]):
        yield found, applied.with_params(padding=padding), operands


def _other_kernels(
    applied: Applied, operands: Sequence[Any], spec: Sequence[int]
) -> Iterator[tuple[Misgiven, Applied, Sequence[Any]]]:
    import jax.numpy as jnp

    array, kernel = operands
    flipped = jnp.flip(kernel, spec[2:])
    turned = jnp.swapaxes(kernel, spec[0], spec[1])
    yield Misgiven(KERNEL, "the kernel is flipped"), applied, (array, flipped)
    words = "the kernel's channel axes are exchanged"
    yield Misgiven(KERNEL, words), applied, (array, turned)
    words = "the kernel is flipped, and its channel axes are exchanged"
    both = jnp.flip(turned, spec[2:])
    yield Misgiven(KERNEL, words), applied, (array, both)
    if len(spec) == 4:
        words = "the kernel's rows and columns are exchanged"
        across = jnp.swapaxes(kernel, spec[2], spec[3])
        yield Misgiven(KERNEL, words), applied, (array, across)


def _other_paddings(
    size: Sequence[int], kernel: Sequence[int], strides: Sequence[int], given: Any
) -> Iterator[tuple[tuple[int, int], ...]]:
    from jax import lax

    given = tuple(map(tuple, given))
    tried = {given}
    named = (tuple(lax.padtype_to_pads(size, kernel, strides, p)) for p in _NAMED)
    for one in (*named, tuple((high, low) for low, high in given)):
        found = {
            one,
            tuple((low + high, 0) for low, high in one),
            tuple((0, low + high) for low, high in one),
            *(tuple((low + d, high - d) for low, high in one) for d in (-1, 1)),
        }
        yield from sorted(found - tried)
        tried |= found


_NAMED = ("SAME", "SAME_LOWER", "VALID")


def _dilated(sizes: Sequence[int], dilation: Sequence[int]) -> list[int]:
    return [(n - 1) * d + 1 for n, d in zip(sizes, dilation, strict=True)]
