"""Run JAX code over data-dependent sizes as one dynamic program, eagerly or under a JAX trace."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments.conversion import narrow_array
from shims._src.errors import errors, internal, refusals
from shims._src.platform import accelerators, device_arrays, host_memory, meshes
from shims._src.platform import jax_private as jp
from shims._src.recording.recording import is_followed
from shims._src.sizes import primitives, trace
from shims._src.sizes.padded import OK, Padded, check_status
from shims._src.sizes.sites import Settled, Site
from shims._src.tracing import attempts, eager_lengths, postponed_errors
from shims._src.tracing.both_answers import run_enclosed
from shims._src.tracing.padded_results import specifications
from shims._src.tracing.program import lower, measured_sizes, trace_program
from shims._src.tracing.settling import settle_reports
from shims._src.tracing.shape_only import has_foreign_sizes, outlined


def _is_leaf(x) -> bool:
    return isinstance(x, Padded)


def _is_operand(x) -> bool:
    return isinstance(x, (Padded, jax.Array, np.ndarray, np.generic))


def run_dynamic(f, args: tuple, kwargs: dict[str, Any] | None = None, unconverted=None):
    """Call `f` in the current dynamic trace, or as a new dynamic program if there is none.

    Args:
      f: the function, whose control flow may be converted.
      args: its positional arguments.
      kwargs: the keyword arguments of the function.
      unconverted: the function as written, for programs whose conversion cannot be staged.
    """
    kwargs = kwargs or {}
    state = trace.current()
    if state is not None:
        if _is_shard(state, (args, kwargs)):
            with trace.resume(None):
                return run_dynamic(f, args, kwargs, unconverted)
        args, kwargs = entered((args, kwargs))
        return f(*args, **kwargs)
    leaves, tree = jax.tree.flatten((args, kwargs), is_leaf=_is_leaf)
    places = [i for i, x in enumerate(leaves) if _is_operand(x)]
    operands = [narrow_array(leaves[i]) for i in places]
    for x in filter(_is_leaf, operands):
        x.check_is_one_value()

    def on_operands(f):
        def called(*xs):
            full = list(leaves)
            for i, x in zip(places, xs, strict=True):
                full[i] = x
            a, k = jax.tree.unflatten(tree, full)
            return f(*a, **k)

        return called

    concrete = jp.ambient_is_eager() and not any(jp.is_tracer(x) for x in jax.tree.leaves(operands))
    if concrete:
        run = functools.partial(_run_concretely, f, on_operands(f))
    else:
        plain = None if unconverted is None else on_operands(unconverted)
        run = functools.partial(_run_traced, on_operands(f), unconverted=plain)
    with attempts.of_one_call():
        return meshes.with_automatic_axes(run, operands)


def _is_shard(state, tree) -> bool:
    """Return whether the body of a `shard_map` in a dynamic program is a program of its own, with static operands.

    Each device has sizes of its own, which the program around the `shard_map` cannot name.
    """
    shapes = [np.shape(x) for x in jax.tree.leaves(tree) if isinstance(x, jax.Array)]
    is_known = not any(map(jp.is_symbolic, itertools.chain(*shapes)))
    return is_known and jp.manual_axes() != state.manual_axes


def entered(tree):
    """Replace each `Padded` from outside of the dynamic trace by an array of unknown size."""
    leaves, structure = jax.tree.flatten(tree, is_leaf=_is_leaf)
    if not any(map(_is_leaf, leaves)):
        return tree
    return jax.tree.unflatten(structure, [_entered(x) if _is_leaf(x) else x for x in leaves])


def _entered(x: Padded):
    x.check_is_one_value()
    if not any(map(jp.is_tracer, jax.tree.leaves(x))):
        return x.unpad()
    if jp.is_tracer(x.status):
        text = errors.message(
            "Padded", "a padded argument is not valid, because an earlier operation failed."
        )
        primitives.check(x.status != OK, text)
    else:
        check_status(x.status, x.values)
    return _cut(x.values, x.sizes)


def _cut(array, sizes):
    for axis, size in sizes.items():
        places = primitives.fresh_range(size, bound=array.shape[axis], label="Padded")
        array = primitives.take(array, places, axis)
    return array


def _run_traced(f, operands, unconverted=None):
    if has_foreign_sizes(operands):
        return outlined(f, operands)
    return run_enclosed(f, operands, unconverted)


@jp.moving_data
def _run_concretely(f, on_operands, operands):
    """Run `f` as a dynamic program of concrete operands.

    Once `f` has been called with several lengths, the operands are padded, so that JAX compiles less.
    """
    trace.forget_ended()
    operands = [_exact_operand(x) if isinstance(x, Padded) else x for x in operands]
    lengths = eager_lengths.history(f, operands)
    if lengths.met(operands):
        try:
            return _run_eagerly(on_operands, operands, lengths.prepared)
        except Exception as error:  # noqa: BLE001 - with exact shapes it works, or fails with a better error
            internal.raise_if_internal(error)
            lengths.failed()
    try:
        return _run_eagerly(on_operands, operands, _prepare_exactly)
    except postponed_errors.REFUSALS as error:
        if not trace.failure_of(error).measured or not postponed_errors.depends_on_sizes(error):
            raise
        try:
            with postponed_errors.postponed():
                return _run_eagerly(on_operands, operands, _prepare_exactly)
        except Exception:  # noqa: BLE001 - it fails in any case; the first error is raised
            raise error from error.__cause__


class _NeedsExactShapesError(Exception):
    """Raised if a program with padded operands needs one of their sizes as a Python number."""


def _prepare_exactly(operands, settled):
    state = trace.DynamicTrace(settled=settled, may_assume=True)
    return state, *specifications(state, operands)


def _run_eagerly(f, operands, prepared):
    buckets: dict[Site, int] = {}
    settled, first = Settled(), None
    while True:
        state, specs, arrays, sizes = prepared(operands, settled)
        try:
            program = trace_program(state, f, specs, operands)
            values, ctx = lower(program, arrays, sizes, buckets)
        except trace.Respecialize as wanted:
            if wanted.names:
                raise _NeedsExactShapesError from None
            settled = settled.with_pins(wanted.pins, measured=True)
            continue
        except (errors.CapacityError, errors.ResourceExhaustedError):
            raise
        except Exception as error:  # noqa: BLE001 - JAX has no class for "the size is unknown"
            internal.raise_if_internal(error)
            first = first or error
            settled = _with_constants(error, first, f, operands, settled, prepared)
            continue
        found = [(r.condition, int(r.code)) for r in ctx.reports]
        if not settle_reports(found, buckets, settled):
            outs = [
                exact(jp.as_jax(v.array), {i: a.size for i, a in enumerate(v.axes) if a})
                for v in values
            ]
            return jax.tree.unflatten(program.out_tree, outs)


def _exact_operand(x: Padded):
    """Return a `Padded` operand as an array without padding; a gradient tape that records it still finds it."""
    if not is_followed(x.values):
        return x.unpad()
    check_status(x.status, x.values)
    return exact(x.values, x.sizes)


def _with_constants(error, first, f, operands, settled: Settled, prepared) -> Settled:
    """Return settings for the next trace after an error, with the sizes of this call as constants.

    Raises:
      Exception: the error, translated, if all sizes were constants already.
    """
    known = trace.failure_of(error).measured
    if not known:
        state, specs, _, _ = prepared(operands, settled)
        known = measured_sizes(state, f, specs, operands)
    more = known.items() - settled.pins.items()
    if not more:
        raise refusals.translated(refusals.clearer(first, error)) from error
    return settled.with_pins(dict(more), measured=True)


# The number of elements from which a selection is worth a thread.
_LARGE = 1 << 17


def exact_all(parts):
    """Remove the padding of several results of a program, given as `(array, sizes, validity masks)`.

    Large selections are processed in parallel. A result that is the only one to use its array may view it.
    """
    large = [i for i, (array, _, masks) in enumerate(parts) if masks and array.size >= _LARGE]
    large = [i for i in large if not is_followed(parts[i][0])]
    done = {}
    if len(large) > 1:
        cut = host_memory.side_by_side([functools.partial(_cut_on_host, *parts[i]) for i in large])
        done = dict(zip(large, map(jp.array_from_host, cut), strict=True))
    used = [id(array) for array, *_ in parts]
    return [
        done[i] if i in done else exact(*part, is_own=used.count(used[i]) == 1)
        for i, part in enumerate(parts)
    ]


def exact(array, sizes, masks=None, *, is_own=False):
    """Remove the padding of a result where it lies, or by JAX operations under a tape.

    Args:
      array: the result of a program.
      sizes: for each dynamic axis that is packed, its size.
      masks: for each other dynamic axis, its validity mask.
      is_own: whether nothing else refers to the array.
    """
    if not sizes and not masks:
        return array
    if is_followed(array):
        for axis, size in sizes.items():
            array = lax.slice_in_dim(array, 0, int(size), axis=axis)
        for axis, mask in (masks or {}).items():
            array = _take_slots(array, np.flatnonzero(np.asarray(mask)), axis)
        return array
    if not masks:
        sizes = {axis: int(size) for axis, size in sizes.items()}
        is_whole = all(array.shape[axis] == size for axis, size in sizes.items())
        if is_whole or not accelerators.on_cpu(array):
            return device_arrays.cut(array, sizes, is_own=is_own)
    return jp.array_from_host(_cut_on_host(array, sizes, masks))


def _take_slots(array, places, axis):
    """Gather the slots `places` along an axis.

    If there are none, the result is a slice of `array`, so that a tape still connects the two.
    """
    if not places.size:
        return lax.slice_in_dim(array, 0, 0, axis=axis)
    return jnp.take(array, places, axis=axis)


def _cut_on_host(array, sizes, masks) -> np.ndarray:
    index = [slice(None)] * array.ndim
    for axis, size in sizes.items():
        index[axis] = slice(int(size))
    out = np.asarray(array)[tuple(index)]
    for axis, mask in (masks or {}).items():
        out = host_memory.selected(out, np.asarray(mask), axis)
    return out
