"""Evaluate simple JAX primitives with NumPy.

JAX compiles a program for each primitive and each shape of its operands, which takes far longer than the
computation itself in programs that run only a few times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

# More elements are left to JAX, which computes them in parallel.
_MOST_ELEMENTS = 1 << 16
# NumPy rounds shorter floats otherwise.
_TYPES = {"bool", "int8", "int16", "int32", "int64", "uint8", "uint32", "float32", "float64"}
_Params = Mapping[str, Any]
_Rule = Callable[..., np.ndarray | None]


def uncompiled(name: str, operands: Sequence[Any], params: _Params) -> Any | None:
    """Return the result of a primitive as a JAX array, or `None` if JAX must compute it.

    The elements are those that JAX computes. In double precision, the last bits of sums and of transcendental
    functions may differ.

    Args:
      name: the primitive's name.
      operands: its operands.
      params: its parameters.
    """
    import jax

    rule = _RULES.get(name)
    arrays = None if rule is None else _arrays_of(operands)
    if rule is None or arrays is None:
        return None
    if name in _ROUNDED and any(array.dtype != np.float64 for array in arrays):
        return None
    if name in _ELEMENTWISE and not _go_together(arrays):
        return None
    with np.errstate(all="ignore"):
        made = rule(params, *arrays)
    # `jnp.asarray` would compile a program for every shape.
    return None if made is None else jax.device_put(np.asarray(made))


def _arrays_of(operands: Sequence[Any]) -> list[np.ndarray] | None:
    """Return the elements of operands, or `None` if NumPy has no such arrays or they are large."""
    import jax

    arrays = []
    for one in operands:
        if isinstance(one, jax.core.Tracer) or getattr(one, "weak_type", True):
            return None  # the result would lose its weak type
        if one.dtype.name not in _TYPES or one.size > _MOST_ELEMENTS:
            return None
        arrays.append(np.asarray(one))
    return arrays


def _go_together(arrays: Sequence[np.ndarray]) -> bool:
    """Return whether arrays have one type and shapes that both libraries broadcast alike."""
    ranks = {array.ndim for array in arrays if array.ndim}
    return len({array.dtype for array in arrays}) == 1 and len(ranks) < 2


def _only_floats(apply: Callable[..., np.ndarray]) -> _Rule:
    """Return a rule that leaves integers to JAX."""

    def rule(params: _Params, *arrays: np.ndarray) -> np.ndarray | None:
        return apply(*arrays) if arrays[0].dtype.kind == "f" else None

    return rule


def _plain(apply: Callable[..., np.ndarray]) -> _Rule:
    """Return a rule that applies a function without parameters."""
    return lambda params, *arrays: apply(*arrays)


def _converted(params: _Params, array: np.ndarray) -> np.ndarray | None:
    """Convert the type of an array, unless the results for some elements are undefined."""
    wanted = np.dtype(params["new_dtype"])
    if params["weak_type"] or wanted.name not in _TYPES:
        return None
    if array.dtype.kind == "f" and wanted.kind in "iu":
        limits = np.iinfo(wanted.name)
        inside = (array > float(limits.min)) & (array < float(limits.max))
        if not inside.all():
            return None
    return array.astype(wanted)


def _spread(params: _Params, array: np.ndarray, *sizes: np.ndarray) -> np.ndarray | None:
    shape = tuple(params["shape"])
    if sizes or not all(isinstance(size, int) for size in shape) or np.prod(shape) > _MOST_ELEMENTS:
        return None
    own = [1] * len(shape)
    for size, axis in zip(array.shape, params["broadcast_dimensions"]):
        own[axis] = size
    return np.broadcast_to(array.reshape(own), shape)


def _reshaped(params: _Params, array: np.ndarray) -> np.ndarray | None:
    return array.reshape(params["new_sizes"]) if params["dimensions"] is None else None


def _sliced(params: _Params, array: np.ndarray) -> np.ndarray:
    steps = params["strides"] or [1] * array.ndim
    ends = zip(params["start_indices"], params["limit_indices"], steps)
    return array[tuple(slice(*end) for end in ends)]


def _selected(params: _Params, which: np.ndarray, *cases: np.ndarray) -> np.ndarray | None:
    if which.dtype.kind != "b" or len(cases) != 2 or len({case.dtype for case in cases}) > 1:
        return None
    return np.where(which, cases[1], cases[0])


def _joined(params: _Params, *arrays: np.ndarray) -> np.ndarray | None:
    same_type = len({array.dtype for array in arrays}) == 1
    return np.concatenate(arrays, params["dimension"]) if same_type else None


def _reduced(apply: Callable[..., np.ndarray]) -> _Rule:
    """Return a rule for a reduction over given axes."""

    def rule(params: _Params, array: np.ndarray) -> np.ndarray | None:
        # An empty reduction has no largest element in NumPy.
        if not array.size or params.get("out_sharding") is not None:
            return None
        return np.asarray(apply(array, axis=tuple(params["axes"])))

    return rule


def _product(params: _Params, a: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    (ours, theirs), (first, second) = params["dimension_numbers"]
    wanted = params["preferred_element_type"]
    if wanted is not None and np.dtype(wanted) != a.dtype:
        return None
    letters = iter(range(a.ndim + b.ndim))
    mine = [next(letters) for _ in range(a.ndim)]
    other = [-1] * b.ndim
    for here, there in zip((*ours, *first), (*theirs, *second)):
        other[there] = mine[here]
    other = [next(letters) if n < 0 else n for n in other]
    kept = [n for axis, n in enumerate(mine) if axis not in (*ours, *first)]
    kept_too = [n for axis, n in enumerate(other) if axis not in (*theirs, *second)]
    out = [*(mine[axis] for axis in first), *kept, *kept_too]
    sizes = dict(zip((*mine, *other), (*a.shape, *b.shape)))
    if np.prod([float(size) for size in sizes.values()]) > _MOST_ELEMENTS:
        return None
    return np.einsum(a, mine, b, other, out)


def _raised(params: _Params, array: np.ndarray) -> np.ndarray:
    return np.power(array, float(params["y"]))


def _summed_up(params: _Params, array: np.ndarray) -> np.ndarray:
    axis = params["axis"]
    if params["reverse"]:
        return np.flip(np.cumsum(np.flip(array, axis), axis), axis)
    return np.cumsum(array, axis)


def _counted(params: _Params) -> np.ndarray | None:
    shape, axis = tuple(params["shape"]), params["dimension"]
    dtype = np.dtype(params["dtype"])
    if dtype.name not in _TYPES or not all(isinstance(size, int) for size in shape):
        return None
    if np.prod(shape) > _MOST_ELEMENTS:
        return None
    line = np.arange(shape[axis], dtype=dtype)
    return np.broadcast_to(line.reshape([-1 if a == axis else 1 for a in range(len(shape))]), shape)


def _gathered(params: _Params, array: np.ndarray, starts: np.ndarray) -> np.ndarray | None:
    """Take slices of an array; `None` if one of them begins or ends outside of it."""
    numbers, sizes = params["dimension_numbers"], params["slice_sizes"]
    batch = starts.shape[:-1]
    given = dict(zip(numbers.start_index_map, range(starts.shape[-1])))
    along = dict(zip(numbers.operand_batching_dims, numbers.start_indices_batching_dims))
    inner = [a for a in range(array.ndim) if a not in (*numbers.collapsed_slice_dims, *along)]
    rank = len(batch) + len(inner)
    index = []
    for axis, size in enumerate(sizes):
        place = np.zeros([1] * rank, np.int64)
        if axis in given:
            first = starts[..., given[axis]].astype(np.int64)
            if first.size and (np.min(first) < 0 or np.max(first) + size > array.shape[axis]):
                return None
            place = place + first.reshape(*batch, *[1] * len(inner))
        if axis in along:
            place = place + _along(batch[along[axis]], along[axis], rank)
        if axis in inner:
            place = place + _along(size, len(batch) + inner.index(axis), rank)
        index.append(place)
    made = array[tuple(np.broadcast_arrays(*index))]
    order: list[int] = [0] * rank
    outer = [a for a in range(rank) if a not in numbers.offset_dims]
    for at, axis in enumerate((*outer, *numbers.offset_dims)):
        order[axis] = at
    return made.transpose(order)


def _along(size: int, axis: int, rank: int) -> np.ndarray:
    """Return the numbers below `size` along one of `rank` axes."""
    return np.arange(size).reshape([-1 if a == axis else 1 for a in range(rank)])


_ELEMENTWISE: dict[str, _Rule] = {
    "add": _plain(np.add),
    "add_any": _plain(np.add),
    "sub": _plain(np.subtract),
    "mul": _plain(np.multiply),
    "div": _only_floats(np.divide),
    "neg": _only_floats(np.negative),
    "max": _plain(np.maximum),
    "min": _plain(np.minimum),
    "abs": _only_floats(np.abs),
    "square": _plain(np.square),
    "sqrt": _only_floats(np.sqrt),
    "rem": _only_floats(np.fmod),
    "sign": _only_floats(np.sign),
    "is_finite": _plain(np.isfinite),
    "floor": _only_floats(np.floor),
    "ceil": _only_floats(np.ceil),
    "eq": _plain(np.equal),
    "ne": _plain(np.not_equal),
    "lt": _plain(np.less),
    "le": _plain(np.less_equal),
    "gt": _plain(np.greater),
    "ge": _plain(np.greater_equal),
    "and": _plain(np.bitwise_and),
    "or": _plain(np.bitwise_or),
    "not": _plain(np.bitwise_not),
}
# Functions whose last bits depend on the library.
_ROUNDED_RULES: dict[str, _Rule] = {
    "exp": _plain(np.exp),
    "log": _plain(np.log),
    "log1p": _plain(np.log1p),
    "expm1": _plain(np.expm1),
    "tanh": _plain(np.tanh),
    "sin": _plain(np.sin),
    "cos": _plain(np.cos),
    "rsqrt": _plain(lambda array: 1.0 / np.sqrt(array)),
    "integer_pow": _raised,
    "cumsum": _summed_up,
    "logistic": _plain(lambda array: 1.0 / (1.0 + np.exp(-array))),
    "reduce_sum": _reduced(np.sum),
    "dot_general": _product,
}
_LAYING_OUT: dict[str, _Rule] = {
    "convert_element_type": _converted,
    "broadcast_in_dim": _spread,
    "reshape": _reshaped,
    "squeeze": lambda params, array: np.squeeze(array, tuple(params["dimensions"])),
    "transpose": lambda params, array: np.transpose(array, params["permutation"]),
    "rev": lambda params, array: np.flip(array, tuple(params["dimensions"])),
    "slice": _sliced,
    "select_n": _selected,
    "concatenate": _joined,
    "stack": lambda params, *arrays: np.stack(arrays, params["axis"]),
    "iota": _counted,
    "gather": _gathered,
    "copy": lambda params, array: array,
    "stop_gradient": lambda params, array: array,
    "reduce_max": _reduced(np.max),
    "reduce_min": _reduced(np.min),
}
_RULES = {**_ELEMENTWISE, **_ROUNDED_RULES, **_LAYING_OUT}
_ROUNDED = frozenset(_ROUNDED_RULES)
