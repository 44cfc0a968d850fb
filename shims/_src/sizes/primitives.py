"""Define the primitives that create, carry and check data-dependent sizes.

`compress` and `fresh_range` create sizes, `as_size` and `to_dim` convert between scalars and
dimensions, `same_size` and `bounded` state facts about sizes, and `check` tests a condition at run
time. Each runs eagerly on concrete arrays and symbolically inside a dynamic trace; every operator is
composed from these and JAX.
"""

from __future__ import annotations

import contextlib
import functools

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.errors import errors, refusals
from shims._src.platform import device_arrays
from shims._src.platform import jax_private as jp
from shims._src.platform.thread_state import ThreadStack
from shims._src.sizes import (
    loop_numbers,
    numbering,
    on_device,
    on_host,
    room,
    size_numbers,
    trace,
)
from shims._src.sizes.decisions import Question
from shims._src.sizes.sites import OUTER_BOUND, Site

compress_p = jp.Primitive("compress")
expand_p = jp.Primitive("expand")
fresh_range_p = jp.Primitive("fresh_range")
limit_p = jp.Primitive("limit")
unify_p = jp.Primitive("unify")
sized_p = jp.Primitive("sized")
size_number_p = jp.Primitive("size_number")
check_p = jp.Primitive("runtime_check")
check_p.multiple_results = True
outgrow_p = jp.Primitive("outgrow")
outgrow_p.multiple_results = True

# These make a size, or scatter a selection back; each has the size's `name` as a parameter.
SIZE_MAKERS = frozenset(p.name for p in (compress_p, expand_p, fresh_range_p))


# ---- the functions that operators call ---------------------------------------------------------


def compress(x, mask, axis: int = 0):
    """Select the slices of `x` along `axis` where the vector `mask` is true.

    Args:
      x: array `[..., n, ...]`.
      mask: bool vector `[n]`.
      axis: which axis of `x` the mask belongs to.

    Returns:
      The selected slices in order; in a dynamic trace `axis` gets a new data-dependent size.
    """
    if not jp.is_tracer(mask):
        if on_host.lies_here(x):
            return on_host.selected(x, np.asarray(mask), axis)
        if on_device.lies_there(x, mask) and mask.shape == (x.shape[axis],):
            return on_device.selected(x, mask, axis % x.ndim)
        return take(jnp.asarray(x), np.nonzero(np.asarray(mask))[0], axis % jnp.ndim(x))
    state = _require_trace("boolean_mask")
    x, mask = jp.as_jax(x), jp.as_jax(mask, bool)
    axis = axis % x.ndim
    if all(not jp.is_symbolic(d) and d == 0 for d in (mask.shape[0], x.shape[axis])):
        return x  # nothing can be selected from nothing
    name, dim = numbering.size_of_selection(state, mask)
    x, mask = jp.varying_as((x, mask), (x, mask))
    again = functools.partial(compress_p.bind, mask, mask, axis=0, name=name, dim=dim)
    state.fresh.state_maker(name, again)
    return compress_p.bind(x, mask, axis=axis, name=name, dim=dim)


def take(x, positions, axis: int):
    """Take the elements at `positions`, which must be in range, along an axis.

    If nothing is taken, the result is an empty slice of `x`: `jnp.take` would return a constant, through
    which gradients do not flow.
    """
    shape = (*x.shape[:axis], *np.shape(positions), *x.shape[axis + 1 :])
    if any(not jp.is_symbolic(d) and d == 0 for d in shape):
        return lax.slice_in_dim(x, 0, 0, axis=axis).reshape(shape)
    return jnp.take(x, positions, axis=axis, mode="clip")


def connected(result, *operands):
    """Make `result` depend on floating-point arrays that contribute no element to it.

    JAX drops gathers and scatters of no elements. A tape would then find no connection and return `None` as
    the gradient, where TensorFlow returns zeros.
    """
    for x in operands:
        if x.ndim and jnp.issubdtype(x.dtype, jnp.inexact):
            result = result + jnp.sum(lax.slice_in_dim(x, 0, 0)).astype(result.dtype)
    return result


def fresh_range(count, *, bound=None, dtype=jnp.int32, label: str = "range"):
    """Return `[0, 1, ..., count - 1]` for a count that may be traced.

    Args:
      count: int scalar; a negative count gives an empty result.
      bound: a static or symbolic upper bound of the count, if the caller knows a better one than interval
        analysis would find; it is not checked.
      dtype: an integer dtype.
      label: the operator's name for messages.
    """
    if not jp.is_tracer(count):
        if jp.is_symbolic(count):
            return jnp.arange(count, dtype=dtype)
        room.check_capacity(label, int(count))
        return jnp.arange(max(int(count), 0), dtype=dtype)
    known = numbering.symbolic_value(count)
    if known is None and bound is not None and not jp.is_symbolic(bound) and bound <= 0:
        known = 0  # JAX refuses positions of unknown number in an axis of no elements
    if known is not None:
        return jnp.arange(known, dtype=dtype)
    return _range_of_new_size(count, bound, dtype, label)


def positions_of_loop(count):
    """Return `[0, 1, ..., count - 1]` for the iterations of a loop, `None` if nothing bounds the count.

    Whether something does is found when the program is lowered, which may end the trace with `EndlessLoop`.
    """
    state = trace.current()
    if not jp.is_tracer(count) or state is None or numbering.symbolic_value(count) is not None:
        return fresh_range(count)
    if state.is_endless(numbering.size_of_count(state, as_count(count))[0]):
        return None
    return _range_of_new_size(count, None, jnp.int32, "range", of_loop=True)


def _range_of_new_size(count, bound, dtype, label, of_loop=False):
    """Return `[0, 1, ..., count - 1]`, whose length is a new data-dependent size."""
    state = _require_trace(label)
    count = as_count(count)
    name, dim = numbering.size_of_count(state, count, bound)
    params = {"name": name, "dim": dim, "bound": bound, "dtype": np.dtype(dtype), "label": label}
    params["of_loop"] = of_loop
    state.fresh.state_maker(name, functools.partial(fresh_range_p.bind, count, **params))
    return fresh_range_p.bind(count, **params)


def as_count(number):
    """Convert a number of elements to int32; numbers too large for int32 become the largest int32."""
    number = jp.as_jax(number)
    if jnp.iinfo(number.dtype).max > room.MOST_SLOTS:
        number = jnp.minimum(number, jnp.asarray(room.MOST_SLOTS, number.dtype))
    return jp.as_jax(number, jnp.int32)


def one_more(highest):
    """Return `highest + 1`, the number of rows if the last row has that index; clipped to int32."""
    return jnp.minimum(as_count(highest), jnp.int32(room.MOST_SLOTS - 1)) + 1


def total(lengths, *, label: str):
    """Return the sum of a vector of sizes; a sum that int32 cannot hold is an error."""
    if not jp.is_tracer(lengths):
        return device_arrays.sum_of_sizes(lengths)
    text = errors.message(label, "the sum of the sizes exceeds the range of int32.")
    rough = jnp.sum(lengths.astype(jnp.float32))
    check(rough >= 2.0**31, text, error=errors.ResourceExhaustedError)
    return jnp.sum(lengths, dtype=jnp.int32)


def as_size(d):
    """Convert a dimension, static or symbolic, to an int32 scalar."""
    return jnp.asarray(d, jnp.int32)


def size_number(dim, sources):
    """Return a dimension as a number that depends on the masks and counts of its sizes.

    Args:
      dim: a dimension.
      sources: the mask, a vector, or the count of each of its data-dependent sizes, by name.
    """
    operands = [x if x.ndim else jp.as_jax(x, np.int32) for x in sources.values()]
    return size_number_p.bind(*operands, dim=dim, names=tuple(sources))


def to_dim(value, *, label: str = "range", bound=None):
    """Convert a size, given as a number, a dimension or a (traced) scalar, to a dimension.

    A traced scalar that was computed from dimensions is converted back to their expression; any other
    becomes a new data-dependent size.
    """
    if jp.is_symbolic(value):
        return value
    if not jp.is_tracer(value):
        room.check(label, (int(value),))
        return int(value)
    known = numbering.symbolic_value(value)
    if known is not None:
        return known
    return fresh_range(value, bound=bound, label=label).shape[0]


def bounded(x, max: int):
    """State an upper bound of `x`, which is checked while the program runs.

    Args:
      x: int array or scalar.
      max: the largest value that `x` may have.

    Returns:
      `x`. If `x` exceeds the bound, a top-level call runs again with a larger capacity, or raises
      `CapacityError` if `overflow` is `"raise"`. Under an enclosing `jit`, the result is an error value.

    Raises:
      CapacityError: in an eager call, `x` exceeds the bound.
    """
    if not jp.is_tracer(x):
        high = int(np.max(np.asarray(x), initial=-(2**31)))
        if high > max:
            raise errors.CapacityError(
                errors.message(
                    "bounded",
                    f"`x` is {high}, which exceeds the declared bound.",
                    required=f"x <= {max}",
                    received=str(high),
                    do=f"raise the bound: `shims.bounded(x, max={high})`",
                )
            )
        return x
    state = trace.current()
    site = OUTER_BOUND if state is None else state.new_limit()
    return limit_p.bind(jnp.asarray(x), max=int(max), site=site)


def same_size(a, b):
    """State that the leading axes of `a` and `b` have the same size, which is checked at run time.

    Args:
      a: array `[n, ...]`.
      b: array `[m, ...]`, or a dimension.

    Returns:
      `a`, whose leading dimension is now the leading dimension of `b`.

    Raises:
      InvalidArgumentError: the sizes differ. In an eager call, the error is raised at once; otherwise, the
        error is raised after the call.
    """
    target = b.shape[0] if hasattr(b, "shape") else b
    return unify_axis(a, 0, target, label="same_size")


def settle_one(x, axis: int, *, label: str):
    """Give an axis of `x` the static size 1 if it has size 1 in this call, to broadcast it.

    This applies to sizes computed from input sizes (`n - 2`, `n // 3`), and the decision gets a guard. An
    input size of 1 is a constant already.
    """
    state, d = trace.current(), x.shape[axis]
    if state is None or not state.owns(d) or str(d) in jp.variables(d):
        return x
    if not state.is_input_only(d) or not state.decide(d - 1, Question.ZERO, f"{d} == 1"):
        return x
    return unify_axis(x, axis, 1, label=label)


def unify_axis(x, axis: int, target, *, label: str, broadcasts: bool = False):
    """State that an axis of `x` has the size `target`; checked at run time if not known.

    Args:
      x: array.
      axis: which axis.
      target: a dimension.
      label: the operator's name for messages.
      broadcasts: whether the axis may also have size 1 at run time, and then broadcasts. If instead
        `target` is 1 at run time, the call is traced again with that as a constant.
    """
    have = x.shape[axis]
    if not jp.is_symbolic(have) and not jp.is_symbolic(target):
        if int(have) != int(target):
            raise errors.InvalidArgumentError(
                errors.message(
                    label,
                    "the sizes of two operands differ.",
                    required=f"size {target} along axis {axis}",
                    received=f"size {have}",
                )
            )
        return x
    if jp.is_symbolic(have) and jp.is_symbolic(target) and have == target:
        return x
    text = errors.message(
        label,
        "the sizes of two operands differ.",
        required=f"equal sizes: {have} == {target} (axis {axis})",
        received=f"{have} = {errors.NUMBER}",
        do="select both operands with the same mask, or cut both to the same size",
    )
    state = trace.current()
    if broadcasts and state is not None and state.fresh.is_met(target):
        return broadcast_axis(x, axis, target, label=label)
    if broadcasts and state is not None and _is_of_argument(state, target):
        text += "; if `a` has size 1, `shims.broadcast_to(a, b.shape)` repeats its element"
    if state is not None:
        for d in (have, target) if broadcasts else ():
            state.decide_if_one(d)
        _settle_difference(state, have, target, text, broadcasts=broadcasts)
    text = text if state is None else state.with_origins(text)
    ones = "spread" if broadcasts else "differ"
    return unify_p.bind(jnp.asarray(x), axis=axis, new=target, text=text, ones=ones)


def broadcast_axis(x, axis: int, target, *, label: str):
    """Broadcast an axis of `x` to the size `target`: it has that size or the size 1, which is checked at run time."""
    have = x.shape[axis]
    text = errors.message(
        label,
        "the size of an axis does not broadcast to the size in the requested shape.",
        required=f"size {target}, or 1 (axis {axis})",
        received=f"{have} = {errors.NUMBER}",
    )
    state = trace.current()
    if state is not None:
        _settle_difference(state, have, target, text, onto=True)
        text = state.with_origins(text)
    return unify_p.bind(jnp.asarray(x), axis=axis, new=target, text=text, ones="onto")


def _settle_difference(state, have, target, text: str, *, broadcasts=False, onto=False) -> None:
    """Raise an error for sizes that differ, if the program handles errors of this step, which decides it now."""
    if not size_numbers.differ_where_handled(state, have, target):
        return
    for d in (have, target) if broadcasts else (have,) if onto else ():
        size_numbers.settle_if_one(state, d)
    raise refusals.of_data(errors.InvalidArgumentError(_with_number(text, target)))


def _is_of_argument(state, d) -> bool:
    """Return whether a size is that of a `Padded` argument, which is not 1 while the program is traced."""
    if not jp.is_symbolic(d) or not state.owns(d) or state.is_input_only(d):
        return False
    return str(d) not in state.fresh


def check(bad, text: str, payload=0, *, error=errors.InvalidArgumentError) -> None:
    """Raise `error(text)` if any element of `bad` is true: eagerly at once, otherwise after the call.

    Where the traced program handles errors, the data decide while it is traced, or it is staged for both answers.
    """
    if not jp.is_tracer(bad):
        if device_arrays.is_any(bad):
            raise error(_with_number(text, payload))
        return
    state = trace.current()
    if state is None and _FLAGS.top is not None:
        _FLAGS.top.append(bad)
    elif state is not None:
        text = state.with_origins(text)
        if size_numbers.are_handled() and is_known_true(state, bad):
            raise refusals.of_data(error(_with_number(text, payload)))
        payload = jnp.asarray(payload, jnp.int32)
        check_p.bind(jnp.asarray(bad, bool), payload, text=text, error=error)


def _with_number(text: str, payload) -> str:
    """Return the text of an error that is raised while tracing, with the number in it, if that is known."""
    known = "an unknown number of" if jp.is_tracer(payload) else str(payload)
    return text.replace(errors.NUMBER, known)


def is_known_true(state, condition) -> bool | None:
    """Return whether any element is true, as the trace decides on a size of 0 or 1; `None` if nothing decides it.

    Raises:
      DependsOnCounter: nothing decides it, although sizes and the numbers of a loop do.
    """
    size = to_dim(jnp.any(condition).astype(jnp.int32), label="check", bound=1)
    if not jp.is_symbolic(size):
        return bool(size)
    answer = state.answer(size, Question.ZERO, "an operand is valid")
    if answer is not None:
        return not answer
    for d in numbering.sizes_behind(condition) or ():
        size_numbers.settle_if_handled(state, d)
    if loop_numbers.is_number(condition):
        raise DependsOnCounter
    return None


class DependsOnCounter(errors.FreshSizeError):
    """Tells that the counter of a staged loop decides on an error that the program handles."""

    __module__ = "shims.errors"

    def __init__(self) -> None:
        super().__init__(
            errors.message(
                "",
                "the program catches an error that depends on a loop counter, whose value is "
                "unknown while the program is traced.",
                required="a number that is known while the program is traced",
                do="test the number first (`if i > 0:`) instead of catching the error",
            )
        )


DependsOnCounter.__name__ = errors.FreshSizeError.__name__


# The conditions collected by `flagging`.
_FLAGS: ThreadStack[list] = ThreadStack()


def flagging() -> contextlib.AbstractContextManager[list]:
    """Return a context manager that collects the traced conditions passed to `check`.

    It has an effect only outside of dynamic traces.
    """
    return _FLAGS.pushed([])


def check_capacity(size, site: Site, capacity: int) -> None:
    """Check at run time that a size fits its buffer; otherwise a top-level call enlarges it."""
    if jp.is_tracer(size):
        outgrow_p.bind(jnp.asarray(size, jnp.int32), site=site, capacity=capacity)


def _require_trace(label: str) -> trace.DynamicTrace:
    state = trace.current()
    if state is None:
        raise errors.OutsideDynamicTraceError(
            errors.message(
                label,
                "the size of the result depends on traced data.",
                required="a dynamic trace",
                do=(
                    "call the function that contains this step through `shims.function` or "
                    "`shims.dynamic(f)`"
                ),
            )
        )
    return state


# ---- abstract evaluation, derivatives, batching --------------------------------------------------


def _with_dim(aval, axis, dim):
    shape = (*aval.shape[:axis], dim, *aval.shape[axis + 1 :])
    return jp.with_shape(aval, shape)


@compress_p.def_abstract_eval
def _compress_aval(x, mask, *, axis, name, dim):
    return _with_dim(x, axis, dim)


@expand_p.def_abstract_eval
def _expand_aval(x, mask, *, axis, name, dim):
    return _with_dim(x, axis, mask.shape[0])


@fresh_range_p.def_abstract_eval
def _fresh_range_aval(count, *, name, dim, bound, dtype, label, of_loop):
    return jp.shaped((dim,), dtype, count)


@limit_p.def_abstract_eval
def _limit_aval(x, *, max, site):
    return x


@unify_p.def_abstract_eval
def _unify_aval(x, *, axis, new, text, ones):
    return _with_dim(x, axis, new)


@sized_p.def_abstract_eval
def _sized_aval(x, *carriers):
    return x


@size_number_p.def_abstract_eval
def _size_number_aval(*sources, dim, names):
    number = jp.core.dim_value_aval()
    if not any(map(jp.varying_axes, sources)):
        return number
    return jp.shaped(number.shape, number.dtype, *sources).update(weak_type=number.weak_type)


# The effect keeps a check in programs of which only derivatives are used.
@check_p.def_effectful_abstract_eval
def _check_aval(bad, payload, *, text, error):
    return [], {jp.report_effect}


@outgrow_p.def_effectful_abstract_eval
def _outgrow_aval(size, *, site, capacity):
    return [], {jp.report_effect}


def _compress_transpose(ct, x, mask, *, axis, name, dim):
    if type(ct) is jp.ad.Zero:
        return [jp.ad.Zero(x.aval), None]
    return [expand_p.bind(ct, mask, axis=axis, name=name, dim=dim), None]


def _expand_transpose(ct, x, mask, *, axis, name, dim):
    if type(ct) is jp.ad.Zero:
        return [jp.ad.Zero(x.aval), None]
    return [compress_p.bind(ct, mask, axis=axis, name=name, dim=dim), None]


def _sized_transpose(ct, x, *carriers):
    if type(ct) is jp.ad.Zero:
        return [jp.ad.Zero(x.aval), *[None] * len(carriers)]
    return [sized_p.bind(ct, *carriers), *[None] * len(carriers)]


# The treatment of a size of 1 that meets another one, and its transpose. "onto" is a broadcast to a given size, for
# which the operand's size alone may be 1.
_TRANSPOSED_ONES = {
    "differ": "differ",
    "spread": "sum",
    "sum": "spread",
    "onto": "summed",
    "summed": "onto",
}


def _unify_transpose(ct, x, *, axis, new, text, ones):
    if type(ct) is jp.ad.Zero:
        return [jp.ad.Zero(x.aval)]
    back = _TRANSPOSED_ONES[ones]
    return [unify_p.bind(ct, axis=axis, new=x.aval.shape[axis], text=text, ones=back)]


def _linear_in_first(primitive):
    def jvp(primals, tangents, **params):
        out = primitive.bind(*primals, **params)
        tangent = tangents[0]
        if type(tangent) is jp.ad.Zero:
            return out, jp.ad.Zero(jp.core.typeof(out).to_tangent_aval())
        return out, primitive.bind(tangent, *primals[1:], **params)

    jp.ad.primitive_jvps[primitive] = jvp


for _p in (compress_p, expand_p, unify_p, sized_p):
    _linear_in_first(_p)
jp.ad.primitive_transposes[compress_p] = _compress_transpose
jp.ad.primitive_transposes[expand_p] = _expand_transpose
jp.ad.primitive_transposes[unify_p] = _unify_transpose
jp.ad.primitive_transposes[sized_p] = _sized_transpose


def _no_tangent(primitive):
    def jvp(primals, tangents, **params):
        out = primitive.bind(*primals, **params)
        if primitive.multiple_results:
            return out, []
        return out, jp.ad.Zero(jp.core.typeof(out).to_tangent_aval())

    jp.ad.primitive_jvps[primitive] = jvp


for _p in (fresh_range_p, limit_p, size_number_p, check_p, outgrow_p):
    _no_tangent(_p)


def _batch_selection(primitive):
    def rule(args, dims, **params):
        x, mask = args
        if dims[1] is not jp.NOT_MAPPED:
            raise errors.FreshSizeError(
                errors.message(
                    "boolean_mask",
                    "under `vmap` each row selects a different number of elements.",
                    do="call `vmap` inside a function that is decorated with `shims.function`",
                )
            )
        axis = params["axis"]
        x = jnp.moveaxis(x, dims[0], 0)
        return primitive.bind(x, mask, **dict(params, axis=axis + 1)), 0

    jp.batching.primitive_batchers[primitive] = rule


_batch_selection(compress_p)
_batch_selection(expand_p)


def _batch_unify(args, dims, *, axis, **params):
    x = jnp.moveaxis(args[0], dims[0], 0)
    return unify_p.bind(x, axis=axis + 1, **params), 0


def _batch_sized(args, dims):
    # A batched carrier has its size in the axes after the batch axis.
    return sized_p.bind(*args), dims[0]


def _batch_limit(args, dims, **params):
    return limit_p.bind(args[0], **params), dims[0]


def _batch_check(args, dims, **params):
    check_p.bind(*args, **params)
    return [], []


def _batch_range(args, dims, **params):
    raise errors.FreshSizeError(
        errors.message(
            params["label"],
            "under `vmap` each row has a different size.",
            do="call `vmap` inside a function that is decorated with `shims.function`",
        )
    )


def _batch_size_number(args, dims, *, dim, names):
    if any(d is not jp.NOT_MAPPED for d in dims):
        raise errors.FreshSizeError(
            errors.message(
                "vmap",
                f"the size `{dim}` differs from row to row.",
                do="call `vmap` inside a function that is decorated with `shims.function`",
            )
        )
    return (
        size_number_p.bind(*args, dim=dim, names=names),
        jp.NOT_MAPPED,
    )


jp.batching.primitive_batchers[size_number_p] = _batch_size_number
jp.batching.primitive_batchers[unify_p] = _batch_unify
jp.batching.primitive_batchers[sized_p] = _batch_sized
jp.batching.primitive_batchers[limit_p] = _batch_limit
jp.batching.primitive_batchers[outgrow_p] = lambda args, dims, **params: (
    outgrow_p.bind(jnp.max(args[0]), **params),
    [],
)
jp.batching.primitive_batchers[check_p] = _batch_check
jp.batching.primitive_batchers[fresh_range_p] = _batch_range


def _limit_outside_lowering(x, *, max, site):
    return x


# Outside of a dynamic trace a bound is a note on a number: an identity when it is compiled.
limit_p.def_impl(_limit_outside_lowering)
jp.mlir.register_lowering(
    limit_p, jp.mlir.lower_fun(_limit_outside_lowering, multiple_results=False)
)
