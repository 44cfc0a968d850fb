"""Spell operators that draw random numbers, each with its own key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tf2jax_port.exporting.expressions import PRODUCT, SUM, Expression, as_expression, dtype_text
from tf2jax_port.exporting.rules.shapes import shape_text
from tf2jax_port.exporting.rules.spelling import fill
from tf2jax_port.importing.rule import UnsupportedError


def _dropout(call: Any, x: Any, rate: Any, noise_shape: Any = None, seed: Any = None) -> Expression:
    if noise_shape is not None:
        raise UnsupportedError("`noise_shape` has no rule")
    return fill(call.helper("dropout") + f"({call.key()}, {{0}}, {{1}})", x, rate)


def _uniform(
    call: Any, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = None, seed: Any = None
) -> Expression:
    sizes, key = shape_text(shape), call.key()
    name = call.result.dtype.name
    if name.startswith("int"):
        return fill(f"jax.random.randint({key}, {sizes}, {{0}}, {{1}})", minval, maxval)
    options = "" if name == "float32" else f", {dtype_text(name)}"
    low, high = as_expression(minval), as_expression(1 if maxval is None else maxval)
    if low.text not in ("0", "0.0") or high.text not in ("1", "1.0"):
        options += f", minval={low.text}, maxval={high.text}"
    return Expression(f"jax.random.uniform({key}, {sizes}{options})")


def _normal(function: str, bounds: str) -> Callable[..., Expression]:
    def rule(
        call: Any,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = None,
        seed: Any = None,
    ) -> Expression:
        name = call.result.dtype.name
        options = "" if name == "float32" else f", {dtype_text(name)}"
        found = Expression(
            f"jax.random.{function}({call.key()}{bounds}, {shape_text(shape)}{options})"
        )
        scale, shift = as_expression(stddev), as_expression(mean)
        if scale.text not in ("1", "1.0"):
            found = fill("{0:p} * {1:u}", scale, found, level=PRODUCT)
        if shift.text not in ("0", "0.0"):
            found = fill("{0:s} + {1:p}", shift, found, level=SUM)
        return found

    return rule


def _sampled_softmax(
    call: Any,
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: Any,
    num_classes: Any,
    num_true: Any = 1,
    sampled_values: Any = None,
    remove_accidental_hits: Any = True,
    **others: Any,
) -> Expression:
    if num_true != 1 or sampled_values is not None or not remove_accidental_hits:
        raise UnsupportedError(
            "a sampled softmax has a rule only for one true class and candidates that it "
            "draws itself"
        )
    if isinstance(weights, (list, tuple)):
        raise UnsupportedError("weights in several parts have no rule")
    text = (
        call.helper("sampled_softmax") + f"({call.key()}, {{0}}, {{1}}, {{2}}, {{3}}, {{4}}, {{5}})"
    )
    return fill(text, weights, biases, labels, inputs, num_sampled, num_classes)


RULES: dict[str, Callable[..., Any]] = {
    "shims.nn.dropout": _dropout,
    "shims._src.random.stateful.uniform": _uniform,
    "shims._src.random.stateful.normal": _normal("normal", ""),
    "shims._src.random.stateful.truncated_normal": _normal("truncated_normal", ", -2.0, 2.0"),
    "shims._src.v1.ops.embedding.sampled_softmax_loss": _sampled_softmax,
}
