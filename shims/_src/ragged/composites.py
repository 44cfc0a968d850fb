"""What the operators do with ragged operands: written out, by the name of the operator."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.ragged import coordinates, gathering, joining, reduction, reshaping
from shims._src.ragged.elementwise import by_name, map_rows
from shims._src.ragged.tensor import is_ragged

# One operand, then options.
UNARY = (
    *("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "bitcast", "cast", "ceil"),
    *("clip_by_value", "conj", "cos", "cosh", "digamma", "elu", "erf", "erfc", "erfcinv", "erfinv"),
    *("exp", "expm1", "floor", "gelu", "identity", "imag", "is_finite", "is_inf", "is_nan"),
    *("leaky_relu", "lgamma", "log", "log1p", "log_sigmoid", "logical_not", "ndtri", "negative"),
    *("ones_like", "real", "reciprocal", "reciprocal_no_nan", "relu", "relu6", "rint", "round"),
    *("rsqrt", "saturate_cast", "selu", "sigmoid", "sign", "silu", "sin", "sinh", "softplus"),
    *("softsign", "sqrt", "square", "stop_gradient", "tan", "tanh", "zeros_like", "one_hot"),
)
# Two operands that broadcast.
BINARY = (
    *("add", "atan2", "divide", "div_no_nan", "divide_no_nan", "equal", "floordiv", "floormod"),
    *("greater", "greater_equal", "igamma", "igammac", "less", "less_equal", "logical_and"),
    *("logical_or", "logical_xor", "maximum", "minimum", "mod", "multiply", "multiply_no_nan"),
    *("nextafter", "not_equal", "pow", "squared_difference", "subtract", "truediv", "truncatediv"),
    *("truncatemod", "xdivy", "xlogy", "zeta"),
)
REDUCTIONS = (
    *("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod", "reduce_all"),
    *("reduce_any", "reduce_variance", "reduce_std", "reduce_logsumexp"),
)


def apply(operator, name: str, args, kwargs, error):
    """An operator on ragged operands.

    Raises:
      CompositeOperandError: `error`, where the operator takes none, or an operand is sparse.
    """
    if not _has_ragged(args, kwargs):
        raise error
    kwargs = {k: v for k, v in kwargs.items() if k != "name"}
    if name in UNARY:
        return map_rows(name, lambda x: operator(x, *args[1:], **kwargs), args[:1])
    if name in BINARY:
        operands = (*args, *kwargs.values())[:2]
        return map_rows(name, operator, operands)
    if name in REDUCTIONS:
        return reduction.reduce(name, *args[:3], **_renamed(kwargs))
    handler = _OTHERS.get(name)
    if handler is None:
        raise error
    return handler(*args, **kwargs)


def _renamed(kwargs):
    return {("rt" if k == "input_tensor" else k): v for k, v in kwargs.items()}


def _choose(condition, x, y):
    return map_rows("where", by_name("where"), (condition, x, y))


def _concat(values, axis):
    return joining.concat(values, axis)


def _stack(values, axis=0):
    return joining.stack(values, axis)


def _gather(params, indices, validate_indices=None, axis=None, batch_dims=0):
    return gathering.take(params, indices, axis=axis, batch_dims=batch_dims)


def _tile(input, multiples):
    return reshaping.tile(input, multiples)


def _expand_dims(input, axis):
    return reshaping.expand_dims(input, axis)


def _softmax(logits, axis=None):
    return reduction.softmax(logits, axis)


def _size(input, out_type=None):
    return reshaping.size(input, out_type)


def _rank(input):
    return jnp.asarray(reshaping.rank_of(input), np.int32)


def _add_n(inputs):
    out = inputs[0]
    for x in inputs[1:]:
        out = map_rows("add_n", by_name("add"), (out, x))
    return out


_OTHERS = {
    "_choose": _choose,
    "_positions": coordinates.where,
    "add_n": _add_n,
    "concat": _concat,
    "expand_dims": _expand_dims,
    "gather": _gather,
    "rank": _rank,
    "size": _size,
    "softmax": _softmax,
    "stack": _stack,
    "tile": _tile,
}


def _has_ragged(args, kwargs) -> bool:
    """Whether one of the arguments, or an element of a list among them, is ragged."""
    given = (*args, *kwargs.values())
    return any(
        is_ragged(x) or (isinstance(x, (list, tuple)) and any(map(is_ragged, x))) for x in given
    )
