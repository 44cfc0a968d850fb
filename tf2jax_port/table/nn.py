"""Rows of `tf.nn`."""

from __future__ import annotations

from tf2jax_port.table.families import native, shim, unary
from tf2jax_port.table.row import Row

ROWS: tuple[Row, ...] = (
    native(
        "nn.softmax",
        "logits, axis=None, name=None",
        "jax.nn.softmax({logits}, axis={axis})",
        own="activations",
        optional=("axis",),
        defaults=(("axis", "-1"),),
        tensors=("logits",),
        aliases=("math.softmax",),
        renames=(("dim", "axis"),),
    ),
    native(
        "nn.log_softmax",
        "logits, axis=None, name=None",
        "jax.nn.log_softmax({logits}, axis={axis})",
        own="activations",
        optional=("axis",),
        defaults=(("axis", "-1"),),
        tensors=("logits",),
        aliases=("math.log_softmax",),
        renames=(("dim", "axis"),),
    ),
    unary("nn.relu", "jax.nn.relu({features})", param="features"),
    unary("nn.relu6", "jax.nn.relu6({features})", param="features"),
    unary("nn.elu", "jax.nn.elu({features})", param="features"),
    unary(
        "nn.selu",
        "jax.nn.selu({features})",
        param="features",
        own="activations.selu",
        differs="TensorFlow's gradient at 0 is the scale, JAX's the limit from below",
    ),
    native(
        "nn.leaky_relu",
        "features, alpha=0.2, name=None",
        "jax.nn.leaky_relu({features}, {alpha})",
        own="activations",
        tensors=("features",),
        differs="TensorFlow's gradient at 0 is the slope below 0, JAX's is 1",
    ),
    native(
        "nn.gelu",
        "features, approximate=False, name=None",
        "jax.nn.gelu({features}, approximate={approximate})",
        tensors=("features",),
    ),
    native(
        "nn.silu",
        "features, beta=1.0",
        "jax.nn.silu({features})",
        own="activations",
        tensors=("features",),
        aliases=("nn.swish",),
    ),
    unary(
        "nn.softsign", "jax.nn.soft_sign({features})", param="features", aliases=("math.softsign",)
    ),
    shim("nn.crelu", "features, axis=-1, name=None", "activations", tensors=("features",)),
    shim(
        "nn.sigmoid_cross_entropy_with_logits",
        "labels=None, logits=None, name=None",
        "losses",
        tensors=("logits", "labels"),
    ),
    shim(
        "nn.weighted_cross_entropy_with_logits",
        "labels, logits, pos_weight, name=None",
        "losses",
        tensors=("logits", "labels", "pos_weight"),
    ),
    shim(
        "nn.softmax_cross_entropy_with_logits",
        "labels, logits, axis=-1, name=None",
        "losses",
        tensors=("labels", "logits"),
    ),
    shim("nn.sparse_softmax_cross_entropy_with_logits", "labels, logits, name=None", "losses"),
    shim(
        "nn.l2_normalize",
        "x, axis=None, epsilon=1e-12, name=None, dim=None",
        "linalg_ops",
        tensors=("x",),
        aliases=("linalg.l2_normalize", "math.l2_normalize"),
    ),
    native(
        "nn.l2_loss",
        "t, name=None",
        "jnp.divide(jnp.sum(jnp.square({t})), 2)",
        own="clip",
        tensors=("t",),
    ),
    shim("nn.moments", "x, axes, shift=None, keepdims=False, name=None", "losses", tensors=("x",)),
    shim(
        "nn.bias_add",
        "value, bias, data_format=None, name=None",
        "losses",
        tensors=("value", "bias"),
    ),
)
