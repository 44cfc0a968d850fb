"""Convert arguments of layers: initializers, activations, sizes, padding, `training`."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

import shims
from shims._src.v1.control_flow.branches import cond
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.nodes import Tensor, is_graph_value
from shims._src.v1.graph.output_specs import constant_value
from shims._src.v1.graph.shapes import Dimension
from shims._src.v1.variables import initializers

_SIZES = (int, np.integer, Dimension)
_INITIALIZERS = {
    "constant": initializers.constant_initializer,
    "glorot_normal": initializers.glorot_normal_initializer,
    "glorot_uniform": initializers.glorot_uniform_initializer,
    "he_normal": initializers.he_normal,
    "he_uniform": initializers.he_uniform,
    "identity": initializers.identity,
    "lecun_normal": initializers.lecun_normal,
    "lecun_uniform": initializers.lecun_uniform,
    "normal": initializers.RandomNormal,
    "ones": initializers.ones_initializer,
    "orthogonal": initializers.orthogonal_initializer,
    "random_normal": initializers.RandomNormal,
    "random_uniform": initializers.RandomUniform,
    "truncated_normal": initializers.TruncatedNormal,
    "uniform": initializers.RandomUniform,
    "zeros": initializers.zeros_initializer,
}
_ACTIVATIONS = {
    "elu": deferred(shims.nn.elu, "nn.elu"),
    "exponential": deferred(shims.exp, "exp"),
    "gelu": deferred(shims.nn.gelu, "nn.gelu"),
    "linear": None,
    "relu": deferred(shims.nn.relu, "nn.relu"),
    "relu6": deferred(shims.nn.relu6, "nn.relu6"),
    "selu": deferred(shims.nn.selu, "nn.selu"),
    "sigmoid": deferred(shims.nn.sigmoid, "sigmoid"),
    "softmax": deferred(shims.nn.softmax, "nn.softmax"),
    "softplus": deferred(shims.nn.softplus, "nn.softplus"),
    "softsign": deferred(shims.nn.softsign, "nn.softsign"),
    "swish": deferred(shims.nn.silu, "nn.silu"),
    "tanh": deferred(shims.nn.tanh, "tanh"),
}


def initializer_of(given):
    """Convert the Keras name of an initializer to the initializer; return an initializer unchanged."""
    if not isinstance(given, str):
        return given
    if given not in _INITIALIZERS:
        raise ValueError(f"Unknown initializer: {given!r}. There are: {sorted(_INITIALIZERS)}.")
    return _INITIALIZERS[given]()


def activation_of(given):
    """Convert the Keras name of an activation function to the function; return a function unchanged."""
    if not isinstance(given, str):
        return given
    if given not in _ACTIVATIONS:
        raise ValueError(f"Unknown activation: {given!r}. There are: {list(_ACTIVATIONS)}.")
    return _ACTIVATIONS[given]


def sizes_of(value, count: int, name: str) -> tuple[int, ...]:
    """Return one size per axis, given a single number or a sequence.

    Raises:
      ValueError: the number of sizes is wrong, or the sizes are not integers.
    """
    values = (value,) * count if isinstance(value, _SIZES) else tuple(value)
    fits = len(values) == count and all(isinstance(v, _SIZES) for v in values)
    if not fits:
        raise ValueError(
            f"The `{name}` argument must be a tuple of {count} integers. Received: {value}"
        )
    return tuple(int(v) for v in values)


def padding_of(value) -> str:
    """Return the padding in upper case: `SAME` or `VALID`.

    Raises:
      ValueError: the padding is neither.
    """
    found = str(value).upper()
    if found not in ("SAME", "VALID"):
        raise ValueError(
            f'The `padding` argument must be one of "valid", "same". Received: {value}'
        )
    return found


def layout_of(data_format, rank: int) -> str:
    """Convert a Keras data format such as `channels_last` to TensorFlow's, such as `NHWC`.

    Raises:
      ValueError: `data_format` is neither `channels_first` nor `channels_last`.
    """
    spatial = {1: "W", 2: "HW", 3: "DHW"}[rank]
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(
            'The `data_format` argument must be one of "channels_first", "channels_last". '
            f"Received: {data_format}"
        )
    return f"N{spatial}C" if data_format == "channels_last" else f"NC{spatial}"


def smart_cond(pred, true_fn, false_fn, name=None):
    """Call the selected function if the predicate is static; otherwise create a `cond` operation."""
    known = pred
    if is_graph_value(pred):
        known = constant_value(getattr(pred, "graph_value", pred))
    if known is None and pred is not None:
        return cond(pred, true_fn, false_fn, name=name)
    return true_fn() if known else false_fn()


def is_known(pred) -> bool | None:
    """Return the value of the argument `training`, or `None` if it is known only at run time."""
    if is_graph_value(pred):
        pred = constant_value(getattr(pred, "graph_value", pred))
        return None if pred is None else bool(pred)
    return bool(pred)


def activity_loss(regularizer, output: Tensor) -> Tensor:
    """Compute the activity regularization loss of a layer's output, divided by the batch size."""
    loss = regularizer(output)

    def per_example(loss, output):
        return loss / jnp.asarray(output.shape[0], loss.dtype)

    return operation_of(
        per_example, (loss, output), {}, public="operator truediv", name="truediv", type_="RealDiv"
    )
