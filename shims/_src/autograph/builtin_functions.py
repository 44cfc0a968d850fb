"""Replace Python's built-in functions in converted code, so that they accept traced arrays."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.array import creation
from shims._src.autograph import orders, sizes
from shims._src.autograph.expressions import staged_number
from shims._src.autograph.grown_lists import GrownList
from shims._src.autograph.iteration import (
    TracedEnumerate,
    TracedIterable,
    TracedRange,
    TracedZip,
    is_traced_iterable,
)
from shims._src.control_flow.staging import current_value, is_staged
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import numbering
from shims._src.tracing.handled_errors import as_number
from shims._src.tracing.size_questions import depend_on_data, question_of


def replacement_of(f) -> Callable | None:
    """Return the replacement of a built-in function, or `None` if it has none."""
    return _REPLACEMENTS.get(id(f))


def range_(*args):
    """Replace `range`; traced numbers and symbolic sizes are accepted, too."""
    args = [current_value(a) for a in args]
    if not any(is_staged(a) or jp.is_symbolic(a) for a in args):
        return range(*args)
    return TracedRange(0, args[0]) if len(args) == 1 else TracedRange(*args)


def of_loop(f):
    """Return the function whose result a `for` statement goes through: for `shims.range`, one that can count."""
    return _counting_range if f is creation.range else f


def _counting_range(*args, **kwargs):
    """Return `shims.range(...)`, without its array if a traced number of int32 is a limit of it."""
    limits = [current_value(a) for a in args]
    counts = [
        x
        for x in limits
        if is_staged(x) and jp.is_tracer(x) and x.ndim == 0 and x.dtype == jnp.int32
    ]
    others = [x for x in limits if type(x) is int or jp.is_symbolic(x)]
    if kwargs or len(limits) > 2 or not counts or len(counts) + len(others) < len(limits):
        return creation.range(*args, **kwargs)
    return TracedRange(*([0, *limits] if len(limits) == 1 else limits))


def len_(x):
    """Replace `len`; arrays with a symbolic size are accepted, too."""
    x = current_value(x)
    if isinstance(x, (TracedRange, GrownList)):
        return x.items().length
    return x.shape[0] if is_staged(x) and x.ndim else len(x)


def int_(x=0, *args, **kwargs):
    """Replace `int`; a traced array is cast to int32, with the promotion of a number of Python."""
    x = current_value(x)
    if jp.is_symbolic(x) and not args and not kwargs:
        return x
    return as_number(x, int) if is_staged(x) else int(x, *args, **kwargs)


def float_(x=0.0):
    """Replace `float`; a traced array is cast to float32, with the promotion of a number of Python."""
    x = staged_number(current_value(x))
    return as_number(x, float) if is_staged(x) else float(x)


def complex_(*args):
    """Replace `complex`; a traced array is cast to complex64."""
    parts = [staged_number(current_value(a)) for a in args]
    if not any(map(is_staged, parts)):
        return complex(*args)
    real, imaginary = (*parts, 0)[:2]
    return jnp.asarray(real + 1j * imaginary, jnp.complex64)


def index_(x):
    """Replace `operator.index`; a symbolic size is returned unchanged, as an integer."""
    x = current_value(x)
    return x if jp.is_symbolic(x) else operator.index(x)


def isinstance_(x, classes):
    """Replace `isinstance`; a value computed from sizes is an `int`, a `float`, a `bool` or a `list`, as in Python."""
    if isinstance(x, classes):
        return True
    kind = _kind_in_python(x)
    return kind is not None and isinstance(kind(), classes)


def _kind_in_python(x) -> type | None:
    """Return the type of the Python number or list that a value computed from sizes stands for."""
    if isinstance(x, GrownList):
        return list
    if jp.is_symbolic(x):
        return int
    if not is_staged(x) or x.ndim:
        return None
    if x.dtype == bool:
        return None if question_of(x) is None else bool
    is_float = jp.is_tracer(x) and x.dtype.kind == "f" and x.aval.weak_type
    return float if is_float and numbering.sizes_behind(x) else None


def type_(x, *args, **kwargs):
    """Replace `type`; a value computed from sizes is an `int`, a `float` or a `bool`, as in Python."""
    kind = None if args else _kind_in_python(x)
    return type(x, *args, **kwargs) if kind is None else kind


def bool_(x=False):
    """Replace `bool`; for a traced scalar return the traced result of `x != 0`."""
    x = current_value(x)
    if is_staged(x) and not x.ndim:
        return as_number(x != 0, bool)
    question = question_of(x)
    return bool(x) if question is None else question.array()


def enumerate_(iterable, start=0):
    """Replace `enumerate`; traced iterables are accepted, too."""
    if is_traced_iterable(iterable):
        return TracedEnumerate(iterable, start)
    return sizes.call_for_user(enumerate, (iterable, start), {})


def zip_(*iterables, strict=False):
    """Replace `zip`; a traced iterable is accepted if the others are arrays or ranges."""
    if any(is_traced_iterable(x) for x in iterables) and all(map(_has_items, iterables)):
        return TracedZip(*iterables, strict=strict)
    return zip(*iterables, strict=strict)


def _has_items(x) -> bool:
    return isinstance(current_value(x), (TracedIterable, jax.Array, range))


def reversed_(sequence):
    """Replace `reversed`; a traced range is accepted, too."""
    x = current_value(sequence)
    return x.__reversed__() if isinstance(x, TracedRange) else reversed(sequence)


def sum_(iterable, /, start=0):
    """Replace `sum`; a traced array is summed along its first axis."""
    x = current_value(iterable)
    if isinstance(x, TracedRange) and x.items().arrays is not None:
        x = x.items().arrays
    return jnp.sum(x, 0) + start if is_staged(x) and x.ndim else sum(iterable, start)


def any_(iterable):
    """Replace `any`; a traced vector is accepted, too."""
    x = current_value(iterable)
    return jnp.any(x) if is_staged(x) and x.ndim == 1 else any(iterable)


def all_(iterable):
    """Replace `all`; a traced vector is accepted, too."""
    x = current_value(iterable)
    return jnp.all(x) if is_staged(x) and x.ndim == 1 else all(iterable)


def sorted_(iterable, *, key=None, reverse=False):
    """Replace `sorted`; for a traced vector return the sorted vector, for traced elements a list."""
    x = current_value(iterable)
    if isinstance(x, GrownList) and x.has_one_part() and key is None and x.array().ndim == 1:
        numbers = jnp.sort(x.array())
        return GrownList(jnp.flip(numbers) if reverse else numbers)
    if is_staged(x) and x.ndim == 1 and key is None:
        x = jnp.sort(x)
        return jnp.flip(x) if reverse else x
    key = replacement_of(key) or key
    elements = list(iterable)
    keys = elements if key is None else list(map(key, elements))
    vector = orders.traced_keys(elements, keys)
    if vector is not None:
        return orders.in_order(elements, vector, reverse=bool(reverse))
    places = sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)
    return [elements[i] for i in places]


def _is_unknown(value) -> bool:
    return is_staged(value) or (jp.is_symbolic(value) and depend_on_data([value]))


def _as_size(array):
    """Return the symbolic size from which an array was computed, or the array if there is none."""
    known = numbering.symbolic_value(array) if not array.ndim else None
    return array if known is None else known


def _require_order(label: str, values) -> None:
    """Raise Python's error for values that have no order: arrays of several elements, complex numbers."""
    if any(isinstance(v, complex) for v in values):
        raise TypeError(
            f"'<' not supported between instances of '{label}', one of which is complex"
        )
    if any(np.shape(v) not in ((), (1,)) for v in values if hasattr(v, "shape")):
        raise ValueError(
            errors.message(
                label,
                "the truth value of an array with more than one element is ambiguous.",
                required="scalars",
                received=", ".join(str(np.shape(v)) for v in values),
                do=f"compare the elements: `jnp.{label}imum(a, b)`",
            )
        )


def _extremum(builtin, reduction, pairwise):
    def extremum(*args, **kwargs):
        values = [current_value(a) for a in args]
        if not kwargs and len(values) == 1 and is_staged(values[0]) and values[0].ndim == 1:
            return reduction(values[0])
        if not kwargs and len(values) == 1 and isinstance(values[0], (tuple, list)):
            values = [current_value(v) for v in values[0]]
        if not kwargs and len(values) > 1 and any(map(_is_unknown, values)):
            _require_order(builtin.__name__, values)
            return _as_size(functools.reduce(pairwise, map(staged_number, values)))
        if "key" in kwargs:
            kwargs["key"] = replacement_of(kwargs["key"]) or kwargs["key"]
        if kwargs.keys() == {"key"}:
            elements = list(args[0]) if len(args) == 1 else list(args)
            keys = list(map(kwargs["key"] or (lambda e: e), elements))
            vector = orders.traced_keys(elements, keys)
            if vector is not None:
                return orders.at(elements, _PLACES[builtin](vector))
            if elements:
                return elements[builtin(range(len(keys)), key=keys.__getitem__)]
        return builtin(*args, **kwargs)

    return extremum


_PLACES: dict[Callable, Callable] = {max: jnp.argmax, min: jnp.argmin}
_REPLACEMENTS: dict[int, Callable] = {
    id(range): range_,
    id(len): len_,
    id(int): int_,
    id(float): float_,
    id(complex): complex_,
    id(operator.index): index_,
    id(isinstance): isinstance_,
    id(type): type_,
    id(bool): bool_,
    id(enumerate): enumerate_,
    id(zip): zip_,
    id(reversed): reversed_,
    id(sum): sum_,
    id(any): any_,
    id(all): all_,
    id(sorted): sorted_,
    id(min): _extremum(min, jnp.min, jnp.minimum),
    id(max): _extremum(max, jnp.max, jnp.maximum),
}
