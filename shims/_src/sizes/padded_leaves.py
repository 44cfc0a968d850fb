"""Prepare the leaves of a `Padded` for code that knows nothing of sizes, and check that sizes agree.

`jax.tree.map` and its like hand the leaves of a pytree to functions of a program or of a library such as
Optax. The padding becomes 0 there, so sums and norms are those of the true entries, and the codes of the
sizes become so small that they do not count. `jax.jit`, `vmap` and the like, which pass leaves on, get them
as they are.

Where JAX goes through several trees together, it compares the static data of their nodes. That of a `Padded`
leads to the value, so different sizes are found there.
"""

from __future__ import annotations

import functools
import sys
import weakref
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import refused_reductions, size_code


class Axes(tuple[int, ...]):
    """The static data of a `Padded` as a pytree: its dynamic axes, which alone decide about equality.

    Where JAX compares it in order to go through two trees together, the sizes of the two values have to be equal.
    """

    owner: weakref.ref[Any]
    # Whether the leaves of the owner are to be marked as lost, since they meet others of a different size.
    meets_others: Any

    @classmethod
    def of(cls, axes: tuple[int, ...], owner: Any) -> Axes:
        """Return the axes of a `Padded`."""
        self = cls(axes)
        self.owner, self.meets_others = weakref.ref(owner), None
        return self

    def __eq__(self, other: object) -> bool:
        return tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        if tuple.__ne__(self, other):
            return True
        if isinstance(other, Axes) and _goes_through_both(sys._getframe(1)):
            other.meets_others = _differ(self.owner(), other.owner())
        return False

    def __hash__(self) -> int:
        return tuple.__hash__(self)

    def __reduce__(self) -> Any:
        return tuple, (tuple(self),)


def _goes_through_both(frame: Any) -> bool:
    """Return whether a frame is that of a function of JAX that combines the leaves of two trees."""
    return (frame.f_code.co_filename, frame.f_code.co_name) in jp.COMBINES_TREES


def _differ(first: Any, second: Any) -> Any:
    """Raise if two values have different sizes; if this is unknown, return an array that says whether they do."""
    codes = [x.tree_flatten()[0][1] for x in (first, second) if x is not None]
    count = 1 + len(first.tree_flatten()[1])
    if len(codes) < 2 or codes[0] is codes[1] or not all(map(_is_array, codes)):
        return None
    if np.shape(codes[0]) != np.shape(codes[1]) or not size_code.is_code(codes[0], count):
        return None
    differ = size_code.have_different_sizes(codes[0], codes[1], count)
    if jp.is_tracer(differ):
        return differ
    if differ:
        raise errors.PaddedUseError(
            errors.message(
                "jax.tree.map",
                "the leaves of padded values of different sizes are combined.",
                required="padded values of the same size",
                received=f"{first!r} and {second!r}",
                do=(
                    "map over whole values: `jax.tree.map(f, a, b, is_leaf=lambda x: "
                    "isinstance(x, shims.Padded))`; to stack values of different sizes, write "
                    "`shims.Padded(jnp.stack([a.values, b.values]), {-1: jnp.stack([a.sizes[0], "
                    "b.sizes[0]])})`"
                ),
            )
        )
    return None


def are_read(depth: int = 2) -> bool:
    """Return whether code outside of JAX and of the shims reads the leaves of the tree that is flattened."""
    frame: Any = sys._getframe(depth)
    if frame.f_code.co_filename not in jp.TREE_FILES:
        return False
    while frame is not None and frame.f_code.co_filename in jp.TREE_FILES:
        frame = frame.f_back
    module = "" if frame is None else frame.f_globals.get("__name__", "")
    return not module.startswith(("jax.", "shims."))


def prepared(values: Any, code: Any, axes: Axes) -> Iterator[Any]:
    """Return the two leaves with padding of 0 and a code that does not count; the code is computed last.

    Before it is asked for, JAX has compared the axes with those of another tree.
    """
    refused_reductions.watch()
    count = len(axes) + 1
    is_whole = _is_array(values) and _is_array(code) and size_code.is_code(code, count)
    if is_whole and jnp.ndim(code) - size_code.RANK <= jnp.ndim(values) + min(axes, default=0):
        values, code = _without_padding(values, code, tuple(axes))
    yield values
    if axes.meets_others is not None:
        code = jnp.where(axes.meets_others, size_code.damaged(count), code)
    yield code


def _is_array(x: Any) -> bool:
    return isinstance(x, (jax.Array, np.ndarray))


@functools.partial(jax.jit, static_argnums=2)
def _without_padding(values: Any, code: Any, axes: tuple[int, ...]) -> tuple[Any, Any]:
    (*sizes, _), is_whole = size_code.decode(code, len(axes) + 1)

    def as_rows(x: Any) -> Any:
        return jnp.reshape(x, x.shape + (1,) * (values.ndim - x.ndim))

    mask = jnp.ones((), bool)
    for axis, size in zip(axes, sizes, strict=True):
        slots = lax.broadcasted_iota(jnp.int32, values.shape, values.ndim + axis)
        mask &= slots < as_rows(size)
    kept = jnp.where(mask | ~as_rows(is_whole), values, jnp.zeros_like(values))
    return kept, size_code.shrunk(code)
