"""Spell operators that read or need shapes, which JAX knows when it traces."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from tf2jax_port.exporting.expressions import (
    Expression,
    as_expression,
    dtype_text,
    tuple_of,
    value_of,
)
from tf2jax_port.exporting.rules.spelling import fill
from tf2jax_port.importing.rule import UnsupportedError


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


def shape_text(shape: Any) -> str:
    """Return the source of a shape as one argument, a tuple."""
    found = as_expression(shape)
    if not found.is_static:
        raise UnsupportedError("a shape is computed from data")
    return found.text if found.items is None else tuple_of(found.items).text


def _range(
    call: Any, start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None
) -> Expression:
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
        return Expression(f"jnp.{function}({shape_text(shape)}{kind})")

    return rule


def _fill(call: Any, dims: Any, value: Any, **others: Any) -> Expression:
    name = call.result.dtype.name
    kind = "" if as_expression(value).dtype else f", {dtype_text(name)}"
    return fill("jnp.full(" + shape_text(dims) + ", {0}" + kind + ")", value)


def _zero_state(call: Any, batch_size: Any, sizes: Any, dtype: Any) -> Expression:
    return _filled("zeros")(call, [batch_size, *sizes], dtype)


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


def _strided_slice(
    call: Any, x: Any, begin: Any, end: Any, strides: Any = None, **masks: Any
) -> Expression:
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
    for i, (first, last, step) in enumerate(
        zip(lists[0].items or (), lists[1].items or (), steps, strict=True)
    ):
        if bit("ellipsis_mask", i):
            parts.append("...")
        elif bit("new_axis_mask", i):
            parts.append("None")
        elif bit("shrink_axis_mask", i):
            parts.append(first.text)
        else:
            head = (
                ""
                if bit("begin_mask", i) or (first.text == "0" and step.text == "1")
                else first.text
            )
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


RULES: dict[str, Callable[..., Any]] = {
    "shims.shape": _shape,
    "shims._src.v1.rnn.cell._size_of_axis": _size_of_axis,
    "shims.size": _size,
    "shims.reshape": _reshape,
    "shims.slice": _slice,
    "shims.strided_slice": _strided_slice,
    "shims._src.v1.variables.operator_overloads._strided_slice": _strided_slice,
    "shims.range": _range,
    "shims.zeros": _filled("zeros"),
    "shims.ones": _filled("ones"),
    "shims.fill": _fill,
    "shims._src.v1.rnn.cell._zeros": _zero_state,
    "shims.broadcast_to": lambda call, input, shape: fill(
        "jnp.broadcast_to({0}, " + shape_text(shape) + ")", input
    ),
}
