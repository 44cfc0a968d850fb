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
from tf2jax_port.exporting.rules.spelling import as_axis, fill, rest_is_default, spelled
from tf2jax_port.importing.rule import UnsupportedError


def _matmul(call: Any, a: Any, b: Any, **options: Any) -> Expression:
    if options.pop("output_type", None) or options.get("grad_a") or options.get("grad_b"):
        raise UnsupportedError("the dtype of the product is given")
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


def _shape(call: Any, input: Any, out_type: Any = None) -> Expression:
    """Spell a shape: a tuple, whose known sizes are numbers."""
    x = as_expression(input)
    if x.dynamic:
        raise UnsupportedError("the shape depends on data")
    whole = f"{call.named(x)}.shape"
    if x.shape is None:
        return Expression(whole, is_static=True)
    items = tuple(
        as_expression(size) if size is not None else Expression(f"{whole}[{i}]", is_static=True)
        for i, size in enumerate(x.shape)
    )
    return Expression(whole, is_static=True, items=items)


def _size_of_axis(call: Any, x: Any, axis: Any) -> Expression:
    return Expression(f"{call.named(x)}.shape[{value_of(axis)}]", is_static=True)


def _size(call: Any, input: Any, out_type: Any = None) -> Expression:
    return dataclasses.replace(fill("{0:a}.size", input), is_static=True)


def _reshape(call: Any, tensor: Any, shape: Any) -> Expression:
    inside = _sizes(shape)
    return fill("{0:a}.reshape(" + inside + ")", tensor)


def _sizes(shape: Any) -> str:
    """Return the source of a shape as arguments.

    Raises:
      UnsupportedError: the shape is computed from data.
    """
    found = as_expression(shape)
    if not found.is_static:
        raise UnsupportedError("a shape is computed from data")
    if found.items is None:
        return found.text
    return ", ".join(item.text for item in found.items) or "()"


def _shape_text(shape: Any) -> str:
    """Return the source of a shape as one argument, a tuple."""
    found = as_expression(shape)
    if not found.is_static:
        raise UnsupportedError("a shape is computed from data")
    return found.text if found.items is None else tuple_of(found.items).text


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
    if all(p.is_static and p.items is None and p.rank in (0, None) for p in parts) and value_of(axis) == 0:
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


def _split(call: Any, value: Any, num_or_size_splits: Any, axis: Any = 0, num: Any = None) -> Expression:
    sizes = value_of(num_or_size_splits)
    where = sizes if isinstance(sizes, int) else np.cumsum(sizes)[:-1].tolist()
    place = value_of(axis)
    options = "" if place == 0 else f", axis={place}"
    return fill("jnp.split({0}, {1}" + options + ")", value, where)


def _slice(call: Any, input_: Any, begin: Any, size: Any) -> Expression:
    begin, size = as_expression(begin), as_expression(size)
    if begin.items is None or size.items is None:
        raise UnsupportedError("the bounds of a slice are computed from data")
    parts = []
    for start, count in zip(begin.items, size.items, strict=True):
        first = "" if start.text == "0" else start.text
        if count.text == "-1":
            parts.append(f"{first}:")
        else:
            last = count.text if not first else f"{start.at(4)} + {count.at(5)}"
            if start.text.isdigit() and count.text.isdigit():
                last = str(int(start.text) + int(count.text))
            parts.append(f"{first}:{last}")
    if not all(e.is_static for e in (*begin.items, *size.items)):
        raise UnsupportedError("the bounds of a slice are computed from data")
    return fill("{0:a}[" + _joined(parts) + "]", input_)


def _joined(parts: list[str]) -> str:
    while len(parts) > 1 and parts[-1] == ":":
        parts = parts[:-1]
    return ", ".join(parts)


def _strided_slice(call: Any, x: Any, begin: Any, end: Any, strides: Any = None, **masks: Any) -> Expression:
    x = as_expression(x)
    masks.pop("var", None)
    lists = [as_expression(v) for v in (begin, end, strides)]
    if any(e.items is None for e in lists[:2]):
        raise UnsupportedError("the bounds of a slice are computed from data")
    count = len(lists[0].items or ())
    steps = lists[2].items or (as_expression(1),) * count
    bit = lambda name, i: bool(masks.get(name, 0) >> i & 1)
    if x.items is not None and x.is_static:
        return _part_of_tuple(x, lists, steps, bit)
    parts = []
    for i, (first, last, step) in enumerate(zip(lists[0].items, lists[1].items, steps, strict=True)):
        if bit("ellipsis_mask", i):
            parts.append("...")
        elif bit("new_axis_mask", i):
            parts.append("None")
        elif bit("shrink_axis_mask", i):
            parts.append(first.text)
        else:
            head = "" if bit("begin_mask", i) or (first.text == "0" and step.text == "1") else first.text
            tail = "" if bit("end_mask", i) else last.text
            parts.append(f"{head}:{tail}" + (f":{step.text}" if step.text != "1" else ""))
    if all(p == ":" for p in parts):
        return x
    return fill("{0:a}[" + _joined(parts) + "]", x)


def _part_of_tuple(x: Expression, lists: Any, steps: Any, bit: Any) -> Expression:
    """Return elements of a shape, as a number or a tuple."""
    items = x.items or ()
    first, last = (int(e.items[0].text) if e.items else 0 for e in lists[:2])
    if bit("shrink_axis_mask", 0):
        return items[first]
    start = None if bit("begin_mask", 0) else first
    stop = None if bit("end_mask", 0) else last
    return tuple_of(items[start : stop : int(steps[0].text)])


def _gather(call: Any, params: Any, indices: Any, validate_indices: Any = None, axis: Any = None, batch_dims: Any = 0) -> Expression:
    place = 0 if axis is None else value_of(axis)
    if batch_dims:
        if batch_dims == 1 and place in (1, 0, -1) and as_expression(indices).rank == 2 and as_expression(params).rank == 2:
            return fill("jnp.take_along_axis({0}, {1}, axis=1)", params, indices)
        raise UnsupportedError("`gather` with `batch_dims` has no rule")
    indices = as_expression(indices)
    if place == 0:
        return fill("{0:a}[{1}]", params, indices)
    return fill("jnp.take({0}, {1}, axis={2})", params, indices, place)


def _lookup(call: Any, params: Any, ids: Any, partition_strategy: Any = "mod", validate_indices: Any = True, max_norm: Any = None) -> Expression:
    if isinstance(params, (list, tuple)):
        if len(params) != 1:
            raise UnsupportedError("a table in several parts has no rule")
        params = params[0]
    if max_norm is not None:
        raise UnsupportedError("`max_norm` has no rule")
    return fill("{0:a}[{1}]", params, ids)


def _gather_nd(call: Any, params: Any, indices: Any, batch_dims: Any = 0, **others: Any) -> Expression:
    if batch_dims:
        raise UnsupportedError("`gather_nd` with `batch_dims` has no rule")
    found = as_expression(indices)
    if found.items is not None and not found.is_static:
        return fill("{0:a}[" + ", ".join(item.text for item in found.items) + "]", params)
    return fill("{0:a}[tuple(jnp.moveaxis({1}, -1, 0))]", params, indices)


def _tile(call: Any, input: Any, multiples: Any) -> Expression:
    return fill("jnp.tile({0}, " + _shape_text(multiples) + ")", input)


def _pad(call: Any, tensor: Any, paddings: Any, mode: Any = "CONSTANT", constant_values: Any = 0) -> Expression:
    options = "" if mode.upper() == "CONSTANT" else f", mode={mode.lower()!r}"
    if not options and value_of(constant_values):
        options = f", constant_values={as_expression(constant_values).text}"
    return fill("jnp.pad({0}, {1}" + options + ")", tensor, paddings)


def _one_hot(call: Any, indices: Any, depth: Any, on_value: Any = None, off_value: Any = None, axis: Any = None, dtype: Any = None) -> Expression:
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
    def rule(call: Any, input: Any, axis: Any = None, output_type: Any = None, **others: Any) -> Expression:
        return fill(f"jnp.{function}({{0}}, axis={0 if axis is None else value_of(axis)})", input)

    return rule


def _range(call: Any, start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None) -> Expression:
    start, limit = (0, start) if limit is None else (start, limit)
    given = [as_expression(v) for v in (start, limit, delta)]
    if not all(e.is_static for e in given):
        raise UnsupportedError("the bounds of a range are computed from data")
    first, last, step = (e.text for e in given)
    text = last if (first, step) == ("0", "1") else f"{first}, {last}"
    text += f", {step}" if step != "1" else ""
    name = call.result.dtype.name
    text += f", dtype={dtype_text(name)}" if name not in ("int32", "int64") else ""
    return Expression(f"jnp.arange({text})")


def _filled(function: str) -> Callable[..., Expression]:
    def rule(call: Any, shape: Any, dtype: Any = None, **others: Any) -> Expression:
        name = call.result.dtype.name
        kind = "" if name == "float32" else f", {dtype_text(name)}"
        return Expression(f"jnp.{function}({_shape_text(shape)}{kind})")

    return rule


def _fill(call: Any, dims: Any, value: Any, **others: Any) -> Expression:
    name = call.result.dtype.name
    kind = "" if as_expression(value).dtype else f", {dtype_text(name)}"
    return fill("jnp.full(" + _shape_text(dims) + ", {0}" + kind + ")", value)


def _zero_state(call: Any, batch_size: Any, sizes: Any, dtype: Any) -> Expression:
    return _filled("zeros")(call, [batch_size, *sizes], dtype)


def _reverse(call: Any, tensor: Any, axis: Any) -> Expression:
    return fill("jnp.flip({0}, axis=" + as_axis(axis) + ")", tensor)


def _reverse_sequence(call: Any, input: Any, seq_lengths: Any, seq_axis: Any = None, batch_axis: Any = None) -> Expression:
    if (seq_axis, batch_axis or 0) != (1, 0):
        raise UnsupportedError("`reverse_sequence` has a rule for batch-major sequences only")
    return fill(call.helper("reverse_sequence") + "({0}, {1})", input, seq_lengths)


def _sequence_mask(call: Any, lengths: Any, maxlen: Any = None, dtype: Any = None) -> Expression:
    if maxlen is None or not as_expression(maxlen).is_static:
        raise UnsupportedError("`sequence_mask` needs a `maxlen` that is no data")
    found = fill("jnp.arange({1}) < {0:a}[..., None]", lengths, maxlen, level=2)
    name = call.result.dtype.name
    return found if name == "bool" else fill("({0}).astype(" + dtype_text(name) + ")", found)


def _flatten(call: Any, x: Any, channels_first: Any) -> Expression:
    if channels_first:
        raise UnsupportedError("channels come first")
    name = call.named(x)
    return Expression(f"{name}.reshape({name}.shape[0], -1)")


def _cumulated(function: str) -> Callable[..., Expression]:
    def rule(call: Any, x: Any, axis: Any = 0, exclusive: Any = False, reverse: Any = False) -> Expression:
        if exclusive or reverse:
            raise UnsupportedError("an exclusive or reversed running total has no rule")
        return fill(f"jnp.{function}({{0}}, axis={value_of(axis)})", x)

    return rule


def _select_finished(call: Any, time: Any, lengths: Any, new: Any, old: Any) -> Expression:
    """Spell what keeps the state of the examples that have ended."""
    rank = as_expression(new).rank or 1
    mask = "{0:c} < {1:c}" if rank == 1 else "({0:c} < {1:c})[:, " + ", ".join(["None"] * (rank - 1)) + "]"
    before = as_expression(0 if old is None else old)
    return fill("jnp.where(" + mask + ", {2}, {3})", time, lengths, new, before)


def _band(call: Any, input: Any, num_lower: Any, num_upper: Any) -> Expression:
    low, up = value_of(num_lower), value_of(num_upper)
    if (low, up) == (-1, 0):
        return fill("jnp.tril({0})", input)
    if (low, up) == (0, -1):
        return fill("jnp.triu({0})", input)
    raise UnsupportedError("`band_part` has a rule for triangles only")


_GATHERED = "jnp.zeros(({2}, *{0:a}.shape[1:]), {0:a}.dtype).at[{1}].add({0})"

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
    "shims.shape": _shape,
    "shims._src.v1.rnn.cell._size_of_axis": _size_of_axis,
    "shims.size": _size,
    "shims.reshape": _reshape,
    "shims.transpose": _transpose,
    "shims._src.v1.rnn.finished_examples._swap": _swap,
    "shims._src.v1.rnn.finished_examples._select": _select_finished,
    "shims.squeeze": _squeeze,
    "shims.expand_dims": _expand,
    "shims.concat": _concat,
    "shims.stack": _stack,
    "shims.unstack": _unstack,
    "shims.split": _split,
    "shims.slice": _slice,
    "shims.strided_slice": _strided_slice,
    "shims._src.v1.variables.operator_overloads._strided_slice": _strided_slice,
    "shims.gather": _gather,
    "shims.nn.embedding_lookup": _lookup,
    "shims._src.v1.ops.embedding.embedding_lookup": _lookup,
    "shims.gather_nd": _gather_nd,
    "shims.tile": _tile,
    "shims.pad": _pad,
    "shims.one_hot": _one_hot,
    "shims.argmax": _position("argmax"),
    "shims.argmin": _position("argmin"),
    "shims.range": _range,
    "shims.zeros": _filled("zeros"),
    "shims.ones": _filled("ones"),
    "shims.fill": _fill,
    "shims._src.v1.rnn.cell._zeros": _zero_state,
    "shims.zeros_like": lambda call, input, **o: fill("jnp.zeros_like({0})", input),
    "shims.ones_like": lambda call, input, **o: fill("jnp.ones_like({0})", input),
    "shims.reverse": _reverse,
    "shims.reverse_sequence": _reverse_sequence,
    "shims.sequence_mask": _sequence_mask,
    "shims._src.v1.layers.core._flatten": _flatten,
    "shims.cumsum": _cumulated("cumsum"),
    "shims.math.cumprod": _cumulated("cumprod"),
    "shims.broadcast_to": lambda call, input, shape: fill(
        "jnp.broadcast_to({0}, " + _shape_text(shape) + ")", input
    ),
    "shims.linalg.band_part": _band,
    "shims.einsum": lambda call, equation, inputs, **o: fill(
        "jnp.einsum({0}, " + ", ".join(f"{{{i + 1}}}" for i in range(len(inputs))) + ")", equation, *inputs
    ),
}
