"""Rows of `tf.*` that select, place and reshape."""

from __future__ import annotations

from tf2jax_port.table.row import Native, Row, Shim

ROWS = (
    Row(
        "boolean_mask",
        "tensor, mask, axis=None, name='boolean_mask'",
        Shim("shims.boolean_mask"),
        own="select.boolean_mask",
        fresh=True,
    ),
    Row(
        "where",
        "condition, x=None, y=None, name=None",
        Shim("shims.where"),
        own="select.where",
        fresh=True,
    ),
    Row(
        "gather",
        "params, indices, validate_indices=None, axis=None, batch_dims=0, name=None",
        Shim("shims.gather"),
        own="gather.gather",
    ),
    Row(
        "concat",
        "values, axis, name='concat'",
        Native("jnp.concatenate({values}, axis={axis})"),
    ),
    Row(
        "stack",
        "values, axis=0, name='stack'",
        Native("jnp.stack({values}, axis={axis})", ("axis",)),
    ),
    Row("reshape", "tensor, shape, name=None", Native("jnp.reshape({tensor}, {shape})")),
    Row(
        "expand_dims",
        "input, axis, name=None",
        Native("jnp.expand_dims({input}, {axis})"),
        renames=(("dim", "axis"),),
    ),
    Row(
        "unique",
        "x, out_idx=tf.int32, name=None",
        Shim("shims.unique"),
        own="unique.unique",
        fresh=True,
    ),
)
