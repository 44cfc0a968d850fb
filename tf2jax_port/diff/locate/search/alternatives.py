"""Propose alternatives for an operation: shifted slices, reverse order, other reduction axes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tf2jax_port.diff.locate.watch.applied import Applied
from tf2jax_port.diff.locate.watch.trail import Again, Step, Trail

Instead = Callable[..., Any]


def changes(trail: Trail, steps: Sequence[Step], less: bool = False) -> Iterator[dict[int, Again]]:
    """Yield dicts that replace all of the given operations by the same alternative.

    A dict maps the step number of each operation to the function that replaces it.

    Args:
      trail: the program's run.
      steps: operations of the same name.
      less: whether to try omitting the operations, too. That often agrees by accident.
    """
    taken = [[trail.values[o] for o in step.operands] for step in steps]
    each = [_alternatives(step, given, less) for step, given in zip(steps, taken, strict=True)]
    for others in zip(*each):
        yield {step.number: other for step, other in zip(steps, others)}


def _alternatives(step: Step, operands: Sequence[Any], less: bool) -> Iterator[Again]:
    """Yield functions that may replace an operation and accept the same operands.

    The order is fixed: for equal operations on operands of equal shapes, the n-th alternatives are equal.

    Args:
      step: the operation.
      operands: its operands.
      less: whether to try omitting the operation, too.
    """
    for instead in _exchanges(step.name):
        yield _again_with(instead)
    for instead in _omissions(step.name) if less else ():
        yield _again_with(instead)
    if isinstance(step.again, Applied):
        shapes = [np.shape(one) for one in operands]
        yield from _PARAMETERS.get(step.name, _no_alternatives)(step.again, shapes)


def _again_with(instead: Instead) -> Again:
    """Adapt a function of single operands to the signature of `Step.again`, which takes a list."""

    def again(operands: Sequence[Any]) -> Sequence[Any]:
        return [instead(*operands)]

    return again


def _exchanges(name: str) -> Iterator[Instead]:
    """Yield the functions that an operation is often confused with, such as floor for round."""
    import jax.numpy as jnp

    if name in ("add", "sub"):
        yield jnp.subtract if name == "add" else jnp.add
        yield lambda a, b: b - a
        sign = 1 if name == "add" else -1
        for factor in (2.0, 0.5):
            yield lambda a, b, f=factor: f * a + sign * b
            yield lambda a, b, f=factor: a + sign * f * b
    others: dict[str, tuple[Instead, ...]] = {
        "div": (lambda a, b: b / a,),
        "pow": (lambda a, b: b**a,),
        "max": (jnp.minimum,),
        "min": (jnp.maximum,),
        "floor": (jnp.round, jnp.ceil, jnp.trunc),
        "round": (jnp.floor, jnp.ceil, jnp.trunc),
        "ceil": (jnp.round, jnp.floor, jnp.trunc),
        "gt": (jnp.greater_equal, jnp.less),
        "ge": (jnp.greater, jnp.less_equal),
        "lt": (jnp.less_equal, jnp.greater),
        "le": (jnp.less, jnp.greater_equal),
        "and": (jnp.logical_or,),
        "or": (jnp.logical_and,),
        "sin": (jnp.cos,),
        "cos": (jnp.sin,),
        "exp": (jnp.expm1,),
        "log": (jnp.log1p,),
        "expm1": (jnp.exp,),
        "log1p": (jnp.log,),
        "tanh": (lambda a: 1.0 / (1.0 + jnp.exp(-a)),),
        "logistic": (jnp.tanh,),
        "abs": (jnp.square,),
    }
    yield from others.get(name, ())


def _omissions(name: str) -> Iterator[Instead]:
    """Yield functions that omit an operation or undo it."""
    import jax.numpy as jnp

    if name in ("add", "sub", "mul", "div"):
        yield lambda a, b: jnp.broadcast_to(a, np.broadcast_shapes(np.shape(a), np.shape(b)))
    if name in ("add", "mul"):
        yield lambda a, b: jnp.broadcast_to(b, np.broadcast_shapes(np.shape(a), np.shape(b)))
    if name in ("neg", "square", "abs", "tanh", "logistic", "sqrt", "exp", "log", "max", "min"):
        yield lambda a, *rest: a
    if name == "square":
        yield jnp.abs
    if name == "sqrt":
        yield jnp.square
    if name == "select_n":
        yield lambda which, *cases: jnp.where(which, cases[0], cases[1])


def _no_alternatives(applied: Applied, shapes: Sequence[tuple[int, ...]]) -> Iterator[Again]:
    yield from ()


def _slices(applied: Applied, shapes: Sequence[tuple[int, ...]]) -> Iterator[Again]:
    """Yield functions that slice one element further on or back, along each axis that is sliced."""
    start, limit = applied.params["start_indices"], applied.params["limit_indices"]
    for axis, size in enumerate(shapes[0]):
        if start[axis] == 0 and limit[axis] == size:
            continue
        for by in (1, -1):
            if start[axis] + by < 0 or limit[axis] + by > size:
                continue
            moved = [
                tuple(n + by * (a == axis) for a, n in enumerate(ends)) for ends in (start, limit)
            ]
            yield applied.with_params(start_indices=moved[0], limit_indices=moved[1])


def _cumulative(applied: Applied, shapes: Sequence[tuple[int, ...]]) -> Iterator[Again]:
    """Yield functions that accumulate in the reverse direction.

    For a sum, also yield the exclusive sum, and the sum with the current element added twice.
    """
    import jax.numpy as jnp

    yield applied.with_params(reverse=not applied.params["reverse"])
    if applied.primitive.name == "cumsum":
        yield lambda operands: [jnp.subtract(applied(operands)[0], operands[0])]
        yield lambda operands: [jnp.add(applied(operands)[0], operands[0])]


def _paddings(applied: Applied, shapes: Sequence[tuple[int, ...]]) -> Iterator[Again]:
    """Yield a function that pads with the amounts at the two ends of every axis exchanged."""
    given = applied.params["padding_config"]
    turned = tuple((high, low, inner) for low, high, inner in given)
    if turned != given:
        yield applied.with_params(padding_config=turned)


def _concatenations(applied: Applied, shapes: Sequence[tuple[int, ...]]) -> Iterator[Again]:
    """Yield a function that concatenates the operands in reverse order."""
    yield lambda operands: applied(operands[::-1])


def _products(applied: Applied, shapes: Sequence[tuple[int, ...]]) -> Iterator[Again]:
    """Yield products that contract another axis of the same size, in either operand."""
    contracted, batched = applied.params["dimension_numbers"]
    for side, shape in enumerate(shapes):
        for at, axis in enumerate(contracted[side]):
            taken = {*contracted[side], *batched[side]}
            for other, size in enumerate(shape):
                if other in taken or size != shape[axis]:
                    continue
                changed = list(map(list, contracted))
                changed[side][at] = other
                numbers = (tuple(map(tuple, changed)), batched)
                yield applied.with_params(dimension_numbers=numbers)


def _reductions(applied: Applied, shapes: Sequence[tuple[int, ...]]) -> Iterator[Again]:
    """Yield functions that reduce over another axis of the same size."""
    axes = applied.params["axes"]
    for axis in axes:
        for other, size in enumerate(shapes[0]):
            if other not in axes and size == shapes[0][axis]:
                changed = tuple(sorted({*axes, other} - {axis}))
                yield applied.with_params(axes=changed)


def _places(applied: Applied, shapes: Sequence[tuple[int, ...]]) -> Iterator[Again]:
    """Yield functions that add 1 to the indices that an operation returns, or subtract 1."""

    def moved(by: int) -> Again:
        return lambda operands: [applied(operands)[0] + by]

    yield moved(1)
    yield moved(-1)


def _orders(applied: Applied, shapes: Sequence[tuple[int, ...]]) -> Iterator[Again]:
    """Yield a function that sorts in the other direction."""
    import jax.numpy as jnp

    axis = applied.params["dimension"]
    yield lambda operands: [jnp.flip(one, axis) for one in applied(operands)]


def _turns(applied: Applied, shapes: Sequence[tuple[int, ...]]) -> Iterator[Again]:
    """Yield the transpose with two axes exchanged, for each pair of result axes of equal size."""
    order = list(applied.params["permutation"])
    for one, here in enumerate(order):
        for other in range(one + 1, len(order)):
            there = order[other]
            if shapes[0][here] == shapes[0][there] != 1:
                changed = list(order)
                changed[one], changed[other] = there, here
                yield applied.with_params(permutation=tuple(changed))


def _reversals(applied: Applied, shapes: Sequence[tuple[int, ...]]) -> Iterator[Again]:
    """Yield a function that returns the operand of a reversal unchanged."""
    yield lambda operands: [operands[0]]


def _largest(applied: Applied, shapes: Sequence[tuple[int, ...]]) -> Iterator[Again]:
    """Yield argmin for an argmax, or argmax for an argmin."""
    import jax.numpy as jnp

    (axis,) = applied.params["axes"]
    smallest = applied.primitive.name == "argmax"
    find = jnp.argmin if smallest else jnp.argmax
    yield lambda operands: [find(operands[0], axis).astype(applied.params["index_dtype"])]


def _powers(applied: Applied, shapes: Sequence[tuple[int, ...]]) -> Iterator[Again]:
    for by in (1, -1):
        yield applied.with_params(y=applied.params["y"] + by)


_PARAMETERS: dict[str, Callable[[Applied, Sequence[tuple[int, ...]]], Iterator[Again]]] = {
    "slice": _slices,
    "cumsum": _cumulative,
    "cumprod": _cumulative,
    "cummax": _cumulative,
    "pad": _paddings,
    "concatenate": _concatenations,
    "dot_general": _products,
    "reduce_sum": _reductions,
    "reduce_max": _reductions,
    "reduce_min": _reductions,
    "iota": _places,
    "sort": _orders,
    "transpose": _turns,
    "rev": _reversals,
    "argmax": _largest,
    "argmin": _largest,
    "integer_pow": _powers,
}
