"""Make ranges, filled arrays, repetitions and parts of unknown sizes, as functions of `jax.numpy` do."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.arguments.searching import insertion_points
from shims._src.errors import errors
from shims._src.numeric.exact_quotient import quotient
from shims._src.platform import jax_private as jp
from shims._src.sizes import numbering, primitives


def _arange(state, original, start, stop=None, step=None, dtype=None, **options):
    given = (start, stop, step)
    if any(map(jp.is_symbolic, given)) and any(isinstance(g, (float, np.floating)) for g in given):
        return _arange_of_fractions(original, *_with_defaults(*given), dtype, options)
    if not any(jp.is_tracer(g) for g in given):
        return original(start, stop, step, dtype, **options)
    start, stop, step = _with_defaults(*given)
    kind = jnp.result_type(start, stop, step) if dtype is None else dtype
    span = jnp.asarray(stop) - jnp.asarray(start)
    if jnp.issubdtype(kind, jnp.integer):
        # Without a quotient, the number has the bounds that are stated for the ends.
        is_by_one = isinstance(step, int) and step == 1
        count = jnp.maximum(span if is_by_one else -(-span // step), 0)
    else:
        count = quotient(span.astype(kind), jnp.asarray(step, kind))
        count = jnp.ceil(count).astype(jnp.int32)
    places = primitives.fresh_range(count, label="jnp.arange")
    return (jnp.asarray(start) + places * jnp.asarray(step)).astype(kind)


def _with_defaults(start, stop, step):
    start, stop = (0, start) if stop is None else (start, stop)
    return start, stop, 1 if step is None else step


# Numbers that are multiples of 1 / this: with them the number of elements is exact.
_FINEST = 1 << 10


def _arange_of_fractions(original, start, stop, step, dtype, options):
    """Return equally spaced floats between numbers of which some are sizes."""
    kind = jnp.result_type(float) if dtype is None else dtype
    scaled = [x * _FINEST if jp.is_symbolic(x) else float(x) * _FINEST for x in (start, stop, step)]
    if not all(jp.is_symbolic(x) or x.is_integer() for x in scaled):
        start, stop, step = (
            x.__jax_array__() if jp.is_symbolic(x) else x for x in (start, stop, step)
        )
        return jnp.arange(start, stop, step, dtype=kind, **options)
    low, high, by = (x if jp.is_symbolic(x) else int(x) for x in scaled)
    span = high - low
    count = jp.core.max_dim(-(-span // by), 0)
    places = original(0, count, 1, None, **options).astype(kind)
    start, step = (jnp.asarray(x, kind) for x in (start, step))
    return start + places * step


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


def _shape_hook(name, parameter="shape"):
    """Return a hook for a function of an array and a shape in which numbers may be traced."""

    def known(shape):
        if jp.is_tracer(shape):
            shape = tuple(shape) if np.ndim(shape) else (shape,)
        if isinstance(shape, (tuple, list)) and any(map(jp.is_tracer, shape)):
            return tuple(_size_of(f"jnp.{name}", d) for d in shape)
        return shape

    def reshaped(state, original, *args, **options):
        if parameter in options:
            options[parameter] = known(options[parameter])
        return original(*args[:1], *map(known, args[1:2]), *args[2:], **options)

    return reshaped


def new_shape(state, original, array, shape):
    """Compute the shape that `array.reshape` and `jnp.reshape` give, from numbers of which some are traced."""
    parts = (shape,) if jp.is_tracer(shape) and not shape.ndim else shape
    parts = tuple(parts) if isinstance(parts, list) or jp.is_tracer(parts) else parts
    if not isinstance(parts, tuple) or not any(map(jp.is_tracer, parts)):
        return original(array, shape)
    return original(array, tuple(_size_of("reshape", d) for d in parts))


def _size_of(function, number):
    """Convert a function's size argument to a dimension; a negative one is an error, as in JAX."""
    if jp.is_tracer(number) and numbering.symbolic_value(number) is None:
        text = errors.message(function, "a size must be >= 0.", received=errors.NUMBER)
        primitives.check(number < 0, text, number)
    return primitives.to_dim(number, label=function)


def _one_hot(state, original, x, num_classes, **options):
    if jp.is_tracer(num_classes):
        num_classes = _size_of("jax.nn.one_hot", num_classes)
    return original(x, num_classes, **options)


def _segments_hook(name):
    def reduced(state, original, data, segment_ids, num_segments=None, *args, **options):
        if jp.is_tracer(num_segments):
            num_segments = _size_of(f"jax.ops.{name}", num_segments)
        return original(data, segment_ids, num_segments, *args, **options)

    return reduced


_SEGMENTS = ("segment_sum", "segment_prod", "segment_max", "segment_min")


def _linspace(state, original, start, stop, num=50, **options):
    if not jp.is_tracer(num) or options.keys() - {"dtype"}:
        return original(start, stop, num, **options)
    count = _size_of("jnp.linspace", num)
    start, stop = jnp.broadcast_arrays(start, stop)
    kind = jnp.result_type(start, stop, jnp.result_type(float))
    places = jnp.arange(count, dtype=kind).reshape(-1, *[1] * start.ndim)
    share = places / jnp.maximum(num - 1, 1).astype(kind)
    return (start * (1 - share) + stop * share).astype(options.get("dtype") or kind)


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
    size = ary.shape[axis] if ary.ndim else 0
    if isinstance(at, int) and jp.is_symbolic(size) and not state.is_input_only(size) and at > 0:
        at = _starts_of_parts(state, op, size, at)
    is_listed = np.ndim(at) == 1 if not isinstance(at, (tuple, list)) else True
    if not is_listed or not any(map(_is_unknown, (*at, size))):
        return original(op, ary, indices_or_sections, axis)
    before = (slice(None),) * axis
    bounds = zip([None, *at], [*at, None], strict=True)
    return [ary[(*before, slice(start, stop))] for start, stop in bounds]


def _starts_of_parts(state, op, size, parts: int) -> list:
    """Return the positions between equal parts; the first parts of `array_split` may have one element more."""
    length, rest = size // parts, size % parts
    if op != "array_split" and jp.is_symbolic(rest):
        text = errors.message(
            f"jnp.{op}",
            "the size is not a multiple of the number of parts.",
            required=f"a multiple of {parts}",
            received=f"`{size}` = {errors.NUMBER}",
            do="write `jnp.array_split`, whose parts may differ by one element",
        )
        primitives.check(primitives.as_size(rest) != 0, state.with_origins(text), size)
    longer = [jp.core.min_dim(i, rest) if op == "array_split" else 0 for i in range(1, parts)]
    return [i * length + more for i, more in enumerate(longer, 1)]


def _is_unknown(size) -> bool:
    return jp.is_tracer(size) or jp.is_symbolic(size)


def _bincount(state, original, x, weights=None, minlength=0, *, length=None):
    if length is None and jp.is_tracer(x):
        count = jnp.maximum(jnp.max(x, initial=-1) + 1, minlength)
        minlength, length = 0, primitives.to_dim(count, label="jnp.bincount")
    return original(x, weights, minlength, length=length)


FUNCTIONS = (
    ("arange", _arange),
    ("zeros", _fill_hook("zeros")),
    ("ones", _fill_hook("ones")),
    ("full", _fill_hook("full")),
    ("empty", _fill_hook("empty")),
    ("eye", _eye),
    ("broadcast_to", _shape_hook("broadcast_to")),
    ("tile", _shape_hook("tile", "reps")),
    ("linspace", _linspace),
    ("one_hot", _one_hot),
    *((name, _segments_hook(name)) for name in _SEGMENTS),
    ("repeat", _repeat),
    ("_split", _split),
    ("bincount", _bincount),
)
