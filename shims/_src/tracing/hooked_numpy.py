"""Replace functions of `jax.numpy` inside a dynamic trace, so that they support unknown sizes."""

from __future__ import annotations

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
import opt_einsum
from jax import lax

from shims._src.arguments import operands
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.platform import loops_per_device
from shims._src.sizes import broadcast_sizes, primitives, size_bounds, size_numbers
from shims._src.sizes.decisions import Question
from shims._src.tracing import handled_errors, hooked_indexing, hooked_pad


def promote_shapes(state, original, name, *arrays):
    """Broadcast operands; data-dependent sizes are declared equal, checked at run time."""

    def added(*exact):
        return functools.reduce(
            lax.add, original(name, *exact)
        )  # JAX compares sizes in its operations

    return original(name, *_of_common_sizes(state, name, arrays, added))


def broadcast_arrays(state, original, *arrays):
    """Broadcast arrays to the same shape, as `jnp.where` does; data-dependent sizes are declared equal."""
    return original(*_of_common_sizes(state, "jnp.broadcast_arrays", arrays, original))


def _of_common_sizes(state, name, arrays, original):
    """Return operands whose sizes along each axis, counted from the last, are equal or 1.

    Raises:
      Exception: that of `original`, if the sizes differ and the program handles that error.
    """
    try:
        return _unified(state, name, arrays)
    except errors.InvalidArgumentError:
        _raise_as_exact(state, original, *arrays)
        raise


def _raise_as_exact(state, call, *arrays) -> None:
    """Raise the error that `call` raises for arrays whose sizes are numbers that the answers so far allow."""
    sizes = [d for a in arrays for d in np.shape(a)]
    size_numbers.raise_as_exact(
        state, sizes, lambda exact: call(*[jnp.zeros(exact(np.shape(a))) for a in arrays])
    )


def _unified(state, name, arrays):
    shapes = [np.shape(a) if not jp.is_symbolic(a) else () for a in arrays]
    rank = max(map(len, shapes), default=0)
    for back in range(1, rank + 1):
        sizes = [s[-back] for s in shapes if len(s) >= back]
        target = _common_size(state, sizes)
        if target is None:
            continue
        arrays = [
            primitives.unify_axis(
                jnp.asarray(a), len(s) - back, target, label=name, broadcasts=True
            )
            if len(s) >= back and _must_follow(s[-back], target)
            else a
            for a, s in zip(arrays, shapes, strict=True)
        ]
    return arrays


def broadcast_to(state, original, arr, shape, *args, **options):
    """Broadcast an array to a shape; whether a size of a selection is that of the shape or 1 is checked at run time."""
    have, back = np.shape(arr), min(np.ndim(arr), len(shape))
    pairs = zip(have[len(have) - back :], shape[len(shape) - back :], strict=True)
    onto = arr
    try:
        for axis, (d, target) in enumerate(pairs, len(have) - back):
            is_known = not jp.is_symbolic(d) and (d == 1 or not jp.is_symbolic(target))
            if not is_known and not _same(d, target) and _depends_on_data(state, d, target):
                onto = primitives.broadcast_axis(onto, axis, target, label="jnp.broadcast_to")
    except errors.InvalidArgumentError:
        size_numbers.raise_as_exact(
            state, (*have, *shape), lambda exact: original(jnp.zeros(exact(have)), exact(shape))
        )
        raise
    return original(onto, shape, *args, **options)


def _depends_on_data(state, *sizes) -> bool:
    return any(state.owns(d) and not state.is_input_only(d) for d in sizes)


def lax_reshape(state, original, operand, new_sizes, *args, **options):
    """Reshape; where the program handles errors, the counts of elements are compared while it is traced."""
    have, counts = np.shape(operand), [math.prod(np.shape(operand)), math.prod(new_sizes)]
    if any(map(jp.is_symbolic, counts)) and size_numbers.differ_where_handled(state, *counts):
        size_numbers.raise_as_exact(
            state,
            (*have, *new_sizes),
            lambda exact: jnp.reshape(jnp.zeros(exact(have)), exact(new_sizes)),
        )
    return original(operand, new_sizes, *args, **options)


def _common_size(state, sizes):
    """Return the size to which the different sizes of a common axis are declared equal.

    Returns `None` if the sizes are equal already, or JAX has to decide.
    """
    distinct = []
    for d in sizes:
        if not (not jp.is_symbolic(d) and d == 1) and all(not _same(d, e) for e in distinct):
            distinct.append(d)
    fresh = [d for d in distinct if state.owns(d) and not state.is_input_only(d)]
    if len(distinct) < 2:
        return None
    if not fresh:
        return (
            distinct[0]
            if all(_are_equal_in_call(state, distinct[0], d) for d in distinct[1:])
            else None
        )
    return broadcast_sizes.common(state, distinct)


def _are_equal_in_call(state, a, b) -> bool:
    """Return whether two expressions over input sizes are equal in this call; add a guard.

    For `d = x[1:]`, JAX writes the equal sizes of `d[1:]` and `d[:-1]` as `n - 1 - min(n - 1, 1)` and
    `max(0, n - 2)`.
    """
    if not (state.owns(a) and state.owns(b)) or jp.variables(a) != jp.variables(b):
        return False
    difference = a - b
    if not jp.is_symbolic(difference):
        return False
    return state.decide(difference, Question.ZERO, f"{a} == {b}")


def _must_follow(d, target) -> bool:
    if not jp.is_symbolic(d) and d == 1:
        return False
    return not _same(d, target)


def _same(a, b) -> bool:
    return jp.is_symbolic(a) == jp.is_symbolic(b) and bool(a == b)


def divide_shape_sizes(state, original, shape, part):
    """Return the size that a -1 in a shape stands for, as in `reshape`.

    `shape` is the old shape, `part` the new one. The run checks that the division has no remainder.
    """
    total, divisor = math.prod(shape), math.prod(part)
    _check_divisor(state, part, -divisor)
    if jp.is_symbolic(divisor) or divisor >= 0 or state.is_input_only(total):
        return original(shape, part)
    quotient, rest = divmod(total, -divisor)  # a shape with a -1 has a negative product
    if size_numbers.differ_where_handled(state, rest, 0):
        size_numbers.raise_as_exact(
            state, (*shape, *part), lambda exact: jnp.zeros(exact(shape)).reshape(exact(part))
        )
    return -quotient if jp.is_symbolic(rest) else original(shape, part)


def _check_divisor(state, part, divisor) -> None:
    """Check at run time that a -1 stands for a size; beside a size of 0 it cannot."""
    of_data = state.owns(divisor) and not state.is_input_only(divisor)
    if not of_data or size_bounds.never_zero(state, divisor):
        return
    text = errors.message(
        "reshape",
        "a size of -1 cannot be inferred if another size is 0.",
        required=f"no size of 0 in the shape ({', '.join(map(str, part))})",
        do="write the size instead of -1: `y.reshape(n, 3)`",
    )
    primitives.check(primitives.as_size(divisor) == 0, text, error=errors.ZeroDivisorError)


def _as_mask(a):
    """Return a mask of the nonzero entries; a mask is returned unchanged.

    All selections by that mask then have the same size.
    """
    a = jnp.asarray(a)
    return a if a.dtype == bool else a != 0


def _places(a, fill_value):
    """Return the positions of the entries that are not 0, of JAX's dtype of indices; a fill value may change it."""
    dtype = jnp.result_type(int, *jax.tree.leaves(fill_value))
    return tuple(x.astype(dtype) for x in hooked_indexing.nonzero(_as_mask(a)))


def _nonzero(state, original, a, *, size=None, fill_value=None):
    if size is None and jp.is_tracer(a):
        return _places(a, fill_value)
    places = original(a, size=size, fill_value=fill_value)
    if fill_value is None or not _depends_on_data(state, *filter(jp.is_symbolic, np.shape(a))):
        return places
    # JAX fills with 0 where the array has no elements.
    is_empty = primitives.as_size(math.prod(np.shape(a))) == 0
    return tuple(jnp.where(is_empty, 0, x) for x in places)


def _where(state, original, condition, x=None, y=None, *args, size=None, fill_value=None):
    if hasattr(condition, "__jax_array__") and not hasattr(condition, "dtype"):
        condition = condition.__jax_array__()  # a comparison of a size, as a number
    if x is None and y is None and size is None and jp.is_tracer(condition):
        return _places(condition, fill_value)
    return original(condition, x, y, *args, size=size, fill_value=fill_value)


def _argwhere(state, original, a, *, size=None, fill_value=None):
    if size is not None or not jp.is_tracer(a):
        return original(a, size=size, fill_value=fill_value)
    return jnp.stack(_places(a, fill_value), -1)


def _flatnonzero(state, original, a, *, size=None, fill_value=None):
    if size is not None or not jp.is_tracer(a):
        return original(a, size=size, fill_value=fill_value)
    return _places(jnp.ravel(a), fill_value)[0]


def _take(state, original, a, indices, axis=None, **options):
    if axis is not None and hooked_indexing.reads_nothing(indices, a, axis):
        taken = hooked_indexing.from_nothing(jnp.asarray(a), indices, axis)
        return taken if np.ndim(indices) < 2 else jnp.asarray(a)
    size = math.prod(np.shape(a)) if axis is None else np.shape(a)[axis]
    if np.ndim(indices) > 1:
        # From an axis of no elements JAX takes that axis, whatever the shape of the positions.
        state.assume_some(size)
    if options.get("mode") == "wrap" and jp.is_symbolic(size):
        state.assume_some(size)
        indices = jnp.asarray(indices)
        count = jnp.maximum(primitives.as_size(size), 1).astype(indices.dtype)
        indices, options = jnp.mod(indices, count), {**options, "mode": "clip"}
    return original(a, indices, axis=axis, **options)


def _compress(state, original, condition, a, axis=None, **options):
    if options.get("size") is not None or not jp.is_tracer(condition):
        return original(condition, a, axis=axis, **options)
    a = jnp.asarray(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    condition, count = jnp.asarray(condition, bool), a.shape[axis]
    length = condition.shape[0]
    if not _same(length, count):
        text = errors.message(
            "compress",
            "the condition is longer than the array, and is true beyond the end of the array.",
            do="build the mask from the array from which it selects",
        )
        primitives.check(jnp.any(condition[count:]), text, error=errors.OutOfBoundsError)
        a, condition = a[(slice(None),) * (axis % a.ndim) + (slice(length),)], condition[:count]
    return primitives.compress(a, condition, axis)


def _squeeze(state, original, a, *axis, **named):
    shape = np.shape(a)
    given = [*axis, *named.values()]  # `axis` to `jax.numpy`, `dimensions` to `lax`
    if any(x is not None for x in given) or not any(map(jp.is_symbolic, shape)):
        return original(a, *axis, **named)
    for d in shape:
        if jp.is_symbolic(d) and not state.is_input_only(d):
            # If the size is 1 at run time, squeezing it gives another program, so this is checked.
            state.is_zero(d - 1, f"{d} == 1")
    return original(
        a, axis=tuple(i for i, d in enumerate(shape) if not jp.is_symbolic(d) and d == 1)
    )


def _iterable(state, original, y):
    return bool(np.ndim(y)) if jp.is_tracer(y) else original(y)


def _fill_diagonal(state, original, a, val, wrap=False, *, inplace=True):
    if inplace or wrap or np.ndim(a) != 2 or not any(map(jp.is_symbolic, np.shape(a))):
        return original(a, val, wrap, inplace=inplace)
    a, val = jnp.asarray(a), jnp.asarray(val)
    if val.ndim:
        val = val.reshape(-1)
        val = val[jnp.arange(a.shape[0]) % jnp.asarray(val.shape[0])][:, None]
    on_diagonal = jnp.arange(a.shape[0])[:, None] == jnp.arange(a.shape[1])
    return jnp.where(on_diagonal, val.astype(a.dtype), a)


def _conv(state, original, x, y, mode, op, precision, preferred_element_type=None):
    """Convolve or correlate vectors of unknown sizes: cut the full result to the mode's window."""
    sizes = (*np.shape(x), *np.shape(y))
    if not any(map(jp.is_symbolic, sizes)):
        return original(x, y, mode, op, precision, preferred_element_type)
    if any(not jp.is_symbolic(d) and d == 0 for d in sizes):
        original(jnp.zeros(0), jnp.zeros(0), mode, op, precision)  # raises JAX's error
    for v in (x, y):
        state.assume_some(v.shape[0])
    kind = preferred_element_type or jnp.promote_types(jnp.result_type(x, y), jnp.float32)
    x, y = x.astype(kind), y.astype(kind)
    if op == "convolve" and jp.is_symbolic(y.shape[0]):
        x, y = y, x
    n, k = x.shape[0], y.shape[0]
    kernel = jnp.conj(y) if op == "correlate" else y[::-1]
    full = lax.conv_general_dilated(
        x[None, None], kernel[None, None], (1,), ((k - 1, k - 1),), precision="highest"
    )[0, 0]
    if mode == "full":
        return full
    short, long = jp.core.min_dim(n, k), jp.core.max_dim(n, k)
    # JAX correlates with the shorter vector, and then reverses the result.
    reverses = jp.core.min_dim(jp.core.max_dim(k - n, 0), 1) if op == "correlate" else 0
    start, size = (short - 1, long - short + 1)
    if mode == "same":
        start, size = (short - 1 + reverses) // 2, long
    return full[start : start + size]


def conv_general_dilated(state, original, lhs, rhs, window_strides, padding, *args, **named):
    """Convolve with padding of unknown widths by padding first; JAX accepts only numbers."""
    widths = () if isinstance(padding, str) else tuple(map(tuple, padding))
    dilation = args[0] if args else named.get("lhs_dilation")
    plain = dilation is None or all(d == 1 for d in dilation)
    if not plain:
        numbers = args[2] if len(args) > 2 else named.get("dimension_numbers")
        spec = lax.conv_dimension_numbers(np.shape(lhs), np.shape(rhs), numbers).lhs_spec
        _decide_if_spread(state, [np.shape(lhs)[i] for i in spec[2:]], dilation)
    if not plain or not any(jp.is_symbolic(w) for pair in widths for w in pair):
        return original(lhs, rhs, window_strides, padding, *args, **named)
    numbers = args[2] if len(args) > 2 else named.get("dimension_numbers")
    spec = lax.conv_dimension_numbers(np.shape(lhs), np.shape(rhs), numbers).lhs_spec
    config = [(0, 0, 0)] * np.ndim(lhs)
    for axis, (low, high) in zip(spec[2:], widths, strict=True):
        config[axis] = (low, high, 0)
    lhs = lax.pad(lhs, jnp.zeros((), lhs.dtype), config)
    return original(lhs, rhs, window_strides, ((0, 0),) * len(widths), *args, **named)


def _decide_if_spread(state, sizes, factors) -> None:
    """Decide whether axes that are padded between their elements have elements; JAX's formula assumes it."""
    for d, factor in zip(sizes, factors, strict=True):
        if jp.is_symbolic(d) and not jp.is_symbolic(factor) and factor > 1:
            state.is_zero(d, f"{d} == 0")


def lax_pad(state, original, operand, padding_value, padding_config):
    """Pad; `lax.pad` with numbers between the elements of an axis that may have none."""
    _decide_if_spread(state, np.shape(operand), [i + 1 for _, _, i in padding_config])
    return original(operand, padding_value, padding_config)


def reduce_window(state, original, operand, *args, **named):
    """Reduce windows, whose sizes become numbers; the axes of a dilated operand may have no elements."""
    window = args[2] if len(args) > 2 else named.get("window_dimensions")
    for d in filter(jp.is_symbolic, window if isinstance(window, (tuple, list)) else ()):
        size_numbers.number_of(state, d, "a window", size_numbers.AS_WINDOW)
    dilation = args[5] if len(args) > 5 else named.get("base_dilation")
    if dilation is not None and hasattr(operand, "shape"):
        _decide_if_spread(state, operand.shape, dilation)
    return original(operand, *args, **named)


def _segment_update(
    state, original, name, data, segment_ids, scatter, num_segments=None, *rest, **named
):
    if num_segments is None and jp.is_tracer(segment_ids):
        for d in segment_ids.shape:
            if jp.is_symbolic(d):
                state.assume_some(d)
        count = jnp.max(segment_ids) + 1
        num_segments = primitives.to_dim(count, label=f"jax.ops.{name}")
    return original(name, data, segment_ids, scatter, num_segments, *rest, **named)


def _polyval(state, original, p, x, *, unroll=16):
    """Evaluate a polynomial with an unknown number of coefficients, over which JAX loops while it traces."""
    if not np.ndim(p) or not jp.is_symbolic(np.shape(p)[0]):
        return original(p, x, unroll=unroll)
    x = primitives.as_size(x) if jp.is_symbolic(x) else jnp.asarray(x)
    kind = jnp.result_type(p, x)
    start = jnp.zeros(lax.broadcast_shapes(p.shape[1:], x.shape), kind)
    return loops_per_device.scan(lambda y, c: ((y * x + c).astype(kind), None), start, p)[0]


def _associative_scan(state, original, fn, elems, reverse=False, axis=0):
    leaves, tree = jax.tree.flatten(elems)
    if not leaves or not jp.is_symbolic(leaves[0].shape[axis % leaves[0].ndim]):
        return original(fn, elems, reverse=reverse, axis=axis)

    def combine(a, b):
        wide = [jnp.expand_dims(x, axis) for x in a], [jnp.expand_dims(x, axis) for x in b]
        joined = fn(*(jax.tree.unflatten(tree, w) for w in wide))
        return [jnp.squeeze(x, axis) for x in jax.tree.leaves(joined)]

    def step(carry, xs):
        first, total = carry
        joined = [jnp.where(first, x, y) for x, y in zip(xs, combine(total, xs), strict=True)]
        return (jnp.zeros_like(first), joined), joined

    rows = [jnp.moveaxis(x, axis, 0) for x in leaves]
    start = (jnp.ones((), bool), [jnp.ones(x.shape[1:], x.dtype) for x in rows])
    # The tree of an associative scan needs a static depth; a sequential scan does not.
    _, out = loops_per_device.scan(step, start, rows, reverse=reverse)
    return jax.tree.unflatten(tree, [jnp.moveaxis(x, 0, axis) for x in out])


def product_jvp(state, original, primals, tangents, **params):
    """Differentiate a product over an axis of unknown size.

    The derivative by a factor is the product of all factors before and all factors after that factor.
    """
    (x,), (t,) = primals, tangents
    axes = params["axes"]
    if not any(map(jp.is_symbolic, x.shape)) or type(t) is jp.ad.Zero:
        return original(primals, tangents, **params)
    kept = [a for a in range(x.ndim) if a not in axes]
    # Not -1, which stands for nothing beside a size of 0.
    count = math.prod(x.shape[a] for a in axes)
    flat = [v.transpose(*axes, *kept).reshape(count, *[x.shape[a] for a in kept]) for v in (x, t)]
    one = jnp.ones((1, *flat[0].shape[1:]), x.dtype)
    before = jnp.concatenate([one, lax.cumprod(flat[0], 0)])[:-1]
    after = jnp.concatenate([lax.cumprod(flat[0], 0, reverse=True), one])[1:]
    return jnp.prod(x, tuple(axes)), jnp.sum(flat[1] * before * after, 0)


def _collective(state, original, x, axis_name, **options):
    """Combine values over a mapped axis; sizes are arrays there, since they may differ along the axis."""
    leaves, tree = jax.tree.flatten(x)
    numbers = [primitives.as_size(v) if jp.is_symbolic(v) else v for v in leaves]
    return original(jax.tree.unflatten(tree, numbers), axis_name, **options)


def _of_sizes(state, original, a, *args, **options):
    if isinstance(a, np.ndarray) and a.dtype.hasobject:
        a = a.tolist()  # sizes are objects to NumPy
    return original(a, *args, **options)


def _einsum(state, original, subscripts, *args, **options):
    """Declare that axes of one label have the same size: JAX replaces sizes that are unknown by a number."""
    if not any(jp.is_symbolic(d) for x in args for d in np.shape(x)):
        return original(subscripts, *args, **options)
    terms, out, arrays = opt_einsum.parser.parse_einsum_input((subscripts, *args))
    arrays, first = list(map(jnp.asarray, arrays)), {}
    for i, labels in enumerate(terms.split(",")):
        for axis, label in enumerate(labels):
            j, other = first.setdefault(label, (i, axis))
            if j != i:
                arrays[j], arrays[i] = operands.meeting(
                    "jnp.einsum", arrays[j], other, arrays[i], axis, broadcasts=True
                )
    return original(f"{terms}->{out}", *arrays, **options)


def _cond(state, original, condition, *args, **options):
    if jp.is_symbolic(condition):
        condition = condition.__jax_array__()  # JAX would ask for its truth while tracing
    return original(condition, *args, **options)


def _cov(state, original, m, y=None, rowvar=True, *args, **options):
    """Compute a covariance; it is NaN if a data-dependent number of observations is 0."""
    result = original(m, y, rowvar, *args, **options)
    shape = np.shape(m)
    count = shape[-1 if rowvar or len(shape) == 1 else 0] if shape else 1
    if not jp.is_symbolic(count) or state.is_input_only(count):
        return result
    return jnp.where(primitives.as_size(count) == 0, jnp.nan, result)


def _alike(state, original, arrays, *rest, **options):
    """Call a function of arrays of the same shape; if the program handles errors, decide whether the shapes are equal.

    Elsewhere JAX's error says which sizes to state.
    """
    if isinstance(arrays, (list, tuple)) and arrays and handled_errors.are_handled():
        arrays = [arrays[0], *(_with_sizes_of(arrays[0], x) for x in arrays[1:])]
    return original(arrays, *rest, **options)


def _with_sizes_of(first, x):
    if np.ndim(first) != np.ndim(x):
        return x
    for axis, (target, have) in enumerate(zip(np.shape(first), np.shape(x), strict=True)):
        if jp.is_symbolic(target) or jp.is_symbolic(have):
            x = primitives.unify_axis(x, axis, target, label="arrays of the same shape")
    return x


FUNCTIONS = (
    ("stack", _alike),
    ("lexsort", _alike),
    ("cov", _cov),
    ("cond", _cond),
    ("einsum", _einsum),
    ("asarray", _of_sizes),
    ("pad", hooked_pad.pad),
    ("array", _of_sizes),
    ("squeeze", _squeeze),
    ("fill_diagonal", _fill_diagonal),
    ("iterable", _iterable),
    ("_conv", _conv),
    ("_segment_update", _segment_update),
    ("associative_scan", _associative_scan),
    ("polyval", _polyval),
    ("nonzero", _nonzero),
    ("where", _where),
    ("argwhere", _argwhere),
    ("flatnonzero", _flatnonzero),
    ("compress", _compress),
    ("take", _take),
    ("psum", _collective),
    ("_psum", _collective),
    ("pmax", _collective),
    ("pmin", _collective),
    ("all_gather", _collective),
)
