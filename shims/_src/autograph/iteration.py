"""Define the iterables of staged `for` loops: arrays, and traced `range`, `enumerate` and `zip`."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp

from shims._src.arguments.conversion import as_array
from shims._src.autograph import effects
from shims._src.control_flow.staging import ambient_is_staging, current_value, is_staged
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import numbering, primitives, trace
from shims._src.sizes.size_numbers import number_of
from shims._src.tracing.size_questions import depend_on_data


@dataclasses.dataclass(frozen=True, eq=False)
class Items:
    """The items of a staged loop.

    Attributes:
      arrays: a pytree of arrays `[n, ...]`, of which each iteration gets a slice; `None` if `n` is a
        traced number without a bound.
      length: the number of items `n`: an int, a dimension, or that traced number.
      at: if `arrays` is `None`, a function from the iteration number to the item.
    """

    arrays: Any
    length: Any
    at: Any = None


class TracedIterable:
    """The result of `range`, `enumerate` or `zip` if the number of items is traced."""

    label = "range"

    def as_python(self):
        """Return the equivalent Python iterable, or `None` if it is known only at run time."""
        return None

    def depends_on_sizes(self) -> bool:
        """Return whether the number of items is one of data-dependent sizes, not of other traced numbers."""
        raise NotImplementedError

    def known_length(self) -> int | None:
        """Return the number of items, `None` if it is traced or a size."""
        return None

    def items(self) -> Items:
        """Return the items for a staged loop."""
        raise NotImplementedError

    def counters(self, item) -> list:
        """Return the parts of an item that are numbers in Python, not arrays."""
        raise NotImplementedError

    def _in_python(self):
        """Return the equivalent Python iterable for code that cannot be staged."""
        found = self.as_python()
        if found is not None:
            return found
        raise TypeError(
            errors.message(
                self.label,
                "only a `for` statement can iterate over a traced number of items.",
                required="`for ... in`, in a function that `shims.function` converts",
                received="a comprehension, an unpacking, or a call such as `list(...)`",
                do=_AS_LOOP,
            )
        )

    def __iter__(self):
        return iter(self._in_python())

    def __len__(self):
        return len(self._in_python())


_AS_LOOP = "write a `for` statement, or use `shims.map_fn`."


class TracedRange(TracedIterable):
    """The `range` of traced numbers or symbolic sizes."""

    def __init__(self, start, stop, step=1):
        self._start, self._stop, self._step = start, stop, step

    def __getattr__(self, name: str):
        if name in ("start", "stop", "step"):
            return vars(self)[f"_{name}"]
        if name in ("index", "count"):
            return getattr(self._in_python(), name)
        raise AttributeError(f"'range' object has no attribute '{name}'")

    def as_python(self):
        """Return the Python `range`, which needs the numbers of sizes; `None` if one is traced."""
        parts = [current_value(x) for x in (self._start, self._stop, self._step)]
        if any(map(is_staged, parts)):
            return None
        state = trace.current()
        return range(
            *(
                number_of(state, x, "iterating over a range", _AS_LOOP, reports=True)
                if state is not None and jp.is_symbolic(x)
                else x
                for x in parts
            )
        )

    def depends_on_sizes(self) -> bool:
        """Return whether sizes and Python numbers alone are the limits of the range."""
        parts = list(map(current_value, (self._start, self._stop, self._step)))
        return depend_on_data(filter(jp.is_symbolic, parts)) and not any(map(is_staged, parts))

    def counters(self, item) -> list:
        """Return the item, which is a number."""
        return [item]

    def __reversed__(self):
        return self[::-1] if self._counts_up() else reversed(self._in_python())

    def __getitem__(self, place):
        if place == slice(None, None, -1) and self._counts_up():
            return TracedRange(self._stop - 1, self._start - 1, -1)
        return self._in_python()[place]

    def _counts_up(self) -> bool:
        return self._step == 1 and not is_staged(self._start) and not is_staged(self._stop)

    def __contains__(self, number) -> bool:
        return number in self._in_python()

    def __eq__(self, other):
        return self._in_python() == other

    def __hash__(self):
        return hash(self._in_python())

    def items(self) -> Items:
        """Return the numbers of the range, as int32."""
        parts = [_known_number(x) for x in (self._start, self._stop, self._step)]
        if not any(is_staged(x) for x in parts):
            start, stop, step = parts
            numbers = jnp.arange(start, stop, step, jnp.int32)
            return Items(numbers, numbers.shape[0])
        start, stop, step = (as_array(x).astype(jnp.int32) for x in parts)
        count = jnp.maximum(_trips(start, stop, step if is_staged(parts[2]) else parts[2]), 0)
        endless = Items(None, count, lambda i: start + step * i)
        if trace.current() is None:
            return endless
        if not is_staged(parts[0]) and parts[0] == 0 and not is_staged(parts[2]) and parts[2] == 1:
            count = parts[1]  # its static bounds are tighter than those of the expression
        positions = primitives.positions_of_loop(count)
        if positions is None:
            return endless
        return Items(start + step * positions, positions.shape[0])


def _trips(start, stop, step):
    """Return the number of steps from `start` to `stop`, negative if `stop` lies in the other direction."""
    if not isinstance(step, int):
        return (stop - start + step - jnp.sign(step)) // step
    if not step:
        raise ValueError("range() arg 3 must not be zero")
    length = stop - start if step > 0 else start - stop
    return length if abs(step) == 1 else (length + abs(step) - 1) // abs(step)


def _known_number(x):
    """Convert a number to an int or a dimension if it is known; return other tracers unchanged."""
    x = current_value(x)
    if jp.is_tracer(x):
        known = numbering.symbolic_value(x)
        return x if known is None else known
    return x if jp.is_symbolic(x) else int(x)


class TracedEnumerate(TracedIterable):
    """The `enumerate` of a traced iterable."""

    label = "enumerate"

    def __init__(self, iterable, start=0):
        self._iterable, self._start = iterable, start

    def as_python(self):
        """Return the `enumerate` of items whose number the trace decides; `None` if that is traced."""
        inner = _as_python(self._iterable)
        return None if inner is None or is_staged(self._start) else enumerate(inner, self._start)

    def depends_on_sizes(self) -> bool:
        """Return whether the number of items is one of data-dependent sizes."""
        return depends_on_sizes(self._iterable)

    def known_length(self) -> int | None:
        """Return the number of items of what is enumerated."""
        return known_length(self._iterable)

    def counters(self, item) -> list:
        """Return the number of the item, and the numbers in the item."""
        return [item[0], *counters_in(self._iterable, item[1])]

    def items(self) -> Items:
        """Return the pairs `(number, item)` for a staged loop."""
        inner = items_of(self._iterable)
        start = as_array(self._start)
        if inner.arrays is None:
            return Items(None, inner.length, lambda i: (start + i, inner.at(i)))
        numbers = start + jnp.arange(inner.length, dtype=jnp.int32)
        return Items((numbers, inner.arrays), inner.length)


class TracedZip(TracedIterable):
    """The `zip` of arrays and ranges of which at least one is traced."""

    label = "zip"

    def __init__(self, *iterables, strict: bool = False):
        self._iterables, self._strict = iterables, strict

    def as_python(self):
        """Return the `zip` of items whose numbers the trace decides; `None` if one is traced."""
        parts = list(map(_as_python, self._iterables))
        return None if None in parts else zip(*parts, strict=self._strict)

    def depends_on_sizes(self) -> bool:
        """Return whether the number of items is one of data-dependent sizes."""
        return any(map(depends_on_sizes, self._iterables))

    def known_length(self) -> int | None:
        """Return the smallest number of items."""
        lengths = [known_length(x) for x in self._iterables]
        known = [n for n in lengths if n is not None]
        return min(known) if len(known) == len(lengths) else None

    def counters(self, item) -> list:
        """Return the numbers in the parts of the item."""
        return [c for x, part in zip(self._iterables, item) for c in counters_in(x, part)]

    def items(self) -> Items:
        """Return the tuples of one item from each iterable, for a staged loop."""
        parts = [_as_items(x) for x in self._iterables]
        lengths = [part.length for part in parts]
        if any(part.arrays is None for part in parts):
            raise errors.UnimplementedError(
                errors.message(
                    "zip",
                    "`zip` does not support a `range` whose length is traced.",
                    required="arrays, or ranges of known or symbolic sizes",
                    do="index the arrays in a loop over the range.",
                )
            )
        if all(isinstance(n, int) for n in lengths):
            if self._strict and max(lengths) > min(lengths):
                raise ValueError("zip() arguments have different lengths")
        elif all(n is lengths[0] or n == lengths[0] for n in lengths):
            return Items(tuple(part.arrays for part in parts), lengths[0])
        elif self._strict:
            raise errors.UnimplementedError(
                errors.message(
                    "zip",
                    "`strict=True` requires equal sizes, but the trace cannot decide whether the sizes are equal.",
                    required="equal sizes",
                    received=", ".join(str(n) for n in lengths),
                    do="cut the arrays to the same size, or declare their sizes equal with `shims.same_size(a, b)`.",
                )
            )
        shortest = functools.reduce(jp.core.min_dim, lengths)
        arrays = [jax.tree.map(lambda x: x[:shortest], part.arrays) for part in parts]
        return Items(tuple(arrays), shortest)


def is_traced_iterable(x) -> bool:
    """Return whether a loop over `x` is staged.

    This is so if `x` is traced, or if `x` is an array and JAX is tracing.
    """
    x = current_value(x)
    if isinstance(x, TracedIterable):
        return True
    if not isinstance(x, jax.Array) or not x.ndim:
        return False
    return is_staged(x) or (not jp.is_tracer(x) and ambient_is_staging())


def as_python(x, failure: Exception):
    """Return an iterable for running a loop over `x` in Python, after it could not be staged.

    Raises:
      Exception: the given `failure`, if Python cannot iterate over `x`.
    """
    try:
        found = _as_python(x)
    except errors.FreshSizeError as error:
        raise (error if isinstance(failure, effects.EffectFound) else failure) from None
    if found is None:
        raise failure
    return found


def _as_python(x):
    """Return an iterable of the items of `x`, which needs the numbers of sizes; `None` if one is traced."""
    x = current_value(x)
    if isinstance(x, TracedIterable):
        return x.as_python()
    if not isinstance(x, jax.Array):
        return x
    # Iterating over an array of unknown size asks the trace for its number.
    return [x[i] for i in range(x.shape[0])] if not jp.is_symbolic(x.shape[0]) else list(x)


def depends_on_sizes(x) -> bool:
    """Return whether the number of items of a traced iterable is one of data-dependent sizes."""
    x = current_value(x)
    if isinstance(x, TracedIterable):
        return x.depends_on_sizes()
    return isinstance(x, jax.Array) and depend_on_data(x.shape[:1])


def known_length(x) -> int | None:
    """Return the number of items of an iterable, `None` if it is traced, a size, or not known before."""
    x = current_value(x)
    if isinstance(x, TracedIterable):
        return x.known_length()
    if isinstance(x, jax.Array):
        return None if jp.is_symbolic(x.shape[0]) else x.shape[0]
    return len(x) if hasattr(x, "__len__") else None


def counters_in(x, item) -> list:
    """Return the parts of an item of a traced iterable that are numbers in Python, not arrays."""
    x = current_value(x)
    if isinstance(x, range):
        return [item]
    return x.counters(item) if isinstance(x, TracedIterable) else []


def items_of(x) -> Items:
    """Return the items of a traced array or iterable, for a staged loop."""
    x = current_value(x)
    return x.items() if isinstance(x, TracedIterable) else Items(x, x.shape[0])


def _as_items(x) -> Items:
    x = current_value(x)
    if isinstance(x, (TracedIterable, jax.Array)):
        return items_of(x)
    array = as_array(list(x))
    return Items(array, array.shape[0])
