"""Replace functions of `jax.numpy` inside a dynamic trace, so that they support unknown sizes."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments.searching import insertion_points
from shims._src.errors import errors
from shims._src.numeric.exact_quotient import quotient
from shims._src.numeric.sort_keys import ascending_key
from shims._src.platform import jax_private as jp
from shims._src.sizes import numbering, primitives
from shims._src.tracing import hooked_indexing, hooked_pad


def promote_shapes(state, original, name, *arrays):
    """Broadcast operands; data-dependent sizes of one axis are declared equal, checked at run time."""
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
    return original(name, *arrays)


def _common_size(state, sizes):
    """Return the size that several sizes of one axis are declared equal to.

    Returns `None` if nothing has to be declared.
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
    return next((d for d in distinct if not jp.is_symbolic(d)), distinct[0])


def _are_equal_in_call(state, a, b) -> bool:
    """Return whether two expressions over input sizes are equal in this call, and add a guard.

    For `d = x[1:]`, JAX writes the sizes of `d[1:]` and `d[:-1]` as `n - 1 - min(n - 1, 1)` and
    `max(0, n - 2)`.
    """
    if not (state.owns(a) and state.owns(b)) or jp.variables(a) != jp.variables(b):
        return False
    difference = a - b
    if not jp.is_symbolic(difference):
        return False
    return state.decide(difference, lambda value: value == 0, f"{a} == {b}")


def _must_follow(d, target) -> bool:
    if not jp.is_symbolic(d) and d == 1:
        return False
    return not _same(d, target)


def _same(a, b) -> bool:
    return jp.is_symbolic(a) == jp.is_symbolic(b) and bool(a == b)


def _as_mask(a):
    """Return whether the entries are not 0; a mask itself, so that its selections have one size."""
    a = jnp.asarray(a)
    return a if a.dtype == bool else a != 0


def _places(a, fill_value):
    """Return the positions of the entries that are not 0; a fill value changes their dtype, as in JAX."""
    places, fills = hooked_indexing.nonzero(_as_mask(a)), jax.tree.leaves(fill_value)
    return tuple(x.astype(jnp.result_type(int, *fills)) if fills else x for x in places)


def _nonzero(state, original, a, *, size=None, fill_value=None):
    if size is not None or not jp.is_tracer(a):
        return original(a, size=size, fill_value=fill_value)
    return _places(a, fill_value)


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
    if np.ndim(indices) > 1:
        # From an axis of no elements JAX takes that axis, whatever the shape of the positions.
        state.assume_some(np.size(a) if axis is None else np.shape(a)[axis])
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
            "the condition is true behind the end of the array.",
            do="build the mask from the array that it selects from",
        )
        primitives.check(jnp.any(condition[count:]), text, error=errors.OutOfBoundsError)
        a, condition = a[(slice(None),) * (axis % a.ndim) + (slice(length),)], condition[:count]
    return primitives.compress(a, condition, axis)


def _arange(state, original, start, stop=None, step=None, dtype=None, **options):
    given = (start, stop, step)
    if not any(jp.is_tracer(g) for g in given):
        return original(start, stop, step, dtype, **options)
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    kind = jnp.result_type(start, stop, step) if dtype is None else dtype
    span = jnp.asarray(stop) - jnp.asarray(start)
    if jnp.issubdtype(kind, jnp.integer):
        count = jnp.maximum(-(-span // step), 0)
    else:
        count = quotient(span.astype(kind), jnp.asarray(step, kind))
        count = jnp.ceil(count).astype(jnp.int32)
    places = primitives.fresh_range(count, label="jnp.arange")
    return (jnp.asarray(start) + places * jnp.asarray(step)).astype(kind)


def _fill_hook(name):
    def fill(state, original, shape, *args, **options):
        if jp.is_tracer(shape) and np.ndim(shape) == 1:
            shape = tuple(shape)
        sizes = shape if isinstance(shape, (tuple, list)) else (shape,)
        if not any(jp.is_tracer(d) for d in sizes):
            return original(shape, *args, **options)
        sizes = tuple(_size_of(f"jnp.{name}", d) for d in sizes)
        return original(sizes, *args, **options)

    return fill


def _size_of(function, number):
    """Convert a number to a dimension; a negative one is an error, as in JAX."""
    if jp.is_tracer(number) and numbering.symbolic_value(number) is None:
        text = errors.message(function, "a size must be >= 0.", received=errors.NUMBER)
        primitives.check(number < 0, text, number)
    return primitives.to_dim(number, label=function)


def _searchsorted(state, original, a, v, side="left", sorter=None, **options):
    if not (np.ndim(a) == 1 and jp.is_symbolic(np.shape(a)[0])):
        return original(a, v, side=side, sorter=sorter, **options)
    a, v = jnp.asarray(a), jnp.asarray(v)
    kind = jnp.promote_types(a.dtype, v.dtype)
    a = a if sorter is None else a[sorter]
    a, v = (ascending_key(x.astype(kind)) for x in (a, v))
    return insertion_points(a, v.reshape(-1), side).reshape(v.shape)


def _squeeze(state, original, a, *axis, **named):
    shape = np.shape(a)
    given = [*axis, *named.values()]  # `axis` to `jax.numpy`, `dimensions` to `lax`
    if any(x is not None for x in given) or not any(map(jp.is_symbolic, shape)):
        return original(a, *axis, **named)
    for d in shape:
        if jp.is_symbolic(d) and not state.is_input_only(d):
            # If the size is 1 at run time, squeezing it gives another program, so that is checked.
            state.is_zero(d - 1, f"{d} == 1")
    return original(
        a, axis=tuple(i for i, d in enumerate(shape) if not jp.is_symbolic(d) and d == 1)
    )


def _eye(state, original, n, m=None, k=0, dtype=None, **options):
    if not any(jp.is_tracer(d) for d in (n, m, k)):
        return original(n, m, k, dtype, **options)
    rows = _size_of("jnp.eye", n)
    columns = rows if m is None else _size_of("jnp.eye", m)
    same = jnp.arange(rows)[:, None] + k == jnp.arange(columns)[None, :]
    return same.astype(jnp.float32 if dtype is None else dtype)


def _repeat(state, original, a, repeats, axis=None, *, total_repeat_length=None, **options):
    if total_repeat_length is not None or not jp.is_tracer(repeats):
        return original(a, repeats, axis, total_repeat_length=total_repeat_length, **options)
    a = jnp.asarray(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    counts = jnp.broadcast_to(jnp.maximum(repeats, 0), (a.shape[axis],))
    ends = jnp.cumsum(counts)
    places = primitives.fresh_range(
        primitives.total(counts, label="jnp.repeat"), label="jnp.repeat"
    )
    source = insertion_points(ends, places, "right")
    return jnp.take(a, source, axis=axis, mode="clip")


def _split(state, original, op, ary, indices_or_sections, axis=0):
    at = indices_or_sections
    if jp.is_tracer(at) and np.ndim(at) == 1 and not jp.is_symbolic(at.shape[0]):
        at = list(at)
    ary = jnp.asarray(ary)
    axis = axis % max(ary.ndim, 1)
    is_listed = np.ndim(at) == 1 if not isinstance(at, (tuple, list)) else True
    if not is_listed or not any(map(_is_unknown, (*at, *ary.shape[axis : axis + 1]))):
        return original(op, ary, indices_or_sections, axis)
    before = (slice(None),) * axis
    bounds = zip([None, *at], [*at, None], strict=True)
    return [ary[(*before, slice(start, stop))] for start, stop in bounds]


def _is_unknown(size) -> bool:
    return jp.is_tracer(size) or jp.is_symbolic(size)


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
    """Convolve or correlate vectors: the whole result is cut to the mode's window."""
    if not any(jp.is_symbolic(d) for d in (*np.shape(x), *np.shape(y))):
        return original(x, y, mode, op, precision, preferred_element_type)
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
    """Pad by unknown amounts before a convolution, which takes numbers only."""
    widths = () if isinstance(padding, str) else tuple(map(tuple, padding))
    dilation = args[0] if args else named.get("lhs_dilation")
    plain = dilation is None or all(d == 1 for d in dilation)
    if not plain or not any(jp.is_symbolic(w) for pair in widths for w in pair):
        return original(lhs, rhs, window_strides, padding, *args, **named)
    numbers = args[2] if len(args) > 2 else named.get("dimension_numbers")
    spec = lax.conv_dimension_numbers(np.shape(lhs), np.shape(rhs), numbers).lhs_spec
    config = [(0, 0, 0)] * np.ndim(lhs)
    for axis, (low, high) in zip(spec[2:], widths, strict=True):
        config[axis] = (low, high, 0)
    lhs = lax.pad(lhs, jnp.zeros((), lhs.dtype), config)
    return original(lhs, rhs, window_strides, ((0, 0),) * len(widths), *args, **named)


def _bincount(state, original, x, weights=None, minlength=0, *, length=None):
    if length is None and jp.is_tracer(x):
        count = jnp.maximum(jnp.max(x, initial=-1) + 1, minlength)
        minlength, length = 0, primitives.to_dim(count, label="jnp.bincount")
    return original(x, weights, minlength, length=length)


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
    _, out = lax.scan(step, start, rows, reverse=reverse)
    return jax.tree.unflatten(tree, [jnp.moveaxis(x, 0, axis) for x in out])


def product_jvp(state, original, primals, tangents, **params):
    """Differentiate a product over an axis of unknown size.

    The derivative by a factor is the product of all factors before it and all factors after it.
    """
    (x,), (t,) = primals, tangents
    axes = params["axes"]
    if not any(map(jp.is_symbolic, x.shape)) or type(t) is jp.ad.Zero:
        return original(primals, tangents, **params)
    kept = [a for a in range(x.ndim) if a not in axes]
    flat = [v.transpose(*axes, *kept).reshape(-1, *[x.shape[a] for a in kept]) for v in (x, t)]
    one = jnp.ones((1, *flat[0].shape[1:]), x.dtype)
    before = jnp.concatenate([one, lax.cumprod(flat[0], 0)])[:-1]
    after = jnp.concatenate([lax.cumprod(flat[0], 0, reverse=True), one])[1:]
    return jnp.prod(x, tuple(axes)), jnp.sum(flat[1] * before * after, 0)


def _psum(state, original, x, axis_name, **options):
    """Sum over a mapped axis; sizes are no constants, since they may differ along that axis."""
    leaves, tree = jax.tree.flatten(x)
    numbers = [primitives.as_size(v) if jp.is_symbolic(v) else v for v in leaves]
    return original(jax.tree.unflatten(tree, numbers), axis_name, **options)


def _of_sizes(state, original, a, *args, **options):
    if isinstance(a, np.ndarray) and a.dtype.hasobject:
        a = a.tolist()  # sizes are objects to NumPy
    return original(a, *args, **options)


def _cond(state, original, condition, *args, **options):
    if jp.is_symbolic(condition):
        condition = condition.__jax_array__()  # JAX would ask for its truth while tracing
    return original(condition, *args, **options)


def _cov(state, original, m, y=None, rowvar=True, *args, **options):
    """Compute a covariance, which is NaN for no observations; JAX asks before the sizes are known."""
    result = original(m, y, rowvar, *args, **options)
    shape = np.shape(m)
    count = shape[-1 if rowvar or len(shape) == 1 else 0] if shape else 1
    if not jp.is_symbolic(count) or state.is_input_only(count):
        return result
    return jnp.where(primitives.as_size(count) == 0, jnp.nan, result)


FUNCTIONS = (
    ("cov", _cov),
    ("cond", _cond),
    ("asarray", _of_sizes),
    ("pad", hooked_pad.pad),
    ("array", _of_sizes),
    ("squeeze", _squeeze),
    ("eye", _eye),
    ("repeat", _repeat),
    ("_split", _split),
    ("fill_diagonal", _fill_diagonal),
    ("iterable", _iterable),
    ("_conv", _conv),
    ("bincount", _bincount),
    ("_segment_update", _segment_update),
    ("associative_scan", _associative_scan),
    ("nonzero", _nonzero),
    ("where", _where),
    ("argwhere", _argwhere),
    ("flatnonzero", _flatnonzero),
    ("compress", _compress),
    ("take", _take),
    ("arange", _arange),
    ("zeros", _fill_hook("zeros")),
    ("ones", _fill_hook("ones")),
    ("full", _fill_hook("full")),
    ("empty", _fill_hook("empty")),
    ("searchsorted", _searchsorted),
    ("psum", _psum),
    ("_psum", _psum),
)
