"""Rows of `tf.math` and of its names at `tf.*`."""

from __future__ import annotations

from typing import Any

from tf2jax_port.table.row import Native, Row


def unary(name: str, expression: str, *, param: str = "x", **options: Any) -> Row:
    """An element-wise function of one array."""
    return Row(
        name,
        f"{param}, name=None",
        Native(expression),
        tensors=(param,),
        aliases=() if "." in name else (f"math.{name}",),
        **options,
    )


def binary(name: str, expression: str, *, params: str = "x, y, name=None", **options: Any) -> Row:
    """An element-wise function of two arrays that broadcast."""
    return Row(
        name,
        params,
        Native(expression),
        tensors=("x", "y"),
        aliases=() if "." in name else (f"math.{name}",),
        **options,
    )


def reduction(name: str, expression: str, **options: Any) -> Row:
    """A function that takes away axes."""
    return Row(
        name,
        "input_tensor, axis=None, keepdims=False, name=None",
        Native(expression, ("axis", "keepdims")),
        tensors=("input_tensor",),
        aliases=() if "." in name else (f"math.{name}",),
        renames=(("keep_dims", "keepdims"), ("reduction_indices", "axis")),
        **options,
    )


ROWS = (
    unary("abs", "jnp.abs({x})", own="elementwise.abs", differs="gradient at 0 and NaN"),
    unary("sign", "jnp.sign({x})"),
    unary("negative", "jnp.negative({x})"),
    unary("exp", "jnp.exp({x})"),
    unary("math.log", "jnp.log({x})"),
    unary("math.log1p", "jnp.log1p({x})"),
    unary(
        "sqrt", "jnp.sqrt({x})", own="elementwise.sqrt", differs="gradient where nothing flows in"
    ),
    unary("square", "jnp.square({x})"),
    unary("sin", "jnp.sin({x})"),
    unary("cos", "jnp.cos({x})"),
    unary("floor", "jnp.floor({x})"),
    binary("add", "jnp.add({x}, {y})"),
    binary("subtract", "jnp.subtract({x}, {y})"),
    binary("multiply", "jnp.multiply({x}, {y})"),
    binary("divide", "jnp.divide({x}, {y})"),
    binary(
        "maximum", "jnp.maximum({x}, {y})", own="elementwise.maximum", differs="gradient at ties"
    ),
    binary(
        "minimum", "jnp.minimum({x}, {y})", own="elementwise.minimum", differs="gradient at ties"
    ),
    binary("less", "jnp.less({x}, {y})"),
    binary("greater", "jnp.greater({x}, {y})"),
    reduction("reduce_sum", "jnp.sum({input_tensor}, axis={axis}, keepdims={keepdims})"),
    reduction("reduce_mean", "jnp.mean({input_tensor}, axis={axis}, keepdims={keepdims})"),
    reduction("reduce_max", "jnp.max({input_tensor}, axis={axis}, keepdims={keepdims})"),
)
