"""Spell operators on sparse tensors, which are triples of coordinates, values and shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tf2jax_port.exporting.expressions import PRODUCT, Expression, as_expression
from tf2jax_port.exporting.rules.spelling import fill
from tf2jax_port.importing.rule import UnsupportedError


def _retain(call: Any, sp_input: Any, to_retain: Any) -> list[Expression]:
    """Spell the removal of values from a sparse tensor: the values become 0, which does not change products."""
    kept = fill("jnp.where({0}, {1}, 0)", to_retain, sp_input.values)
    return [as_expression(sp_input.indices), kept, as_expression(sp_input.dense_shape)]


def _scaled(call: Any, *arguments: Any, **named: Any) -> list[Expression]:
    sparse, factor = (*arguments, *named.values())
    if as_expression(factor).rank not in (0, None):
        raise UnsupportedError(
            "the elementwise product of a sparse tensor and an array has no rule"
        )
    values = fill("{0:p} * {1:u}", sparse.values, factor, level=PRODUCT)
    return [as_expression(sparse.indices), values, as_expression(sparse.dense_shape)]


def _product(
    call: Any, sp_a: Any, b: Any, adjoint_a: Any = False, adjoint_b: Any = False
) -> Expression:
    if adjoint_a or adjoint_b:
        raise UnsupportedError("the product of a transposed sparse matrix has no rule")
    rows = as_expression(sp_a.dense_shape)
    first = rows.items[0] if rows.items is not None else fill("{0:a}[0]", rows)
    if not rows.is_static:
        raise UnsupportedError("the shape of a sparse matrix is computed from data")
    return fill(
        call.helper("sparse_matmul") + "({0}, {1}, {2}, {3})", sp_a.indices, sp_a.values, first, b
    )


RULES: dict[str, Callable[..., Any]] = {
    "shims._src.sparse.selection.retain": _retain,
    "shims._src.sparse.tensor.SparseTensor.__mul__": _scaled,
    "shims._src.sparse.arithmetic.sparse_dense_matmul": _product,
}
