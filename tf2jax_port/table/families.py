"""Build table rows of similar operators from a few arguments."""

from __future__ import annotations

from typing import Any

from tf2jax_port.table import standard
from tf2jax_port.table.row import Case, Native, Row, Shim


def _aliases(name: str, options: dict[str, Any]) -> tuple[str, ...]:
    """Return the aliases of an operator: those in the options, and its name in `tf.math`."""
    more = tuple(options.pop("aliases", ()))
    return more if "." in name else (f"math.{name}", *more)


def unary(
    name: str, expression: str, *, param: str = "x", more: tuple[Case, ...] = (), **options: Any
) -> Row:
    """Build the table row of an element-wise function of one array; `more` are further test cases."""
    aliases = _aliases(name, options)
    options["inputs"] = (*options.get("inputs", standard.of_floats(param)), *more)
    return Row(
        name,
        f"{param}, name=None",
        Native(expression),
        tensors=(param,),
        aliases=aliases,
        **options,
    )


def binary(
    name: str,
    target: str | Shim,
    *,
    params: str = "x, y, name=None",
    more: tuple[Case, ...] = (),
    **options: Any,
) -> Row:
    """Build the table row of an element-wise function of two broadcast arrays.

    `more` are further test cases.
    """
    aliases = _aliases(name, options)
    options["inputs"] = (*options.get("inputs", standard.of_two_numbers()), *more)
    return Row(
        name,
        params,
        Native(target) if isinstance(target, str) else target,
        tensors=("x", "y"),
        aliases=aliases,
        **options,
    )


def reduction(name: str, target: str | Shim, *, more: tuple[Case, ...] = (), **options: Any) -> Row:
    """Build the table row of a reduction over axes; `more` are further test cases."""
    aliases = _aliases(name, options)
    options["inputs"] = (*options.get("inputs", standard.of_reduction()), *more)
    return Row(
        name,
        "input_tensor, axis=None, keepdims=False, name=None",
        Native(target, ("axis", "keepdims")) if isinstance(target, str) else target,
        own=f"math.reduction:{name.rpartition('.')[2]}",
        tensors=("input_tensor",),
        aliases=aliases,
        renames=(("keep_dims", "keepdims"), ("reduction_indices", "axis")),
        **options,
    )


def shim(name: str, params: str | None, module: str, **options: Any) -> Row:
    """Build the table row of an operator that JAX lacks and `shims` provides under the same name."""
    function = name.rpartition(".")[2]
    return Row(name, params, Shim(f"shims.{name}"), own=f"{module}:{function}", **options)


def native(name: str, params: str, expression: str, *, own: str = "", **options: Any) -> Row:
    """Build the table row of an operator for which there is a JAX expression.

    `optional`, `defaults` and `needs` are attributes of `Native`. If the JAX expression differs
    from TensorFlow in a corner case, `own` names the module that implements the function of
    `shims`.
    """
    details = {k: options.pop(k) for k in ("optional", "defaults", "needs") if k in options}
    function = f"{own}:{name.rpartition('.')[2]}" if own and ":" not in own else own
    return Row(name, params, Native(expression, **details), own=function, **options)
