"""Run the function of `shims` on a test case: eagerly, on given arrays, or for gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import shims
from tf2jax_port.diff.parity import points as cases
from tf2jax_port.diff.parity.points import Point
from tf2jax_port.table import Row


def function_of(row: Row) -> Callable[..., Any]:
    """Return the function of `shims` that a table row describes."""
    found: Any = shims
    for part in row.name.split("."):
        found = getattr(found, part)
    return found


def flat(result: Any) -> list[Any]:
    """Flatten a result to a list of arrays, without padding."""
    leaves = jax.tree.leaves(result, is_leaf=_is_padded)
    return [leaf.unpad() if _is_padded(leaf) else leaf for leaf in leaves]


def _is_padded(value: Any) -> bool:
    return isinstance(value, shims.Padded)


def split(point: Point) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split the arguments of a case into arrays and everything else."""
    given = cases.arguments(point)
    names = point.case.arrays()
    arrays = {n: jax.tree.map(jnp.asarray, _tuple_to_list(given[n])) for n in names}
    return arrays, {n: v for n, v in given.items() if n not in names}


def _tuple_to_list(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def of_arrays(point: Point) -> Callable[[dict[str, Any]], Any]:
    """Return a function of the case's arrays that calls the operator with its other arguments."""
    _, rest = split(point)
    function = function_of(point.row)
    return lambda arrays: cases.apply(function, point.row, {**_in_order(point, arrays, rest)})


def _in_order(point: Point, arrays: dict[str, Any], rest: dict[str, Any]) -> dict[str, Any]:
    both = {**arrays, **rest}
    return {name: both[name] for name, _ in point.case.arguments}


def eager(point: Point) -> list[np.ndarray]:
    """Call the operator eagerly and return its outputs."""
    arrays, _ = split(point)
    return [np.asarray(leaf) for leaf in flat(of_arrays(point)(arrays))]


def floating_outputs(result: Any) -> list[Any]:
    """Return the outputs with a floating-point or complex dtype, which have a gradient."""
    return [x for x in jax.tree.leaves(result) if jnp.issubdtype(jnp.result_type(x), jnp.inexact)]


def gradients(
    point: Point, function: Callable[[dict[str, Any]], Any], weights: Sequence[Sequence[Any]]
) -> list[list[np.ndarray]]:
    """Compute the gradients of a function's floating-point outputs for each set of cotangents.

    Args:
      point: the case.
      function: a function of the array arguments.
      weights: sets of cotangents, each with one array per output.
    """
    arrays, _ = split(point)
    names = cases.floating(point)

    def outputs(sources: dict[str, Any]) -> list[Any]:
        return floating_outputs(function({**arrays, **sources}))

    primals, pull_back = jax.vjp(outputs, {name: arrays[name] for name in names})
    found = []
    for one in weights:
        cotangents = [jnp.asarray(w, p.dtype) for w, p in zip(one, primals, strict=True)]
        (back,) = pull_back(cotangents)
        found.append([np.asarray(g) for name in names for g in jax.tree.leaves(back[name])])
    return found
