"""Rows of `tf.linalg` and of its names at `tf.*`."""

from __future__ import annotations

from tf2jax_port.table.families import native, shim
from tf2jax_port.table.row import Row

_SPARSE = "a_is_sparse=False, b_is_sparse=False"

ROWS: tuple[Row, ...] = (
    native(
        "matmul",
        "a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, "
        f"{_SPARSE}, output_type=None, grad_a=False, grad_b=False, name=None",
        "jnp.matmul({a}, {b})",
        own="linalg_ops",
        tensors=("a", "b"),
        aliases=("linalg.matmul",),
    ),
    shim(
        "linalg.matvec",
        f"a, b, transpose_a=False, adjoint_a=False, {_SPARSE}, name=None",
        "linalg_ops",
        tensors=("a", "b"),
    ),
    native(
        "tensordot",
        "a, b, axes, name=None",
        "jnp.tensordot({a}, {b}, {axes})",
        own="linalg_ops",
        tensors=("a", "b"),
        aliases=("linalg.tensordot",),
    ),
    shim("einsum", "equation, *inputs, **kwargs", "linalg_ops", aliases=("linalg.einsum",)),
    shim("linalg.trace", "x, name=None", "linalg_ops", tensors=("x",)),
    shim("linalg.global_norm", "t_list, name=None", "linalg_ops"),
    native(
        "norm",
        "tensor, ord='euclidean', axis=None, keepdims=None, name=None",
        "jnp.linalg.norm({tensor}, axis={axis}, keepdims={keepdims})",
        own="linalg_ops",
        optional=("axis", "keepdims"),
        tensors=("tensor",),
        aliases=("linalg.norm",),
        differs="where no gradient flows into a norm of 0, TensorFlow lets none out; JAX gives NaN",
    ),
)
