"""Pad arrays inside a dynamic trace, by widths or along axes that are unknown."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import numbering, primitives, size_bounds
from shims._src.sizes.constant_sizes import with_known_size
from shims._src.sizes.decisions import Question


def pad(state, original, array, pad_width, mode="constant", **options):
    """Replace `jnp.pad` if a width is unknown; a width that is negative at run time is an error."""
    if not isinstance(mode, str):  # `lax.pad` has the same name
        return original(array, pad_width, mode, **options)
    leaves = jax.tree.leaves(pad_width)
    if mode in _POSITIONS and not options and _needs_positions(array, leaves, mode):
        return _pad_by_positions(state, jnp.asarray(array), pad_width, mode)
    if mode != "constant" or not any(jp.is_symbolic(w) or jp.is_tracer(w) for w in leaves):
        return original(array, pad_width, mode, **options)
    x = jnp.asarray(array)
    value = options.get("constant_values", 0)
    if np.ndim(value):
        return original(array, pad_width, mode, **options)
    for axis, (low, high) in enumerate(_widths(pad_width, x.ndim)):
        blocks = [_block(state, x, axis, low, value), x, _block(state, x, axis, high, value)]
        blocks = [b for b in blocks if b is not None]
        if len(blocks) > 1:
            x = with_known_size(jnp.concatenate(blocks, axis), axis)
    return x


def _needs_positions(array, widths, mode) -> bool:
    unknown_sizes = any(map(jp.is_symbolic, np.shape(array)))
    return (mode == "wrap" and unknown_sizes) or any(map(jp.is_symbolic, widths))


def _pad_by_positions(state, x, pad_width, mode):
    """Pad with elements of the array; an axis without elements is an error unless its widths are 0."""
    for axis, (low, high) in enumerate(_widths(pad_width, x.ndim)):
        low, high = (_checked_width(state, width) for width in (low, high))
        if not any(map(jp.is_symbolic, (low, high))) and low == high == 0:
            continue
        size, count = primitives.as_size(x.shape[axis]), low + x.shape[axis] + high
        _check_elements(state, x.shape[axis], size, mode)
        places = jnp.arange(count) - primitives.as_size(low)
        x = primitives.take(x, _POSITIONS[mode](places, jnp.maximum(size, 1)), axis)
    return x


def _check_elements(state, d, size, mode) -> None:
    text = errors.message(
        "jnp.pad",
        f'`mode="{mode}"` repeats elements of an axis, but the axis is empty.',
        required="at least 1 element",
        received=f"`{d}` = {errors.NUMBER}",
        do="pad with a constant, `jnp.pad(y, 1)`, or test the size first: `if y.shape[0] > 0`",
    )
    primitives.check(size < 1, state.with_origins(text), size)


def _mirrored(places, size):
    places = places % (2 * size)
    return jnp.where(places < size, places, 2 * size - 1 - places)


def _reflected(places, size):
    places = places % jnp.maximum(2 * size - 2, 1)
    return jnp.where(places < size, places, 2 * size - 2 - places)


# From positions outside of an axis to those of the elements that are repeated there.
_POSITIONS = {
    "wrap": lambda places, size: places % size,
    "edge": lambda places, size: jnp.clip(places, 0, size - 1),
    "symmetric": _mirrored,
    "reflect": _reflected,
}


def _widths(pad_width, rank: int) -> list[tuple]:
    """Convert any form of `pad_width` that `jnp.pad` accepts to one pair of widths per axis."""
    if isinstance(pad_width, dict):
        given = {axis % rank: _pair(pair) for axis, pair in pad_width.items()}
        return [given.get(axis, (0, 0)) for axis in range(rank)]
    if not isinstance(pad_width, (tuple, list)):
        if np.ndim(pad_width) == 0:
            return [(pad_width, pad_width)] * rank
        pad_width = list(pad_width)
    if len(pad_width) <= 2 and not any(_is_sequence(p) for p in pad_width):
        return [_pair(pad_width)] * rank
    pairs = [_pair(p) for p in pad_width]
    pairs = pairs * rank if len(pairs) == 1 else pairs
    if len(pairs) != rank:
        raise ValueError(f"pad_width has {len(pairs)} pairs for an array of rank {rank}.")
    return pairs


def _is_sequence(value) -> bool:
    return isinstance(value, (tuple, list)) or np.ndim(value) > 0


def _pair(pair) -> tuple:
    parts = list(pair) if _is_sequence(pair) else [pair]
    return (parts[0], parts[-1])


def _block(state, x, axis: int, width, value):
    """Return the padding before or after an axis, an array; `None` if the width is known to be 0."""
    d = _checked_width(state, width)
    if not jp.is_symbolic(d) and d == 0:
        return None
    shape = (*x.shape[:axis], d, *x.shape[axis + 1 :])
    return jnp.broadcast_to(jnp.asarray(value, x.dtype), shape)


def _checked_width(state, width):
    """Convert a padding width to a dimension, and check at run time that it is not negative."""
    is_traced = jp.is_tracer(width)
    known = numbering.symbolic_value(width) if is_traced else width
    if known is None:
        _check(state, width, width)
        return primitives.to_dim(width, label="jnp.pad")
    if not jp.is_symbolic(known):
        if known < 0:
            raise ValueError(f"jnp.pad: index can't contain negative values: {known}")
        return int(known)
    if size_bounds.sign(known) != 1:
        if state.is_input_only(known):
            if not state.decide(known, Question.NONNEGATIVE, f"{known} >= 0"):
                raise ValueError(f"jnp.pad: index can't contain negative values: {known}")
        else:
            state.decisions.promise(known)
            _check(state, known, primitives.as_size(known))
    return known


def _check(state, shown, width) -> None:
    text = errors.message(
        "jnp.pad",
        "a padding width is negative.",
        required="widths >= 0",
        received=f"`{shown}`" if jp.is_symbolic(shown) else "a traced number",
        do="limit the width: `jnp.pad(y, (0, max(8 - n, 0)))`",
    )
    primitives.check(width < 0, state.with_origins(text), width)
