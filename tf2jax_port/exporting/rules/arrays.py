"""Spell operators on the shapes, axes and elements of arrays."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from tf2jax_port.exporting.expressions import (
    PRODUCT,
    Expression,
    as_expression,
    dtype_text,
    tuple_of,
    value_of,
)
from tf2jax_port.exporting.rules.shapes import shape_text
from tf2jax_port.exporting.rules.spelling import as_axis, fill
from tf2jax_port.importing.rule import UnsupportedError


def _matmul(call: Any, a: Any, b: Any, **options: Any) -> Expression:
    if options.pop("output_type", None) or options.get("grad_a") or options.get("grad_b"):
        raise UnsupportedError("a product with an explicit dtype has no rule")
    turned = []
    for side, value in (("a", as_expression(a)), ("b", as_expression(b))):
        if options.get(f"transpose_{side}") or options.get(f"adjoint_{side}"):
            value = fill("{0:a}.T" if value.rank == 2 else "jnp.swapaxes({0}, -1, -2)", value)
        turned.append(value)
    return fill("{0:p} @ {1:u}", *turned, level=PRODUCT)


def _tensordot(call: Any, a: Any, b: Any, axes: Any) -> Expression:
    a, b = as_expression(a), as_expression(b)
    listed = value_of(axes)
    if isinstance(listed, list) and len(listed) == 2 and a.rank and b.rank == 2:
        left, right = (v if isinstance(v, list) else [v] for v in listed)
        if left in ([a.rank - 1], [-1]) and right == [0]:
            return fill("{0:p} @ {1:u}", a, b, level=PRODUCT)
    return fill("jnp.tensordot({0}, {1}, {2})", a, b, axes)


def _reduction(function: str) -> Callable[..., Expression]:
    def rule(call: Any, input_tensor: Any, axis: Any = None, keepdims: Any = False) -> Expression:
        options = "" if axis is None else f", axis={as_axis(axis)}"
        options += ", keepdims=True" if keepdims else ""
        return fill(f"{function}({{0}}{options})", input_tensor)

    return rule


def _transpose(call: Any, a: Any, perm: Any = None, conjugate: Any = False) -> Expression:
    a = as_expression(a)
    if perm is None or (a.rank == 2 and value_of(perm) == [1, 0]):
        return fill("{0:a}.T", a)
    axes = ", ".join(str(axis) for axis in value_of(perm))
    return fill("{0:a}.transpose(" + axes + ")", a)


def _swap(call: Any, x: Any) -> Expression:
    return fill("{0:a}.swapaxes(0, 1)", x)


def _squeeze(call: Any, input: Any, axis: Any = None) -> Expression:
    x = as_expression(input)
    if axis is None or axis == []:
        return fill("{0:a}.squeeze()", x)
    return fill("{0:a}.squeeze(" + as_axis(axis) + ")", x)


def _expand(call: Any, input: Any, axis: Any) -> Expression:
    x, place = as_expression(input), value_of(axis)
    place = place[0] if isinstance(place, list) else place
    if place == -1 or place == x.rank:
        return fill("{0:a}[..., None]", x)
    if 0 <= place <= 2:
        return fill("{0:a}[" + ":, " * place + "None]", x)
    return fill("jnp.expand_dims({0}, {1})", x, place)


def _concat(call: Any, values: Any, axis: Any) -> Expression:
    parts = [as_expression(v) for v in values]
    if len(parts) == 1:
        return parts[0]
    if all(p.is_static and p.items is not None for p in parts):
        return tuple_of([item for p in parts for item in p.items or ()])
    place = value_of(axis)
    options = "" if place == 0 else f", axis={place}"
    return fill("jnp.concatenate(" + tuple_of(parts).text.replace("{", "{{") + options + ")")


def _stack(call: Any, values: Any, axis: Any = 0) -> Expression:
    parts = [as_expression(v) for v in values]
    if (
        all(p.is_static and p.items is None and p.rank in (0, None) for p in parts)
        and value_of(axis) == 0
    ):
        return tuple_of(parts)
    options = "" if value_of(axis) == 0 else f", axis={value_of(axis)}"
    found = fill("jnp.stack(" + tuple_of(parts).text + options + ")")
    at_end = value_of(axis) in (-1, parts[0].rank)
    return dataclasses.replace(found, items=tuple(parts) if at_end else None)


def _unstack(call: Any, value: Any, num: Any = None, axis: Any = 0) -> Any:
    x, place = as_expression(value), value_of(axis)
    if x.items is not None and place == 0:
        return [as_expression(item) for item in x.items]
    options = "" if place == 0 else f", axis={place}"
    return fill("jnp.unstack({0}" + options + ")", x)


def _split(
    call: Any, value: Any, num_or_size_splits: Any, axis: Any = 0, num: Any = None
) -> Expression:
    sizes = value_of(num_or_size_splits)
    where = sizes if isinstance(sizes, int) else np.cumsum(sizes)[:-1].tolist()
    place = value_of(axis)
    options = "" if place == 0 else f", axis={place}"
    return fill("jnp.split({0}, {1}" + options + ")", value, where)


def _gather(
    call: Any,
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: Any = 0,
) -> Expression:
    place = 0 if axis is None else value_of(axis)
    if batch_dims:
        if (
            batch_dims == 1
            and place in (1, 0, -1)
            and as_expression(indices).rank == 2
            and as_expression(params).rank == 2
        ):
            return fill("jnp.take_along_axis({0}, {1}, axis=1)", params, indices)
        raise UnsupportedError("`gather` with `batch_dims` has no rule")
    indices = as_expression(indices)
    if place == 0:
        return fill("{0:a}[{1}]", params, indices)
    return fill("jnp.take({0}, {1}, axis={2})", params, indices, place)


def _lookup(
    call: Any,
    params: Any,
    ids: Any,
    partition_strategy: Any = "mod",
    validate_indices: Any = True,
    max_norm: Any = None,
) -> Expression:
    if isinstance(params, (list, tuple)):
        if len(params) != 1:
            raise UnsupportedError("a table in several parts has no rule")
        params = params[0]
    if max_norm is not None:
        raise UnsupportedError("`max_norm` has no rule")
    return fill("{0:a}[{1}]", params, ids)


def _gather_nd(
    call: Any, params: Any, indices: Any, batch_dims: Any = 0, **others: Any
) -> Expression:
    if batch_dims:
        raise UnsupportedError("`gather_nd` with `batch_dims` has no rule")
    found = as_expression(indices)
    if found.items is not None and not found.is_static:
        return fill("{0:a}[" + ", ".join(item.text for item in found.items) + "]", params)
    return fill("{0:a}[tuple(jnp.moveaxis({1}, -1, 0))]", params, indices)


def _tile(call: Any, input: Any, multiples: Any) -> Expression:
    return fill("jnp.tile({0}, " + shape_text(multiples) + ")", input)


def _pad(
    call: Any, tensor: Any, paddings: Any, mode: Any = "CONSTANT", constant_values: Any = 0
) -> Expression:
    options = "" if mode.upper() == "CONSTANT" else f", mode={mode.lower()!r}"
    if not options and value_of(constant_values):
        options = f", constant_values={as_expression(constant_values).text}"
    return fill("jnp.pad({0}, {1}" + options + ")", tensor, paddings)


def _one_hot(
    call: Any,
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: Any = None,
    dtype: Any = None,
) -> Expression:
    on, off = (1.0 if on_value is None else on_value), (0.0 if off_value is None else off_value)
    options = "" if axis in (None, -1) else f", axis={value_of(axis)}"
    name = call.result.dtype.name
    if name != "float32":
        options += f", dtype={dtype_text(name)}"
    found = fill("jax.nn.one_hot({0}, {1}" + options + ")", indices, depth)
    if as_expression(on).text in ("1", "1.0") and as_expression(off).text in ("0", "0.0"):
        return found
    return fill("jnp.where({0} > 0, {1}, {2})", found, on, off)


def _position(function: str) -> Callable[..., Expression]:
    def rule(
        call: Any, input: Any, axis: Any = None, output_type: Any = None, **others: Any
    ) -> Expression:
        return fill(f"jnp.{function}({{0}}, axis={0 if axis is None else value_of(axis)})", input)

    return rule


def _reverse(call: Any, tensor: Any, axis: Any) -> Expression:
    return fill("jnp.flip({0}, axis=" + as_axis(axis) + ")", tensor)


def _reverse_sequence(
    call: Any, input: Any, seq_lengths: Any, seq_axis: Any = None, batch_axis: Any = None
) -> Expression:
    if (seq_axis, batch_axis or 0) != (1, 0):
        raise UnsupportedError("`reverse_sequence` has a rule only for batch-major sequences")
    return fill(call.helper("reverse_sequence") + "({0}, {1})", input, seq_lengths)


def _sequence_mask(call: Any, lengths: Any, maxlen: Any = None, dtype: Any = None) -> Expression:
    if maxlen is None or not as_expression(maxlen).is_static:
        raise UnsupportedError(
            "`sequence_mask` has a rule only if `maxlen` does not depend on data"
        )
    found = fill("jnp.arange({1}) < {0:a}[..., None]", lengths, maxlen, level=2)
    name = call.result.dtype.name
    return found if name == "bool" else fill("({0}).astype(" + dtype_text(name) + ")", found)


def _flatten(call: Any, x: Any, channels_first: Any) -> Expression:
    if channels_first:
        raise UnsupportedError("the channels are the first axis")
    name = call.named(x)
    return Expression(f"{name}.reshape({name}.shape[0], -1)")


def _cumulated(function: str) -> Callable[..., Expression]:
    def rule(
        call: Any, x: Any, axis: Any = 0, exclusive: Any = False, reverse: Any = False
    ) -> Expression:
        if exclusive or reverse:
            raise UnsupportedError("an exclusive or reversed running total has no rule")
        return fill(f"jnp.{function}({{0}}, axis={value_of(axis)})", x)

    return rule


def _select_finished(call: Any, time: Any, lengths: Any, new: Any, old: Any) -> Expression:
    """Spell the operation that keeps the state of examples that have ended."""
    rank = as_expression(new).rank or 1
    mask = (
        "{0:c} < {1:c}"
        if rank == 1
        else "({0:c} < {1:c})[:, " + ", ".join(["None"] * (rank - 1)) + "]"
    )
    before = as_expression(0 if old is None else old)
    return fill("jnp.where(" + mask + ", {2}, {3})", time, lengths, new, before)


def _band(call: Any, input: Any, num_lower: Any, num_upper: Any) -> Expression:
    low, up = value_of(num_lower), value_of(num_upper)
    if (low, up) == (-1, 0):
        return fill("jnp.tril({0})", input)
    if (low, up) == (0, -1):
        return fill("jnp.triu({0})", input)
    raise UnsupportedError("`band_part` has a rule only for triangles")


RULES: dict[str, Callable[..., Any]] = {
    "shims.matmul": _matmul,
    "shims.tensordot": _tensordot,
    **{
        f"shims.reduce_{name}": _reduction(f"jnp.{name}")
        for name in ("sum", "mean", "max", "min", "prod", "any", "all")
    },
    "shims.reduce_logsumexp": _reduction("jax.nn.logsumexp"),
    "shims.math.reduce_std": _reduction("jnp.std"),
    "shims.math.reduce_variance": _reduction("jnp.var"),
    "shims.transpose": _transpose,
    "shims._src.v1.rnn.finished_examples._swap": _swap,
    "shims._src.v1.rnn.finished_examples._select": _select_finished,
    "shims.squeeze": _squeeze,
    "shims.expand_dims": _expand,
    "shims.concat": _concat,
    "shims.stack": _stack,
    "shims.unstack": _unstack,
    "shims.split": _split,
    "shims.gather": _gather,
    "shims.nn.embedding_lookup": _lookup,
    "shims._src.v1.ops.embedding.embedding_lookup": _lookup,
    "shims.gather_nd": _gather_nd,
    "shims.tile": _tile,
    "shims.pad": _pad,
    "shims.one_hot": _one_hot,
    "shims.argmax": _position("argmax"),
    "shims.argmin": _position("argmin"),
    "shims.zeros_like": lambda call, input, **o: fill("jnp.zeros_like({0})", input),
    "shims.ones_like": lambda call, input, **o: fill("jnp.ones_like({0})", input),
    "shims.reverse": _reverse,
    "shims.reverse_sequence": _reverse_sequence,
    "shims.sequence_mask": _sequence_mask,
    "shims._src.v1.layers.core._flatten": _flatten,
    "shims.cumsum": _cumulated("cumsum"),
    "shims.math.cumprod": _cumulated("cumprod"),
    "shims.linalg.band_part": _band,
    "shims.einsum": lambda call, equation, inputs, **o: fill(
        "jnp.einsum({0}, " + ", ".join(f"{{{i + 1}}}" for i in range(len(inputs))) + ")",
        equation,
        *inputs,
    ),
}
